"""Rows of a variable that are longer than memory: text comes at once, memory is bounded, and what was never written is not read."""

import json
import os
import select
import subprocess
import time

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, installed, ncdump, ncgen

LONG = 10**11


def run(*arguments, seconds=100):
    """The text of our ncdump, and its peak of memory in bytes."""
    # A child of this process itself would be charged with this one's memory.
    command = [installed("time"), "-f", "%M", BIN / "ncdump", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=seconds, check=True)
    return done.stdout.decode(), int(done.stderr.split()[-1]) * 1024


def made(folder, kind, lengths="n = 100000000000", dims="n"):
    cdl = folder / "a.cdl"
    cdl.write_text(f"netcdf a {{ dimensions: {lengths} ; variables: char v({dims}) ; int w ; data: w = 3 ; }}")
    ncgen("-k", kind, "-o", folder / "a.nc", cdl)
    return folder / "a.nc"


@pytest.mark.parametrize("kind", ["nc4", "nc5"])
def test_a_row_that_was_never_written(tmp_path, kind):
    path = made(tmp_path, kind)
    text, memory = run(path)
    assert '\n v = "" ;\n\n w = 3 ;\n' in text
    assert memory < 64 << 20
    text, memory = run("--json", path)
    assert json.loads(text)["variables"]["v"]["data"] == ""
    assert memory < 64 << 20


@pytest.mark.long
def test_text_in_a_row_that_else_was_never_written(tmp_path):
    """Chunks with text among those never written: NULs before text are text, those behind it are not."""
    path = tmp_path / "a.nc"
    gap = 40_000_000
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("r", 3)
        d.createDimension("n", LONG)
        v = d.createVariable("v", "S1", ("r", "n"), chunksizes=(1, 1 << 20))
        v.set_auto_chartostring(False)
        v[0, 5:8] = np.array([b"a", b"", b"b"])
        v[2, 0] = b"x"
        v[2, gap] = b"y"
    text, memory = run(path)
    assert memory < 128 << 20
    start = text.index(" v =\n") + 5
    nul = "\\000"
    assert text[start:] == f'  "{nul * 5}a{nul}b",\n  "",\n  "x{nul * (gap - 1)}y" ;\n}}\n'
    text, memory = run("--json", path)
    assert memory < 256 << 20
    data = json.loads(text)["variables"]["v"]["data"]
    assert data == ["\0" * 5 + "a\0b", "", "x" + "\0" * (gap - 1) + "y"]


def test_chunks_across_rows_that_were_never_written(tmp_path):
    """Chunks that reach over several rows are put away in a file: only those that exist."""
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("r", 4)
        d.createDimension("n", 2 * 10**11)
        v = d.createVariable("v", "S1", ("r", "n"), chunksizes=(2, 1 << 20))
        v.set_auto_chartostring(False)
        v[1, 2] = b"z"
        v[3, 1 << 20] = b"q"
        d.createDimension("p", 2)
        d.createDimension("m", 5_000_000)
        w = d.createVariable("w", "i2", ("p", "m"), chunksizes=(2, 1000), fill_value=7)
        w[1, 1000:3000] = np.arange(2000)
    text, memory = run(path, seconds=60)
    assert memory < 256 << 20
    nul = "\\000"
    assert f'  "",\n  "{nul * 2}z",\n  "",\n  "{nul * (1 << 20)}q" ;\n' in text
    numbers = text[text.index(" w =\n") + 5:text.rindex(" ;")].replace("\n", " ").split(", ")
    wanted = ["_"] * 10_000_000
    for n in range(2000):
        wanted[5_000_000 + 1000 + n] = str(n) if n != 7 else "_"
    assert [n.strip() for n in numbers] == wanted


def test_the_beginning_is_seen_at_once(tmp_path):
    path = tmp_path / "a.nc"
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("n", LONG)
        v = d.createVariable("v", "S1", ("n",), chunksizes=(1 << 20,), fill_value=b"f")
        v.set_auto_chartostring(False)
        v[:3] = np.array([b"a", b"b", b"c"])
    for flags, start in ([], b'v = "abcfff'), (["--json"], b'"abcfff'):
        child = subprocess.Popen([BIN / "ncdump", *flags, path], stdout=subprocess.PIPE)
        text = b""
        try:
            until = time.monotonic() + 20
            while start not in text and time.monotonic() < until:
                if select.select([child.stdout], [], [], 1)[0]:
                    text += os.read(child.stdout.fileno(), 1 << 16)
            assert start in text
        finally:
            child.kill()
            child.wait()
            child.stdout.close()


@pytest.mark.parametrize("flags", [[], ["--json"]])
@pytest.mark.long
def test_a_hole_is_no_text_and_data_behind_it_is(tmp_path, flags):
    """A sparse file of the classic format: what lies behind a hole is found."""
    path = made(tmp_path, "nc5", "r = 2, n = 3000000000", "r, n")
    size = path.stat().st_size
    begin = size - 6_000_000_000 - 4
    assert 0 < begin < 1000
    with open(path, "r+b") as out:
        out.seek(begin + 20_000_000)
        out.write(b"here")
    text, memory = run(*flags, path)
    assert memory < 256 << 20
    nul = "\\u0000" if flags else "\\000"
    assert f'"{nul * 20_000_000}here"' in text and '""' in text


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.long
def test_as_the_installed_one(tmp_path, seed):
    """Rows of some megabytes, written here and there: the text of netCDF-C's ncdump."""
    chance = np.random.default_rng(seed)
    path = tmp_path / "a.nc"
    length = int(chance.integers(17_000_000, 20_000_000))
    shape = (int(chance.integers(1, 4)), length)
    chunk = (int(chance.integers(1, shape[0] + 1)), int(chance.integers(1000, 3_000_000)))
    with h5py.File(path, "w", libver="earliest", track_order=True) as out:
        v = out.create_dataset("v", shape, "S1", chunks=chunk)
        for _ in range(int(chance.integers(0, 6))):
            row, at = int(chance.integers(shape[0])), int(chance.integers(length))
            v[row, at:at + 50] = chance.choice(np.array([b"", b"", b"a", b"\xe9"]), len(v[row, at:at + 50]))
    theirs = subprocess.run([installed("ncdump"), path], capture_output=True, check=True).stdout
    assert ncdump(path) == theirs
    with h5py.File(path) as out:
        rows = [b"".join(c or b"\0" for c in row.tolist()).rstrip(b"\0").decode("latin-1") for row in out["v"][()]]
    data = json.loads(ncdump("--json", path))["variables"]["v"]["data"]
    assert [row.replace("\uefe9", "\xe9") for row in data] == rows
