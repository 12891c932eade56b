"""Compounds, and attributes of user-defined types, in Zarr: array fields, nested fields, and what comes back of them."""

import base64
import json
import os
import subprocess
import sys

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import nccopy, ncgen
from zarr_reference import ZARR2, by_libnetcdf, needs_zarr2

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


# What version 2 holds: no enums, and no attributes of compounds.
OF_VERSION_2 = """netcdf b {
types:
  compound inner { short q; float r(2); };
  opaque(5) key;
  compound flat { int a; char t(5); double d; key k; };
  compound pair { byte o; double b(3); short c(2, 2); char t(2, 5); inner s(2); key k; };
dimensions: x = 5; y = 2;
variables:
  flat f(x); pair v(x, y); int n(x);
data:
  n = 1, 2, 3, 4, 5;
  f = {1, {"abc"}, 1.5, 0X0102030405}, {2, {"abcde"}, -2.5, 0X0203040506}, {3, {"x"}, 0, 0X00};
  v = {1, {1, 2, 3}, {1, 2, 3, 4}, {"abcdefg"}, {{5, {6, 7}}, {8, {9, 10}}}, 0X0102030405},
      {2, {4, 5, 6}, {5, 6, 7, 8}, {"zyxwvutsrq"}, {{50, {60, 70}}, {80, {90, 100}}}, 0X0504030201};
}
"""

READ_2 = """
import base64, json, sys, numpy, zarr
root = zarr.open(sys.argv[1], mode="r")
print(json.dumps({name: [root[name].dtype.descr, base64.b64encode(root[name][...].tobytes()).decode()] for name in sys.argv[2:]}))
"""


def packed(array):
    """The bytes of elements without gaps."""
    def without_gaps(dtype):
        if dtype.subdtype:
            return np.dtype((without_gaps(dtype.subdtype[0]), dtype.subdtype[1]))
        return np.dtype([(name, without_gaps(dtype.fields[name][0])) for name in dtype.names]) if dtype.names else dtype

    return array.astype(without_gaps(array.dtype)).tobytes()


@needs_zarr2
@pytest.mark.parametrize("options", [[], ["-c", "x/2,y/1", "-d", "1"]], ids=["one chunk", "chunks"])
def test_version_2(tmp_path, options):
    """zarr-python 2 reads the elements that h5py reads of the source; zarr-python 3 those without array fields."""
    (tmp_path / "in.cdl").write_text(OF_VERSION_2)
    ncgen("-k", "nc4", "-o", tmp_path / "in.nc", tmp_path / "in.cdl")
    out = tmp_path / "out.zarr"
    said = nccopy("--verify", *options, tmp_path / "in.nc", f"{out}#mode=zarr")
    assert "zarr-python 3 cannot read compounds with array fields: v;" in said, said
    assert "netCDF-C opens no dataset with compounds" in said, said
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", READ_2, out, "f", "v"], capture_output=True, env=os.environ | {"PYTHONPATH": str(ZARR2)})
    found = json.loads(done.stdout)
    nccopy("-k", "nc4", out, tmp_path / "back.nc")
    with h5py.File(tmp_path / "in.nc") as file, h5py.File(tmp_path / "back.nc") as back:
        for name in "fv":
            wanted = packed(file[name][()])
            assert base64.b64decode(found[name][1]) == wanted, name
            assert packed(back[name][()]) == wanted, name
            assert back[name].dtype.names == file[name].dtype.names
        assert [field[1:] for field in found["v"][0]] == [["|i1"], ["<f8", [3]], ["<i2", [2, 2]], ["|S5", [2]], [[["q", "<i2"], ["r", "<f4", [2]]], [2]], ["|V5"]]
        wanted = packed(file["f"][()])
    zarr = pytest.importorskip("zarr", "3")
    assert zarr.open_group(str(out), mode="r", use_consolidated=False)["f"][:].tobytes() == wanted
    with pytest.raises(ValueError, match="No Zarr data type"):
        zarr.open_group(str(out), mode="r", use_consolidated=False)["v"]
    with pytest.raises(AssertionError, match="netcdf_c_read|Error|NetCDF"):
        by_libnetcdf(f"file://{out}#mode=zarr,file")


def test_big_endian_fields(tmp_path):
    """A struct of version 3 in big-endian order becomes the same numbers in version 2."""
    dtype = np.dtype([("a", ">i4"), ("b", ">f8")])
    values = np.array([(1, 1.5), (-2, 2.5), (3, 1e300)], dtype)
    (tmp_path / "in.zarr" / "v" / "c").mkdir(parents=True)
    (tmp_path / "in.zarr" / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    fields = [{"name": "a", "data_type": "int32"}, {"name": "b", "data_type": "float64"}]
    document = {"zarr_format": 3, "node_type": "array", "shape": [3], "data_type": {"name": "struct", "configuration": {"fields": fields}},
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}}, "chunk_key_encoding": {"name": "default"},
                "fill_value": {"a": 0, "b": 0}, "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}], "dimension_names": ["x"]}
    (tmp_path / "in.zarr" / "v" / "zarr.json").write_text(json.dumps(document))
    (tmp_path / "in.zarr" / "v" / "c" / "0").write_bytes(values.tobytes())
    nccopy("--verify", tmp_path / "in.zarr", f"{tmp_path}/out.zarr#mode=zarr")
    zarr = pytest.importorskip("zarr", "3")
    found = zarr.open_group(str(tmp_path / "out.zarr"), mode="r")["v"][:]
    assert found["a"].tolist() == values["a"].tolist() and found["b"].tolist() == values["b"].tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("version", [2, 3])
def test_units_of_times_that_are_lost_are_told(tmp_path, version):
    """numpy counts in months, and has times in fields. CF has neither."""
    zarr = pytest.importorskip("zarr", "3")
    root = zarr.create_group(tmp_path / "in.zarr", zarr_format=version)
    fields = np.zeros(3, np.dtype([("t", "<M8[ms]"), ("x", "<f4")]))
    fields["t"] = np.array([5, 6, 7], "M8[ms]")
    values = {"months": np.array([1, 2, 3], "<M8[M]"), "seconds": np.array([1, 2, 3], "<M8[s]"), "fields": fields}
    for name, array in values.items():
        root.create_array(name, shape=(3,), chunks=(3,), dtype=array.dtype, compressors=None)[:] = array
    said = nccopy(tmp_path / "in.zarr", tmp_path / "out.nc")
    assert [line.split(": warning: ")[1] for line in said.splitlines()] == [
        "variable fields: times are read as whole numbers, without these units: t (ms)",
        "variable months: times are read as whole numbers, without these units: M",
    ]
    with h5py.File(tmp_path / "out.nc") as file:
        assert file["fields"][:]["t"].tolist() == [5, 6, 7] and file["months"][:].tolist() == [1, 2, 3]
        assert file["seconds"].attrs["units"] in (b"seconds since 1970-01-01", "seconds since 1970-01-01")
