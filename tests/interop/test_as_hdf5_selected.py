"""`nccopy -k h5` with `-v`, `-V`, `-g`, `-G`: some datasets and groups of HDF5, the rest left out or without data."""

import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("a", data=np.arange(12.0).reshape(3, 4), chunks=(2, 2), compression="gzip")
        f["b"] = np.arange(4)
        f["g/c"] = np.arange(5)
        f["g/h/d"] = np.arange(6)
        f["alias"] = f["g/c"]
        f["texts"] = np.array(["x", "yy"], dtype=h5py.string_dtype())
        f["a"].attrs["to b"] = f["b"].ref
        f["soft"] = h5py.SoftLink("/g/c")
        f["type"] = np.dtype("f4")
        f["g"].create_dataset("typed", (3,), f["type"])[...] = 7
    return path


def datasets(path):
    """The values of all datasets by the paths of their hard links."""
    found = {}

    def walk(group, above):
        for name in group:
            if isinstance(group.get(name, getlink=True), h5py.HardLink):
                item = group[name]
                if isinstance(item, h5py.Group):
                    found[f"{above}{name}/"] = None
                    walk(item, f"{above}{name}/")
                elif isinstance(item, h5py.Dataset):
                    found[above + name] = item[()].tolist()

    with h5py.File(path) as f:
        walk(f, "/")
    return found


def copied(source, *options):
    target = source.parent / "out.h5"
    done = subprocess.run([BIN / "nccopy", "-k", "h5", *options, source, target], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    check = subprocess.run([BIN / "ncdump", "--check", target], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout
    subprocess.run(["h5dump", target], capture_output=True, check=True)
    return datasets(target), done.stderr


CASES = [
    (["-V", "a"], {"/a"}),
    (["-V", "texts,b"], {"/texts", "/b"}),
    (["-V", "c"], {"/g/c", "/alias"}),
    (["-V", "/alias"], {"/g/c", "/alias"}),
    (["-V", "typed"], {"/g/typed"}),
    (["-V", "d", "--verify"], {"/g/h/d"}),
]


@pytest.mark.parametrize("options, wanted", CASES)
def test_other_datasets_are_left_out(source, options, wanted):
    whole = datasets(source)
    found, _ = copied(source, *options)
    groups = {"/g/", "/g/h/"}
    assert found == {path: whole[path] for path in wanted | groups}


def test_other_groups_are_left_out(source):
    whole = datasets(source)
    found, _ = copied(source, "-G", "g")
    assert found == {path: whole[path] for path in ("/g/", "/g/c", "/alias", "/g/typed")}
    found, _ = copied(source, "-G", "h")
    assert found == {path: whole[path] for path in ("/g/", "/g/h/", "/g/h/d")}


@pytest.mark.parametrize("options, wanted", [(["-v", "a"], {"/a"}), (["-v", "texts"], {"/texts"}), (["-g", "g"], {"/g/c", "/alias", "/g/typed"})])
def test_other_datasets_read_as_fill(source, options, wanted):
    whole = datasets(source)
    found, _ = copied(source, *options, "--verify")
    assert found.keys() == whole.keys()
    for path, values in found.items():
        nothing = values is None or not any(np.ravel(values).tolist())
        assert values == whole[path] if path in wanted else nothing, path


def test_links_and_references_to_what_is_left_out(source):
    _, told = copied(source, "-V", "a")
    assert "1 reference leads to nothing that is copied" in told
    with h5py.File(source.parent / "out.h5") as f:
        assert not f["a"].attrs["to b"]
        assert f.get("soft", getlink=True).path == "/g/c"
        assert f["type"].dtype == np.float32


def test_an_unknown_name_is_an_error(source):
    done = subprocess.run([BIN / "nccopy", "-k", "h5", "-V", "zz", source, source.parent / "o.h5"], capture_output=True, text=True)
    assert done.returncode == 1 and "no variable named 'zz'" in done.stderr


def test_some_cells_of_some_variables(tmp_path):
    path, target = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("x", 6)
        for name in "x", "v", "w":
            d.createVariable(name, "f8", ("x",))[:] = np.arange(6)
    done = subprocess.run([BIN / "nccopy", "-k", "h5", "-V", "x,v", "--isel", "x=2:4", path, target], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(target) as d:
        assert set(d.variables) == {"x", "v"} and d["v"][:].tolist() == [2, 3]


@pytest.mark.parametrize("chosen, dims", [("v", []), ("v,x", ["x"]), ("x", ["x"]), ("v,w,y", ["y"])])
def test_scales_that_are_left_out_are_not_attached(tmp_path, chosen, dims):
    source, out = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as f:
        for name, length in (("x", 3), ("y", 2)):
            f.createDimension(name, length)
            f.createVariable(name, "i4", (name,))[:] = np.arange(length)
        f.createVariable("v", "f4", ("y", "x"))[:] = 1
        f.createVariable("w", "f4", ("y", "x"))[:] = 2
    done = subprocess.run([BIN / "nccopy", "-k", "h5", "-V", chosen, source, out], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    with netCDF4.Dataset(out) as f:
        assert set(f.variables) == set(chosen.split(","))
        assert {name for name in f.dimensions if not name.startswith("phony")} == set(dims)
        if "v" in f.variables:
            assert np.all(f["v"][:] == 1)
    with h5py.File(out) as f:
        for name in dims:
            scale = f[name]
            assert all(f[reference].dims[n] for reference, n in scale.attrs.get("REFERENCE_LIST", []))


@pytest.mark.parametrize("options", [("-F", "texts,1,5"), ("-c", "texts:1"), ("-F", "//texts,1,5")])
def test_options_for_data_of_varying_length_are_refused_for_that_reason(source, tmp_path, options):
    done = subprocess.run(
        [BIN / "nccopy", "-k", "h5", *options, source, tmp_path / "out.h5"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "texts' holds data of varying length or references" in done.stderr, done.stderr
