"""Sources of virtual datasets that cannot be read: what needs them, and what is left without them."""

import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN

ROWS, COLUMNS = 12, 5


def run(program, *arguments, **options):
    return subprocess.run([BIN / program, *arguments], capture_output=True, text=True, timeout=120, **options)


@pytest.fixture
def stack(tmp_path):
    """A row of each of many files, all but one of them beside the dataset and whole."""
    return make_stack(tmp_path, chunks=(1, COLUMNS), compression="gzip")


def make_stack(folder, **options):
    values = np.arange(ROWS * COLUMNS, dtype="i4").reshape(ROWS, COLUMNS)
    layout = h5py.VirtualLayout((ROWS, COLUMNS), "i4")
    for n, row in enumerate(values):
        with h5py.File(folder / f"s{n}.h5", "w") as f:
            f.create_dataset("d", data=row[None], **options)
        layout[n : n + 1] = h5py.VirtualSource(f"s{n}.h5", "d", (1, COLUMNS))
    path = folder / "v.h5"
    with h5py.File(path, "w", libver="latest") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
        f.create_dataset("t", data=np.arange(ROWS)).make_scale("t")
        f["v"].dims[0].attach_scale(f["t"])
    return path, values


def spoil(path, how):
    """Makes a source one that cannot be read. Returns what the programs say of it, and the options that they need."""
    if how == "missing":
        path.unlink()
        return "does not exist", ["--require-sources"]
    if how == "outside":
        path.unlink()
        path.symlink_to("/etc/hostname")
        return "is outside of the input's folder", []
    path.write_bytes(path.read_bytes()[:-100] if how == "cut" else b"junk")
    return "", []


HOW = ["junk", "cut", "outside", "missing"]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("chunked", [True, False])
def test_a_part_opens_only_what_it_needs(tmp_path, how, chunked):
    options = {"chunks": (1, COLUMNS), "compression": "gzip"} if chunked else {}
    path, values = make_stack(tmp_path, **options)
    says, required = spoil(tmp_path / "s7.h5", how)
    for part, rows in [("0:3", slice(0, 3)), ("5:10:4", slice(5, 10, 4)), ("0:6,8:12", [*range(6), *range(8, 12)])]:
        out = tmp_path / "part.nc"
        out.unlink(missing_ok=True)
        done = run("nccopy", *required, "--isel", f"t={part}", path, out)
        assert (done.returncode, done.stderr) == (0, "")
        with h5py.File(out) as f:
            np.testing.assert_array_equal(f["v"][()], values[rows])
            assert f["v"].compression == ("gzip" if chunked else None)
        printed = run("ncdump", *required, "-v", "v", "--isel", f"t={part}", path)
        assert (printed.returncode, printed.stderr) == (0, "")
    alone = run("ncdump", *required, "-v", "t", "--isel", "t=7", path)
    assert (alone.returncode, alone.stderr) == (0, "")
    for program, last in [("nccopy", [tmp_path / "none.nc"]), ("ncdump", [])]:
        failed = run(program, *required, "--isel", "t=6:8", path, *last)
        assert failed.returncode == 1 and "source d in s7.h5" in failed.stderr and says in failed.stderr
    assert not (tmp_path / "none.nc").exists()


def test_a_part_of_a_missing_source_alone_is_told(stack, tmp_path):
    path, _ = stack
    (tmp_path / "s7.h5").unlink()
    for part, is_told in [("0:7", False), ("6:8", True)]:
        printed = run("ncdump", "--isel", f"t={part}", path)
        assert printed.returncode == 0 and ("1 of 12 sources is missing" in printed.stderr) == is_told
