"""Zarr version 3 as it is written here, read by zarr-python, tensorstore and zarrs: all numbers, in shards of each form, through each core codec."""

import base64
import copy
import struct

import pytest
import zarr_reference
from conftest import nccopy
from dataset_kinds import KINDS, made, report, samples, wanted  # noqa: F401, fixtures among them

pytestmark = zarr_reference.needs_zarr3

CORE = {"blosc", "bytes", "crc32c", "gzip", "sharding_indexed", "transpose", "zstd"}
VERSION_3 = [kind for kind in KINDS if kind.startswith("v3_")]
WORDS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}


def as_netcdf(found, wanted):
    """Attributes as netCDF has them: floats that are words, and `_FillValue` as xarray spells it."""

    def value(of, name, kind):
        if name == "_FillValue" and kind in ("float", "double"):
            number = struct.unpack("<d", base64.b64decode(of))[0]
            return {"float": repr(number)}
        if kind in ("float", "double"):
            listed = of if isinstance(of, list) else [of]
            return [{"float": WORDS[x]} if isinstance(x, str) else x for x in listed]
        return of

    found = copy.deepcopy(found)
    found["groups"]["/"].pop("_nc_facts", None)
    holders = [(attributes, wanted["groups"].get(path)) for path, attributes in found["groups"].items()]
    holders += [(v["attributes"], wanted["variables"].get(path)) for path, v in found["variables"].items() if "attributes" in v]
    for attributes, holder in holders:
        for name, kind, _ in holder["attributes"] if holder else ():
            if name in attributes:
                attributes[name] = value(attributes[name], name, kind)
    return found


def without_fill_of_text(dataset):
    """`_FillValue` of text is among netCDF's own facts."""
    dataset = copy.deepcopy(dataset)
    for variable in dataset["variables"].values():
        if variable["type"] in ("char", "string"):
            variable["attributes"] = [a for a in variable["attributes"] if a[0] != "_FillValue"]
    return dataset


@pytest.fixture(scope="module")
def read(made):
    """Each reader opens all datasets in one process."""
    found = {}

    def of(reader, sample, kind):
        if reader not in found:
            asked = [(s, k) for s in ("classic", "full") for k in VERSION_3 if reader != "zarrs" or not k.endswith("zip")]
            results = zarr_reference.by_readers_of_version_3(reader, *(made(s, k) for s, k in asked))
            found[reader] = dict(zip(asked, results))
        return found[reader][sample, kind]

    return of


@pytest.mark.parametrize("sample", ["classic", "full"])
@pytest.mark.parametrize("kind", VERSION_3)
@pytest.mark.parametrize("reader", ["zarr", "zarrs", "tensorstore"])
def test_others_read_all(wanted, read, reader, kind, sample):
    """zarr-python reads everything. The others read what they have codecs and types for, and nothing wrongly."""
    if reader == "zarrs" and kind == "v3_zip":
        pytest.skip("the wheel of zarrs reads no zips")
    dataset = without_fill_of_text(zarr_reference.without(wanted[sample], "v3"))
    found = as_netcdf(read(reader, sample, kind), dataset)
    but = []
    for path, variable in dataset["variables"].items():
        if path == "/shuffle_fletcher32_f8" and reader == "zarr":
            # numcodecs' shuffle refuses bytes that are no multiple of the element size, as they are after a checksum of four.
            but.append(path)
        core = variable["type"] not in ("char", "string") and set(found["variables"][path]["chain"]) <= CORE
        if reader != "zarr" and not core and "error" in found["variables"][path]:
            but.append(path)
    assert len(found["variables"]) - len(but) > 30
    report(zarr_reference.zarr_differences(found, dataset, pure=True, but=but, long_chunks=True))


FILTERS = [
    "none", "gzip,level=5", "zstd,level=3,checksum=false", "zstd,level=3,checksum=true", "crc32c", "gzip,level=1|crc32c", "transpose,order=[1,0]",
    "transpose,order=[1,0]|zstd,3|crc32c", "blosc,cname=lz4,clevel=5,shuffle=shuffle", "blosc,cname=zstd,clevel=5,shuffle=bit",
    "blosc,cname=blosclz,clevel=1,shuffle=noshuffle", "blosc,cname=zlib,clevel=9,shuffle=byte", "blosc,cname=lz4hc,clevel=9,shuffle=bitshuffle",
]
SHARDS = {"flat": ["--shard", "none"], "end": ["--shard", "2K"], "start": ["--shard", "2K", "--shard-index", "start"]}
NAMES = ["byte", "ubyte", "byte_filled", "float_limits", "double_limits", "zstd_u1", "partly", "partly_filled", "never_filled", "no_fill"]
NAMES += [f"{name}_{endian}" for name in ("short", "ushort", "int", "uint", "int64", "uint64", "float", "double") for endian in ("little", "big")]


@pytest.fixture(scope="module")
def filtered(samples, tmp_path_factory):
    """All numbers in each filter and each form of shards, read by each reader."""
    folder = tmp_path_factory.mktemp("filtered")
    places = {}
    for filter in FILTERS:
        for shards, flags in SHARDS.items():
            path = folder / f"{len(places)}.zarr"
            names = [name for name in NAMES if not (filter.startswith("transpose") and name.endswith("_limits"))]
            nccopy("-V", ",".join(names), "-F", f"*,{filter}", *flags, samples / "full.nc", f"{path}#mode=zarr,v3")
            places[filter, shards] = path
    found = {reader: zarr_reference.by_readers_of_version_3(reader, *places.values()) for reader in ("zarr", "zarrs", "tensorstore")}
    return {(reader, *place): result for reader, results in found.items() for place, result in zip(places, results)}


@pytest.mark.parametrize("reader", ["zarr", "zarrs", "tensorstore"])
@pytest.mark.parametrize("filter", FILTERS)
def test_core_codecs(wanted, filtered, filter, reader):
    for shards in SHARDS:
        found = filtered[reader, filter, shards]["variables"]
        lines = []
        for path, got in found.items():
            variable = wanted["full"]["variables"][path]
            assert set(got["chain"]) <= CORE
            if got.get("values") != variable["values"]:
                lines.append(f"{shards} {path}: got {str(got.get('values', got.get('error')))[:300]}, expected {str(variable['values'])[:300]}")
        report(lines)
        if shards != "flat":
            assert sum("sharding_indexed" in got["chain"] for got in found.values()) > 15
        if filter != "none":
            codecs = {element.split(",")[0] for element in filter.split("|")}
            assert all(codecs <= set(got["chain"]) for got in found.values())
