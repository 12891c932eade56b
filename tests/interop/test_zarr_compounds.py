"""Compounds, and attributes of user-defined types, in Zarr: array fields, nested fields, and what comes back of them."""

import base64
import json

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import nccopy, ncgen

CDL = """netcdf a {
types:
  compound inner { short q; float r(2); };
  byte enum color { red = 0, blue = 2 };
  opaque(5) key;
  short(*) list;
  compound pair { int a; double b(3); short c(2, 2); char t(5); inner s(2); color e(2); key k; key ks(2); };
dimensions: x = 3;
variables:
  pair v(x);
  int n(x);
    pair n:two = {1, {1, 2, 3}, {1, 2, 3, 4}, {"abc"}, {{5, {6, 7}}, {8, {9, NaNf}}}, {red, blue}, 0X0102030405, {0X01, 0X0908070605}},
      {2, {-1, 0, 1e300}, {1, 2, 3, 4}, {"abcde"}, {{5, {6, 7}}, {8, {9, 10}}}, {blue, red}, 0X0102030405, {0X01, 0X0908070605}};
    inner n:one = {-7, {1.5, -Infinityf}};
    key n:key = 0X0102030405;
    list n:list = {1, 2, 3}, {}, {4};
    color n:color = blue;
  key :key = 0X0102030405, 0XFFFFFFFFFF;
data:
  n = 1, 2, 3;
  v = {1, {1, 2, 3}, {1, 2, 3, 4}, {"abc"}, {{5, {6, 7}}, {8, {9, 10}}}, {red, blue}, 0X0102030405, {0X01, 0X0908070605}},
      {2, {4, 5, 6}, {5, 6, 7, 8}, {"abcde"}, {{50, {60, 70}}, {80, {90, 100}}}, {blue, blue}, 0X0504030201, {0X02, 0X03}}, _;
}
"""

# An element of `pair` without gaps, as numpy has it.
INNER = np.dtype([("q", "<i2"), ("r", "<f4", (2,))])
PAIR = np.dtype([("a", "<i4"), ("b", "<f8", (3,)), ("c", "<i2", (2, 2)), ("t", "S5"), ("s", INNER, (2,)), ("e", "i1", (2,)), ("k", "V5"), ("ks", "V5", (2,))])


def listed(value):
    """Numbers, text and bytes of an element as h5py or numpy has it."""
    if isinstance(value, np.void) and value.dtype.names:
        return [listed(value[name]) for name in value.dtype.names]
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "S" and value.dtype.itemsize == 1:
            return b"".join(value.ravel().tolist())
        return [listed(one) for one in value]
    return value.tobytes() if isinstance(value, np.void) else repr(np.asarray(value).item())


def by_h5py(path):
    with h5py.File(path) as file:
        assert file["v"].dtype.names == PAIR.names
        found = {"v": listed(file["v"][()]), "key": listed(file.attrs["key"])}
        found |= {name: listed(file["n"].attrs[name]) for name in ("two", "one", "key", "list", "color")}
        types = {name: [str(field) for field in file[name].dtype.names or ()] for name in ("pair", "inner")}
        return found, types


@pytest.fixture
def source(tmp_path):
    (tmp_path / "in.cdl").write_text(CDL)
    ncgen("-k", "nc4", "-o", tmp_path / "in.nc", tmp_path / "in.cdl")
    return tmp_path / "in.nc"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", [["--shard", "none"], ["--shard", "x/2", "-c", "x/1"]], ids=" ".join)
def test_version_3_and_back(tmp_path, source, options):
    out = tmp_path / "out.zarr"
    nccopy("--verify", *options, source, f"{out}#mode=zarr,v3")
    nccopy("--verify", "-k", "nc4", out, tmp_path / "back.nc")
    assert by_h5py(tmp_path / "back.nc") == by_h5py(source)
    with netCDF4.Dataset(tmp_path / "back.nc") as nc:
        assert list(nc.cmptypes)[0] == "inner" and list(nc.enumtypes) == ["color"] and list(nc.vltypes) == ["list"]
    # A copy of the copy has the facts, too.
    nccopy("--verify", out, f"{tmp_path}/again.zarr#mode=zarr,v3")
    nccopy("-k", "nc4", tmp_path / "again.zarr", tmp_path / "again.nc")
    assert by_h5py(tmp_path / "again.nc") == by_h5py(source)


def test_what_other_readers_see_of_version_3(tmp_path, source):
    """Chunks are elements of numpy one behind the other, an array field is its bytes, and attributes are JSON."""
    out = tmp_path / "out.zarr"
    nccopy("--shard", "none", "-F", "v,none", source, f"{out}#mode=zarr,v3")
    document = json.loads((out / "v" / "zarr.json").read_text())
    fields = document["data_type"]["configuration"]["fields"]
    sizes = [field["data_type"].get("configuration", {}).get("length_bytes") if isinstance(field["data_type"], dict) else 4 for field in fields]
    assert [field["name"] for field in fields] == list(PAIR.names)
    assert sizes == [PAIR.fields[name][0].itemsize for name in PAIR.names]
    found = np.frombuffer((out / "v" / "c" / "0").read_bytes(), PAIR)
    with h5py.File(source) as file:
        wanted = file["v"][()]
        for name in "abcesk":
            assert listed(found[name]) == listed(wanted[name]), name
        two = json.loads((out / "n" / "zarr.json").read_text())["attributes"]["two"]
        for one, theirs in zip(two, file["n"].attrs["two"]):
            assert one["a"] == theirs["a"] and base64.b64decode(one["b"]) == theirs["b"].tobytes()


def test_what_version_3_cannot_hold(tmp_path):
    """Compounds with strings or lists are refused together, and left out together."""
    (tmp_path / "in.cdl").write_text("""netcdf a { types: compound worded { int a; string s; }; int(*) list; compound listed { list l; };
        dimensions: x = 2; variables: worded w(x); listed l(x); int n(x); worded n:w = {1, "b"}; data: n = 1, 2; w = {1, "a"}, {2, "b"}; l = {{1}}, {{2, 3}}; }""")
    ncgen("-k", "nc4", "-o", tmp_path / "in.nc", tmp_path / "in.cdl")
    out = f"{tmp_path}/out.zarr#mode=zarr,v3"
    said = nccopy(tmp_path / "in.nc", out, ok=False)
    assert "cannot hold 3 items: " in said and said.strip().endswith("; --drop-unsupported leaves them out"), said
    assert "w (worded)" in said and "l (listed)" in said and "n:w (worded)" in said, said
    nccopy("--drop-unsupported", tmp_path / "in.nc", out)
    nccopy("-k", "nc4", tmp_path / "out.zarr", tmp_path / "back.nc")
    with netCDF4.Dataset(tmp_path / "back.nc") as nc:
        assert list(nc.variables) == ["n"] and nc["n"][:].tolist() == [1, 2] and nc["n"].ncattrs() == []
