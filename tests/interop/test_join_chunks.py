"""`nccopy --join`: which chunks of the inputs pass as they are stored. The truth is xarray's, ncrcat's and h5py's."""

import json
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
import xarray
from conftest import BIN
from join_files import check, days, join


def routes(paths, *options):
    """The routes of tas, in the plan and in the summary."""
    told = []
    for asked in (["--dry-run"], ["--summary", "--verify"]):
        done = join("time", *asked, "--json", *options, *paths)
        assert done.returncode == 0, done.stderr
        told += [variable["routes"] for variable in json.loads(done.stdout)["variables"] if variable["name"] == "tas"]
    assert told[0] == told[1]
    return told[0]


def raw_chunks(path):
    """The bytes of each chunk of tas as they are stored, by the first step in it, with the number of steps."""
    found = {}
    with h5py.File(path) as file:
        tas = file["tas"]
        for n in range(tas.id.get_num_chunks()):
            info = tas.id.get_chunk_info(n)
            start = info.chunk_offset[0]
            mask, data = tas.id.read_direct_chunk(info.chunk_offset)
            assert mask == 0
            found[start] = data, min(tas.chunks[0], len(tas) - start)
    return found


@pytest.mark.parametrize(
    "chunk, lengths, wanted",
    [
        (1, (3, 4, 2), {"raw": 9}),
        # Chunks of two steps: the second file begins in the middle of one, and the third at the begin of one.
        (2, (3, 5, 4, 6), {"raw": 6, "blocks": 3}),
        (2, (4, 4, 3), {"raw": 6}),
        (2, (1, 2, 2), {"blocks": 3}),
    ],
)
@pytest.mark.parametrize("threads", [1, 3])
def test_whole_chunks_pass_and_those_at_a_border_are_made_anew(tmp_path, chunk, lengths, wanted, threads):
    paths = days(tmp_path, *lengths, chunk=chunk)
    out = tmp_path / "out.nc"
    assert routes([*paths, out], "--threads", str(threads)) == wanted
    opened = [xarray.open_dataset(path) for path in paths]
    expected = xarray.concat(opened, "time", data_vars="minimal", coords="minimal", compat="equals", join="exact", combine_attrs="override")
    with xarray.open_dataset(out) as found:
        xarray.testing.assert_equal(found.load(), expected.load())
    subprocess.run(["ncrcat", "-O", *paths, tmp_path / "ncrcat.nc"], check=True)
    with netCDF4.Dataset(tmp_path / "ncrcat.nc") as other:
        check(out, {name: other[name][:] for name in ["time", "time_bnds", "lat", "tas"]})
    stored, first, same = raw_chunks(out), 0, 0
    for path, length in zip(paths, lengths):
        for at, chunk_of_input in raw_chunks(path).items():
            same += stored.get(first + at) == chunk_of_input
        first += length
    assert same >= wanted.get("raw", 0)


def test_inputs_with_other_filters_or_chunks_are_encoded_alone(tmp_path):
    paths = days(tmp_path, 4, 4, 4, 4, chunk=2)
    for path, options in [(paths[1], ["-d", "1"]), (paths[2], ["-c", "time/4,lat/2,lon/5"])]:
        subprocess.run([BIN / "nccopy", "-F", "tas,none", *options, path, tmp_path / "x.nc"], check=True)
        (tmp_path / "x.nc").rename(path)
    out = tmp_path / "out.nc"
    assert routes([*paths, out]) == {"raw": 4, "refilter": 2, "blocks": 2}
    check(out, {"time": np.arange(16), "tas": np.arange(16)[:, None, None] + np.arange(20).reshape(4, 5) / 32})
    stored = raw_chunks(out)
    for n in (0, 3):
        for at, chunk in raw_chunks(paths[n]).items():
            assert stored[4 * n + at] == chunk
    done = join("time", "--dry-run", *paths, out)
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("tas"))
    assert "raw 4, refilter 2, blocks 2" in line, done.stdout


@pytest.mark.parametrize("to", ["zarr2", "zarr3"])
def test_whole_chunks_pass_to_zarr_too(tmp_path, to):
    paths = days(tmp_path, 3, 5, 4, 6, chunk=2)
    options = ["-k", to, "-V", "time,tas"]
    assert routes([*paths, tmp_path / "a.zarr"], *options) == {"raw": 6, "blocks": 3}
    if to == "zarr3":
        # Shards of four steps are whole or not.
        assert routes([*paths, tmp_path / "b.zarr"], *options, "--shard", "tas:4,4,5") == {"raw": 5, "blocks": 4}
    for name in ["a.zarr", "b.zarr"][: 2 if to == "zarr3" else 1]:
        with xarray.open_dataset(tmp_path / name, engine="zarr") as found:
            np.testing.assert_array_equal(found["tas"].values[:, 0, 0], np.arange(18))
