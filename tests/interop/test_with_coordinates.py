"""--with-coordinates takes along what chosen variables need; the truth is ncks, which does so without being asked."""

import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
from conftest import nccopy

needs_ncks = pytest.mark.skipif(shutil.which("ncks") is None, reason="ncks is not installed")


@pytest.fixture(params=["NETCDF4", "NETCDF3_CLASSIC"])
def model(tmp_path, request):
    """Fields with bounds, climatology, ancillary variables, a grid mapping, cell measures and a formula."""
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w", format=request.param) as f:
        # Without it, ncks looks at dimensions alone.
        f.Conventions = "CF-1.8"
        f.external_variables = "areacella"
        for name, length in ("time", None), ("lev", 3), ("y", 4), ("x", 5), ("bnds", 2), ("lonely", 2):
            f.createDimension(name, length)

        def add(name, dims, **attributes):
            v = f.createVariable(name, "f8", dims)
            v.setncatts(attributes)
            v[:] = np.arange(np.prod([2 if d == "time" else len(f.dimensions[d]) for d in dims])).reshape(
                [2 if d == "time" else len(f.dimensions[d]) for d in dims]
            )

        add("time", ("time",), bounds="time_bnds", units="days since 2000-01-01")
        add("time_bnds", ("time", "bnds"))
        add("month", ("time",), climatology="month_bnds")
        add("month_bnds", ("time", "bnds"))
        add("lev", ("lev",), formula_terms="a: a b: b ps: ps", standard_name="atmosphere_hybrid_sigma_pressure_coordinate")
        add("a", ("lev",))
        add("b", ("lev",))
        add("ps", ("time", "y", "x"), grid_mapping="crs")
        add("x", ("x",))
        add("y", ("y",))
        add("lat", ("y", "x"), bounds="lat_bnds")
        add("lat_bnds", ("y", "x", "bnds"))
        add("lon", ("y", "x"))
        add("crs", (), grid_mapping_name="rotated_latitude_longitude")
        add("wgs", (), grid_mapping_name="latitude_longitude")
        add("tas", ("time", "y", "x"), coordinates="lat lon", grid_mapping="crs", cell_measures="area: areacella volume: vol")
        add("vol", ("y", "x"))
        add("flag", ("time", "y", "x"))
        add("pr", ("time", "y", "x"), ancillary_variables="flag", coordinates="month")
        add("ta", ("time", "lev", "y", "x"))
        add("both", ("y", "x"), grid_mapping="crs: x y wgs: lat lon")
        add("alone", ("lonely",))
    return path


def variables(path):
    with netCDF4.Dataset(path) as f:
        return set(f.variables)


CASES = {
    "tas": "tas time time_bnds y x lat lat_bnds lon crs vol",
    "pr": "pr time time_bnds y x flag month month_bnds",
    "ta": "ta time time_bnds lev a b ps y x crs",
    "alone": "alone",
    "pr,alone": "pr time time_bnds y x flag month month_bnds alone",
}


@needs_ncks
@pytest.mark.parametrize("chosen", CASES)
def test_the_same_variables_as_ncks(model, tmp_path, chosen):
    said = nccopy("-V", chosen, "--with-coordinates", model, tmp_path / "out.nc")
    subprocess.run(["ncks", "-h", "-O", "-v", chosen, model, tmp_path / "nco.nc"], check=True, timeout=60)
    assert variables(tmp_path / "out.nc") == variables(tmp_path / "nco.nc") == set(CASES[chosen].split())
    assert "input lacks" not in said
    with netCDF4.Dataset(tmp_path / "out.nc") as ours, netCDF4.Dataset(model) as whole:
        for name, v in ours.variables.items():
            assert np.array_equal(v[:], whole[name][:])


def test_both_forms_of_a_grid_mapping(model, tmp_path):
    # ncks knows the first form alone, so the truth is CF 5.6: mappings end in a colon, coordinates follow.
    nccopy("-V", "both", "--with-coordinates", model, tmp_path / "out.nc")
    assert variables(tmp_path / "out.nc") == set("both x y crs wgs lat lat_bnds lon".split())


def test_the_others_are_only_defined_with_v(model, tmp_path):
    nccopy("-v", "pr", "--with-coordinates", model, tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as f:
        assert set(f.variables) == variables(model)
        full = {name for name, v in f.variables.items() if not np.ma.is_masked(v[:])}
    assert full == set(CASES["pr"].split())


def test_what_is_excluded_stays_out(model, tmp_path):
    nccopy("-V", "tas", "--exclude", "*_bnds", "--with-coordinates", model, tmp_path / "out.nc")
    assert variables(tmp_path / "out.nc") == set("tas time y x lat lon crs vol".split())


def test_a_name_that_is_nothing_is_told(model, tmp_path):
    with netCDF4.Dataset(model, "a") as f:
        f["tas"].coordinates = "lat longitude"
        f["tas"].cell_measures = "area: areacella volume: volcello"
    said = nccopy("-V", "tas", "--with-coordinates", model, tmp_path / "out.nc")
    assert "attributes name variables that the input lacks: " in said
    assert "longitude (coordinates of tas)" in said and "volcello (cell_measures of tas)" in said
    # The dataset says that another file has this one.
    assert "areacella" not in said


def test_groups_and_kinds(tmp_path):
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("x", 3)
        f.createVariable("x", "f4", ("x",))[:] = [1, 2, 3]
        f.createVariable("near", "f4")[:] = 0
        g = f.createGroup("g")
        g.createVariable("near", "f4")[:] = 1
        g.createVariable("v", "f4", ("x",))[:] = [4, 5, 6]
        g["v"].setncattr_string("coordinates", ["near", "/h/far", "../h/farther"])
        h = f.createGroup("h")
        h.createVariable("far", "f4")[:] = 2
        h.createVariable("farther", "f4")[:] = 3
        f.createGroup("empty")
    for options in ("-V", "/g/v"), ("-G", "g"):
        out = tmp_path / f"out{options[0]}.nc"
        nccopy(*options, "--with-coordinates", path, out)
        with netCDF4.Dataset(out) as f:
            assert set(f.variables) == {"x"} and set(f["g"].variables) == {"near", "v"}
            assert set(f["h"].variables) == {"far", "farther"}
            assert ("empty" in f.groups) == (options[0] == "-V")
    assert "leave out --with-coordinates" in nccopy(
        "-k", "h5", "-V", "/g/v", "--with-coordinates", path, tmp_path / "no.nc", ok=False
    )
