"""`nccopy --join`: one dataset of many along a dimension. The truth is xarray's, ncrcat's, or made by hand."""

import subprocess

import netCDF4
import numpy as np
import pytest
import xarray
from conftest import BIN
from join_files import check, days, join, joined, make, refused
from stop_points import go_on, stopped

KINDS = ["NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("to", ["nc3", "nc4", "zarr3"])
def test_as_xarray_concatenates(tmp_path, kind, to):
    paths = days(tmp_path, 3, 4, 2, kind=kind)
    out = tmp_path / ("out.zarr" if to == "zarr3" else "out.nc")
    joined(out, "time", "-k", to, *(["-V", "time,time_bnds,lat,tas"] if to == "nc3" else []), *paths)
    opened = [xarray.open_dataset(path) for path in paths]
    wanted = xarray.concat(opened, "time", data_vars="minimal", coords="minimal", compat="equals", join="exact", combine_attrs="override")
    with xarray.open_dataset(out, engine="zarr" if to == "zarr3" else "netcdf4") as found:
        if to == "nc3":
            wanted = wanted.drop_vars("name", errors="ignore")
        xarray.testing.assert_equal(found.load(), wanted.load())


def test_as_ncrcat_joins(tmp_path):
    paths = days(tmp_path, 3, 4, 2)
    joined(tmp_path / "out.nc", "time", *paths)
    subprocess.run(["ncrcat", "-O", *paths, tmp_path / "ncrcat.nc"], check=True)
    with netCDF4.Dataset(tmp_path / "ncrcat.nc") as wanted:
        check(tmp_path / "out.nc", {name: wanted[name][:] for name in ["time", "time_bnds", "lat", "tas"]})


def test_fixed_dimensions_join_too(tmp_path):
    paths = days(tmp_path, 3, 4, unlimited=False)
    joined(tmp_path / "out.nc", "time", *paths)
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert not out.dimensions["time"].isunlimited() and len(out.dimensions["time"]) == 7
    joined(tmp_path / "out.nc", "time", "--unlimited", "time", *paths)
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert out.dimensions["time"].isunlimited()


def test_formats_may_be_mixed(tmp_path):
    first = make(tmp_path / "a.nc", 0, 2)
    second = make(tmp_path / "b.nc", 2, 3)
    subprocess.run([BIN / "nccopy", "-k", "zarr3", second, tmp_path / "b.zarr"], check=True)
    joined(tmp_path / "out.nc", "time", first, tmp_path / "b.zarr", "-V", "time,tas")
    check(tmp_path / "out.nc", {"time": np.arange(5), "tas": np.arange(5)[:, None, None] + np.arange(20).reshape(4, 5) / 32})


@pytest.mark.parametrize("units, first", [("days since 2000-01-11", 0), ("hours since 2000-01-03 00:00", 192), ("minutes since 2000-01-01", 14400)])
def test_units_of_time_are_converted(tmp_path, units, first):
    step = {"days": 1, "hours": 24, "minutes": 1440}[units.split()[0]]
    one = make(tmp_path / "a.nc", 0, 2)
    make(tmp_path / "b.nc", 0, 3, units=units)
    with netCDF4.Dataset(tmp_path / "b.nc", "a") as other:
        other["time"][:] = first + step * np.arange(3)
        other["time_bnds"][:] = (other["time"][:][:, None] + np.array([-0.5, 0.5]) * step)
    joined(tmp_path / "out.nc", "time", "--verify", one, tmp_path / "b.nc")
    times = np.array([0, 1, 10, 11, 12.0])
    check(tmp_path / "out.nc", {"time": times, "time_bnds": times[:, None] + np.array([-0.5, 0.5])})


def test_a_time_without_exact_form_is_refused_or_rounded(tmp_path):
    one = make(tmp_path / "a.nc", 0, 1)
    other = make(tmp_path / "b.nc", 25, 2, units="hours since 2000-01-01")
    error = refused("time", one, other, tmp_path / "out.nc")
    assert "b.nc: variable time: the time 25 has no exact form" in error and "--inexact" in error
    joined(tmp_path / "out.nc", "time", "--inexact", one, other)
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        np.testing.assert_allclose(out["time"][:], [0, 25 / 24, 26 / 24], rtol=1e-15)


@pytest.mark.parametrize(
    "changes, what",
    [
        (dict(attributes={"scale_factor": 0.5}), "scale_factor is 0.5, and not given in"),
        (dict(attributes={"add_offset": 1.0}), "add_offset is 1, and not given in"),
        (dict(fill=-1.0), "_FillValue is -1, and not given in"),
        (dict(attributes={"missing_value": np.float32(9)}), "missing_value is 9, and not given in"),
        (dict(type="f8"), "type is double, and float in"),
        (dict(attributes={"units": "degC"}), "units is 'degC', and 'K' in"),
    ],
)
def test_what_numbers_mean_must_agree(tmp_path, changes, what):
    one = make(tmp_path / "a.nc", 0, 2)
    other = make(tmp_path / "b.nc", 2, 2, **changes)
    error = refused("time", one, other, tmp_path / "out.nc")
    assert "b.nc: variable tas: " + what in error and "a.nc" in error and "--exclude" in error, error
    assert not (tmp_path / "out.nc").exists()
    joined(tmp_path / "out.nc", "time", "--exclude", "tas", one, other)


def test_calendars_must_agree(tmp_path):
    one, other = days(tmp_path, 2, 2)
    with netCDF4.Dataset(other, "a") as changed:
        changed["time"].calendar = "noleap"
    assert "variable time: calendar is" in refused("time", one, other, tmp_path / "out.nc")
    with netCDF4.Dataset(other, "a") as changed:
        changed["time"].calendar = "gregorian"
    joined(tmp_path / "out.nc", "time", one, other)


def test_inputs_go_on_in_one_direction(tmp_path):
    one, two, three = days(tmp_path, 2, 3, 2)
    error = refused("time", one, three, two, tmp_path / "out.nc")
    assert "1.nc begins at time = 2, and " in error and "2.nc, which comes before it, ends at 6" in error and "--sort" in error
    joined(tmp_path / "out.nc", "time", "--sort", three, one, two)
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        np.testing.assert_array_equal(out["time"][:], np.arange(7))
        np.testing.assert_array_equal(out["tas"][:, 0, 0], np.arange(7))
        assert list(out["name"][:]) == [f"day {n}" for n in range(7)]


@pytest.mark.parametrize("which", ["first", "last"])
def test_one_of_two_cells_is_taken(tmp_path, which):
    one, two = make(tmp_path / "a.nc", 0, 4), make(tmp_path / "b.nc", 2, 4)
    with netCDF4.Dataset(two, "a") as changed:
        changed["tas"][:] = changed["tas"][:] + 100
    assert "--overlap" in refused("time", one, two, tmp_path / "out.nc")
    joined(tmp_path / "out.nc", "time", "--overlap", which, one, two)
    second = 4 if which == "first" else 2
    check(tmp_path / "out.nc", {"time": np.arange(6)})
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        np.testing.assert_array_equal(out["tas"][:, 0, 0], [n + 100 * (n >= second) for n in range(6)])


def test_variables_without_the_dimension_are_the_same(tmp_path):
    one, other = make(tmp_path / "a.nc", 0, 2), make(tmp_path / "b.nc", 2, 2, grid=[0, 1, 2, 4])
    error = refused("time", one, other, tmp_path / "out.nc")
    assert "b.nc: the variable lat does not have the dimension time" in error and "--first" in error
    told = joined(tmp_path / "out.nc", "time", "--first", one, other)
    assert "the values of lat are those of" in told
    check(tmp_path / "out.nc", {"lat": np.arange(4)})


def test_strings_without_the_dimension_are_the_same(tmp_path):
    one, other = days(tmp_path, 2, 2)
    for path, names in [(one, ["a", "bb"]), (other, ["a", "bb"])]:
        with netCDF4.Dataset(path, "a") as out:
            out.createDimension("station", 2)
            stations = out.createVariable("station", str, ("station",))
            for n, name in enumerate(names):
                stations[n] = name
    joined(tmp_path / "out.nc", "time", one, other)
    with netCDF4.Dataset(other, "a") as out:
        out["station"][1] = "b"
    assert "the variable station does not have the dimension time" in refused("time", one, other, tmp_path / "out.nc")


def test_a_variable_that_an_input_lacks(tmp_path):
    one, other = make(tmp_path / "a.nc", 0, 2, extra="count"), make(tmp_path / "b.nc", 2, 2)
    error = refused("time", one, other, tmp_path / "out.nc")
    assert "b.nc: lacks the variable count, which" in error and "--fill-missing" in error
    joined(tmp_path / "out.nc", "time", "--fill-missing", "--verify", one, other)
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert out["count"][:].filled(-1).tolist() == [0, 1, -1, -1]
    told = joined(tmp_path / "out.nc", "time", other, make(tmp_path / "c.nc", 4, 2, extra="count"))
    assert "lacks variables that other inputs have, which are left out: count" in told


def test_another_length_in_the_middle_is_told(tmp_path):
    paths = days(tmp_path, 2, 2, 2)
    with netCDF4.Dataset(paths[1], "w") as out:
        out.createDimension("time", None)
        out.createDimension("lat", 3)
        out.createDimension("lon", 5)
        out.createVariable("tas", "f4", ("time", "lat", "lon"))[:] = np.zeros((2, 3, 5))
    error = refused("time", "-V", "tas", *paths, tmp_path / "out.nc")
    assert "1.nc: variable tas: length along lat is 3, and 4 in" in error, error


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_dimension(tmp_path, kind):
    one, other = make(tmp_path / "a.nc", 0, 2, kind=kind), make(tmp_path / "b.nc", 0, 2, kind=kind)
    with netCDF4.Dataset(other, "a") as changed:
        changed["tas"][:] = changed["tas"][:] + 100
    joined(tmp_path / "out.nc", "run", "-u", "-V", "time,lat,tas", "--label", "1,5", "--verify", one, other)
    with netCDF4.Dataset(tmp_path / "out.nc") as out, netCDF4.Dataset(one) as first:
        assert out["tas"].dimensions == ("run", "time", "lat", "lon")
        assert out["run"][:].tolist() == [1, 5] and out["time"].dimensions == ("time",)
        np.testing.assert_array_equal(out["tas"][0], first["tas"][:])
        np.testing.assert_array_equal(out["tas"][1], first["tas"][:] + 100)
    assert "3 labels are given for 2 inputs" in refused("run", "--label", "1,2,3", one, other, tmp_path / "out.nc")


def test_a_scalar_becomes_the_coordinate_of_a_new_dimension(tmp_path):
    paths = []
    for n in range(3):
        paths.append(tmp_path / f"{n}.nc")
        with netCDF4.Dataset(paths[-1], "w") as out:
            out.createDimension("x", 3)
            time = out.createVariable("time", "i4", ())
            time.units = "days since 2000-01-01"
            time[...] = n
            out.createVariable("v", "f4", ("x",)).coordinates = "time"
            out["v"][:] = np.arange(3) + 10 * n
    joined(tmp_path / "out.nc", "time", *paths)
    check(tmp_path / "out.nc", {"time": [0, 1, 2], "v": np.arange(3) + 10 * np.arange(3)[:, None]})


def test_a_part_of_a_join(tmp_path):
    paths = days(tmp_path, 3, 4, 2)
    joined(tmp_path / "out.nc", "time", "--isel", "time=1:8:2,lat=1:3", "--verify", *paths)
    wanted = np.arange(9)[:, None, None] + np.arange(20).reshape(4, 5) / 32
    check(tmp_path / "out.nc", {"time": [1, 3, 5, 7], "tas": wanted[1:8:2, 1:3]})
    joined(tmp_path / "out.nc", "time", "--sel", "time=2000-01-03..2000-01-06", *paths)
    check(tmp_path / "out.nc", {"time": [2, 3, 4, 5], "tas": wanted[2:6]})


def test_the_names_come_from_a_list_too(tmp_path):
    paths = days(tmp_path, 1, 1, 1, 1)
    (tmp_path / "list").write_text("".join(f"{path}\n" for path in paths))
    joined(tmp_path / "out.nc", "time", "--files-from", tmp_path / "list")
    check(tmp_path / "out.nc", {"time": np.arange(4)})


def test_more_inputs_than_are_open_at_once(tmp_path):
    paths = days(tmp_path, *[1] * 300, kind="NETCDF3_CLASSIC")
    joined(tmp_path / "out.nc", "time", "-k", "nc4", "-c", "time/100", "-d", "1", *paths)
    check(tmp_path / "out.nc", {"time": np.arange(300), "tas": np.arange(300)[:, None, None] + np.arange(20).reshape(4, 5) / 32})


def test_bad_inputs_are_named(tmp_path):
    paths = days(tmp_path, 2, 2, 2)
    paths[1].write_bytes(b"no dataset")
    assert "1.nc: not a netCDF file" in refused("time", *paths, tmp_path / "out.nc")
    paths[1].unlink()
    assert "1.nc: cannot open" in refused("time", *paths, tmp_path / "out.nc")
    good = [paths[0], paths[2]]
    assert "same file" in refused("time", *good, paths[2])
    (tmp_path / "folder").mkdir()
    assert "folder" in refused("time", *good, f"{tmp_path}/folder/")
    assert "is 'time' meant?" in refused("tme", *good, tmp_path / "out.nc")
    for options in (["--sort"], ["--label", "1"], ["--first"]):
        done = subprocess.run([BIN / "nccopy", *options, paths[0], tmp_path / "out.nc"], capture_output=True, text=True)
        assert done.returncode == 1 and "--join" in done.stderr


def test_a_damaged_chunk_is_told_with_its_file(tmp_path):
    paths = days(tmp_path, 2, 2)
    import h5py

    with h5py.File(paths[1]) as file:
        at, size = (lambda info: (info.byte_offset, info.size))(file["tas"].id.get_chunk_info(1))
    with open(paths[1], "r+b") as file:
        file.seek(at + size // 2)
        file.write(b"\xff" * 8)
    error = refused("time", "-F", "none", *paths, tmp_path / "out.nc")
    assert "1.nc: variable tas: chunk [" in error, error
    assert not (tmp_path / "out.nc").exists()


def test_packed_values_are_unpacked(tmp_path):
    paths = []
    for n, (scale, fill, kind) in enumerate([(0.5, -9, "i2"), (0.25, -1, "i4"), (None, None, "f8")]):
        paths.append(tmp_path / f"{n}.nc")
        with netCDF4.Dataset(paths[-1], "w") as out:
            out.createDimension("time", None)
            out.createVariable("time", "i4", ("time",))[:] = 3 * n + np.arange(3)
            packed = out.createVariable("v", kind, ("time",), fill_value=fill, zlib=True, shuffle=True)
            if scale:
                packed.scale_factor = np.float32(scale)
            packed.set_auto_maskandscale(False)
            packed[:] = [4, fill or 5, 6]
    out = tmp_path / "out.nc"
    error = refused("time", *paths, out)
    assert "1.nc: variable v: type is int, and short in" in error and "--unpack" in error, error
    joined(out, "time", "--unpack", "v", "--verify", *paths)
    wanted = [netCDF4.Dataset(path)["v"][:].astype("f8") for path in paths]
    with netCDF4.Dataset(out) as found:
        values = found["v"][:]
        assert values.dtype == "f8" and "scale_factor" not in found["v"].ncattrs()
        assert found["v"].filters()["zlib"] and found["v"].filters()["shuffle"]
        np.testing.assert_array_equal(np.ma.getmaskarray(values), np.ma.getmaskarray(np.ma.concatenate(wanted)))
        np.testing.assert_allclose(values.compressed(), np.ma.concatenate(wanted).compressed(), rtol=0)
    assert "the first input has no variable of this name" in refused("time", "--unpack", "w", *paths, out)


@pytest.mark.parametrize(
    "changes, values",
    [
        (dict(attributes={"scale_factor": 0.5}), [0, 1, 1, 1.5]),
        (dict(type="i2"), [0, 1, 2, 3]),
        (dict(attributes={"units": "degC"}), [0, 1, 2, 3]),
        (dict(grid=[0, 1, 2, 4]), [0, 1, 2, 3]),
        (dict(fill=2.0), [0, 1, 2, 3]),
    ],
)
def test_ncrcat_joins_in_silence_what_is_an_error_here(tmp_path, changes, values):
    """The table beside ncrcat in the guide: the stored numbers pass under the attributes of the first input."""
    one, other = make(tmp_path / "a.nc", 0, 2), make(tmp_path / "b.nc", 2, 2, **changes)
    done = subprocess.run(["ncrcat", "-O", "-v", "tas,lat", one, other, tmp_path / "ncrcat.nc"], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    with netCDF4.Dataset(tmp_path / "ncrcat.nc") as found:
        found.set_auto_maskandscale(False)
        stored = np.arange(4.0)
        np.testing.assert_array_equal(found["tas"][:, 0, 0], stored)
        assert "scale_factor" not in found["tas"].ncattrs() and found["tas"].units == "K"
    # What a reader should have seen.
    with netCDF4.Dataset(other) as second:
        assert [0, 1, *np.ma.filled(second["tas"][:, 0, 0], 2)] == values
    refused("time", one, other, tmp_path / "out.nc")


def packed_days(path, first, units, scale=None, **attributes):
    with netCDF4.Dataset(path, "w") as out:
        out.createDimension("time", None)
        time = out.createVariable("time", "i4", ("time",))
        time.units = units
        for name, value in attributes.items():
            setattr(time, name, value)
        time.set_auto_maskandscale(False)
        time[:] = first + np.arange(3)
        v = out.createVariable("v", "i2", ("time",), fill_value=-1)
        if scale:
            v.scale_factor = scale
        v.set_auto_maskandscale(False)
        v[:] = np.arange(3) + 10 * first
    return path


@pytest.mark.parametrize("part, cells", [("1:5", slice(1, 5)), ("0:6:2", slice(0, 6, 2)), ("4", slice(4, 5))])
def test_a_part_of_what_is_converted_and_unpacked(tmp_path, part, cells):
    one = packed_days(tmp_path / "a.nc", 0, "days since 2000-01-01", 0.5)
    other = packed_days(tmp_path / "b.nc", 1, "days since 2000-01-11", 0.25)
    joined(tmp_path / "out.nc", "time", "--unpack", "v,v", "--isel", f"time={part}", "--verify", one, other)
    values = np.array([0, 0.5, 1, 2.5, 2.75, 3])
    check(tmp_path / "out.nc", {"time": np.array([0, 1, 2, 11, 12, 13])[cells], "v": values[cells]})


def test_a_part_of_labels(tmp_path):
    paths = days(tmp_path, 2, 2, 2)
    joined(tmp_path / "out.nc", "run", "--first", "--label", "7,8,9", "--isel", "run=1:3", "-V", "lat,tas", *paths)
    check(tmp_path / "out.nc", {"run": [8, 9]})
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        np.testing.assert_array_equal(out["tas"][:, :, 0, 0], [[2, 3], [4, 5]])


def test_the_first_input_has_less_of_a_variable(tmp_path):
    for n in range(2):
        with netCDF4.Dataset(tmp_path / f"{n}.nc", "w") as out:
            out.createDimension("time", None)
            out.createDimension("x", None)
            out.createVariable("x", "i4", ("x",))[:] = np.arange(3)
            v = out.createVariable("v", "i4", ("time", "x"))
            out.createVariable("time", "i4", ("time",))[:] = 2 * n + np.arange(2)
            if n:
                v[:] = np.arange(6).reshape(2, 3)
    joined(tmp_path / "out.nc", "time", "--verify", tmp_path / "0.nc", tmp_path / "1.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert out["v"][:2].mask.all() and out["v"][2:].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_what_is_not_joined_means_the_same(tmp_path):
    one = packed_days(tmp_path / "a.nc", 0, "days since 2000-01-01")
    other = packed_days(tmp_path / "b.nc", 0, "days since 2010-01-01")
    assert "time describes the data" in refused("run", one, other, tmp_path / "out.nc")


def test_packed_times_are_not_converted(tmp_path):
    one = packed_days(tmp_path / "a.nc", 0, "days since 2000-01-01", scale_factor=2.0)
    other = packed_days(tmp_path / "b.nc", 0, "days since 2000-01-21", scale_factor=2.0)
    assert "variable time: units is 'days since 2000-01-21', and 'days since 2000-01-01' in" in refused("time", one, other, tmp_path / "out.nc")
    assert "units is" in refused("time", "--unpack", "time", one, other, tmp_path / "out.nc")


def test_bounds_have_the_calendar_of_their_variable(tmp_path):
    one, other = make(tmp_path / "a.nc", 0, 2), make(tmp_path / "b.nc", 0, 2, units="days since 2001-01-01")
    for path, units in [(one, "days since 2000-01-01"), (other, "days since 2001-01-01")]:
        with netCDF4.Dataset(path, "a") as out:
            out["time"].calendar = "noleap"
            out["time_bnds"].units = units
    joined(tmp_path / "out.nc", "time", one, other)
    check(tmp_path / "out.nc", {"time": [0, 1, 365, 366], "time_bnds": [[-0.5, 0.5], [0.5, 1.5], [364.5, 365.5], [365.5, 366.5]]})


def test_an_input_that_turns_is_refused(tmp_path):
    one, other = make(tmp_path / "a.nc", 0, 3), make(tmp_path / "b.nc", 5, 3)
    with netCDF4.Dataset(one, "a") as out:
        out["time"][:] = [0, 4, 3]
    assert "a.nc: the values of time do not go on strictly in one direction" in refused("time", one, other, tmp_path / "out.nc")


def test_an_unpacked_coordinate_is_in_order(tmp_path):
    one = packed_days(tmp_path / "a.nc", 0, "days since 2000-01-01", scale_factor=2.0)
    other = packed_days(tmp_path / "b.nc", 10, "days since 2000-01-01", scale_factor=1.0)
    joined(tmp_path / "out.nc", "time", "--unpack", "time", "--sort", other, one)
    check(tmp_path / "out.nc", {"time": [0, 2, 4, 10, 11, 12]})
    assert "does not have the joined dimension" in refused("run", "--unpack", "time", one, other, tmp_path / "out.nc")


def test_cells_of_a_variable_without_fill_value_are_filled(tmp_path):
    one, other = make(tmp_path / "a.nc", 0, 2), make(tmp_path / "b.nc", 2, 2)
    with netCDF4.Dataset(one, "a") as out:
        out.createVariable("count", "i4", ("time",), fill_value=False)[:] = [1, 2]
    joined(tmp_path / "out.nc", "time", "--fill-missing", "--verify", one, other)
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        out.set_auto_mask(False)
        assert out["count"][:].tolist() == [1, 2, -2147483647, -2147483647]


def test_a_new_dimension_of_transposed_chunks(tmp_path):
    import zarr

    for n in range(2):
        root = zarr.create_group(tmp_path / f"{n}.zarr")
        array = root.create_array(
            "v", shape=(3, 4), chunks=(3, 2), dtype="i4", dimension_names=("y", "x"), filters=[zarr.codecs.TransposeCodec(order=(1, 0))]
        )
        array[:] = np.arange(12).reshape(3, 4) + 100 * n
    joined(tmp_path / "out.zarr", "run", "-k", "zarr3", tmp_path / "0.zarr", tmp_path / "1.zarr")
    found = zarr.open_group(tmp_path / "out.zarr")["v"][:]
    np.testing.assert_array_equal(found, np.arange(12).reshape(3, 4) + 100 * np.arange(2)[:, None, None])


def test_time_zones_and_dates_that_do_not_exist_are_refused(tmp_path):
    one = packed_days(tmp_path / "a.nc", 0, "hours since 2000-01-01 00:00")
    for units in ["hours since 2000-01-01 00:00 +01:00", "hours since 2000-01-01T00:00-06:00", "hours since 2000-01-01 00:00 EST", "hours since 2000-13-01", "hours since 2001-02-30"]:
        other = packed_days(tmp_path / "b.nc", 24, units)
        assert f"variable time: units is '{units}'" in refused("time", one, other, tmp_path / "out.nc")
    other = packed_days(tmp_path / "b.nc", 0, "hours since 2000-01-02 00:00:00 UTC")
    joined(tmp_path / "out.nc", "time", one, other)
    check(tmp_path / "out.nc", {"time": [0, 1, 2, 24, 25, 26]})


def test_bounds_that_one_input_names_are_refused(tmp_path):
    one, other = make(tmp_path / "a.nc", 0, 2), make(tmp_path / "b.nc", 0, 2, units="days since 2000-01-03")
    with netCDF4.Dataset(other, "a") as out:
        out["time"].delncattr("bounds")
    assert "variable time_bnds: units is not given, and 'days since 2000-01-01' in" in refused("time", one, other, tmp_path / "out.nc")
    with netCDF4.Dataset(other, "a") as out:
        out["time"].bounds = "/time_bnds"
    joined(tmp_path / "out.nc", "time", one, other)
    check(tmp_path / "out.nc", {"time_bnds": [[-0.5, 0.5], [0.5, 1.5], [1.5, 2.5], [2.5, 3.5]]})


def test_flags_must_mean_the_same(tmp_path):
    one = make(tmp_path / "a.nc", 0, 2, attributes={"flag_values": np.float32([0, 1]), "flag_meanings": "land sea"})
    other = make(tmp_path / "b.nc", 2, 2, attributes={"flag_values": np.float32([0, 1]), "flag_meanings": "sea land"})
    error = refused("time", one, other, tmp_path / "out.nc")
    assert "flag_meanings is 'sea land', and 'land sea' in" in error and "--unpack" not in error


def test_no_input_may_lack_the_coordinate(tmp_path):
    one, other = make(tmp_path / "a.nc", 0, 2), tmp_path / "b.nc"
    subprocess.run([BIN / "nccopy", "--exclude", "time,time_bnds", make(tmp_path / "c.nc", 2, 2), other], check=True)
    assert "lacks the variable time" in refused("time", "--fill-missing", one, other, tmp_path / "out.nc")


def test_other_files_of_a_folder_are_left_out(tmp_path):
    (tmp_path / "in").mkdir()
    for n in range(3):
        make(tmp_path / "in" / f"{n}.nc", 2 * n, 2)
    (tmp_path / "in" / "readme.txt").write_text("no dataset")
    assert "readme.txt" in joined(tmp_path / "out.nc", "time", "--recursive", tmp_path / "in")
    check(tmp_path / "out.nc", {"time": np.arange(6)})


def test_an_input_that_changes_meanwhile_is_an_error(tmp_path):
    paths = days(tmp_path, 2, 2, 2)
    process = stopped("write", "nccopy", "--join", "time", *paths, tmp_path / "out.nc")
    with open(paths[1], "r+b") as file:
        file.seek(0, 2)
        file.write(b"more")
    status, told = go_on(process)
    assert status == 1 and "1.nc: changed while it was read" in told, told
    assert not (tmp_path / "out.nc").exists()


@pytest.mark.parametrize("how", ["gone", "shorter"])
def test_an_input_that_vanishes_meanwhile_is_an_error(tmp_path, how):
    paths = days(tmp_path, 2, 2, 2)
    process = stopped("write", "nccopy", "--join", "time", *paths, tmp_path / "out.nc")
    paths[1].unlink() if how == "gone" else paths[1].write_bytes(paths[1].read_bytes()[:3000])
    status, told = go_on(process)
    assert status == 1 and str(paths[1]) in told and not (tmp_path / "out.nc").exists(), told


def test_names_may_have_line_breaks(tmp_path):
    paths = [path.rename(tmp_path / f"day\n{path.name}") for path in days(tmp_path, 2, 3)]
    (tmp_path / "list").write_bytes(b"".join(bytes(path) + b"\0" for path in paths))
    joined(tmp_path / "out.nc", "time", "--files-from", tmp_path / "list")
    check(tmp_path / "out.nc", {"time": np.arange(5)})
    error = refused("time", "--files-from", tmp_path / "list", paths[0])
    assert "same file" in error and error.count("\n") == 1, error
