"""`nccopy --dry-run` tells how variables are stored, and about how many bytes a copy makes of them: as h5py and the files have it."""

import json
import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN, nccopy


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    import netCDF4

    path = tmp_path_factory.mktemp("estimates") / "in.nc"
    random = np.random.default_rng(7)
    with netCDF4.Dataset(path, "w") as d:
        for name, length in zip("tyx", (64, 80, 100)):
            d.createDimension(name, length)
        shape = ("t", "y", "x")
        smooth = np.add.outer(np.arange(64), np.sin(np.arange(8000) / 300).reshape(80, 100)).astype("f4")
        d.createVariable("smooth", "f4", shape, chunksizes=(8, 40, 50), zlib=True, complevel=2)[:] = smooth
        d.createVariable("noise", "i4", shape, chunksizes=(16, 80, 100))[:] = random.integers(0, 1 << 30, (64, 80, 100))
        d.createVariable("plain", "i2", ("y", "x"))[:] = np.arange(8000).reshape(80, 100)
        d.createVariable("text", str, ("y",))[:] = np.array(["a"] * 80, dtype=object)
        # Of its eight chunks one is written.
        d.createVariable("sparse", "f8", shape, chunksizes=(8, 80, 100), zlib=True)[3:5] = 1.5
        # Most chunks are fill, and few are noise.
        patchy = np.zeros((64, 80, 100), "f4")
        patchy[8:16] = random.random((8, 80, 100))
        d.createVariable("patchy", "f4", shape, chunksizes=(1, 80, 100), zlib=True)[:] = patchy
    return path


def plan(*arguments):
    done = subprocess.run([BIN / "nccopy", "--dry-run", "--json", *map(str, arguments)], capture_output=True, text=True, check=True)
    return {var["name"]: var for var in json.loads(done.stdout)["variables"]}


@pytest.mark.parametrize("options", [[], ["-d", "5", "-s"], ["-F", "none"], ["-c", "t/16,y/20,x/100", "-d", "1"], ["-F", "*,shuffle|zstd,3"]])
def test_estimates_are_near(source, tmp_path, options):
    out = tmp_path / "out.nc"
    planned = plan("--for", "netcdf-c", *options, source)
    nccopy("--for", "netcdf-c", *options, source, out)
    with h5py.File(source) as before, h5py.File(out) as after:
        for name in ("smooth", "noise", "plain", "sparse", "patchy"):
            was, now = before[name], after[name]
            told = planned[name]
            assert tuple(told["before"]["shape"]) == (was.chunks or was.shape)
            assert told["before"]["bytes"] == was.id.get_storage_size()
            create = was.id.get_create_plist()
            assert [each["hdf5"] for each in told["before"]["filters"]] == [create.get_filter(n)[0] for n in range(create.get_nfilters())]
            size = now.id.get_storage_size()
            assert abs(told["bytes"] - size) <= 0.15 * size + 400, (name, told["bytes"], size)
    assert planned["text"]["bytes"] is None


def test_a_copy_as_it_is_is_told_exactly(source, tmp_path):
    planned = plan(source)
    with h5py.File(source) as before:
        assert {planned[name]["bytes"] for name in ("smooth", "noise")} == {before[name].id.get_storage_size() for name in ("smooth", "noise")}


def test_indexes_of_shards_count(tmp_path):
    """Chunks so small that their indexes take a third of all."""
    source, plain, out, back = (tmp_path / name for name in ("in.nc", "plain.zarr", "out.zarr", "back.zarr"))
    with h5py.File(source, "w") as f:
        f.create_dataset("v", data=np.arange(64 * 64, dtype="i4").reshape(64, 64), chunks=(2, 4))
    files = lambda folder: sum(path.stat().st_size for path in (folder / "v").rglob("*") if path.is_file() and path.name != "zarr.json")
    sharded = ["-k", "zarr3", "--shard", "v:16,32"]
    for options in (["-F", "none"], ["-d", "1"]):
        nccopy(*sharded, *options, source, out)
        told = plan(*sharded, *options, source)["v"]["bytes"]
        assert abs(told - files(out)) <= 0.05 * files(out), (options, told, files(out))
    # Chunks that pass, out of shards and into others.
    for options, target in ((["-k", "zarr3", "--shard", "none"], plain), (["-k", "zarr3", "--shard", "v:32,32"], back)):
        nccopy(*options, out, target)
        assert plan(*options, out)["v"]["bytes"] == files(target)


def test_one_name_needs_no_output(source, tmp_path):
    done = subprocess.run([BIN / "nccopy", "--dry-run", "-d", "5", source], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, "", [])
    head, *rows = [line.split() for line in done.stdout.splitlines()[1:]]
    smooth = dict(zip(head, next(row for row in rows if row[0] == "smooth")))
    assert (smooth["old-shape"], smooth["old-filters"], smooth["filters"]) == ("8,40,50", "shuffle,4|deflate,2", "deflate,5")
    # A folder as the only name, or a Zarr store.
    zarr = tmp_path / "a.zarr"
    nccopy("-k", "zarr3", "-V", "noise", "-F", "none", source, zarr)
    assert {name: var["route"] for name, var in plan("-k", "zarr3", zarr).items()} == {"noise": "raw"}
    # Without --dry-run, it is missed as before.
    assert "the output is missing" in nccopy(source, ok=False)


def test_a_part_and_a_join_are_told(source, tmp_path):
    planned = plan("--isel", "t=0:8", "-F", "none", source)
    assert planned["plain"]["bytes"] == 16000 and planned["noise"]["before"]["bytes"] is None
    done = subprocess.run(
        [BIN / "nccopy", "--dry-run", "--join", "new", source, source, tmp_path / "out.nc"], capture_output=True, text=True, check=True)
    assert "smooth" in done.stdout and not (tmp_path / "out.nc").exists()
