"""Our ncdump prints what the installed one prints."""

import subprocess

import pytest
from conftest import CORPUS, installed, ncdump, needs_corpus

import generate

FLAGS = [[], ["-h"], ["-s"], ["-hs"], ["-c"], ["-k"]]


# What netCDF-C 4.9 leaves out of a file without a word, for its types have no names there.
ANONYMOUS_TYPES = {"h5py_earliest", "h5py_ordered", "h5py_userblock"}


def theirs(path, flags):
    done = subprocess.run([installed("ncdump"), *flags, "-n", "x", str(path)], capture_output=True, timeout=60)
    if done.returncode != 0:
        pytest.skip("the installed ncdump cannot print this file")
    return done.stdout


def as_4_10(text):
    """4.9 does not know files of the classic model, and empty ones, for its own."""
    return text.replace(b"_IsNetcdf4 = 0", b"_IsNetcdf4 = 1")


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@pytest.mark.parametrize("name", generate.MAKERS)
def test_generated(generated, name, flags):
    if name in ANONYMOUS_TYPES and flags != ["-k"]:
        pytest.skip("netCDF-C 4.9 leaves out variables of anonymous types")
    path = generated / f"{name}.nc"
    wanted = as_4_10(theirs(path, flags)) if name in ("nc7", "empty_nc4") else theirs(path, flags)
    assert ncdump(*flags, "-n", "x", path).decode(errors="replace") == wanted.decode(errors="replace")


@needs_corpus
@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@pytest.mark.parametrize("path", sorted(CORPUS.glob("netcdf/*.nc")), ids=lambda p: p.name)
def test_corpus(path, flags):
    wanted = theirs(path, flags)
    assert ncdump(*flags, "-n", "x", path).decode(errors="replace") == wanted.decode(errors="replace")


def test_variables_by_name_and_path(generated):
    path = generated / "groups_and_unlimited.nc"
    for names in "t", "/g/v", "v,w", "h/w":
        assert ncdump("-v", names, path) == theirs(path, ["-v", names]).replace(b"netcdf x", b"netcdf groups_and_unlimited")


def test_filters_in_the_order_of_the_file(generated):
    text = ncdump("-hF", generated / "h5py_earliest.nc").decode()
    assert 'gzip_fletcher:_Filter = "1,4|3"' in text
