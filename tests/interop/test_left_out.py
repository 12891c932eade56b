"""Damaged metadata: every program that shows or copies the rest says what is left out, and fails."""

import json
import shutil
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy

INDEX = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
REST = " (all else was printed)"


def run(program, *arguments):
    return subprocess.run([BIN / program, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def dump(*arguments):
    return run("ncdump", *arguments)


def source(path):
    with netCDF4.Dataset(path, "w") as out:
        out.createDimension("t", None)
        out.createDimension("x", 50)
        out.createVariable("t", "f8", ("t",))[:] = np.arange(10)
        out.createVariable("crs", "i4", ())[...] = 7
        out.createVariable("smooth", "f4", ("t", "x"), chunksizes=(5, 50))[:] = np.arange(500).reshape(10, 50)
    return path


def cut(document):
    return document.read_text()[:33]


def with_codecs(make):
    """The document of an array with other codecs, which `make` returns for the shape of its chunks and its own codecs."""

    def changed(document):
        array = json.loads(document.read_text())
        array["codecs"] = make(array["chunk_grid"]["configuration"]["chunk_shape"], array["codecs"])
        return json.dumps(array)

    return changed


def shards(shape, codecs, index):
    return [{"name": "sharding_indexed", "configuration": {"chunk_shape": shape, "codecs": codecs, "index_codecs": index}}]


def nested(shape, codecs):
    for _ in range(40):
        codecs = shards(shape, codecs, INDEX)
    return codecs


def with_gzip(shape, codecs):
    return shards(shape, codecs, [INDEX[0], {"name": "gzip", "configuration": {"level": 1}}])


DAMAGE = {
    "zarr3": ("zarr3", cut),
    "zarr2": ("zarr2", cut),
    "nczarr": ("nczarr", cut),
    "nested shards": ("zarr3", with_codecs(nested)),
    "index with gzip": ("zarr3", with_codecs(with_gzip)),
}


@pytest.fixture(params=DAMAGE)
def damaged(request, tmp_path):
    """A store whose variable `smooth` has a document that is damaged, and the whole one."""
    kind, damage = DAMAGE[request.param]
    whole, path = tmp_path / "whole.zarr", tmp_path / "damaged.zarr"
    nccopy("-k", kind, source(tmp_path / "in.nc"), whole)
    shutil.copytree(whole, path)
    document = path / "smooth" / ("zarr.json" if kind == "zarr3" else ".zarray")
    document.write_text(damage(document))
    (path / ".zmetadata").unlink(missing_ok=True)
    return path, whole


def last(done):
    return done.stderr.splitlines()[-1]


def test_what_shows_the_rest_tells_what_is_left_out(damaged):
    path, _ = damaged
    wanted = last(dump("-h", path))
    assert wanted.startswith(f"ncdump: {path}: damaged file: smooth/") and wanted.endswith(REST)
    for options in ["--sizes"], ["--sizes", "--json"], ["--map"], ["--json"], ["--ncml"], ["-s"], ["-c"], ["-g", "/"]:
        done = dump(*options, path)
        assert (done.returncode, last(done)) == (1, wanted), options
        assert "crs" in done.stdout, "the rest is shown"


def test_json_of_sizes_has_an_object_for_each_input(damaged):
    path, whole = damaged
    done = dump("--sizes", "--json", path, whole)
    first, second = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 1
    assert [one["input"] for one in (first, second)] == [str(path), str(whole)]
    assert f"ncdump: {first['error']}" == last(done) and "error" not in second
    assert {one["name"] for one in first["variables"]} == {"t", "crs"}
    (alone,) = map(json.loads, dump("--sizes", "--json", path).stdout.splitlines())
    assert alone == first


def test_what_is_compared_and_copied_is_whole(damaged, tmp_path):
    path, whole = damaged
    out = tmp_path / "out"
    for program, status, arguments in [
        ("ncdump", 1, ["--digest", path]),
        ("ncdump", 1, ["--digest", "-v", "*", path]),
        ("ncdump", 1, ["--digest", "-v", "crs,smo*", path]),
        ("ncdump", 2, ["--diff", whole, path]),
        ("ncdump", 2, ["--diff", path, whole]),
        ("ncdump", 2, ["--diff", whole, "-v", "*", path]),
        ("nccopy", 1, [path, out]),
        ("nccopy", 1, ["-k", "nc4", path, out]),
        ("nccopy", 1, ["-F", "deflate,1", path, out]),
        ("nccopy", 1, ["--isel", "t=0", path, out]),
        ("nccopy", 1, ["--dry-run", path, out]),
        ("nccopy", 1, ["--in-place", "-F", "deflate,1", path]),
        ("nccopy", 1, ["--append", "--join", "t", whole, path]),
    ]:
        done = run(program, *arguments)
        assert done.returncode == status and "smooth/" in done.stderr and not done.stdout, (arguments, done)
    assert not out.exists()
    check = dump("--check", path)
    assert check.returncode == 1 and check.stdout.startswith("smooth/")


def test_named_variables_are_compared_and_copied(damaged, tmp_path):
    path, whole = damaged
    warning = "warning: what is damaged is left out: smooth/"
    assert dump("--digest", "-v", "crs", path).stdout == dump("--digest", "-v", "crs", whole).stdout
    for program, told, arguments in [
        ("ncdump", False, ["--digest", "-v", "crs", path]),
        ("ncdump", False, ["--diff", whole, "-v", "crs", path]),
        ("nccopy", True, ["-k", "nc4", "-V", "crs", path, tmp_path / "crs.nc"]),
        ("nccopy", True, ["-k", "nc4", "-G", "/", path, tmp_path / "group.nc"]),
    ]:
        done = run(program, *arguments)
        assert done.returncode == 0 and (warning in done.stderr) == told, (arguments, done)
    done = dump("--digest", "-v", "smooth", path)
    assert done.returncode == 1 and "smooth" in done.stderr


def test_hdf5_without_an_object_is_refused(tmp_path):
    path, out = source(tmp_path / "in.nc"), tmp_path / "out.nc"
    with h5py.File(path) as file:
        header = h5py.h5o.get_info(file["smooth"].id).addr
    damaged = bytearray(path.read_bytes())
    damaged[header + 20] ^= 0xFF
    path.write_bytes(damaged)
    for program, *arguments in [
        ("ncdump", "-h", path), ("ncdump", "--sizes", path), ("ncdump", "--sizes", "--json", path), ("ncdump", "--map", path),
        ("ncdump", "--digest", path), ("nccopy", path, out),
    ]:
        done = run(program, *arguments)
        assert done.returncode == 1 and not done.stdout and "variable smooth: damaged file: " in done.stderr, done
    assert not out.exists()


def test_an_object_of_a_file_that_may_not_be_read_is_told(tmp_path):
    folder = tmp_path / "inner"
    folder.mkdir()
    with h5py.File(tmp_path / "target.h5", "w") as file:
        file["v"] = np.arange(3)
    with h5py.File(folder / "in.h5", "w") as file:
        file["own"] = np.arange(3)
        file["linked"] = h5py.ExternalLink("../target.h5", "/v")
    wanted = last(dump("-h", folder / "in.h5"))
    assert "linked" in wanted and wanted.endswith(REST)
    for options in ["--sizes"], ["--sizes", "--json"], ["--map"]:
        done = dump(*options, folder / "in.h5")
        assert (done.returncode, last(done)) == (1, wanted), options
        assert "own" in done.stdout
