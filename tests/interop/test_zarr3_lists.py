"""Lists of numbers (vlens): in Zarr version 3 bytes of any length for every reader, in version 2 what numcodecs has for them."""

import json
import subprocess

import netCDF4
import numpy as np
import pytest
from conftest import BIN, ncdump, nccopy

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


def test_nczarr_has_none(tmp_path, source):
    assert "--drop-unsupported leaves them out" in nccopy(source, f"{tmp_path}/out.zarr#mode=nczarr", ok=False)


@pytest.mark.parametrize("compressor", ["none", "zlib,1"])
def test_version_2(tmp_path, source, compressor):
    """numcodecs decodes its own `vlen-array`, and the numbers come back."""
    numcodecs = pytest.importorskip("numcodecs")
    out = tmp_path / "out.zarr"
    said = nccopy("--verify", "-F", f"*,{compressor}", source, f"{out}#mode=zarr")
    assert all(name in line for name in TYPES for line in said.splitlines() if "lists of numbers" in line), said
    for name, kind in TYPES.items():
        array = json.loads((out / name / ".zarray").read_text())
        assert array["dtype"] == "|O" and array["filters"] == [{"id": "vlen-array", "dtype": np.dtype(kind).str}]
        stored = (out / name / "0.0").read_bytes()
        if array["compressor"]:
            stored = numcodecs.get_codec(array["compressor"]).decode(stored)
        found = numcodecs.get_codec(array["filters"][0]).decode(stored)
        wanted = lists(kind)
        assert [one.tolist() for one in found] == [wanted[at].tolist() for at in (0, 1, 5, 6)], name
    nccopy("-k", "nc4", out, tmp_path / "back.nc")
    with netCDF4.Dataset(tmp_path / "back.nc") as nc:
        for name, kind in TYPES.items():
            for one, wanted in zip(nc[name][:].ravel(), lists(kind)):
                assert one.dtype == wanted.dtype and one.tolist() == wanted.tolist(), name
            assert [len(one) for one in nc[f"{name}_unwritten"][:]] == [0] * 5
    nccopy("--verify", out, f"{tmp_path}/v3.zarr#mode=zarr,v3")
    nccopy("--verify", tmp_path / "v3.zarr", f"{tmp_path}/again.zarr#mode=zarr")
    assert ncdump("-n", "a", tmp_path / "again.zarr") == ncdump("-n", "a", out)


def test_lists_that_numcodecs_wrote(tmp_path):
    """Big-endian numbers are left out and told, and damage is an error."""
    numcodecs = pytest.importorskip("numcodecs")
    (tmp_path / "in.zarr" / "v").mkdir(parents=True)
    (tmp_path / "in.zarr" / ".zgroup").write_text('{"zarr_format": 2}')
    wanted = [[1, 2], [], [3]]
    for kind in "<f4", ">i4":
        codec = numcodecs.VLenArray(kind)
        array = {"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "|O", "fill_value": 0, "order": "C", "compressor": None, "filters": [codec.get_config()]}
        (tmp_path / "in.zarr" / "v" / ".zarray").write_text(json.dumps(array))
        encoded = codec.encode(np.array([np.array(one, kind) for one in wanted], object))
        (tmp_path / "in.zarr" / "v" / "0").write_bytes(encoded)
        done = subprocess.run([BIN / "ncdump", tmp_path / "in.zarr"], capture_output=True, text=True)
        if kind == "<f4":
            assert " v = {1, 2}, {}, {3} ;" in done.stdout
            (tmp_path / "in.zarr" / "v" / "0").write_bytes(encoded[:-1])
            done = subprocess.run([BIN / "ncdump", tmp_path / "in.zarr"], capture_output=True, text=True)
            assert done.returncode == 1 and "variable v" in done.stderr
        else:
            assert "variable v is left out: it has lists of the type >i4" in done.stderr
