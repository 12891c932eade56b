"""References to many files as one dataset: what xarray reads by them is what netCDF4-python reads of the files, one after another."""

import json

import netCDF4
import numpy as np
import pytest
from conftest import nccopy
from references_read import check, needs_references

pytestmark = needs_references


def write(path, first, count, *, chunks=(5, 10, 12), kind="NETCDF4", **options):
    with netCDF4.Dataset(path, "w", format=kind) as f:
        for name, length in [("time", None), ("y", 20), ("x", 24)]:
            f.createDimension(name, length)
        chunked = {"chunksizes": chunks, "zlib": True, "shuffle": True} if kind == "NETCDF4" else {}
        time = f.createVariable("time", "f8", "time")
        time.units = "days since 2000-01-01"
        time[:] = np.arange(first, first + count)
        f.createVariable("y", "f4", "y")[:] = np.arange(20)
        v = f.createVariable("v", "f4", ("time", "y", "x"), fill_value=-9, **{**chunked, **options})
        v[:] = np.random.default_rng(first).normal(size=(count, 20, 24))
        f.createVariable("area", "f8", ("y", "x"))[:] = np.arange(480).reshape(20, 24)
    return path


@pytest.fixture
def files(tmp_path):
    """Files that fit each other's chunks: the last one need not end with a chunk."""
    return [write(tmp_path / f"{n}.nc", first, count) for n, (first, count) in enumerate([(0, 10), (10, 15), (25, 12)])]


def objects(path, variable):
    refs = json.loads(path.read_text())["refs"]
    return [value[0] for key, value in refs.items() if key.startswith(f"{variable}/") and isinstance(value, list)]


@pytest.mark.parametrize("form", ["refs.json", "refs.parq"])
def test_whole_chunks(files, tmp_path, form):
    out = tmp_path / form
    nccopy("--join", "time", *files, out)
    check(out, *files, along="time")
    if form == "refs.json":
        assert [objects(out, "v").count(str(file)) for file in files] == [8, 12, 12]
        # What all share is there once, and coordinates are stored as they are.
        assert objects(out, "time") == objects(out, "area") == []


@pytest.mark.parametrize("form", ["refs.json", "refs.parq"])
def test_ragged_inputs(files, tmp_path, form):
    out = tmp_path / form
    files.append(write(tmp_path / "3.nc", 37, 7))
    told = nccopy("--join", "time", *files, out, ok=False)
    assert "3.nc begins at 37 of time, within a chunk of 5" in told and "--copy-ragged" in told and "8 of 36 chunks" in told
    nccopy("--join", "time", "--copy-ragged", *files, out)
    check(out, *files, along="time")
    if form == "refs.json":
        assert len(objects(out, "v")) == 28


@pytest.mark.parametrize(
    "options, told",
    [
        ({"chunks": (1, 20, 24)}, "chunks of 1,20,24, not 5,10,12"),
        ({"complevel": 4, "fletcher32": True}, "other filters than the first input: fletcher32+shuffle+deflate, not shuffle+deflate"),
        ({"endian": "big"}, "its numbers in the other byte order"),
    ],
)
def test_inputs_that_are_stored_otherwise(tmp_path, options, told):
    files = [write(tmp_path / "a.nc", 0, 10), write(tmp_path / "b.nc", 10, 10, **options)]
    out = tmp_path / "refs.json"
    message = nccopy("--join", "time", *files, out, ok=False)
    assert f"{files[1]} has {told}" in message
    nccopy("--join", "time", "--copy-ragged", *files, out)
    check(out, *files, along="time")


def test_levels_and_coordinates_of_any_size(tmp_path):
    """A reader does not need the level. The coordinate of the joined dimension is stored where its chunks are not aligned."""
    files = [write(tmp_path / f"{n}.nc", 10 * n, 10, complevel=level) for n, level in enumerate((1, 4, 9))]
    out = tmp_path / "refs.json"
    nccopy("--join", "time", "--inline", "0", *files, out)
    check(out, *files, along="time")
    assert [objects(out, "v").count(str(file)) for file in files] == [8, 8, 8]


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA"])
def test_classic_files_of_any_length(tmp_path, kind):
    files = [write(tmp_path / f"{n}.nc", first, count, kind=kind) for n, (first, count) in enumerate([(0, 3), (3, 5), (8, 1)])]
    out = tmp_path / "refs.json"
    nccopy("--join", "time", *files, out)
    check(out, *files, along="time")
    assert len(objects(out, "v")) == 9


def test_contiguous_files_of_any_length(tmp_path):
    files = []
    for n, count in enumerate([3, 5, 2]):
        files.append(tmp_path / f"{n}.nc")
        chunked = write(tmp_path / "chunked.nc", 3 * n + (n == 2) * 2, count)
        nccopy("-u", "-c", "/", "-F", "none", chunked, files[-1])
    out = tmp_path / "refs.json"
    nccopy("--join", "time", *files, out)
    check(out, *files, along="time")
    assert len(objects(out, "v")) == 10


def test_a_new_dimension(tmp_path, files):
    members = []
    for n in range(3):
        members.append(tmp_path / f"member{n}.nc")
        nccopy("-V", "area,y", files[n], members[-1])
        with netCDF4.Dataset(members[-1], "a") as f:
            f["area"][:] = n
    out = tmp_path / "refs.json"
    nccopy("--join", "member", "--inline", "100", *members, out)
    expected = tmp_path / "expected.nc"
    nccopy("--join", "member", *members, expected)
    check(out, expected)
    assert objects(out, "area") == [str(member) for member in members]


def test_names_of_inputs_in_several_folders(tmp_path):
    files = []
    for n, folder in enumerate(["2000", "2001"]):
        (tmp_path / "data" / folder).mkdir(parents=True)
        files.append(write(tmp_path / "data" / folder / "in.nc", 5 * n, 5))
    out = tmp_path / "refs.json"
    nccopy("--join", "time", "--base", "s3://bucket/archive", *files, out)
    assert set(objects(out, "v")) == {f"s3://bucket/archive/{folder}/in.nc" for folder in ("2000", "2001")}
    nccopy("--join", "time", "--relative", *files, out)
    check(out, *files, along="time", cwd=tmp_path)
