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


def grow(path):
    with open(path, "ab") as file:
        file.write(b"x")


def change(path):
    with open(path, "r+b") as file:
        file.seek(-100, 2)
        file.write(b"x")


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
    status, told = go_on(process)
    assert status == 1 and f"{path}: " in told and "the file was changed while it was read" in told, told
    assert not out.exists()


def test_an_unfinished_file_may_change(tmp_path):
    path, out = tmp_path / "in.h5", tmp_path / "out.nc"
    hdf5(path)
    process = stopped("write", "nccopy", "--unfinished", path, out)
    grow(path)
    assert go_on(process) == (0, "")
    assert b"v = 0, 1, 2," in ncdump(out)
