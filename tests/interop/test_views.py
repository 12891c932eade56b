"""Datasets with groups and strings as classic files: Python's netCDF4 and xarray read the same values from them."""

import netCDF4
import numpy as np
import pytest
from conftest import nccopy

xarray = pytest.importorskip("xarray")

NAMES = ["\u00e9", "longer", ""]


@pytest.fixture
def grouped(tmp_path):
    """`/t`, `/s(t)`, and `/a/b` with `x`, `v(t, x)` and strings."""
    path = tmp_path / "grouped.nc"
    with netCDF4.Dataset(path, "w") as root:
        root.createDimension("t", None)
        root.createVariable("t", "f8", ("t",))[:] = [1, 2]
        root.createVariable("s", str, ("t",))[:] = np.array(["q", "zz"], dtype=object)
        inner = root.createGroup("a/b")
        inner.setncattr_string("who", "me")
        inner.createDimension("x", 3)
        inner.createVariable("x", "i4", ("x",))[:] = [5, 6, 7]
        v = inner.createVariable("v", "f4", ("t", "x"))
        v[:] = np.arange(6).reshape(2, 3)
        v.coordinates = "x t"
        inner.createVariable("name", str, ("x",))[:] = np.array(NAMES, dtype=object)
    return path


@pytest.mark.parametrize("kind", ["nc3", "nc5", "nc7", "nc4"])
def test_groups_and_strings_become_classic(grouped, tmp_path, kind):
    out = tmp_path / "out.nc"
    told = nccopy("-k", kind, "--flatten", "--strings", "char", "--verify", grouped, out)
    assert "/a/b/v is a_b_v" in told
    with xarray.open_dataset(out) as dataset:
        assert list(dataset.a_b_name.values) == NAMES
        assert list(dataset.s.values) == ["q", "zz"]
        assert np.array_equal(dataset.a_b_v.values, np.arange(6).reshape(2, 3))
        assert "a_b_x" in dataset.a_b_v.coords
        assert dataset.attrs["a_b_who"] == "me"
    with netCDF4.Dataset(out) as dataset:
        assert not dataset.groups
        assert dataset["a_b_name"].dtype == "S1" and dataset["a_b_name"].shape == (3, 6)


def test_parts_and_variables_have_the_new_names(grouped, tmp_path):
    out = tmp_path / "out.nc"
    nccopy("-k", "nc4", "--flatten=.", "-V", "a.b.v", "--isel", "a.b.x=1", "-d", "5", grouped, out)
    with netCDF4.Dataset(out) as dataset:
        assert list(dataset.variables) == ["a.b.v"]
        assert np.array_equal(dataset["a.b.v"][:], [[1], [4]])


def test_the_refusal_names_the_options(grouped, tmp_path):
    out = tmp_path / "out.nc"
    assert "--flatten joins groups into one" in nccopy("-3", grouped, out, ok=False)
    assert "--strings char makes it characters" in nccopy("-3", "--quiet", "--flatten", grouped, out, ok=False)
    told = nccopy("-3", "--quiet", "--flatten", "--strings", "char", "--strlen", "3", grouped, out, ok=False)
    assert "the value at [1] takes 6 bytes, more than 3" in told
    assert not out.exists()


def test_unwritten_strings_are_their_fill_value(tmp_path):
    path, out = tmp_path / "sparse.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(path, "w") as root:
        root.createDimension("t", None)
        s = root.createVariable("s", str, ("t",), fill_value="none", chunksizes=(1,))
        s[2] = "x"
    nccopy("-3", "--strings", "char", path, out)
    with netCDF4.Dataset(out) as dataset:
        assert list(dataset["s"][:]) == ["none", "none", "x"]
