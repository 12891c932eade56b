"""Damaged archives through the programs, and programs that do not know archives."""

import subprocess

import archive_samples
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy
from peak_memory import peak
from test_archive import packed


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small original, and its archive."""
    folder = tmp_path_factory.mktemp("small")
    original = folder / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    return original, packed(original, folder, "--block", "256")


def test_flipped_bits_are_told(small, tmp_path):
    """A unit test of archives flips each bit of each byte; here the programs are asked about a few."""
    data = bytearray(small[1].read_bytes())
    damaged, back = tmp_path / "damaged.nc3z", tmp_path / "back.nc"
    for place in range(0, len(data), 31):
        data[place] ^= 1 << place % 8
        damaged.write_bytes(data)
        done = subprocess.run([BIN / "ncdump", "--check", damaged], capture_output=True, text=True)
        assert done.returncode == 1 and (done.stdout + done.stderr).strip(), place
        assert nccopy("--restore", damaged, back, ok=False).count("\n") <= 2, place
        assert not back.exists()
        data[place] ^= 1 << place % 8


def test_each_cut_is_an_error(small, tmp_path):
    data = small[1].read_bytes()
    damaged = tmp_path / "damaged.nc3z"
    for length in [*range(0, len(data), 97), len(data) - 1]:
        damaged.write_bytes(data[:length])
        done = subprocess.run([BIN / "ncdump", "--check", damaged], capture_output=True, text=True)
        assert done.returncode == 1, length
        with open(damaged, "rb") as pipe:
            cat = subprocess.Popen(["cat"], stdin=pipe, stdout=subprocess.PIPE)
            nccopy("-k", "archive", "-", tmp_path / "out.nc3z", ok=False, stdin=cat.stdout)
            cat.stdout.close()
            cat.wait()
        assert not (tmp_path / "out.nc3z").exists()


def test_programs_that_do_not_know_archives_say_so(small):
    for program, says in ("/usr/bin/ncdump", "Unknown file format"), ("zstd", "unsupported format"):
        flags = ["-dc"] if program == "zstd" else []
        done = subprocess.run([program, *flags, small[1]], capture_output=True, text=True)
        assert done.returncode != 0 and says in done.stderr, (program, done.stderr)
    with pytest.raises(OSError, match="Unknown file format"):
        netCDF4.Dataset(small[1])


def test_findings_do_not_depend_on_threads(tmp_path):
    original = tmp_path / "a.nc"
    with netCDF4.Dataset(original, "w", format="NETCDF3_CLASSIC") as data:
        data.createDimension("x", 100_000)
        data.createVariable("v", "f8", ("x",))[:] = np.random.default_rng(5).normal(size=100_000)
    archive = packed(original, tmp_path, "--block", "1000")
    stored = bytearray(archive.read_bytes())
    for place in range(5000, len(stored) - 100_000, 5003):
        stored[place] ^= 1
    archive.write_bytes(stored)
    # Damage to a block header would end the check.
    told = {subprocess.run(["taskset", "-c", cores, BIN / "ncdump", "--check", archive], capture_output=True).stdout for cores in ("0", "0,1")}
    assert len(told) == 1 and b"v" in told.pop()


@pytest.mark.parametrize("flags, program", [((), "nccopy"), (("-k", "nc3"), "nccopy"), (("--check",), "ncdump")])
def test_what_comes_from_a_pipe_is_not_kept(flags, program, tmp_path):
    """200 MB that no filter makes smaller: more than is kept of a pipe in memory."""
    original, archive = tmp_path / "a.nc", tmp_path / "a.nc3z"
    count = 200_000_000
    with netCDF4.Dataset(original, "w", format="NETCDF3_CLASSIC") as data:
        data.createDimension("x", count)
        data.createVariable("v", "i1", ("x",))
    head = original.stat().st_size - count
    with open(original, "r+b") as file:
        file.seek(head)
        rng = np.random.default_rng(3)
        for _ in range(10):
            file.write(rng.bytes(count // 10))
    nccopy("-k", "archive", "-d", "0", original, archive)
    target = tmp_path / "out"
    command = [BIN / program, *flags, "-"] + ([target] if program == "nccopy" else [])
    if program == "nccopy":
        command[1:1] = ["-m", "24M"]
    with open(archive, "rb") as file:
        cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
        taken = peak(*command, stdin=cat.stdout)
        cat.stdout.close()
        cat.wait()
    assert taken <= 64_000_000, taken
    if program == "nccopy":
        assert subprocess.run(["cmp", target, original if flags else archive]).returncode == 0


@pytest.mark.long
def test_an_index_takes_no_more_memory_than_was_given(tmp_path):
    """A million blocks: their index has 28 MB before it is compressed."""
    original, archive, other, back = (tmp_path / name for name in ("a.nc", "a.nc3z", "b.nc3z", "back.nc"))
    with netCDF4.Dataset(original, "w", format="NETCDF3_64BIT_OFFSET") as data:
        data.createDimension("x", 4_000_000)
        data.createVariable("v", "i2", ("x",))[:] = np.random.default_rng(7).integers(0, 30, 4_000_000) ** 2
    limit, small = 16_000_000, tmp_path / "small.nc"
    small.write_bytes(dict(archive_samples.samples())["records"])
    # What the program takes of its own depends on how it was built: that of a small file is it.
    program = peak(BIN / "nccopy", "-k", "archive", "-F", "*,delta", small, tmp_path / "small.nc3z")
    for flags, source, target in [
        (("-k", "archive", "--block", "8", "-F", "*,delta"), original, archive),
        ((), archive, other),
        (("--restore",), archive, back),
    ]:
        taken = peak(BIN / "nccopy", "-m", limit, *flags, source, target)
        assert taken <= program + limit + 6_000_000, (flags, taken, program)
    assert back.read_bytes() == original.read_bytes()
    assert other.read_bytes() == archive.read_bytes()
    assert peak(BIN / "ncdump", "--check", archive) <= 128_000_000
