"""`nccopy --shard`, `--shard-index` and `-d` for Zarr version 3, and the attributes of shards from ncdump through ncgen."""

import json

import netCDF4
import numpy as np
import pytest
from conftest import nccopy, ncdump, ncgen

SHAPE = (1200, 12, 10)


@pytest.fixture(scope="module")
def deflated(tmp_path_factory):
    path = tmp_path_factory.mktemp("shards") / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        for name, length in zip("tyx", SHAPE):
            f.createDimension(name, length)
        v = f.createVariable("v", "f4", ("t", "y", "x"), zlib=True, shuffle=True, chunksizes=(1, 12, 10))
        v[:] = np.arange(np.prod(SHAPE), dtype="f4").reshape(SHAPE)
        f.createVariable("w", "i2", ("x",))[:] = np.arange(10)
        f.createVariable("s", "f8", ())[:] = 3
    return path


def values(path, variable):
    return ncdump("-v", variable, path).split(b"data:")[1]


def array(store, variable):
    return json.loads((store / variable / "zarr.json").read_text())


def layout(store, variable="v"):
    """The shapes of shards and chunks, and the place of the index."""
    metadata = array(store, variable)
    outer = metadata["chunk_grid"]["configuration"]["chunk_shape"]
    codec = metadata["codecs"][0]
    if codec["name"] != "sharding_indexed":
        return None, outer, None
    sharding = codec["configuration"]
    return outer, sharding["chunk_shape"], sharding.get("index_location", "end")


def to(store):
    return f"{store}#mode=zarr,v3"


@pytest.mark.parametrize(
    "options, expected",
    [
        ([], ([1200, 12, 10], [1, 12, 10], "end")),
        (["--shard", "none"], (None, [1, 12, 10], None)),
        (["--shard", "/"], (None, [1, 12, 10], None)),
        (["--shard", "v:"], (None, [1, 12, 10], None)),
        (["--shard", "t/100"], ([100, 12, 10], [1, 12, 10], "end")),
        (["--shard", "39K", "--shard-index", "start"], ([80, 12, 10], [1, 12, 10], "start")),
        (["--shard", "t/95", "--shard", "y/5", "-c", "v:10,4,5"], ([100, 8, 10], [10, 4, 5], "end")),
        (["--shard", "v:1200,6,4", "-c", "v:1200,3,2", "-m", "100K"], ([1200, 6, 4], [1200, 3, 2], "end")),
    ],
)
def test_shards_are_as_asked_for_and_hold_the_same(deflated, tmp_path, options, expected):
    out, back = tmp_path / "out.zarr", tmp_path / "back.nc"
    nccopy(*options, deflated, to(out))
    assert layout(out) == expected
    for variable in "vws":
        assert values(out, variable) == values(deflated, variable)
    nccopy(out, back)
    assert values(back, "v") == values(deflated, "v")
    # ncgen makes the same of the text.
    (tmp_path / "a.cdl").write_bytes(ncdump("-s", "-n", "out", out))
    ncgen("-o", to(tmp_path / "again.zarr"), tmp_path / "a.cdl")
    assert array(tmp_path / "again.zarr", "v") == array(out, "v")
    assert ncdump("-s", "-n", "out", tmp_path / "again.zarr") == (tmp_path / "a.cdl").read_bytes()


def test_shards_of_the_input_are_kept(deflated, tmp_path):
    first, second, third = (tmp_path / name for name in ("1.zarr", "2.zarr", "3.zarr"))
    nccopy("--shard", "t/100", "--shard-index", "start", deflated, to(first))
    nccopy(first, second)
    assert layout(second) == ([100, 12, 10], [1, 12, 10], "start")
    for path in (path for path in (first / "v").rglob("*") if path.is_file()):
        assert path.read_bytes() == (second / path.relative_to(first)).read_bytes(), path
    nccopy("-c", "v:7,12,10", first, to(third))
    assert layout(third) == ([105, 12, 10], [7, 12, 10], "start")


def test_core_codecs_are_what_options_ask_for(deflated, tmp_path):
    names = lambda store: [codec["name"] for codec in array(store, "v")["codecs"]]
    nccopy("--shard", "none", deflated, to(tmp_path / "kept.zarr"))
    assert names(tmp_path / "kept.zarr") == ["bytes", "numcodecs.shuffle", "numcodecs.zlib"]
    nccopy("--shard", "none", "-d", "3", deflated, to(tmp_path / "asked.zarr"))
    assert names(tmp_path / "asked.zarr") == ["bytes", "gzip"]
    nccopy("--shard", "none", "-d", "3", "-s", deflated, to(tmp_path / "both.zarr"))
    assert names(tmp_path / "both.zarr") == ["bytes", "numcodecs.shuffle", "gzip"]


@pytest.mark.parametrize(
    "options, name, says",
    [
        (["--shard", "v:100,12,11"], "#mode=v3", "along x; the nearest shape is 100,12,10"),
        (["--shard", "z/3"], "#mode=v3", "--shard: the input has no dimension named 'z'"),
        (["--shard", "t"], "#mode=v3", "--shard 't': expected dim/length"),
        (["--shard", "none"], "", "--shard: the kind 'netCDF-4' has no shards"),
        (["--shard", "auto"], "#mode=zarr", "--shard: the kind 'Zarr version 2' has no shards"),
    ],
)
def test_what_cannot_be_is_told(deflated, tmp_path, options, name, says):
    assert says in nccopy(*options, deflated, f"{tmp_path}/out{name}", ok=False)
    assert not list(tmp_path.iterdir())
