"""Groups with filters, whose heaps of links are stored filtered: read as h5py reads them, and copied."""

import h5py
import hdf5plugin
import netCDF4
import numpy as np
import pytest
from conftest import UNKNOWN_FILTER, compare, nccopy, ncdump

from hdf5_checksum import with_filter_id
from samples.reader_hdf5 import FILTERED, filtered_group


@pytest.mark.parametrize("filters", FILTERED.values(), ids=FILTERED)
@pytest.mark.parametrize("count", [9, 300, 6000])
@pytest.mark.parametrize("tracked", [True, False], ids=["tracked", "untracked"])
def test_links(tmp_path, filters, count, tracked):
    """Heaps of one block, of many, and of more than one indirect block refers to."""
    path, copy = tmp_path / "in.h5", tmp_path / "out.nc"
    names = [f"{i * 7919 % count:05}" + "x" * (i % 150) for i in range(count)]
    with h5py.File(path, "w", libver="latest") as f:
        g = filtered_group(f, "g", filters, tracked)
        for i, name in enumerate(names):
            g.create_group(name).attrs["i"] = np.int32(i)
        g["huge"] = h5py.SoftLink("/" + "./" * 3000 + "g/" + names[4])
        g["huge_too"] = h5py.SoftLink("/" + "./" * 30000 + "g/" + names[5])
    with open(path, "rb") as f:
        heap = f.read().partition(b"FRHP")[2]
    assert heap[3:5] != b"\0\0", "the heap has no filters"
    nccopy(path, copy)
    with netCDF4.Dataset(copy) as nc:
        # In order of creation where the file has it.
        assert list(nc["g"].groups) == (names if tracked else sorted(names)) + ["huge", "huge_too"]
        assert (nc["g"]["huge"].i, nc["g"]["huge_too"].i) == (4, 5)
        for i in range(0, count, 1 + count // 100):
            assert nc["g"][names[i]].i == i


def test_attributes_and_data_of_filtered_groups(tmp_path):
    path, copy = tmp_path / "in.h5", tmp_path / "out.nc"
    with h5py.File(path, "w", libver="latest") as f:
        g = filtered_group(f, "g", (1, 3))
        for i in range(100):
            g[f"v{i:03}"] = np.arange(i, i + 4, dtype="f4")
        for i in range(20):
            g.attrs[f"a{i}"] = np.arange(i + 1)
        g.attrs["large"] = np.arange(20000.0)
    nccopy(path, copy)
    code, text = compare(path, copy)
    assert code == 0, text
    text = ncdump(path)
    assert b"v099 = 99, 100, 101, 102 ;" in text


def test_filter_that_is_not_built_in(tmp_path):
    """A message that says which filter, and where."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", libver="latest") as f:
        g = filtered_group(f, "g", (hdf5plugin.LZ4_ID,))
        for i in range(20):
            g.create_group(f"{i}")
    path.write_bytes(with_filter_id(path.read_bytes(), hdf5plugin.LZ4_ID, UNKNOWN_FILTER))
    error = nccopy(path, tmp_path / "out.nc", ok=False)
    assert "fractal heap direct block" in error and str(UNKNOWN_FILTER) in error, error
