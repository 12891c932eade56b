"""`--drop-unsupported`: what the output's kind cannot hold is left out and told, and the rest is there for every reader."""

import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import installed, ncdump, nccopy
from zarr_reference import by_libnetcdf, by_readers_of_version_3, by_zarr_python

zarr = pytest.importorskip("zarr", "3")

NUMBERS = np.arange(4.0)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A netCDF-4 file that has something for every kind to refuse."""
    path = tmp_path_factory.mktemp("mixed") / "in.nc"
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("x", 4)
        nc.createDimension("t", None)
        nc.createDimension("u", None)
        pair = nc.createCompoundType(np.dtype([("a", "i2"), ("b", "f8", (3,))]), "pair")
        ragged = nc.createVLType(np.int32, "ragged")
        nc.createEnumType(np.uint8, "color", {"red": 1, "blue": 2})
        nc.title = "kept"
        nc.setncattr("many", np.array([1, 2**40], "i8"))
        nc.setncattr_string("words", ["a", "b"])
        number = nc.createVariable("number", "f8", ("x",))
        number[:] = NUMBERS
        number.units = "K"
        number.setncattr("wide", np.uint64(2**63))
        for n in range(12):
            nc.createVariable(f"ragged{n:02}", ragged, ("x",))
        nc.createVariable("pairs", pair, ("x",))
        nc.createVariable("text", str, ("x",))[:] = np.array(["a", "b", "", "d"], object)
        nc.createVariable("wide", "i8", ("x",))[:] = [1, 2, 3, 4]
        nc.createVariable("record", "i4", ("t", "u"))[:] = np.arange(6).reshape(2, 3)
        group = nc.createGroup("group")
        group.createVariable("inner", "i4", ("x",))[:] = [5, 6, 7, 8]
    with h5py.File(path, "a") as file:
        # netCDF4-python writes no attribute of such a type.
        file["number"].attrs.create("shape", np.array([(1, (1, 2, 3))], file["pairs"].dtype))
    return path


def lines_about(said, what):
    return [line for line in said.splitlines() if f"cannot hold these {what}" in line]


def names_all(refused, said):
    """A refusal is one line with everything that `--drop-unsupported` leaves out, and ends with that option."""
    [line] = [line for line in refused.splitlines() if "cannot hold" in line]
    assert line.endswith("; --drop-unsupported leaves them out"), line
    left_out = [told for told in said.splitlines() if "cannot hold these" in told]
    assert left_out
    for told in left_out:
        assert told.split("cannot hold these ", 1)[1] in line, (told, line)


@pytest.mark.parametrize("kind", ["nc3", "nc6", "nc5", "nc7"])
def test_classic_kinds(tmp_path, mixed, kind):
    refused = nccopy("-k", kind, mixed, tmp_path / "none.nc", ok=False)
    said = nccopy("--drop-unsupported", "--verify", "-k", kind, mixed, tmp_path / "out.nc")
    names_all(refused, said)
    [line] = lines_about(said, "variables")
    assert "ragged00 (ragged)" in line and " more (" in line and "number" not in line, line
    assert lines_about(said, "groups")[0].endswith(": /group")
    assert ("/:many (int64)" in said or "/many (int64)" in said) == (kind != "nc5")
    assert "unlimited dimensions" in said
    with netCDF4.Dataset(tmp_path / "out.nc") as nc:
        assert nc["number"][:].tolist() == NUMBERS.tolist() and nc["number"].units == "K" and nc.title == "kept"
        assert nc["record"][:].tolist() == [[0, 1, 2], [3, 4, 5]]
        assert set(nc.variables) == {"number", "record"} | ({"wide"} if kind == "nc5" else set())
        assert not nc.groups
        assert ("many" in nc.ncattrs(), "words" in nc.ncattrs()) == (kind == "nc5", False)
        assert ("wide" in nc["number"].ncattrs()) == (kind == "nc5")


@pytest.mark.parametrize("mode", ["zarr", "nczarr"])
def test_zarr(tmp_path, mixed, mode):
    out = f"{tmp_path}/out.zarr#mode={mode}"
    refused = nccopy(mixed, out, ok=False)
    said = nccopy("--drop-unsupported", "--verify", mixed, out)
    names_all(refused, said)
    # NCZarr alone has no lists of numbers and no compounds.
    held = {f"/ragged{n:02}" for n in range(12)} | {"/pairs"} if mode == "zarr" else set()
    found = lines_about(said, "variables")
    assert found == [] if held else "ragged00 (ragged)" in found[0] and " more (13 in all)" in found[0], found
    [line] = lines_about(said, "attributes")
    assert line.endswith("number:shape (pair)"), line
    if mode == "zarr":
        found = by_zarr_python(tmp_path / "out.zarr", 2)
    else:
        found = by_libnetcdf(f"file://{tmp_path}/out.zarr#mode=nczarr,file")
    assert set(found["variables"]) == {"/number", "/text", "/wide", "/record", "/group/inner", *held}
    assert [float(x) for x in found["variables"]["/number"]["values"]] == NUMBERS.tolist()
    assert found["variables"]["/group/inner"]["values"] == [5, 6, 7, 8]


def test_names_that_are_no_nodes(tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as file:
        for name in "plain", "back\\slash", ".", "...", "zarr.json":
            if name != ".":
                file[name] = NUMBERS
        file.create_group("g\\h")["inner"] = NUMBERS
    out = f"{tmp_path}/out.zarr#mode=zarr,v3"
    refused = nccopy(tmp_path / "in.h5", out, ok=False)
    said = nccopy("--drop-unsupported", tmp_path / "in.h5", out)
    names_all(refused, said)
    [line] = lines_about(said, "variables")
    assert all(name in line for name in ("back\\slash", "...", "zarr.json")), line
    assert lines_about(said, "groups")[0].endswith(": /g\\h")
    found = by_readers_of_version_3("zarr", tmp_path / "out.zarr")[0]
    assert set(found["variables"]) == {"/plain"}


def test_nothing_to_leave_out(tmp_path, mixed):
    nccopy("-V", "number,wide", "-k", "nc4", mixed, tmp_path / "plain.nc")
    plain = nccopy("-k", "nc4", mixed, tmp_path / "a.nc")
    assert nccopy("--drop-unsupported", "-k", "nc4", mixed, tmp_path / "b.nc") == plain
    assert (tmp_path / "a.nc").read_bytes() == (tmp_path / "b.nc").read_bytes()


def test_with_a_selection(tmp_path, mixed):
    said = nccopy("--drop-unsupported", "-V", "number,text", "-k", "nc3", mixed, tmp_path / "out.nc")
    assert lines_about(said, "variables")[0].endswith(": text (string)")
    assert "double number(x)" in ncdump(tmp_path / "out.nc").decode()


def small(nc):
    """A variable that every kind holds, beside those that are too large."""
    nc.createDimension("x", 4)
    nc.createVariable("number", "f8", ("x",))[:] = NUMBERS


@pytest.mark.parametrize("kind, model, length", [("nc3", "NETCDF3_CLASSIC", 2**31), ("nc6", "NETCDF3_64BIT_OFFSET", 2**32)])
def test_dimensions_that_are_too_long(tmp_path, kind, model, length):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as nc:
        small(nc)
        nc.createDimension("long", length)
        nc.createVariable("a", "i1", ("long",), chunksizes=(2**20,))
        nc.createVariable("b", "i1", ("x", "long"), chunksizes=(1, 2**20))
        nc.createVariable("after", "i4", ("x",))[:] = [5, 6, 7, 8]
    assert "--drop-unsupported leaves it out" in nccopy("-k", kind, tmp_path / "in.nc", tmp_path / "none.nc", ok=False)
    said = nccopy("--drop-unsupported", "--verify", "-k", kind, tmp_path / "in.nc", tmp_path / "out.nc")
    [line] = [line for line in said.splitlines() if "left out" in line]
    assert line.endswith(f"cannot hold these dimensions, with all variables along them: /long ({length})"), line
    with netCDF4.Dataset(tmp_path / "out.nc") as nc:
        assert list(nc.dimensions) == ["x"] and list(nc.variables) == ["number", "after"]
        assert nc["number"][:].tolist() == NUMBERS.tolist() and nc["after"][:].tolist() == [5, 6, 7, 8]
    theirs = netCDF4.Dataset(tmp_path / "theirs.nc", "w", format=model)
    with pytest.raises(RuntimeError):
        theirs.createDimension("long", length)
    theirs.close()


def test_variables_that_are_too_large(tmp_path):
    """A variable of 4 GiB and more is the last one of such a file, or none."""
    variables = {"number": "double number(x);", "large": "double large(x, n);", "after": "double after(x);", "last": "double last(x, n);"}
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as nc:
        nc.createDimension("x", 4)
        nc.createDimension("n", 2**28)
        for name in variables:
            dims = ("x", "n") if "n)" in variables[name] else ("x",)
            nc.createVariable(name, "f8", dims, chunksizes=(1, 2**17)[: len(dims)])
    assert "variable large" in nccopy("--dry-run", "-k", "nc6", tmp_path / "in.nc", tmp_path / "out.nc", ok=False)
    said = nccopy("--drop-unsupported", "--dry-run", "-k", "nc6", tmp_path / "in.nc", tmp_path / "out.nc")
    assert lines_about(said, "variables")[0].endswith(": large (double)"), said
    for left_out, is_held in (["large"], True), ([], False):
        text = " ".join(text for name, text in variables.items() if name not in left_out)
        (tmp_path / "a.cdl").write_text(f"netcdf a {{ dimensions: x = 4; n = {2**28}; variables: {text} }}")
        done = subprocess.run([installed("ncgen"), "-x", "-6", "-o", tmp_path / "theirs.nc", tmp_path / "a.cdl"], capture_output=True)
        assert (done.returncode == 0) == is_held, done.stderr


def test_variables_that_begin_too_late(tmp_path):
    """A classic file has 31 bits for the beginning of a variable."""
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as nc:
        nc.createDimension("n", 2**30)
        for name in "abc":
            nc.createVariable(name, "i1", ("n",), chunksizes=(2**20,))
        nc.createVariable("number", "i1")
    assert "--drop-unsupported leaves them out" in nccopy("--dry-run", "-k", "nc3", tmp_path / "in.nc", tmp_path / "out.nc", ok=False)
    said = nccopy("--drop-unsupported", "--dry-run", "-k", "nc3", tmp_path / "in.nc", tmp_path / "out.nc")
    assert lines_about(said, "variables")[0].endswith(": c (byte), number (byte)"), said
    for variables, is_held in ("byte a(n); byte b(n);", True), ("byte a(n); byte b(n); byte number;", False):
        (tmp_path / "a.cdl").write_text(f"netcdf a {{ dimensions: n = {2**30}; variables: {variables} }}")
        done = subprocess.run([installed("ncgen"), "-x", "-3", "-o", tmp_path / "theirs.nc", tmp_path / "a.cdl"], capture_output=True)
        assert (done.returncode == 0) == is_held, done.stderr


@pytest.mark.parametrize("mode", ["zarr", "nczarr", "zarr,v3"])
def test_names_that_no_file_can_have(tmp_path, mode):
    """netCDF allows 256 bytes, and a file system 255."""
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as nc:
        small(nc)
        nc.createVariable("n" * 256, "f8", ("x",))[:] = NUMBERS
        nc.createGroup("g" * 256).createVariable("inner", "f8", ("x",))[:] = NUMBERS
        nc.createDimension("d" * 256, 2)
        nc.createVariable("along", "i4", ("d" * 256,))[:] = [1, 2]
    out = f"{tmp_path}/out.zarr#mode={mode}"
    assert "--drop-unsupported leaves them out" in nccopy(tmp_path / "in.nc", out, ok=False)
    said = nccopy("--drop-unsupported", "--verify", tmp_path / "in.nc", out)
    assert lines_about(said, "variables")[0].endswith(f": {'n' * 256} (double)"), said
    assert lines_about(said, "groups")[0].endswith(f": /{'g' * 256}"), said
    if mode == "zarr,v3":
        found = by_readers_of_version_3("zarr", tmp_path / "out.zarr")[0]
    else:
        found = by_zarr_python(tmp_path / "out.zarr", 3)
    assert set(found["variables"]) == {"/number", "/along"} and found["variables"]["/along"]["values"] == [1, 2]


def test_dimensions_that_no_scale_can_have(tmp_path):
    """HDF5 has a dataset of four bytes an index for a dimension without a variable of its name."""
    root = zarr.create_group(str(tmp_path / "in.zarr"), zarr_format=3)
    root.create_array("huge", shape=(2**63 - 1,), chunks=(2**20,), dtype="i8", dimension_names=["long"])
    root.create_array("number", shape=(4,), dtype="f8", dimension_names=["x"])[:] = NUMBERS
    said = nccopy("--drop-unsupported", "-k", "nc4", tmp_path / "in.zarr", tmp_path / "out.nc")
    assert f"/long ({2**63 - 1})" in said
    with netCDF4.Dataset(tmp_path / "out.nc") as nc:
        assert list(nc.variables) == ["number"] and nc["number"][:].tolist() == NUMBERS.tolist()
