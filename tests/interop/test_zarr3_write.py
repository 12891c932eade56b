"""Zarr version 3 as it is written here: zarr-python and xarray read the values, and a copy back to netCDF-4 keeps all."""

import json
import warnings
import zipfile

import numpy as np
import pytest
from conftest import nccopy, ncdump, ncgen
from zarr_reference import by_readers_of_version_3

netCDF4 = pytest.importorskip("netCDF4")
xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr", "3")
warnings.simplefilter("ignore")

CDL = """netcdf in {
types:
  byte enum color {red = 0, blue = -5} ;
  opaque(5) id ;
dimensions:
  time = UNLIMITED ; y = 30 ; x = 40 ; unused = 3 ; letters = 5 ;
variables:
  float t(time, y, x) ;
    t:_FillValue = -99.f ; t:units = "K" ; t:valid_range = 0.f, 1.f ; t:bad = NaN ;
    t:_ChunkSizes = 1, 10, 10 ;
  double time(time) ; time:units = "days since 2000-01-01" ;
  short p(y, x) ; p:_FillValue = -1s ; p:scale_factor = 0.1 ; p:_Endianness = "big" ;
  char name(time, letters) ; name:_FillValue = "*" ;
  string s(time) ; s:names = "a", "b" ;
  color c(time) ;
  id o(time) ;
  int scalar ;
  :title = "x" ; :level = 3ub ;
data:
  time = 0, 1, 2, 3 ;
  name = "abc", "hello", "x", "y" ;
  s = "one", "zwei ä", "3", "four" ;
  c = red, blue, red, blue ;
  o = 0X0102030405, 0X0102030406, 0X0102030407, 0X0102030408 ;
  scalar = 7 ;
group: g {
  variables:
    float t2(time, x) ;
}
}
"""
NUMBERS = ["t", "time", "p", "c", "scalar", "g/t2"]
STORAGE = {
    "chunks": ["--shard", "/"],
    "shards": ["--shard", "t:2,30,20"],
    "index first": ["--shard", "t:1,30,40", "--shard-index", "start"],
    "zstd": ["--shard", "t:4,30,40", "-F", "*,32015,3"],
    "numcodecs": ["--shard", "t:2,20,20", "-F", "t,2|307,3"],
}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zarr3")
    path = folder / "in.nc"
    (folder / "in.cdl").write_text(CDL)
    ncgen("-4", "-o", path, folder / "in.cdl")
    with netCDF4.Dataset(path, "a") as nc:
        nc.set_auto_maskandscale(False)
        nc["t"][:] = np.arange(4 * 30 * 40).reshape(4, 30, 40)
        nc["p"][:] = np.arange(30 * 40).reshape(30, 40)
        nc["g/t2"][:] = np.arange(160).reshape(4, 40) / 7
    return path


def check_values(store, source):
    with netCDF4.Dataset(source) as nc:
        nc.set_auto_maskandscale(False)
        for consolidated in (True, False):
            group = zarr.open_group(store, mode="r", use_consolidated=consolidated)
            for name in NUMBERS:
                np.testing.assert_array_equal(group[name][...], nc[name][...], err_msg=name)
            np.testing.assert_array_equal(group["name"][...], nc["name"][...].astype("S1"))
            assert list(group["s"][...]) == list(nc["s"][...])
            assert bytes(group["o"][1]) == b"\1\2\3\4\6"
    keeps = {"drop_variables": ["o", "c"]}
    with xarray.open_zarr(store, **keeps) as ours, xarray.open_dataset(source, **keeps) as theirs:
        xarray.testing.assert_equal(ours, theirs)
        assert ours["t"].encoding["_FillValue"] == theirs["t"].encoding["_FillValue"]
        assert not [name for name in ours.attrs if name.startswith("_nc")]


@pytest.mark.parametrize("storage", STORAGE)
def test_others_read_it_and_nothing_is_lost(storage, source, tmp_path):
    out, back = tmp_path / "out.zarr", tmp_path / "back.nc"
    nccopy(*STORAGE[storage], source, f"{out}#mode=zarr,v3")
    check_values(str(out), source)
    nccopy(out, back)
    text = ncdump("-n", "in", source)
    assert ncdump("-n", "in", out) == text
    assert ncdump("-n", "in", back) == text


def test_a_zip_is_the_same_with_any_number_of_threads(source, tmp_path):
    zips = []
    for threads in (1, 4):
        out = tmp_path / f"{threads}.zip"
        arguments = ["--threads", threads, "-F", "*,32015,3", "-c", "t:1,9,11", "--shard", "t:2,27,22"]
        nccopy(*arguments, source, f"{out}#mode=zarr,v3,zip")
        zips.append(out)
    assert zips[0].read_bytes() == zips[1].read_bytes()
    assert zipfile.ZipFile(zips[0]).testzip() is None
    check_values(zarr.storage.ZipStore(zips[0], mode="r"), source)


@pytest.mark.parametrize("place", ["start", "end"])
def test_a_shard_is_in_c_order_without_gaps(place, source, tmp_path):
    out = tmp_path / "out.zarr"
    nccopy("-c", "t:1,7,9", "--shard", "t:4,14,45", "--shard-index", place, source, f"{out}#mode=zarr,v3")
    size = 4 * 2 * 5 * 16 + 4
    for shard in (out / "t" / "c").rglob("*"):
        if shard.is_dir():
            continue
        value = shard.read_bytes()
        index = value[:size] if place == "start" else value[-size:]
        ranges = np.frombuffer(index[:-4], "<u8").reshape(-1, 2)
        ranges = ranges[ranges[:, 0] != 2**64 - 1]
        assert len(ranges) > 0
        assert ranges[0, 0] == (size if place == "start" else 0)
        assert (ranges[1:, 0] == ranges[:-1].sum(axis=1)).all()
        assert ranges[-1].sum() == len(value) - (0 if place == "start" else size)


def test_no_document_has_what_programs_refuse(source, tmp_path):
    out = tmp_path / "out.zarr"
    nccopy("--shard", "t:2,30,20", source, f"{out}#mode=zarr,v3")

    def refused(token):
        raise ValueError(token)

    for document in out.rglob("zarr.json"):
        text = document.read_text()
        json.loads(text, parse_constant=refused)
        assert "null," not in text and '"must_understand": true' not in text


def test_what_it_cannot_hold_is_named(tmp_path):
    cases = {
        "v": "types: int(*) list ; list(*) lists ; variables: lists v ;",
    }
    for name, content in cases.items():
        text, path = tmp_path / "a.cdl", tmp_path / "a.nc"
        text.write_text(f"netcdf a {{ {content} }}")
        ncgen("-4", "-o", path, text)
        failed = nccopy(path, f"{tmp_path / 'a.zarr'}#mode=zarr,v3", ok=False)
        assert name in failed
        assert not (tmp_path / "a.zarr").exists()


@pytest.mark.parametrize("shape, chunks", [((5, 6), (2, 4)), ((4, 3, 5), (2, 3, 2))])
def test_the_order_of_version_2_is_a_permutation(tmp_path, shape, chunks):
    """Of `"order": "F"` version 3 knows only the permutation; zarr-python and tensorstore refuse the word."""
    expected = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    array = zarr.create_array(str(tmp_path / "in.zarr"), name="f", shape=shape, chunks=chunks, dtype="i4", order="F", zarr_format=2)
    array[...] = expected
    nccopy(tmp_path / "in.zarr", f"{tmp_path}/out.zarr#mode=zarr,v3")
    stored = json.loads((tmp_path / "out.zarr" / "f" / "zarr.json").read_text())
    assert stored["codecs"][0] == {"name": "transpose", "configuration": {"order": [*range(len(shape))][::-1]}}
    assert np.array_equal(zarr.open_array(tmp_path / "out.zarr" / "f")[...], expected)
    for reader in "tensorstore", "zarrs":
        found = by_readers_of_version_3(reader, tmp_path / "out.zarr")[0]["variables"]["/f"]
        assert found["shape"] == list(shape) and np.array_equal(np.reshape(found["values"], shape), expected), reader


def test_names_that_begin_with_two_underscores(tmp_path):
    """xarray gives an unnamed array such a name."""
    xarray.DataArray([1.0, 2.0, 3.0], dims="x").to_netcdf(tmp_path / "in.nc")
    nccopy(tmp_path / "in.nc", f"{tmp_path}/out.zarr#mode=zarr,v3")
    found = xarray.open_zarr(tmp_path / "out.zarr", zarr_format=3)
    assert found["__xarray_dataarray_variable__"].values.tolist() == [1, 2, 3]
    assert "__xarray_dataarray_variable__" in zarr.open_group(tmp_path / "out.zarr")
    (tmp_path / "a.cdl").write_text("netcdf a { group: __g { variables: int __v ; data: __v = 7 ; } }")
    ncgen("-o", f"{tmp_path}/b.zarr#mode=zarr,v3", tmp_path / "a.cdl")
    assert zarr.open_group(tmp_path / "b.zarr")["__g/__v"][()] == 7


def test_a_fill_value_in_a_list_is_read(tmp_path):
    """netCDF-C 4.8.0 wrote it so."""
    (tmp_path / "in.zarr" / "i").mkdir(parents=True)
    (tmp_path / "in.zarr" / ".zgroup").write_text('{"zarr_format": 2}')
    array = {"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<i4", "fill_value": [-32767], "compressor": None, "filters": None, "order": "C"}
    (tmp_path / "in.zarr" / "i" / ".zarray").write_text(json.dumps(array))
    (tmp_path / "in.zarr" / "i" / "1").write_bytes(np.array([7, 8], "<i4").tobytes())
    nccopy(tmp_path / "in.zarr", f"{tmp_path}/out.zarr#mode=zarr,v3")
    assert zarr.open_array(tmp_path / "out.zarr" / "i")[...].tolist() == [-32767, -32767, 7, 8]
