"""An input that another program changes while it is copied is an error, and there is no output."""

import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN, ncdump
from stop_points import go_on, stopped

SIZE = 300_000


def classic(path):
    (path.parent / "a.cdl").write_text("netcdf a { dimensions: x = %d ; variables: int v(x) ; }" % SIZE)
    subprocess.run([BIN / "ncgen", "-k", "nc3", "-o", path, path.parent / "a.cdl"], check=True)


def hdf5(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("v", data=np.arange(SIZE, dtype="i4"), chunks=(1000,))


def zipped(path):
    source = path.parent / "source.h5"
    hdf5(source)
    subprocess.run([BIN / "nccopy", source, f"{path}#mode=zarr,zip"], check=True)


def of_another_file(path, form):
    """A file whose data lies in `source.x` beside it."""
    source = path.parent / "source.x"
    if form == "raw":
        np.arange(SIZE, dtype="i4").tofile(source)
    else:
        hdf5(source)
    with h5py.File(path, "w") as f:
        if form == "raw":
            f.create_dataset("v", (SIZE,), "i4", external=[("source.x", 0, 4 * SIZE)])
        elif form == "link":
            f["v"] = h5py.ExternalLink("source.x", "v")
        else:
            layout = h5py.VirtualLayout((SIZE,), "i4")
            layout[:] = h5py.VirtualSource("source.x", "v", (SIZE,))
            f.create_virtual_dataset("v", layout)
    return source


def grow(path):
    with open(path, "ab") as file:
        file.write(b"x")


def change(path):
    with open(path, "r+b") as file:
        file.seek(-100, 2)
        file.write(b"x")


def refused(process, changed, out):
    """The stopped copy goes on, names the file that was changed, and leaves no output."""
    status, told = go_on(process)
    assert status == 1 and f"{changed}: " in told and "the file was changed while it was read" in told, told
    assert not out.exists()


@pytest.mark.parametrize("changed", [grow, change])
@pytest.mark.parametrize(
    "make, flags",
    [
        (classic, ["-k", "nc4"]), (classic, ["-k", "archive"]), (classic, ["-k", "zst"]),
        (hdf5, []), (hdf5, ["-k", "h5"]), (hdf5, ["-d", "1"]), (hdf5, ["--isel", "phony_dim_0=0:9"]), (zipped, []),
    ],
)
def test_a_changed_input_is_an_error(tmp_path, make, flags, changed):
    path, out = tmp_path / "in.x", tmp_path / "out.x"
    make(path)
    process = stopped("write", "nccopy", *flags, path, out)
    changed(path)
    refused(process, path, out)


@pytest.mark.parametrize("form", ["raw", "link", "virtual"])
def test_a_changed_source_is_an_error(tmp_path, form):
    path, out = tmp_path / "in.h5", tmp_path / "out.nc"
    source = of_another_file(path, form)
    process = stopped("write", "nccopy", path, out)
    change(source)
    refused(process, source, out)


@pytest.mark.parametrize("form", ["raw", "link", "virtual"])
def test_a_source_that_another_file_replaces_is_no_error(tmp_path, form):
    path, out = tmp_path / "in.h5", tmp_path / "out.nc"
    source = of_another_file(path, form)
    process = stopped("write", "nccopy", path, out)
    source.with_name("new").write_bytes(source.read_bytes())
    source.with_name("new").rename(source)
    assert go_on(process) == (0, "")
    assert b"v = 0, 1, 2," in ncdump(out)


def test_an_unfinished_file_may_change(tmp_path):
    path, out = tmp_path / "in.h5", tmp_path / "out.nc"
    hdf5(path)
    process = stopped("write", "nccopy", "--unfinished", path, out)
    grow(path)
    assert go_on(process) == (0, "")
    assert b"v = 0, 1, 2," in ncdump(out)
