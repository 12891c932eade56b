"""Lists of numbers (vlens) in Zarr version 3: bytes of any length for every reader, and the numbers again for ours."""

import netCDF4
import numpy as np
import pytest
from conftest import ncdump, nccopy

zarr = pytest.importorskip("zarr", "3")
pytestmark = pytest.mark.filterwarnings("ignore")

TYPES = {"ints": "i4", "floats": "f8", "bytes": "u1", "shorts": "i2"}


def lists(kind):
    return [np.arange(n * n % 7, dtype=kind) + n for n in range(15)]


@pytest.fixture
def source(tmp_path):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as nc:
        nc.createDimension("y", 3)
        nc.createDimension("x", 5)
        for name, kind in TYPES.items():
            ty = nc.createVLType(np.dtype(kind), f"{name}_t")
            var = nc.createVariable(name, ty, ("y", "x"), chunksizes=(2, 2))
            for n, one in enumerate(lists(kind)):
                var[n // 5, n % 5] = one
            nc.createVariable(f"{name}_unwritten", ty, ("x",), chunksizes=(2,))
        nc.createVariable("plain", "i4", ("x",))[:] = np.arange(5)
    return tmp_path / "in.nc"


def check_netcdf(path):
    with netCDF4.Dataset(path) as nc:
        for name, kind in TYPES.items():
            found = nc[name][:].ravel()
            assert nc[name].datatype.name == f"{name}_t"
            for one, wanted in zip(found, lists(kind)):
                assert one.dtype == wanted.dtype and one.tolist() == wanted.tolist(), name


@pytest.mark.parametrize("options", [["--shard", "none"], ["--shard", "y/4,x/4"], ["-F", "*,zstd,3"]], ids=" ".join)
def test_into_version_3_and_back(tmp_path, source, options):
    out = tmp_path / "out.zarr"
    nccopy("--verify", *options, source, f"{out}#mode=zarr,v3")
    root = zarr.open_group(str(out), mode="r")
    assert root["plain"][:].tolist() == list(range(5))
    for name, kind in TYPES.items():
        found = [np.frombuffer(one, f"<{np.dtype(kind).str[1:]}").tolist() for one in root[name][:].ravel()]
        assert found == [one.tolist() for one in lists(kind)], name
        assert [len(one) for one in root[f"{name}_unwritten"][:]] == [0] * 5
    assert ncdump("-n", "a", out) == ncdump("-n", "a", source)
    nccopy("-k", "nc4", out, tmp_path / "back.nc")
    check_netcdf(tmp_path / "back.nc")
    nccopy("--verify", "--shard", "none", out, f"{tmp_path}/again.zarr#mode=zarr,v3")
    assert ncdump("-n", "a", tmp_path / "again.zarr") == ncdump("-n", "a", source)


def test_bytes_that_are_no_numbers(tmp_path, source):
    """Another program may put bytes there that are no numbers."""
    nccopy("-V", "ints", source, f"{tmp_path}/out.zarr#mode=zarr,v3")
    root = zarr.open_group(str(tmp_path / "out.zarr"), mode="r+", use_consolidated=False)
    root["ints"][:] = np.full((3, 5), b"abc", object)
    said = nccopy("-k", "nc4", tmp_path / "out.zarr", tmp_path / "back.nc", ok=False)
    assert "ints" in said and "no numbers of 4 bytes" in said, said


@pytest.mark.parametrize("mode", ["zarr", "nczarr"])
def test_version_2_has_none(tmp_path, source, mode):
    assert "--drop-unsupported leaves it out" in nccopy(source, f"{tmp_path}/out.zarr#mode={mode}", ok=False)
