"""`nccopy --merge`: the variables of several inputs in one dataset. The truth is xarray's, or made by hand."""

import json
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
import xarray
from conftest import BIN


def make(path, name, first=0, count=4, kind="NETCDF4", lat=None, unlimited=True, group=None, **changes):
    """Writes a file with the variable `name` for `count` days from `first` on. `changes`: `units` of time, `chunk`, `extra`."""
    with netCDF4.Dataset(path, "w", format=kind) as root:
        out = root.createGroup(group) if group else root
        out.createDimension("time", None if unlimited else count)
        out.createDimension("lat", 4)
        time = out.createVariable("time", "f8", ("time",))
        time.units = changes.get("units", "days since 2000-01-01")
        time[:] = first + np.arange(count)
        out.createVariable("lat", "f4", ("lat",))[:] = np.arange(4) if lat is None else lat
        storage = dict(zlib=True, shuffle=True, chunksizes=(changes.get("chunk", 1), 4)) if kind == "NETCDF4" else {}
        variable = out.createVariable(name, "f4", ("time", "lat"), **storage)
        variable.long_name = name
        variable[:] = sum(map(ord, name)) + (first + np.arange(count))[:, None] + np.arange(4) / 8
        if "extra" in changes:
            out.createVariable(changes["extra"], "i4", ())[...] = 7
        root.source = name
    return path


def copy(*arguments):
    return subprocess.run([BIN / "nccopy", *map(str, arguments)], capture_output=True, text=True)


def merged(*arguments):
    done = copy("--merge", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stderr


def refused(*arguments):
    done = copy("--merge", *arguments)
    assert done.returncode == 1, done.stderr
    return done.stderr


def same(out, wanted, engine="netcdf4"):
    with xarray.open_dataset(out, engine=engine) as found:
        xarray.testing.assert_equal(found.load(), wanted.load())


@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF3_CLASSIC"])
@pytest.mark.parametrize("to", ["nc3", "nc4", "zarr3"])
def test_as_xarray_merges(tmp_path, kind, to):
    paths = [make(tmp_path / f"{name}.nc", name, kind=kind) for name in ("tas", "pr", "hurs")]
    out = tmp_path / ("out.zarr" if to == "zarr3" else "out.nc")
    merged("-k", to, "--verify", *paths, out)
    wanted = xarray.merge([xarray.open_dataset(path) for path in paths], compat="equals", join="exact", combine_attrs="override")
    same(out, wanted, "zarr" if to == "zarr3" else "netcdf4")


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (3, 2, 1, 0)])
def test_as_xarray_combines_by_coordinates(tmp_path, order):
    paths = [make(tmp_path / f"{name}_{first}.nc", name, first, 4) for name in ("tas", "pr") for first in (0, 4)]
    out = tmp_path / "out.nc"
    merged("--join", "time", "--sort", "--verify", *(paths[n] for n in order), out)
    wanted = xarray.combine_by_coords([xarray.open_dataset(path) for path in paths], combine_attrs="override")
    same(out, wanted[["time", "lat", "tas", "pr"]])


def test_what_is_shared_comes_once_and_chunks_pass(tmp_path):
    paths = [make(tmp_path / f"{name}_{first}.nc", name, first, 5, chunk=2) for name in ("tas", "pr") for first in (0, 5)]
    out = tmp_path / "out.nc"
    done = copy("--merge", "--join", "time", "--summary", "--json", *paths, out)
    assert done.returncode == 0, done.stderr
    routes = {variable["name"]: variable["routes"] for variable in json.loads(done.stdout)["variables"]}
    assert routes["tas"] == routes["pr"] == {"raw": 2, "blocks": 3}
    with h5py.File(out) as found, h5py.File(paths[2]) as pr:
        assert sorted(found) == ["lat", "pr", "tas", "time"]
        assert found["pr"].id.read_direct_chunk((0, 0)) == pr["pr"].id.read_direct_chunk((0, 0))
        np.testing.assert_array_equal(found["pr"][:, 0], sum(map(ord, "pr")) + np.arange(10))
    assert netCDF4.Dataset(out).source == "tas"


def test_files_without_the_dimension_are_merged_alone(tmp_path):
    paths = [make(tmp_path / f"tas_{first}.nc", "tas", first, 4) for first in (0, 4)]
    with netCDF4.Dataset(tmp_path / "orog.nc", "w") as out:
        out.createDimension("lat", 4)
        out.createVariable("lat", "f4", ("lat",))[:] = np.arange(4)
        out.createVariable("orog", "f4", ("lat",))[:] = [5, 6, 7, 8]
    for order in ([*paths, tmp_path / "orog.nc"], [tmp_path / "orog.nc", *paths]):
        merged("--join", "time", "--verify", *order, tmp_path / "out.nc")
        with netCDF4.Dataset(tmp_path / "out.nc") as found:
            assert found["orog"][:].tolist() == [5, 6, 7, 8] and found["time"][:].tolist() == list(range(8))
            np.testing.assert_array_equal(found["tas"][:, 0], sum(map(ord, "tas")) + np.arange(8))


def test_shared_coordinates_must_be_equal(tmp_path):
    tas, out = make(tmp_path / "tas.nc", "tas"), tmp_path / "out.nc"
    error = refused(tas, make(tmp_path / "pr.nc", "pr", lat=[0, 1, 2.5, 3]), out)
    assert f"{tmp_path}/pr.nc: variable lat: [2] is 2.5, and 2 in {tas}" in error and "--first" in error, error
    told = merged("--first", tas, tmp_path / "pr.nc", out)
    assert "the values of lat are those of the first input that has them" in told
    with netCDF4.Dataset(out) as found:
        assert found["lat"][:].tolist() == [0, 1, 2, 3]
    error = refused(tas, make(tmp_path / "pr.nc", "pr", first=1), out)
    assert f"{tmp_path}/pr.nc: variable time: [0] is 1, and 0 in {tas}" in error, error
    error = refused(tas, make(tmp_path / "pr.nc", "pr", count=5), out)
    assert f"{tmp_path}/pr.nc: variable pr: the dimension time has the length 5, and 4 in {tas}" in error, error
    error = refused(tas, make(tmp_path / "pr.nc", "pr", units="days since 1999-01-01"), out)
    assert f"pr.nc: variable time: [0] is -365, and 0 in {tas}, in 'days since 2000-01-01'" in error, error


def recount(path, units, times, **bounds):
    """Gives the times of a file other units, and bounds if they are named."""
    with netCDF4.Dataset(path, "a") as out:
        out["time"].units = units
        out["time"][:] = times
        for name, values in bounds.items():
            if "nv" not in out.dimensions:
                out.createDimension("nv", 2)
            out["time"].bounds = name
            out.createVariable(name, "f8", ("time", "nv"))[:] = values
    return path


@pytest.mark.parametrize("units, step", [("days since 2000-1-1 00:00:00", 1), ("hours since 2000-01-01", 24), ("s since 2000-01-01T00:00:00Z", 86400)])
def test_shared_times_may_have_other_units(tmp_path, units, step):
    tas = [make(tmp_path / f"tas_{first}.nc", "tas", first) for first in (0, 4)]
    pr = [recount(make(tmp_path / f"pr_{first}.nc", "pr", first), units, (first + np.arange(4)) * step) for first in (0, 4)]
    out = tmp_path / "out.nc"
    one = xarray.merge([xarray.open_dataset(tas[0]), xarray.open_dataset(pr[0])])
    merged("--verify", tas[0], pr[0], out)
    same(out, one)
    merged("--verify", "--join", "time", *tas, *pr, out)
    other = xarray.merge([xarray.open_dataset(tas[1]), xarray.open_dataset(pr[1])])
    same(out, xarray.concat([one, other], "time", data_vars="minimal"))
    with netCDF4.Dataset(out) as found:
        assert found["time"].units == "days since 2000-01-01" and found["time"][:].tolist() == list(range(8))


def test_times_in_other_units_keep_their_bounds(tmp_path):
    days, out = np.arange(4), tmp_path / "out.nc"
    edges = np.stack([days, days + 1], axis=-1)
    tas = recount(make(tmp_path / "tas.nc", "tas"), "days since 2000-01-01", days, time_bnds=edges)
    pr = recount(make(tmp_path / "pr.nc", "pr"), "hours since 2000-01-01", days * 24, time_bnds=edges * 24)
    merged("--verify", tas, pr, out)
    with netCDF4.Dataset(out) as found:
        assert found["time_bnds"][:].tolist() == edges.tolist()
    # Bounds without units of their own count in those of their variable, which are others here.
    plain = make(tmp_path / "plain.nc", "plain")
    error = refused(plain, pr, out)
    assert f"{pr}: variable time: units is 'hours since 2000-01-01', and 'days since 2000-01-01' in {plain}" in error, error
    other = recount(make(tmp_path / "other.nc", "other"), "hours since 2000-01-01", days * 24, time_bnds=edges * 24 + 1)
    error = refused(tas, other, out)
    assert f"{other}: variable time_bnds: " in error and "--inexact" in error, error


def test_shared_times_without_an_exact_form(tmp_path):
    tas = recount(make(tmp_path / "tas.nc", "tas"), "days since 2000-01-01", np.arange(4) / 24)
    pr, out = recount(make(tmp_path / "pr.nc", "pr"), "hours since 2000-01-01", np.arange(4)), tmp_path / "out.nc"
    error = refused(tas, pr, out)
    assert f"{pr}: variable time: " in error and "--inexact" in error, error
    merged("--inexact", tas, pr, out)
    with netCDF4.Dataset(out) as found:
        assert found["time"][:].tolist() == (np.arange(4) / 24).tolist()


def test_the_file_of_a_joined_value_is_named(tmp_path):
    paths = [make(tmp_path / f"{name}_{first}.nc", name, first, 4) for name in ("tas", "pr") for first in (0, 4)]
    with netCDF4.Dataset(paths[3], "a") as out:
        out["time"][2] = 6.5
    error = refused("--join", "time", *paths, tmp_path / "out.nc")
    assert f"{paths[3]}: variable time: [6] is 6.5, and 6 in {paths[1]}" in error, error


def test_a_part_of_a_merge(tmp_path):
    paths = [make(tmp_path / f"{name}_{first}.nc", name, first, 4) for name in ("tas", "pr") for first in (0, 4)]
    out = tmp_path / "out.nc"
    merged("--join", "time", "--sel", "time=2000-01-03..2000-01-06", "--isel", "lat=1:3", "-V", "time,lat,pr", "--verify", *paths, out)
    with netCDF4.Dataset(out) as found:
        assert set(found.variables) == {"time", "lat", "pr"} and found["time"][:].tolist() == [2, 3, 4, 5]
        np.testing.assert_array_equal(found["pr"][:], sum(map(ord, "pr")) + np.arange(2, 6)[:, None] + np.array([1, 2]) / 8)


def test_what_is_not_asked_for_need_not_agree(tmp_path):
    paths = [make(tmp_path / f"{name}.nc", name) for name in ("tas", "pr")]
    for n, path in enumerate(paths):
        with netCDF4.Dataset(path, "a") as out:
            out.createDimension("x", 2 + n)
            out.createVariable("note", "i4", ("x",))[:] = n
    out = tmp_path / "out.nc"
    error = refused(*paths, out)
    assert "pr.nc: variable note: length along x is 3, and 2 in" in error, error
    merged("--exclude", "note", *paths, out)
    wanted = xarray.merge([xarray.open_dataset(path).drop_vars("note") for path in paths], combine_attrs="override")
    same(out, wanted)


def test_groups_and_formats_are_merged(tmp_path):
    one, other = make(tmp_path / "a.nc", "tas", group="model"), make(tmp_path / "b.nc", "pr", group="model")
    subprocess.run([BIN / "nccopy", "-k", "zarr3", other, tmp_path / "b.zarr"], check=True)
    merged("--verify", one, tmp_path / "b.zarr", make(tmp_path / "c.nc", "hurs", group="other"), tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as found:
        assert set(found["model"].variables) == {"time", "lat", "tas", "pr"} and "hurs" in found["other"].variables
        np.testing.assert_array_equal(found["model/pr"][:, 0], sum(map(ord, "pr")) + np.arange(4))


def test_strings_are_compared(tmp_path):
    paths = [make(tmp_path / f"{name}.nc", name) for name in ("tas", "pr")]
    for path, names in zip(paths, (["a", "b", "c", "d"], ["a", "b", "x", "d"])):
        with netCDF4.Dataset(path, "a") as out:
            stations = out.createVariable("station", str, ("lat",))
            for n, name in enumerate(names):
                stations[n] = name
    error = refused(*paths, tmp_path / "out.nc")
    assert "pr.nc: variable station: [2] is 'x', and 'c' in" in error, error


def test_bad_inputs_are_named(tmp_path):
    tas, out = make(tmp_path / "tas.nc", "tas"), tmp_path / "out.nc"
    (tmp_path / "bad.nc").write_bytes(b"no dataset")
    assert "bad.nc: not a netCDF file" in refused(tas, tmp_path / "bad.nc", out)
    assert "none.nc: cannot open" in refused(tas, tmp_path / "none.nc", out)
    assert "same file" in refused(tas, make(tmp_path / "pr.nc", "pr"), tas)
    assert "is 'time' meant?" in refused("--join", "tme", tas, tmp_path / "pr.nc", out)
    assert "--label" in copy("--merge", "--join", "run", "--label", "1,2", tas, tmp_path / "pr.nc", out).stderr
    assert "--merge" in copy("--first", tas, out).stderr
    with netCDF4.Dataset(tmp_path / "short.nc", "w") as other:
        other.createDimension("lat", 4)
        other.createVariable("lat", "i2", ("lat",))[:] = np.arange(4)
    assert "short.nc: variable lat: type is short, and float in" in refused(tas, tmp_path / "short.nc", out)
    assert not out.exists()
