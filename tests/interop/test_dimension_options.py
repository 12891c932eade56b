"""`--fixed`, `--unlimited`, `--exclude`, and rules of several dimensions, as netCDF4-python and zarr-python read what they make."""

import netCDF4
import numpy as np
import pytest
import zarr
from conftest import ncdump, nccopy


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        for name, length in [("time", None), ("lat", 20), ("lon", 40)]:
            f.createDimension(name, length)
        for name, dims, chunks in [("time", ["time"], [512]), ("lat", ["lat"], None), ("t", ["time", "lat", "lon"], [1, 20, 40])]:
            v = f.createVariable(name, "f8", dims, chunksizes=chunks)
            v[:] = np.arange(np.prod([{"time": 6, "lat": 20, "lon": 40}[d] for d in dims])).reshape([6 if d == "time" else f.dimensions[d].size for d in dims])
        f.createVariable("mask", "i1", ["lat", "lon"])[:] = 1
    return path


def copied(source, out, *options):
    nccopy(*options, source, out)
    with netCDF4.Dataset(source) as a, netCDF4.Dataset(out) as b:
        for name in b.variables:
            assert (np.asarray(a[name][:]) == np.asarray(b[name][:])).all(), name
        unlimited = {name for name, dim in b.dimensions.items() if dim.isunlimited()}
        return unlimited, {name: v.chunking() for name, v in b.variables.items()}


def test_dimensions_become_fixed_and_unlimited(source, tmp_path):
    out = tmp_path / "out.nc"
    assert copied(source, out, "--fixed", "time")[0] == set()
    assert copied(source, out, "--unlimited", "lat,lon")[0] == {"time", "lat", "lon"}
    assert copied(source, out, "--fixed", "time", "--unlimited", "lat")[0] == {"lat"}
    assert copied(source, out, "-k", "nc3", "--fixed", "time", "--unlimited", "lat", "-V", "lat,mask")[0] == {"lat"}
    assert "both fixed and unlimited" in nccopy("--fixed", "lat", "--unlimited", "lat", source, out, ok=False)
    assert "no dimension named 'lta': is 'lat' meant?" in nccopy("--unlimited", "lta", source, out, ok=False)
    # A classic file has one unlimited dimension, which comes first.
    told = nccopy("-k", "nc3", "--unlimited", "lat", source, out, ok=False)
    assert "unlimited" in told


def test_a_dimension_can_grow_where_it_was_made_unlimited(source, tmp_path):
    out = tmp_path / "out.nc"
    copied(source, out, "--unlimited", "lat")
    with netCDF4.Dataset(out, "a") as f:
        f["lat"][20:25] = np.arange(5)
        assert f["t"].shape == (6, 25, 40)


def test_variables_are_excluded(source, tmp_path):
    out = tmp_path / "out.nc"
    assert set(copied(source, out, "--exclude", "mask,lat")[1]) == {"time", "t"}
    assert "no variable named 'maks': is 'mask' meant?" in nccopy("--exclude", "maks", source, out, ok=False)
    assert set(copied(source, out, "-x", "-V", "mask,lat,t", "--exclude", "t")[1]) == {"mask", "lat"}


def test_a_rule_of_several_dimensions_leaves_coordinates_whole(source, tmp_path):
    out = tmp_path / "out.nc"
    several = copied(source, out, "-c", "time/1,lat/10")[1]
    assert several == {"time": [512], "lat": "contiguous", "t": [1, 10, 40], "mask": [10, 40]}
    # Rules of one dimension, and rules that name the variable, hold for all that have it.
    assert copied(source, out, "-c", "time/1", "-c", "lat/10")[1] == {"time": [1], "lat": [10], "t": [1, 10, 40], "mask": [10, 40]}
    assert copied(source, out, "-c", "time/1,lat/10", "-c", "lat:5")[1]["lat"] == [5]


def test_the_same_for_shards(source, tmp_path):
    out = tmp_path / "out.zarr"
    nccopy("-k", "zarr3", "-c", "time/1,lat/10", "--shard", "time/3,lat/20", source, out)
    group = zarr.open_group(str(out), mode="r")
    assert (group["t"].shards, group["t"].chunks) == ((3, 20, 40), (1, 10, 40))
    assert group["time"].shards is None and group["lat"].shards is None


def test_globs_name_variables(source, tmp_path):
    out = tmp_path / "out.nc"
    assert set(copied(source, out, "-V", "t*")[1]) == {"time", "t"}
    assert set(copied(source, out, "--exclude", "*a*")[1]) == {"time", "t"}
    assert set(copied(source, out, "-V", "*")[1]) == {"time", "lat", "t", "mask"}
    copied(source, out, "-F", "t*,2|1,5", "-F", "l*&mask,1,3")
    with netCDF4.Dataset(out) as f:
        levels = {name: v.filters()["complevel"] for name, v in f.variables.items()}
    assert levels == {"time": 5, "t": 5, "lat": 3, "mask": 3}
    assert copied(source, out, "-c", "l*:5")[1]["lat"] == [5]
    for options in [["-V", "x*"], ["-F", "x*,1,5"], ["-c", "x*:1"], ["--exclude", "x*"]]:
        assert "matches 'x*'" in nccopy(*options, source, out, ok=False)
    # A name that holds the character is not a glob where it is escaped.
    odd = tmp_path / "odd.nc"
    with netCDF4.Dataset(odd, "w") as f:
        for name in ["a*", "ab"]:
            f.createVariable(name, "i4", [])[...] = 1
    assert set(copied(odd, out, "-V", r"a\*")[1]) == {"a*"}
    assert set(copied(odd, out, "-V", "a*")[1]) == {"a*", "ab"}


def test_globs_name_groups_and_what_ncdump_prints(tmp_path):
    path, out = tmp_path / "groups.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(path, "w") as f:
        for name in ["ocean/salt", "ocean/deep/salt", "ice/salt"]:
            f.createVariable(name, "i4", [])[...] = 7
    nccopy("-G", "/o*", path, out)
    with netCDF4.Dataset(out) as f:
        assert set(f.groups) == {"ocean"} and set(f["ocean"].groups) == set()
    nccopy("-V", "/ocean/*", path, out)
    with netCDF4.Dataset(out) as f:
        assert set(f["ocean"].variables) == {"salt"} and not f["ice"].variables
    text = ncdump("-v", "/ocean/*", path).decode()
    assert text.count("salt = 7") == 1
