"""A plain copy of whatever other programs write is equal to the original, to netCDF4-python, h5py and ncdump."""

import re
import subprocess

import pytest
from allowed_differences import ANONYMOUS_TYPES
from conftest import CORPUS, compare, installed, nccopy, ncdump, needs_corpus

import generate

NETCDF_CORPUS = sorted(CORPUS.glob("netcdf/*.nc"))


def check_copy(source, target, *flags):
    nccopy(*flags, source, target)
    code, text = compare("--layout", "--kind", source, target)
    assert code == 0, text


@pytest.mark.parametrize("name", generate.MAKERS)
def test_generated(generated, tmp_path, name):
    check_copy(generated / f"{name}.nc", tmp_path / "out.nc")


@needs_corpus
@pytest.mark.parametrize("source", NETCDF_CORPUS, ids=lambda p: p.name)
def test_corpus(source, tmp_path):
    check_copy(source, tmp_path / "out.nc")


def text_of(program, path, *flags):
    done = subprocess.run([program, *flags, "-n", "x", str(path)], capture_output=True, timeout=120)
    return done.returncode, done.stdout


def has_foreign_filter(path):
    return re.search(rb'_Filter = "(307|32001|32015)', ncdump("-hs", path)) is not None


@pytest.mark.parametrize("name", generate.MAKERS)
def test_installed_ncdump_reads_the_copy(generated, tmp_path, name):
    program = installed("ncdump")
    source, target = generated / f"{name}.nc", tmp_path / "out.nc"
    nccopy(source, target)
    flags = ["-h"] if has_foreign_filter(target) else []
    code, wanted = text_of(program, source, *flags)
    got_code, got = text_of(program, target, *flags)
    if code == 0 and name not in ANONYMOUS_TYPES:
        assert got_code == 0
        assert got == wanted
    elif got_code != 0:
        # 4.9 cannot print every value of the model (an enum value without a name), but it reads every header.
        assert text_of(program, target, "-h")[0] == 0


@pytest.mark.parametrize("name", generate.MAKERS)
def test_same_bytes_for_any_number_of_threads(generated, tmp_path, name):
    for flags in [[], ["-d", "3", "-s"]]:
        if flags and name in ("cdf5",):
            continue
        for threads in "1", "4":
            nccopy(*flags, "--threads", threads, generated / f"{name}.nc", tmp_path / threads)
        assert (tmp_path / "1").read_bytes() == (tmp_path / "4").read_bytes()
