"""Zarr version 3 and xarray: it reads of our output what it reads of the input, and our programs read what it writes in shards."""

import warnings

import numpy as np
import pytest
from conftest import nccopy

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr", "3")
netCDF4 = pytest.importorskip("netCDF4")

import cf_sample  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

STORAGE = {
    "flat": ["--shard", "none"],
    "shards": ["--shard", "200"],
    "index first": ["--shard", "200", "--shard-index", "start"],
    "zstd": ["-F", "*,zstd,level=3", "--shard", "200"],
    "zip": [],
}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("cf") / "in.nc"
    cf_sample.make(path)
    return path


def same(a, b):
    return np.array_equal(np.asarray(a), np.asarray(b), equal_nan=np.asarray(a).dtype.kind == "f")


@pytest.mark.parametrize("storage", STORAGE)
def test_xarray_reads_what_it_reads_of_the_input(storage, source, tmp_path):
    out = tmp_path / "out.zarr"
    if storage == "zip":
        nccopy(source, f"{out}#mode=zarr,v3,zip")
        store = zarr.storage.ZipStore(out, mode="r")
    else:
        nccopy(*STORAGE[storage], source, f"{out}#mode=zarr,v3")
        store = out
    lines = []
    with xarray.open_dataset(source) as theirs, xarray.open_zarr(store) as ours:
        assert set(ours.variables) == set(theirs.variables) and set(ours.coords) == set(theirs.coords)
        assert dict(ours.sizes) == dict(theirs.sizes)
        assert ours.attrs.keys() == theirs.attrs.keys()
        assert all(same(ours.attrs[name], theirs.attrs[name]) for name in theirs.attrs)
        for name in theirs.variables:
            a, b = theirs[name].variable.load(), ours[name].variable.load()
            if not b.identical(a):
                lines.append(f"{name}: {b} is not {a}")
            for member in "_FillValue", "scale_factor", "add_offset", "units", "calendar", "missing_value":
                one, other = a.encoding.get(member), b.encoding.get(member)
                if member == "missing_value" and one is not None:
                    # A number of JSON is a double.
                    other = type(one)(other)
                # `_FillValue` of characters is among netCDF's own facts.
                if a.encoding["dtype"] != np.dtype("S1") and not (one is None and other is None) and not same(one, other):
                    lines.append(f"{name}: {member} is {other!r}, not {one!r}")
    assert not lines, "\n".join(lines)


def test_a_netcdf_file_of_what_xarray_writes_in_shards(source, tmp_path):
    kept = "_FillValue", "scale_factor", "add_offset", "units", "calendar", "dtype", "missing_value", "_Unsigned"
    shards = {
        "packed": {"chunks": (1, 2, 3), "shards": (4, 4, 6)},
        "partly": {"chunks": (2, 3), "shards": (4, 6)},
        "strings": {"chunks": (1,), "shards": (2,)},
        "epoch": {"chunks": (2,), "shards": (4,)},
    }
    # xarray cannot write what it reads of characters with a fill value.
    with xarray.open_dataset(source) as theirs:
        theirs = theirs.drop_vars("names_filled").load()
    for variable in theirs.variables.values():
        variable.encoding = {member: value for member, value in variable.encoding.items() if member in kept}
    theirs.to_zarr(tmp_path / "x.zarr", zarr_format=3, encoding=shards)
    nccopy(tmp_path / "x.zarr", tmp_path / "x.nc")
    lines = []
    with xarray.open_dataset(tmp_path / "x.nc") as ours:
        for name in theirs.variables:
            a, b = theirs[name].variable, ours[name].variable.load()
            if a.dtype.kind == "S" and a.dtype.itemsize > 1:
                # Bytes of a fixed length are text here.
                a = a.astype("U8")
            if not b.equals(a):
                lines.append(f"{name}: {b} is not {a}")
    assert not lines, "\n".join(lines)


def test_elements_that_netcdf_stores_otherwise(tmp_path):
    """Half floats, text of a fixed length, and big-endian complex numbers, in shards and without, with codecs and without."""
    values = {
        "half": np.array([1.5, -2, np.nan, 65504], "f2"),
        "wide": np.array(["only", "größe", "", "🌡"], "U5"),
        "four": np.array(["abcd", "", "x", "y"], "U4"),
        "bytes": np.array([b"ab", b"", b"abc", b"x"], "S3"),
        "complex": np.array([1 + 2j, -1j, 0, 5], ">c8"),
        "flags": np.array([True, False, True, True]),
    }
    root = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    for name, array in values.items():
        for kind, options in {"flat": {}, "bare": {"compressors": None}, "shards": {"shards": (4,)}}.items():
            made = root.create_array(f"{name}_{kind}", shape=(4,), chunks=(2,), dtype=array.dtype, **options)
            made[...] = array
        root.create_array(f"{name}_scalar", shape=(), dtype=array.dtype)[...] = array[0]
    nccopy("-F", "none", tmp_path / "a.zarr", tmp_path / "a.nc")
    with netCDF4.Dataset(tmp_path / "a.nc", auto_complex=True) as found:
        found.set_auto_mask(False)
        for name, array in values.items():
            wanted = [v.decode() if isinstance(v, bytes) else v for v in array.tolist()]
            for kind in "flat", "bare", "shards":
                got = found[f"{name}_{kind}"][:].tolist()
                assert np.array_equal(got, wanted, equal_nan=name == "half"), (name, kind, got)
            assert found[f"{name}_scalar"][...] == wanted[0], name
