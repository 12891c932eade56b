"""The help, long names, options that change nothing, and files that are no dataset."""

import bz2
import gzip
import io
import lzma
import pickle
import subprocess
import tarfile

import netCDF4
import numpy as np
import pytest
from conftest import BIN

PROGRAMS = ["nccopy", "ncdump", "ncgen"]


def run(program, *arguments, folder):
    return subprocess.run([BIN / program, *arguments], cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.fixture
def folder(tmp_path):
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as d:
        d.createDimension("time", None)
        d.createDimension("x", 40)
        d.createVariable("t", "f4", ("time", "x"))[:] = np.random.default_rng(0).normal(size=(8, 40))
        d.createVariable("s", "f8", ("x",))[:] = np.arange(40)
    return tmp_path


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_help_fits_a_screen_and_says_where_the_rest_is(program, tmp_path):
    done = run(program, "--help", folder=tmp_path)
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert len(lines) <= 60 and max(map(len, lines)) <= 100
    assert "--help=all" in lines[-1]
    first = lines[lines.index("Most used:") + 1:][:10]
    assert all(line.startswith("  ") for line in first)
    whole = run(program, "--help=all", folder=tmp_path)
    assert whole.returncode == 0 and len(whole.stdout.splitlines()) > 100
    for line in lines:
        for word in line.split():
            if line.startswith("  ") and word.startswith("--") and word[2:].isalpha():
                assert word in whole.stdout, word


@pytest.mark.parametrize("short, long", [
    (["-d", "5", "-s"], ["--deflate=5", "--shuffle"]),
    (["-d5"], ["--deflate", "5"]),
    (["-c", "time/2,x/8"], ["--chunk=time/2,x/8"]),
    (["-F", "*,2|1,3"], ["--filter", "*,2|1,3"]),
    (["-k", "nc7", "-u"], ["--kind=nc7", "--fix-unlimited"]),
    (["-V", "t"], ["--only-variables=t"]),
    (["-v", "t"], ["--variables", "t"]),
    (["-3"], ["--nc3"]),
    (["-m", "64M"], ["--memory=64MB"]),
])
def test_long_names_mean_the_same(folder, short, long):
    for name, options in ("short.nc", short), ("long.nc", long):
        done = run("nccopy", *options, "a.nc", name, folder=folder)
        assert (done.returncode, done.stderr) == (0, ""), done
    assert (folder / "short.nc").read_bytes() == (folder / "long.nc").read_bytes()


@pytest.mark.parametrize("short, long", [
    (["-h"], ["--header"]),
    (["-hs"], ["--header", "--special"]),
    (["-v", "s", "-p", "3,4"], ["--variables=s", "--precision=3,4"]),
    (["-n", "-x"], ["--name", "-x"]),
    (["-bc", "-l40"], ["--brief", "c", "--line-length=40"]),
])
def test_long_names_of_ncdump(folder, short, long):
    one, other = (run("ncdump", *options, "a.nc", folder=folder) for options in (short, long))
    assert one.returncode == other.returncode == 0 and one.stdout == other.stdout != ""


@pytest.mark.parametrize("options, told", [
    (["-s", "-F", "*,deflate,3"], "-s changes nothing: -F sets all filters"),
    (["-s"], "-s changes nothing: it shuffles what is deflated"),
    (["-s", "-k", "nc3"], "-s changes nothing: the kind 'classic' has no filters"),
    (["-d", "3", "-F", "*,deflate,3"], "-d changes nothing: -F sets all filters"),
    (["--quantize", "t,bitround,4"], "--quantize makes nothing smaller without compression; add -d or -F: t"),
    (["-c", "x/4", "-k", "nc3"], "-c changes nothing: the kind 'classic' has no chunks"),
    (["--skip-fill"], "--skip-fill changes nothing: the kind 'netCDF-4' stores all chunks"),
    (["--strlen", "5"], "--strlen changes nothing"),
    (["--with-coordinates"], "--with-coordinates changes nothing: it adds to what -v, -V, -g and -G choose"),
    (["--shard-index", "start"], "--shard-index changes nothing: the kind 'netCDF-4' has no shards"),
])
def test_options_that_change_nothing_are_told(folder, options, told):
    done = run("nccopy", *options, "a.nc", "o.nc", folder=folder)
    assert done.returncode == 0 and len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith(f"nccopy: o.nc: warning: {told}"), done.stderr
    quiet = run("nccopy", "--quiet", *options, "a.nc", "o.nc", folder=folder)
    assert (quiet.returncode, quiet.stderr) == (0, "")


@pytest.mark.parametrize("options", [
    ["-d", "3", "-s"], ["-s", "-d", "3", "-F", "t,deflate,4"], ["--quantize", "t,bitround,4", "-d", "1"],
    ["-V", "t", "--with-coordinates"], ["-c", "x/4"],
])
def test_options_that_change_something_are_not(folder, options):
    done = run("nccopy", *options, "a.nc", "o.nc", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("program, arguments, told", [
    ("nccopy", ["--defalte", "5", "a.nc", "o.nc"], "unexpected argument '--defalte': is '--deflate' meant?"),
    ("nccopy", ["-k", "nc44", "a.nc", "o.nc"], "-k 'nc44': unknown kind: is 'nc4' meant?"),
    ("nccopy", ["-c", "tiem/1", "a.nc", "o.nc"], "a.nc: -c: the input has no dimension named 'tiem': is 'time' meant?"),
    ("nccopy", ["-m", "0", "a.nc", "o.nc"], "-m 0: nothing can be copied without memory"),
    ("nccopy", ["-m", "64X", "a.nc", "o.nc"], "-m '64X': expected a number of bytes, such as 64M, 64MiB or 0.5G"),
    ("ncdump", [], "INPUT is missing; 'ncdump --help' tells what it takes"),
])
def test_wrong_arguments_are_one_line(folder, program, arguments, told):
    done = run(program, *arguments, folder=folder)
    assert done.returncode == 1 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"{program}: {told}"), done.stderr


def made():
    """Files of other formats, each by a program that writes them."""
    npy, tar = io.BytesIO(), io.BytesIO()
    np.save(npy, np.arange(3))
    with tarfile.open(fileobj=tar, mode="w") as archive:
        archive.add(__file__, "a.py")
    image = bytes.fromhex("89504e470d0a1a0a0000000d49484452")
    return [
        ("NumPy", npy.getvalue()), ("pickle", pickle.dumps({"a": 1})), ("tar", tar.getvalue()),
        ("text", gzip.compress(b"hello", mtime=0)), ("bzip2", bz2.compress(b"hello")), ("xz", lzma.compress(b"hello")),
        ("the file is empty", b""), ("PNG", image), ("HTML", b"<!DOCTYPE html>\n<html>"), ("CDL", b"netcdf a {\n}\n"),
        ("GRIB", b"GRIB\0\0\0\x02"), ("HDF4", b"\x0e\x03\x13\x01"), ("Git LFS", b"version https://git-lfs.github.com/spec/v1\n"),
    ]


@pytest.mark.parametrize("what, content", made())
def test_what_is_no_dataset_is_named(tmp_path, what, content):
    (tmp_path / "odd.nc").write_bytes(content)
    for program, more in ("ncdump", []), ("nccopy", ["o.nc"]):
        done = run(program, "odd.nc", *more, folder=tmp_path)
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith(f"{program}: odd.nc: not a netCDF file: ") and what in done.stderr, done.stderr
