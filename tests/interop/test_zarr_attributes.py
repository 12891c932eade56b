"""Attributes of Zarr: JSON stays as it is where no netCDF lies between, and text stays text."""

import itertools
import json

import netCDF4
import numpy as np
import pytest
from conftest import ncdump, nccopy
from zarr_reference import by_libnetcdf, by_readers_of_version_3, by_zarr_python

zarr = pytest.importorskip("zarr", "3")

# Each is something else in netCDF: a number, text, or text that is not quite it.
JSON = {
    "true": True,
    "flags": [True, False],
    "none": [],
    "one": [1],
    "float of one": [1.5],
    "null": None,
    "object": {},
    "nested": {"b": [1, {"k": None}], "a": "é\n", "t": True, "x": 1.5},
    "words": ["a", "b"],
    "word": ["a"],
    "mixed": [1, "a", None, True],
    "pair": [1, "a"],
    "deep": [[1, 2], [3]],
    "large": 2**64 - 1,
    "larger": 2**64,
    "lower": [-(10**30), 1],
    "within": {"a": [10**25]},
    "text": "K",
    "text of json": "{}",
    "nul": "a\0",
    "int": 5,
    "float": 1.0,
    "not a number": float("nan"),
    "none of two": [float("nan"), float("inf")],
    "one of two": [float("nan"), 1.0],
    "only one": [float("nan")],
}
TEXTS = ["null", "{}", "[1]", "true", "1", '{"a": [1]}', '["a","b"]', "[]", '"q"', "NaN", "1.5", ""]


@pytest.mark.parametrize("a, b", list(itertools.product((2, 3), (2, 3))))
def test_json_stays_in_pure_zarr(tmp_path, a, b):
    root = zarr.create_group(str(tmp_path / "in.zarr"), zarr_format=a)
    array = root.create_array("v", shape=(3,), chunks=(3,), dtype="i4")
    array[:] = [1, 2, 3]
    group = root.create_group("g")
    for item in root, array, group:
        item.attrs.update(JSON)
    said = nccopy(tmp_path / "in.zarr", f"{tmp_path}/out.zarr#mode=zarr,v{b}")
    [line] = [line for line in said.splitlines() if "netCDF-C opens no dataset with attributes" in line] or [""]
    # libnetcdf 4.10 refuses `[]`, and crashes on `[1, "a"]`.
    assert line.endswith(": /none, /pair, /g/none, /g/pair, v:none, v:pair" if b == 2 else ""), said
    out = zarr.open_group(str(tmp_path / "out.zarr"), mode="r", zarr_format=b)
    for item in out, out["v"], out["g"]:
        found = {name: value for name, value in item.attrs.items() if name not in ("_NCProperties", "_ARRAY_DIMENSIONS", "_nc_facts")}
        # Version 3 of zarr-python spells such numbers as bare tokens, which others refuse.
        wanted = repr(JSON) if b == 2 else repr(JSON).replace("nan", "'NaN'").replace("inf", "'Infinity'")
        assert repr(found) == wanted, item
    assert ncdump("-n", "x", "-h", tmp_path / "in.zarr") == ncdump("-n", "x", "-h", f"{tmp_path}/out.zarr#mode=zarr,v{b}")
    # With what leaves attributes out, and from there to netCDF.
    nccopy("--verify", "--drop-unsupported", "-V", "v", tmp_path / "out.zarr", f"{tmp_path}/again.zarr#mode=zarr,v{a}")
    assert repr(zarr.open_group(str(tmp_path / "again.zarr"), mode="r", zarr_format=a)["v"].attrs["nested"]) == repr(JSON["nested"])
    nccopy("-k", "nc4", tmp_path / "out.zarr", tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as nc:
        assert nc["v"].getncattr("true") == 1 and nc["v"].getncattr("one") == 1 and nc["v"].getncattr("object") == "{}"


def test_a_word_beside_numbers_stays_text_in_version_3(tmp_path):
    """Readers of version 3 take such a list for numbers, which it is not in version 2."""
    zarr.create_group(str(tmp_path / "in.zarr"), zarr_format=2).attrs["a"] = ["NaN", 1]
    nccopy(tmp_path / "in.zarr", f"{tmp_path}/out.zarr#mode=zarr,v3")
    text = zarr.open_group(str(tmp_path / "out.zarr"), mode="r", zarr_format=3).attrs["a"]
    assert isinstance(text, str) and json.loads(text) == ["NaN", 1]
    assert ncdump("-n", "x", "-h", tmp_path / "in.zarr") == ncdump("-n", "x", "-h", f"{tmp_path}/out.zarr#mode=zarr,v3")


@pytest.mark.parametrize("mode", ["zarr", "zarr,v3"])
def test_text_stays_text(tmp_path, mode):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as nc:
        nc.createDimension("x", 2)
        nc.createVariable("v", "i4", ("x",))[:] = [1, 2]
        for n, text in enumerate(TEXTS):
            nc.setncattr(f"a{n}", text)
            nc["v"].setncattr(f"a{n}", text)
        nc.setncattr("numbers", np.array([1, 2], "i4"))
    nccopy("--verify", tmp_path / "in.nc", f"{tmp_path}/out.zarr#mode={mode}")
    if mode == "zarr":
        everyone = [by_zarr_python(tmp_path / "out.zarr", version) for version in (2, 3)]
    else:
        everyone = [by_readers_of_version_3(reader, tmp_path / "out.zarr")[0] for reader in ("zarr", "zarrs", "tensorstore")]
    for found in everyone:
        assert [found["variables"]["/v"]["attributes"][f"a{n}"] for n in range(len(TEXTS))] == TEXTS
    if mode == "zarr":
        found = by_libnetcdf(f"file://{tmp_path}/out.zarr#mode=zarr,file")
        attributes = {name: value for name, _, value in found["variables"]["/v"]["attributes"]}
        # It has one NUL for an empty text.
        assert [attributes[f"a{n}"].rstrip("\0") for n in range(len(TEXTS))] == TEXTS
    nccopy("-k", "nc4", f"{tmp_path}/out.zarr", tmp_path / "back.nc")
    with netCDF4.Dataset(tmp_path / "back.nc") as nc:
        assert [nc.getncattr(f"a{n}") for n in range(len(TEXTS))] == TEXTS


def test_nczarr_keeps_its_convention(tmp_path):
    """An object is JSON in NCZarr, and libnetcdf reads the text of it."""
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as nc:
        nc.setncattr("object", '{"a": [1]}')
        nc.setncattr("list", "[1]")
    nccopy(tmp_path / "in.nc", f"{tmp_path}/out.zarr#mode=nczarr,file")
    found = by_libnetcdf(f"file://{tmp_path}/out.zarr#mode=nczarr,file")
    assert {name: value for name, _, value in found["groups"]["/"]["attributes"]} == {"object": '{"a": [1]}', "list": "[1]"}


@pytest.mark.parametrize("version", [2, 3])
def test_whole_numbers_beyond_64_bits_are_told_where_they_are_rounded(tmp_path, version):
    zarr.create_group(str(tmp_path / "in.zarr"), zarr_format=version).attrs.update({"a": 2**64 + 1, "b": [1, -(10**30)], "c": 2**64 - 1})
    for out in f"{tmp_path}/out.zarr#mode=nczarr,file", tmp_path / "out.nc":
        said = nccopy(tmp_path / "in.zarr", out)
        assert "whole numbers of more than 64 bits are rounded to double in attributes: /a, /b\n" in f"{said}\n", said
    with netCDF4.Dataset(tmp_path / "out.nc") as nc:
        assert nc.a == float(2**64) and nc.b.tolist() == [1.0, -1e30] and int(nc.c) == 2**64 - 1
    for mode in "zarr", "zarr,v3":
        assert "rounded" not in nccopy(tmp_path / "in.zarr", f"{tmp_path}/{mode}#mode={mode}")
