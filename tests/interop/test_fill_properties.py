"""Allocation time, fill time and fill status of all datasets that libhdf5 makes, beside h5repack's copies."""

import itertools
import subprocess

import h5py
import numpy as np
import pytest
from conftest import nccopy

LAYOUTS = {"compact": h5py.h5d.COMPACT, "contiguous": h5py.h5d.CONTIGUOUS, "chunked": h5py.h5d.CHUNKED}
ALLOCATION = [h5py.h5d.ALLOC_TIME_EARLY, h5py.h5d.ALLOC_TIME_LATE, h5py.h5d.ALLOC_TIME_INCR]
FILL_TIMES = [h5py.h5d.FILL_TIME_ALLOC, h5py.h5d.FILL_TIME_NEVER, h5py.h5d.FILL_TIME_IFSET]
UNDEFINED, DEFAULT, DEFINED = h5py.h5d.FILL_VALUE_UNDEFINED, h5py.h5d.FILL_VALUE_DEFAULT, h5py.h5d.FILL_VALUE_USER_DEFINED


def undefined(plist):
    """Makes the fill value of a property list undefined, which h5py has no call for."""
    import ctypes
    import glob
    import os

    wheel = os.path.join(os.path.dirname(h5py.__file__), os.pardir, "h5py.libs", "libhdf5-*.so*")
    library = ctypes.CDLL(sorted(glob.glob(wheel))[0])
    function = library.H5Pset_fill_value
    function.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    assert function(plist.id, h5py.h5t.NATIVE_INT32.id, None) >= 0


def make(path):
    """Makes every dataset that can be, and returns their names."""
    names = []
    with h5py.File(path, "w") as f:
        everything = itertools.product(LAYOUTS, ALLOCATION, FILL_TIMES, [UNDEFINED, DEFAULT, DEFINED], [False, True])
        for layout, allocation, time, status, written in everything:
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_layout(LAYOUTS[layout])
            if layout == "chunked":
                plist.set_chunk((2, 3))
            plist.set_alloc_time(allocation)
            plist.set_fill_time(time)
            if status == UNDEFINED:
                undefined(plist)
            elif status == DEFINED:
                plist.set_fill_value(np.array(7, "<i4"))
            name = f"{layout}_{allocation}_{time}_{status}_{int(written)}"
            try:
                space = h5py.h5s.create_simple((4, 5))
                dataset = h5py.h5d.create(f.id, name.encode(), h5py.h5t.STD_I32LE, space, plist)
            except (ValueError, RuntimeError, OSError):
                continue
            if written:
                f[name][1:3, 0:2] = [[1, 2], [3, 4]]
            names.append(name)
            del dataset
    return names


def properties(dataset):
    plist = dataset.id.get_create_plist()
    chunked = plist.get_layout() == h5py.h5d.CHUNKED
    return {
        "layout": plist.get_layout(),
        "allocation": plist.get_alloc_time(),
        "fill time": plist.get_fill_time(),
        "status": plist.fill_value_defined(),
        "value": dataset.fillvalue if plist.fill_value_defined() == DEFINED else None,
        "space": dataset.id.get_space_status() if not chunked else dataset.id.get_num_chunks(),
    }


def defined(name, dataset):
    """The elements that have a value: written ones, and those that libhdf5 fills."""
    try:
        values = dataset[()]
    except OSError:
        # libhdf5 refuses to read what was never allocated and has no fill value.
        return "nothing can be read"
    layout, allocation, time, status, written = name.split("_")
    known = np.zeros(values.shape, bool)
    if written == "1":
        known[1:3, 0:2] = True
    never = int(time) == h5py.h5d.FILL_TIME_NEVER
    if not (never or int(status) == UNDEFINED or int(time) == h5py.h5d.FILL_TIME_IFSET and int(status) == DEFAULT):
        known[:] = True
    return values[known]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fill")
    names = make(folder / "in.h5")
    subprocess.run(["h5repack", folder / "in.h5", folder / "repacked.h5"], check=True)
    return folder, names


def test_there_are_112(made):
    assert len(made[1]) == 112


@pytest.mark.parametrize("arguments", [[], ["-k", "h5"]])
def test_copies_agree_with_h5repack(made, tmp_path, arguments):
    folder, names = made
    nccopy(*arguments, folder / "in.h5", tmp_path / "out.h5")
    wrong = []
    with h5py.File(folder / "repacked.h5") as theirs, h5py.File(tmp_path / "out.h5") as ours:
        for name in names:
            a, b = properties(theirs[name]), properties(ours[name])
            if a != b:
                wrong.append((name, {key: (a[key], b[key]) for key in a if a[key] != b[key]}))
            np.testing.assert_array_equal(defined(name, theirs[name]), defined(name, ours[name]), name)
    assert not wrong
