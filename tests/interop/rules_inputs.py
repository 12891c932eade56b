"""What the tests of nccopy's rules copy: a netCDF-4 file and a classic one, with all that options can change."""

import h5py
import hdf5plugin  # noqa: F401 (registers the filters of the copies with h5py)
import netCDF4
import numpy as np
import pytest
from conftest import nccopy
from stored import kind

DATA = np.sin(np.arange(3 * 20 * 30) / 9).astype("f4").reshape(3, 20, 30)


@pytest.fixture(scope="module")
def nc4(tmp_path_factory):
    """var deflated, raw not; both chunked; plain contiguous; scalar; a group with a variable."""
    path = tmp_path_factory.mktemp("rules") / "in.nc"
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("t", None)
        d.createDimension("y", 20)
        d.createDimension("x", 30)
        shape = ("t", "y", "x")
        d.createVariable("var", "f4", shape, chunksizes=(1, 10, 15), compression="zlib", complevel=3)[0:3] = DATA
        d.createVariable("raw", "f4", shape, chunksizes=(1, 10, 15))[0:3] = DATA
        d.createVariable("both", "f4", shape, chunksizes=(1, 10, 15), compression="zlib", fletcher32=True)[0:3] = DATA
        d.createVariable("plain", "f4", ("y", "x"), contiguous=True)[:] = DATA[0]
        d.createVariable("small", "f4", ("y", "x"), chunksizes=(5, 7))[:] = DATA[0]
        d.createVariable("bytes", "i1", ("y", "x"), chunksizes=(5, 7))[:] = 3
        d.createVariable("scalar", "f4", ())[...] = 1
        d.createVariable("text", str, ("y",))[:] = np.array(["a"] * 20, object)
        g = d.createGroup("g")
        g.createVariable("var", "f4", ("y", "x"), chunksizes=(5, 7), compression="zlib", complevel=3)[:] = DATA[0]
    return path


@pytest.fixture(scope="module")
def nc3(tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "in3.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as d:
        d.createDimension("t", None)
        d.createDimension("y", 20)
        d.createDimension("x", 30)
        d.createVariable("rec", "f4", ("t", "y", "x"))[0:3] = DATA
        d.createVariable("plain", "f4", ("y", "x"))[:] = DATA[0]
        d.createVariable("t", "f8", ("t",))[:] = [1, 2, 3]
    return path


def copied(source, tmp_path, *arguments):
    """The copy that options make; variables of all of DATA hold it still."""
    target = tmp_path / "out.nc"
    nccopy(*arguments, source, target)
    if kind(target).startswith("NETCDF4"):
        with h5py.File(target) as f:
            for name in ("var", "raw", "both"):
                if name in f and f[name].shape == DATA.shape:
                    np.testing.assert_array_equal(f[name][()], DATA)
    return target
