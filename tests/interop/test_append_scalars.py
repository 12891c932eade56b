"""`nccopy --append` to Zarr with scalars: NCZarr stores them as arrays of one element, which do not grow."""

import subprocess

import netCDF4
import netcdf_c
import numpy as np
import pytest
import zarr
from conftest import BIN, installed, nccopy
from test_append import append, appended

# The shape in which each kind stores a scalar.
SHAPES = {"zarr2": (), "zarr3": (), "nczarr": (1,), "written by netCDF-C": (1,)}


def write(out, kind, first, count, crs):
    out.createDimension("t", None if kind != "written by netCDF-C" else count)
    out.createDimension("one", 1)
    chunk = min(count, 4)
    out.createVariable("t", "f8", ("t",), chunksizes=(chunk,))[:] = first + np.arange(count)
    mapping = out.createVariable("crs", "i4", ())
    mapping.grid_mapping_name = "latitude_longitude"
    mapping[...] = crs
    out.createVariable("never", "f4", ())
    out.createVariable("single", "i2", ("one",))[:] = 5
    out.createVariable("v", "f4", ("t", "one"), chunksizes=(chunk, 1))[:] = first + np.arange(count)[:, None]
    inner = out.createGroup("inner")
    inner.createVariable("height", "f8", ())[...] = 2.5
    # Pure Zarr of version 2 has a dimension of each group for itself.
    if kind != "zarr2":
        inner.createVariable("w", "i2", ("t",), chunksizes=(min(count, 3),))[:] = first + np.arange(count)


def source(path, kind, first, count, crs=7):
    with netCDF4.Dataset(path, "w") as out:
        write(out, kind if kind != "written by netCDF-C" else "nczarr", first, count, crs)
    return path


def made(kind, folder, count):
    path = folder / "all.zarr"
    if kind == "written by netCDF-C":
        with netCDF4.Dataset(netcdf_c.url(path, "nczarr,file"), "w") as out:
            write(out, kind, 0, count, 7)
    else:
        nccopy("-k", kind, source(folder / "old.nc", kind, 0, count), path)
    return path


def by_netcdf4(path):
    with netCDF4.Dataset(netcdf_c.url(path, "nczarr,file")) as read:
        read.set_auto_mask(False)
        all = {**read.variables, **{f"inner/{name}": variable for name, variable in read["inner"].variables.items()}}
        return {name: variable[...] for name, variable in all.items()}


def by_zarr_python(path):
    group = zarr.open_group(path, mode="r", zarr_format=3 if (path / "zarr.json").exists() else 2)
    return {**{name: array[...] for name, array in group.arrays()}, **{f"inner/{name}": array[...] for name, array in group["inner"].arrays()}}


def check(found, kind, count):
    assert ("inner/w" in found) == (kind != "zarr2")
    for name in found.keys() & {"t", "inner/w"}:
        assert np.array_equal(found[name], np.arange(count)), name
    assert np.array_equal(found["v"], np.arange(count)[:, None])
    assert np.ravel(found["crs"]).tolist() == [7] and np.ravel(found["inner/height"]).tolist() == [2.5]
    assert found["single"].tolist() == [5]


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("kind", SHAPES)
def test_other_programs_read_scalars_and_new_cells(kind, count, tmp_path):
    path = made(kind, tmp_path, count)
    for first, more in [(count, 2), (count + 2, 5)]:
        appended("--join", "t", source(tmp_path / "new.nc", kind, first, more), path)
    # NetCDF-C leaves out a scalar of pure Zarr.
    if SHAPES[kind]:
        check(by_netcdf4(path), kind, count + 7)
    found = by_zarr_python(path)
    check(found, kind, count + 7)
    assert found["crs"].shape == found["inner/height"].shape == SHAPES[kind]
    done = subprocess.run([BIN / "ncdump", "--check", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    text = subprocess.run([BIN / "ncdump", "-v", "crs,never", path], capture_output=True, text=True, check=True).stdout
    assert "int crs ;" in text and "float never ;" in text and " crs = 7 ;" in text and " never = _ ;" in text


def test_the_unlimited_dimension_of_nczarr_is_found(tmp_path):
    path = made("nczarr", tmp_path, 2)
    appended(source(tmp_path / "new.nc", "nczarr", 2, 2), path)
    check(by_netcdf4(path), "nczarr", 4)


@netcdf_c.needs_netcdf_c
def test_ncdump_of_netcdf_c_prints_them(tmp_path):
    path = made("nczarr", tmp_path, 2)
    appended("--join", "t", source(tmp_path / "new.nc", "nczarr", 2, 2), path)
    text = netcdf_c.run("ncdump", netcdf_c.url(path, "nczarr,file")).decode()
    for line in " t = 0, 1, 2, 3 ;", " crs = 7 ;", "  height = 2.5 ;", "  w = 0, 1, 2, 3 ;":
        assert line in text, text


FLAT = "netcdf flat {{ dimensions: t = 2; variables: double t(t); int crs; float v(t); data: t = {0}, {1}; crs = 7; v = {0}, {1}; }}"


@pytest.mark.parametrize("writer", ["nccopy", "ncgen of Debian"])
def test_datasets_without_groups(writer, tmp_path):
    """Debian's netCDF-C marks a scalar by its storage. Its ncdump crashes on its own scalars, and reads those of nccopy."""
    path, new = tmp_path / "all.zarr", tmp_path / "new.nc"
    for n, name in enumerate(["old", "new"]):
        (tmp_path / f"{name}.cdl").write_text(FLAT.format(2 * n, 2 * n + 1))
        subprocess.run([BIN / "ncgen", "-k", "nc4", "-o", tmp_path / f"{name}.nc", tmp_path / f"{name}.cdl"], check=True)
    if writer == "nccopy":
        nccopy("-k", "nczarr", tmp_path / "old.nc", path)
    else:
        subprocess.run([installed("ncgen"), "-4", "-o", netcdf_c.url(path, "nczarr,file"), tmp_path / "old.cdl"], check=True)
    appended("--join", "t", new, path)
    group = zarr.open_group(path, mode="r", zarr_format=2)
    assert group["crs"][...].tolist() == [7] and group["t"][:].tolist() == group["v"][:].tolist() == [0, 1, 2, 3]
    if writer == "nccopy":
        done = subprocess.run([installed("ncdump"), netcdf_c.url(path, "nczarr,file")], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        for line in " t = 0, 1, 2, 3 ;", " crs = 7 ;", " v = 0, 1, 2, 3 ;":
            assert line in done.stdout, done.stdout


@pytest.mark.parametrize("kind", SHAPES)
def test_other_values_of_scalars_are_refused(kind, tmp_path):
    path = made(kind, tmp_path, 2)
    before = {one: one.read_bytes() for one in path.rglob("*") if one.is_file()}
    new = source(tmp_path / "new.nc", kind, 2, 2, crs=8)
    done = append("--join", "t", new, path)
    assert done.returncode == 1 and "variable crs does not have the dimension" in done.stderr, done.stderr
    assert {one: one.read_bytes() for one in path.rglob("*") if one.is_file()} == before
    done = appended("--first", "--join", "t", new, path)
    assert "the values of crs are those of" in done.stderr
    check(by_zarr_python(path), kind, 4)
