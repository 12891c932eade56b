"""Every kind to Zarr version 3 and back: classic, netCDF-4, NCZarr, Zarr version 2, and version 3 without shards, in shards, and in a zip.

Our nccopy makes a dataset of each kind of the samples, and copies each to each. What arrives is what went in, but for what the
kinds on the way cannot hold (`zarr_reference.LOST`). libnetcdf says what arrived.
"""

import json
import pathlib
import subprocess

import netcdf_c
import pytest
import zarr_reference
from conftest import installed, ncdump, ncgen
from dataset_kinds import KINDS, check_pair, copy, made, place, samples, wanted  # noqa: F401, fixtures among them

HERE = pathlib.Path(__file__).parent
VERSION_3 = [kind for kind in KINDS if kind.startswith("v3_")]


def pairs(sample, those, others):
    return [(sample, one, other) for one in those + others for other in those + others if one in those or other in those]


PAIRS = [
    *pairs("full", VERSION_3, ["netcdf4", "nczarr", "zarr"]),
    *pairs("classic", ["v3_start", "v3_zip"], ["classic", "netcdf4", "nczarr", "zarr"]),
]


@pytest.mark.parametrize("sample, one, other", PAIRS)
def test_each_to_each(wanted, made, tmp_path, sample, one, other):
    check_pair(wanted, made, tmp_path, sample, one, other)


def test_the_shards_are_shards(made):
    """The sizes that the matrix asks for give most arrays shards of several chunks."""
    for kind, place_of_index in ("v3_end", "end"), ("v3_start", "start"), ("v3_flat", None):
        store = made("full", kind)
        documents = [json.loads(path.read_text()) for path in store.rglob("zarr.json")]
        chains = [document["codecs"] for document in documents if document["node_type"] == "array"]
        sharded = [chain[0]["configuration"] for chain in chains if chain[0]["name"] == "sharding_indexed"]
        if place_of_index is None:
            assert sharded == []
        else:
            assert len(sharded) > 50
            assert {shard.get("index_location", "end") for shard in sharded} == {place_of_index}


@pytest.fixture(scope="module")
def typed(tmp_path_factory):
    """The sample with user-defined types and storage of every form."""
    path = tmp_path_factory.mktemp("typed") / "types.nc"
    ncgen("-4", "-o", path, HERE / "samples" / "zarr3_types.cdl")
    return path


@pytest.fixture(scope="module")
def typed_as(typed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("typed_as")

    def make(kind):
        path, _ = place(folder, "types", kind)
        return path if path.exists() else copy(typed, folder, "types", kind)

    return make


def text_by_libnetcdf(path):
    """The CDL text of libnetcdf, which knows every type."""
    if netcdf_c.BUILT:
        return netcdf_c.run("ncdump", "-n", "x", path).decode()
    return subprocess.run([installed("ncdump"), "-n", "x", path], check=True, capture_output=True).stdout.decode()


# Parts of the text in which most can go wrong.
IN_TEXT = [
    "string :one = \"a\" ;", "level_t :lv = low, high ;", ":f = 1.5f, NaNf, Infinityf ;", ":ul = 7ULL ;", "unused = 4 ;",
    "time = UNLIMITED ; // (2 currently)", "nothing = UNLIMITED ; // (0 currently)", "level = low, middle, _, _, low ;",
    "key = 0X0000000001, 0XFFFFFFFFFF, 0XABCDEF0123 ;", "{{-1, -2, -3}, {-4, -5, -6}, -7}", "names = \"alpha\", \"be\", \"\", \"größe\", _ ;",
    "point_t point_filled:_FillValue = {-1, NaN, 7} ;", "{-0, Infinity}", "  a, b, a, b,",
]


@pytest.mark.parametrize("one, other", [(one, other) for _, one, other in pairs("types", VERSION_3, ["netcdf4"])])
def test_user_defined_types(typed, typed_as, tmp_path, one, other):
    wanted = text_by_libnetcdf(typed)
    assert [part for part in IN_TEXT if part not in wanted] == []
    path = copy(typed_as(one), tmp_path, "out", other)
    back = copy(path, tmp_path, "back", "netcdf4")
    assert text_by_libnetcdf(back) == wanted
    ours = ncdump("-n", "x", typed)
    assert ncdump("-n", "x", path) == ours
    assert ncdump("-n", "x", back) == ours
    # Storage as well: fill modes, byte orders, chunks, filters.
    storage = [zarr_reference.by_netcdf(file)["variables"] for file in (typed, back)]
    for name, before in storage[0].items():
        after = storage[1][name]
        for member in "filled", "chunks", "filters", "endian":
            if before.get(member) is not None:
                assert after.get(member) == before[member], (name, member)
