"""Parts of datasets by values of coordinates: what xarray and cdo select, but for what docs/reference/nccopy.md says."""

import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy, ncdump
from parts_sample import make

xarray = pytest.importorskip("xarray")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("values") / "in.nc"
    make(path, strings=False)
    return path


@pytest.mark.parametrize(
    "flag, dim, key, how",
    [
        ("lat=-10..10", "lat", slice(-10, 10), None),
        ("lat=-35..", "lat", slice(-35, None), None),
        ("lat=..-65.5", "lat", slice(None, -65.5), None),
        ("lat=@30,@-20", "lat", [-20, 30], None),
        ("lat=30,-20,0", "lat", [-20, 0, 30], None),
        ("lat~-12", "lat", [-12], "nearest"),
        ("lat~5", "lat", [0], None),
        ("time=2000-02", "time", "2000-02", None),
        ("time=2000", "time", "2000", None),
        ("time=1990..1999,2000..2001", "time", slice("1990", "2001"), None),
        ("time=@0..@30", "time", slice("2000-01-01", "2000-01-31"), None),
        ("time=2000-02..", "time", slice("2000-02", None), None),
        ("time=..2000-01", "time", slice(None, "2000-01"), None),
        ("time=2000-01-10..2000-02-03", "time", slice("2000-01-10", "2000-02-03"), None),
        ("time=2000-01-10T00..2000-02-03T01:30", "time", slice("2000-01-10T00", "2000-02-03T01:30"), None),
        ("time~2000-02-14", "time", ["2000-02-14"], "nearest"),
        ("lon=100..200/3", "lon", np.arange(100, 201, 30), None),
    ],
)
def test_xarray_selects_the_same(flag, dim, key, how, source, tmp_path):
    target = tmp_path / "out.nc"
    nccopy("--sel", flag, source, target)
    with xarray.open_dataset(source) as theirs, xarray.open_dataset(target) as ours:
        theirs = theirs.sel({dim: key}, method=how)
        assert dict(ours.sizes) == dict(theirs.sizes)
        for name in theirs.variables:
            assert np.array_equal(ours[name].values, theirs[name].values), name


@pytest.mark.parametrize("calendar", ["noleap", "360_day", "julian", "standard"])
def test_months_of_each_calendar(calendar, tmp_path):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("time", 400)
        time = d.createVariable("time", "f8", ("time",))
        time.units, time.calendar = "hours since 1999-12-01", calendar
        time[:] = np.arange(400) * 6
    nccopy("--sel", "time=2000-02", source, target)
    with netCDF4.Dataset(source) as a, netCDF4.Dataset(target) as b:
        dates = netCDF4.num2date(a["time"][:], a["time"].units, calendar)
        february = [n for n, date in enumerate(dates) if (date.year, date.month) == (2000, 2)]
        assert np.array_equal(b["time"][:], a["time"][february])


def test_floats_and_packed_values_match_as_they_are_typed(tmp_path):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as d:
        for name, ty in ("f", "f4"), ("p", "i2"):
            d.createDimension(name, 8)
            var = d.createVariable(name, ty, (name,), fill_value=-99)
            var.set_auto_maskandscale(False)
            if ty == "i2":
                var.scale_factor = 0.1
                var[:] = [5, 3, 1, -99, 2, 4, 0, 6]
            else:
                var[:] = np.arange(8, dtype="f4") / 10
    nccopy("--sel", "f=0.1..0.3", "--sel", "p=0.1..0.3,0.6", source, target)
    with netCDF4.Dataset(target) as d:
        d.set_auto_maskandscale(False)
        assert np.array_equal(d["f"][:], np.float32([0.1, 0.2, 0.3]))
        assert d["p"][:].tolist() == [3, 1, 2, 6]


def run_cdo(*arguments):
    if shutil.which("cdo") is None:
        pytest.skip("cdo is not installed")
    done = subprocess.run(["cdo", "-s", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "low, high, longitudes",
    [
        (-10, 10, [-10, 0, 10]),
        (350, 10, [-10, 0, 10]),
        (-180, 170, range(-180, 180, 10)),
        (100, 130, [100, 110, 120, 130]),
    ],
)
def test_longitudes_cross_the_seam(low, high, longitudes, source, tmp_path):
    target = tmp_path / "out.nc"
    nccopy("--sel", f"lon={low}..{high}", "--sel", "lat=-20..20", source, target)
    with netCDF4.Dataset(source) as a, netCDF4.Dataset(target) as b:
        assert b["lon"][:].tolist() == list(longitudes)
        middle = np.asarray(longitudes, dtype="f4")
        assert np.array_equal(b["lon_bounds"][:], np.stack([middle - 5, middle + 5], 1))
        cells = [lon % 360 // 10 for lon in longitudes]
        assert np.array_equal(b["field"][:], a["field"][:, 7:12, cells])


@pytest.mark.parametrize("low, high", [(-10, 10), (350, 10), (-180, 170), (100, 130), (-30, 95), (-30, -10)])
def test_cdo_selects_the_same_box(low, high, source, tmp_path):
    ours, theirs = tmp_path / "ours.nc", tmp_path / "theirs.nc"
    run_cdo(f"sellonlatbox,{low},{high},-20,20", "-selname,field", source, theirs)
    nccopy("--sel", f"lon={low}..{high}", "--sel", "lat=-20..20", source, ours)
    with netCDF4.Dataset(ours) as a, netCDF4.Dataset(theirs) as b:
        assert np.array_equal(a["lon"][:], b["lon"][:]) and np.array_equal(a["lat"][:], b["lat"][:])
        assert np.array_equal(a["field"][:], b["field"][:])


def test_cdo_selects_the_same_dates(source, tmp_path):
    ours, theirs = tmp_path / "ours.nc", tmp_path / "theirs.nc"
    run_cdo("seldate,2000-01-10,2000-02-29", "-selname,field", source, theirs)
    nccopy("--sel", "time=2000-01-10..2000-02", source, ours)
    with netCDF4.Dataset(ours) as a, netCDF4.Dataset(theirs) as b:
        assert np.array_equal(a["time"][:], b["time"][:]) and np.array_equal(a["field"][:], b["field"][:])


def test_longitudes_of_a_narrow_type_are_refused_before_anything_is_printed(tmp_path):
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("lon", 36)
        lon = d.createVariable("lon", "u1", ("lon",))
        lon.units = "degrees_east"
        lon[:] = 7 * np.arange(36)
    done = subprocess.run([BIN / "ncdump", "--sel", "lon=200..400", path], capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == "" and "cannot hold" in done.stderr, done


@pytest.mark.parametrize("kind", ["nc4", "nc3"])
def test_ranges_hold_the_values_across_the_seam(kind, tmp_path):
    path, target = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as f:
        f.createDimension("lon", 36)
        f.createDimension("two", 2)
        lon = f.createVariable("lon", "f4", ("lon",))
        bounds = f.createVariable("lon_bounds", "f4", ("lon", "two"))
        lon[:] = np.arange(-180, 180, 10)
        bounds[:] = np.stack([lon[:] - 5, lon[:] + 5], 1)
        lon.units, lon.bounds = "degrees_east", "lon_bounds"
        lon.valid_range, lon.actual_range = np.array([-180, 180], "f4"), np.array([-180, 170], "f4")
        bounds.valid_min, bounds.valid_max = np.float32(-185), np.float64(185)
    nccopy("-k", kind, "--sel", "lon=160..200", path, target)
    with netCDF4.Dataset(target) as f:
        # The library masks what is not valid.
        assert f["lon"][:].tolist() == [160, 170, 180, 190, 200]
        assert f["lon_bounds"][-1].tolist() == [195, 205]
        assert f["lon"].valid_range.tolist() == [-180, 200] and f["lon"].valid_range.dtype == "f4"
        assert f["lon"].actual_range.tolist() == [-180, 200]
        assert (f["lon_bounds"].valid_min, f["lon_bounds"].valid_max) == (-185, 205)
    assert b"valid_range = -180.f, 200.f ;" in ncdump("-h", "--sel", "lon=160..200", path)
    nccopy("--sel", "lon=160..170", path, target)
    with netCDF4.Dataset(target) as f:
        assert f["lon"].valid_range.tolist() == [-180, 180]
