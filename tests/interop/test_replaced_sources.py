"""An output never replaces a file that an input leads to: by references, external data, external links or virtual datasets."""

import os
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy

# References have small chunks in themselves.
WIDTH = 2000
VALUES = np.random.default_rng(0).random((6, WIDTH), "f4")

# The options of a copy, and the name of its output if it has one of its own.
WAYS = {
    "deflated": ["-d", "5"],
    "nc4": ["-k", "nc4"],
    "nc3": ["-k", "nc3"],
    "zst": ["-k", "zst"],
    "part": ["--isel", "t=0:2"],
    "planned only": ["--dry-run"],
    "verified": ["--verify"],
}


def refused(*arguments, cwd=None):
    """Runs a copy that is refused. Returns its message."""
    done = subprocess.run([BIN / "nccopy", *arguments], capture_output=True, text=True, timeout=120, cwd=cwd)
    assert done.returncode == 1, (done.stdout, done.stderr)
    return done.stderr


def dataset(path, first=0):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("t", None)
        f.createDimension("x", WIDTH)
        f.createVariable("t", "f8", ("t",))[:] = first + np.arange(6)
        f.createVariable("v", "f4", ("t", "x"), zlib=True, chunksizes=(2, WIDTH))[:] = VALUES + first


def external(folder):
    with h5py.File(folder / "in.h5", "w") as f:
        f.create_dataset("v", data=VALUES, external=[(str(folder / "source"), 0, h5py.h5f.UNLIMITED)])
    return "in.h5"


def linked(folder):
    dataset(folder / "source")
    with h5py.File(folder / "in.h5", "w") as f:
        f["w"] = VALUES
        f["v"] = h5py.ExternalLink("source", "v")
    return "in.h5"


def linked_over_another(folder):
    dataset(folder / "source")
    with h5py.File(folder / "between.h5", "w") as f:
        f["v"] = h5py.ExternalLink("source", "v")
    with h5py.File(folder / "in.h5", "w") as f:
        f["v"] = h5py.ExternalLink("between.h5", "v")
    return "in.h5"


def virtual_of(path, source, name="v"):
    layout = h5py.VirtualLayout(VALUES.shape, "f4")
    layout[:] = h5py.VirtualSource(source, "v", VALUES.shape)
    with h5py.File(path, "w", libver="latest") as f:
        f.create_virtual_dataset(name, layout)


def virtual(folder):
    dataset(folder / "source")
    virtual_of(folder / "in.h5", "source")
    return "in.h5"


def virtual_of_virtual(folder):
    dataset(folder / "source")
    virtual_of(folder / "between.h5", "source")
    virtual_of(folder / "in.h5", "between.h5")
    return "in.h5"


def virtual_of_external(folder):
    external(folder)
    (folder / "in.h5").rename(folder / "between.h5")
    virtual_of(folder / "in.h5", "between.h5")
    return "in.h5"


def references(name, *options):
    def make(folder):
        dataset(folder / "source")
        nccopy(*options, folder / "source", folder / name)
        return name

    return make


INPUTS = {
    "external data": external,
    "external link": linked,
    "chain of links": linked_over_another,
    "virtual dataset": virtual,
    "virtual dataset of another": virtual_of_virtual,
    "virtual dataset of external data": virtual_of_external,
    "kerchunk": references("r.json"),
    "relative kerchunk": references("r.json", "--relative"),
    "compressed kerchunk": references("r.json.zst"),
    "Parquet": references("r.parq"),
    "Icechunk": references("repo", "-k", "icechunk"),
}


def check_refused(folder, *arguments, cwd=None):
    """Runs a copy that must leave the source as it is."""
    before = (folder / "source").read_bytes()
    told = refused(*arguments, cwd=cwd)
    assert "same file; name another output" in told and "source" in told, told
    assert (folder / "source").read_bytes() == before


@pytest.mark.parametrize("form", INPUTS)
def test_sources_are_not_replaced(tmp_path, form):
    source, name = tmp_path / "source", INPUTS[form](tmp_path)
    ways = dict(WAYS)
    if name == "in.h5":
        ways["h5"] = ["-k", "h5"]
        with h5py.File(tmp_path / name) as f:
            if "t" not in f:
                del ways["part"]
    if not (tmp_path / name).is_file():
        del ways["zst"]
    for options in ways.values():
        check_refused(tmp_path, *options, tmp_path / name, source)
    # Other names of the file.
    (tmp_path / "link").symlink_to("source")
    os.link(source, tmp_path / "hard")
    (tmp_path / "elsewhere").mkdir()
    os.link(source, tmp_path / "elsewhere/hard")
    for target in [tmp_path / "link", tmp_path / "hard", tmp_path / "elsewhere/hard", f"file://{source}"]:
        check_refused(tmp_path, "-d", "5", tmp_path / name, target)
    check_refused(tmp_path, "-d", "5", name, "source", cwd=tmp_path)
    # Any other output can be made, and replaced.
    for _ in range(2):
        nccopy(tmp_path / name, tmp_path / "out.nc")


@pytest.mark.parametrize("form", ["kerchunk", "Parquet", "Icechunk", "virtual dataset"])
def test_inputs_of_joins_lead_to_sources(tmp_path, form):
    name = INPUTS[form](tmp_path)
    if form == "virtual dataset":
        with h5py.File(tmp_path / name, "a") as f:
            for n, (scale, length) in enumerate([("t", 6), ("x", WIDTH)]):
                f[scale] = np.arange(float(length))
                f[scale].make_scale(scale)
                f["v"].dims[n].attach_scale(f[scale])
    dataset(tmp_path / "other.nc", 6)
    names = [tmp_path / name, tmp_path / "other.nc"]
    for inputs in [names, names[::-1]]:
        check_refused(tmp_path, "--join", "t", *inputs, tmp_path / "source")
    check_refused(tmp_path, "--join", "t", "--dry-run", *names, tmp_path / "source")
    job = tmp_path / "job.json"
    check_refused(tmp_path, "--join", "t", "--plan", job, "--parts", "2", *names, tmp_path / "source")
    check_refused(tmp_path, "--plan", job, "--parts", "2", tmp_path / name, tmp_path / "source")
    check_refused(tmp_path, "--merge", *names, tmp_path / "source")
    os.utime(tmp_path / "source", (0, 0))
    check_refused(tmp_path, "--update", tmp_path / name, tmp_path / "source")
    excluded = ["--exclude", "x"] if form == "virtual dataset" else []
    nccopy("--join", "t", *excluded, *names, tmp_path / "out.nc")


@pytest.mark.parametrize("form", ["kerchunk", "virtual dataset"])
def test_a_source_does_not_grow(tmp_path, form):
    name = INPUTS[form](tmp_path)
    check_refused(tmp_path, "--append", "--join", "t", tmp_path / name, tmp_path / "source")


def test_references_grow_with_files_that_they_do_not_lead_to(tmp_path):
    for name, first in [("a.nc", 0), ("b.nc", 6), ("c.nc", 12)]:
        dataset(tmp_path / name, first)
    repository = tmp_path / "repo"
    nccopy("-k", "icechunk", tmp_path / "a.nc", repository)
    nccopy("--append", "--join", "t", tmp_path / "b.nc", repository)
    nccopy(repository, tmp_path / "out.nc")
    nccopy("-k", "icechunk", tmp_path / "c.nc", tmp_path / "other")
    told = refused("--append", "--join", "t", tmp_path / "other", tmp_path / "c.nc")
    assert "are the same file; name another output" in told
    nccopy("--append", "--join", "t", tmp_path / "c.nc", tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as f:
        np.testing.assert_array_equal(f["t"][:], np.arange(18))


@pytest.mark.parametrize("name", ["r.json", "in.h5", "raw.h5"])
def test_the_output_of_another_input_is_a_source(tmp_path, name):
    """Outputs in a folder are compared with the sources of all inputs."""
    (tmp_path / "new").mkdir()
    (tmp_path / "out").mkdir()
    source = tmp_path / "out/source"
    dataset(tmp_path / "new/source", 100)
    dataset(source)
    if name == "r.json":
        nccopy(source, tmp_path / name)
    elif name == "in.h5":
        virtual_of(tmp_path / name, "out/source")
    else:
        with h5py.File(tmp_path / name, "w") as f:
            f.create_dataset("v", data=VALUES, external=[(str(source), 0, h5py.h5f.UNLIMITED)])
    before = source.read_bytes()
    (tmp_path / "hard").mkdir()
    os.link(source, tmp_path / "hard/source")
    for folder in ["out", "hard"]:
        for names in [[name, "new/source"], ["new/source", name]]:
            for options in [[], ["--update"], *([["-k", "h5"]] if name == "in.h5" else [])]:
                told = refused(*options, *names, folder, cwd=tmp_path)
                assert f"to which {name} leads, is replaced by the output {folder}/source; name another folder" in told
    assert source.read_bytes() == before
    for _ in range(2):
        nccopy(name, "new/source", "other/", cwd=tmp_path)


def test_a_folder_that_holds_sources_is_not_replaced(tmp_path):
    dataset(tmp_path / "a.nc")
    nccopy("-k", "zarr3", tmp_path / "a.nc", tmp_path / "d.zarr")
    nccopy(tmp_path / "d.zarr", tmp_path / "r.json")
    before = sorted((path.relative_to(tmp_path), path.read_bytes()) for path in (tmp_path / "d.zarr").rglob("*") if path.is_file())
    for kind in ["zarr2", "zarr3", "nczarr"]:
        told = refused("-k", kind, tmp_path / "r.json", tmp_path / "d.zarr")
        assert "is in the folder of the output; name another output" in told
    chunk = next(path for path in (tmp_path / "d.zarr/v/c").rglob("*") if path.is_file())
    assert "same file" in refused("-k", "nc4", tmp_path / "r.json", chunk)
    after = sorted((path.relative_to(tmp_path), path.read_bytes()) for path in (tmp_path / "d.zarr").rglob("*") if path.is_file())
    assert before == after
    for _ in range(2):
        nccopy("-k", "zarr3", tmp_path / "r.json", tmp_path / "e.zarr")


def test_sources_that_may_not_be_read_are_not_replaced(tmp_path):
    """A copy of HDF5 as it is leads to them, too."""
    (tmp_path / "in").mkdir()
    dataset(tmp_path / "source")
    virtual_of(tmp_path / "in/in.h5", "../source")
    check_refused(tmp_path, "-k", "h5", tmp_path / "in/in.h5", tmp_path / "source")
    check_refused(tmp_path, "-k", "zst", tmp_path / "in/in.h5", tmp_path / "source")
