"""Compressed netCDF-3 archives: restored byte for byte, and read by a reader that was written from the page alone."""

import random
import subprocess
import sys

import archive_samples
import netCDF4
import numpy as np
import pytest
from conftest import BIN, CORPUS, HERE, nccopy, ncdump, ncgen, needs_corpus
from nc3z_reader import Archive
from peak_memory import peak
from stop_points import stopped

FILTERS = [
    (),
    ("-F", "*,2|32015,3"),
    ("-F", "*,delta|32008|1,4"),
    ("-d", "5", "-s"),
    ("-d", "0"),
    ("--block", "100"),
    ("--block", "1M", "-F", "*,32008"),
]


def packed(original, folder, *flags):
    archive = folder / (original.name + "z")
    nccopy("-k", "archive", *flags, original, archive)
    return archive


def check(original, folder, *flags):
    """Packs and restores in every way. Returns the archive, as the reader of the page sees it."""
    archive = packed(original, folder, *flags)
    data = original.read_bytes()
    for restore in ("--restore",), ("-k", {1: "nc3", 2: "nc6", 5: "nc5"}[data[3]]):
        back = folder / "back.nc"
        nccopy(*restore, archive, back)
        assert back.read_bytes() == data
    found = Archive(archive.read_bytes())
    assert found.restore() == data
    without_back = Archive(archive.read_bytes(), back=False)
    assert without_back.restore(checked=False) == data
    rng = random.Random(1)
    for number, stream in enumerate(found.streams[:-1]):
        if stream.length == 0:
            continue
        whole = b"".join(
            data[begin : begin + stream.slab]
            for begin in range(stream.begin, stream.begin + max(stream.stride * stream.count, 1), max(stream.stride, 1))
        )
        for _ in range(3):
            start = rng.randrange(stream.length)
            count = rng.randrange(1, min(stream.length - start, 70_000) + 1)
            assert found.read(number, start, count) == whole[start : start + count]
    again = folder / "again.nc3z"
    nccopy(archive, again)
    assert again.read_bytes() == archive.read_bytes()
    return found


def values(path):
    """What ncdump prints of a file, but for its name."""
    done = subprocess.run([BIN / "ncdump", path], capture_output=True)
    first, _, rest = done.stdout.partition(b"\n")
    assert done.returncode != 0 or first.startswith(b"netcdf ")
    return done.returncode, rest


@pytest.mark.parametrize("name, data", list(archive_samples.samples()), ids=lambda value: value if isinstance(value, str) else "")
def test_made_files_come_back(name, data, tmp_path):
    original = tmp_path / f"{name}.nc"
    original.write_bytes(data)
    for flags in FILTERS:
        check(original, tmp_path, *flags)
    assert values(original) == values(tmp_path / f"{name}.ncz")


@needs_corpus
def test_classic_files_of_the_corpus_come_back(tmp_path):
    count = 0
    for path in sorted((CORPUS / "netcdf").rglob("*")):
        if not path.is_file() or path.read_bytes()[:3] != b"CDF":
            continue
        opened = subprocess.run([BIN / "ncdump", "-h", path], capture_output=True)
        if opened.returncode != 0:
            # Not even the header can be read.
            continue
        count += 1
        check(path, tmp_path)
        assert values(path) == values(tmp_path / (path.name + "z")), path
    assert count > 0


@pytest.mark.parametrize("kind, flag", [("nc3z", "-3"), ("nc6z", "-6"), ("nc5z", "-5")])
def test_kinds_by_name(kind, flag, tmp_path):
    """An archive of another kind is that of what a copy to this kind makes."""
    original = tmp_path / "a.nc"
    with netCDF4.Dataset(original, "w") as d:
        d.createDimension("time", None)
        d.createDimension("x", 50)
        v = d.createVariable("v", "f4", ("time", "x"), zlib=True)
        v[:] = np.arange(2000).reshape(40, 50)
        d.createVariable("fixed", "i2", ("x",))[:] = 7
    archive, back, plain = tmp_path / "a.nc3z", tmp_path / "back.nc", tmp_path / "plain.nc"
    nccopy("-k", kind, original, archive)
    nccopy("--restore", archive, back)
    nccopy(flag, original, plain)
    assert back.read_bytes() == plain.read_bytes()
    Archive(archive.read_bytes()).restore()
    with netCDF4.Dataset(back) as d:
        assert (d["v"][:] == np.arange(2000).reshape(40, 50)).all()
    names = {"nc3z": "classic archive", "nc6z": "64-bit offset archive", "nc5z": "cdf5 archive"}
    assert ncdump("-k", archive).decode().strip() == names[kind]
    other = tmp_path / "other.nc3z"
    nccopy("-k", "archive", plain, other)
    assert other.read_bytes() == archive.read_bytes()


def test_other_datasets_become_the_least_archive(tmp_path):
    for ty, kind in ("i4", "classic archive"), ("u8", "cdf5 archive"):
        original = tmp_path / "a.nc"
        with netCDF4.Dataset(original, "w") as d:
            d.createDimension("x", 5)
            d.createVariable("v", ty, ("x",))[:] = 3
        nccopy("-k", "archive", original, tmp_path / "a.nc3z")
        assert ncdump("-k", tmp_path / "a.nc3z").decode().strip() == kind


def test_from_archive_to_other_kinds(tmp_path):
    data = dict(archive_samples.samples())["records"]
    original = tmp_path / "a.nc"
    original.write_bytes(data)
    archive = packed(original, tmp_path, "--block", "256")
    for flags in (), ("-d", "1"), ("-c", "d0/7"):
        for source in original, archive:
            nccopy("-k", "nc4", *flags, source, tmp_path / f"{source.suffix[1:]}4.nc")
        assert ncdump(tmp_path / "nc4.nc")[12:] == ncdump(tmp_path / "ncz4.nc")[13:]
    part = tmp_path / "part.nc3z"
    nccopy("-V", "variable_1", archive, part)
    assert b"variable_0" not in ncdump(part)


def test_special_attributes(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    archive = packed(original, tmp_path, "--block", "variable_0:600", "-F", "*,delta|32008|32015,3")
    text = ncdump("-hs", archive).decode()
    assert 'variable_0:_Storage = "blocks"' in text
    assert "variable_0:_BlockSize = 600" in text
    assert "delta|32008|32015,3" in text
    assert f":_OriginalSize = {original.stat().st_size}" in text
    assert ":_OriginalSHA256 = " in text


def test_blocks_by_chunk_shapes(tmp_path):
    original = tmp_path / "a.nc"
    with netCDF4.Dataset(original, "w", format="NETCDF3_CLASSIC") as d:
        for name, n in ("z", 4), ("y", 6), ("x", 10):
            d.createDimension(name, n)
        d.createVariable("v", "f4", ("z", "y", "x"))[:] = np.arange(240).reshape(4, 6, 10)
    archive = packed(original, tmp_path, "-c", "v:1,3,10")
    assert "v:_BlockSize = 120" in ncdump("-hs", archive).decode()
    error = nccopy("-k", "archive", "-c", "v:2,3,10", original, archive, ok=False)
    assert "variable v: blocks of an archive are runs" in error
    error = nccopy("-k", "archive", "-F", "v,307,9", original, archive, ok=False)
    assert "not a filter of archives" in error
    check(original, tmp_path, "-c", "v:1,3,10")
    with netCDF4.Dataset(original, "w", format="NETCDF3_CLASSIC") as d:
        for name, n in ("time", None), ("y", 6), ("x", 10):
            d.createDimension(name, n)
        d.createVariable("v", "f4", ("time", "y", "x"))[:] = np.arange(240).reshape(4, 6, 10)
    for chunks, size in (("y/3", 120), ("y/6,x/10", 240), ("time/2", 480)):
        assert f"v:_BlockSize = {size}" in ncdump("-hs", packed(original, tmp_path, "-c", chunks)).decode()


@pytest.mark.long
def test_more_than_4_gib(tmp_path):
    original, archive, back = tmp_path / "a.nc", tmp_path / "a.nc3z", tmp_path / "back.nc"
    size = 5 << 30
    archive_samples.sparse(original, size)
    nccopy("-k", "archive", original, archive)
    assert archive.stat().st_size < 10_000
    found = Archive(archive.read_bytes())
    for place in 1, size // 3, size - 1:
        assert found.read(0, place, 1) == b"\x2a"
    assert found.read(0, 10, 100_000) == bytes(100_000)
    nccopy("--restore", archive, back)
    assert back.stat().st_blocks * 512 < 64 << 20, "holes stay holes"
    assert subprocess.run(["cmp", original, back]).returncode == 0


def test_threads_do_not_change_the_bytes(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(archive_samples.file(2, 9000, [0, 30], [(5, (0, 1), 400), (6, (0,), 520)], 400 + 9000 * 128))
    made = []
    for threads in 1, 2, 5:
        nccopy("-k", "archive", "--threads", threads, original, tmp_path / "a.nc3z")
        made.append((tmp_path / "a.nc3z").read_bytes())
    assert made[0] == made[1] == made[2]


def test_a_damaged_archive_leaves_no_target(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    archive = packed(original, tmp_path)
    data = bytearray(archive.read_bytes())
    for place in range(0, len(data), 37):
        data[place] ^= 4
        archive.write_bytes(data)
        nccopy("--restore", archive, tmp_path / "back.nc", ok=False)
        data[place] ^= 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.nc", "a.ncz"]


def test_other_blocks_are_those_of_packing_the_original(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    archive = packed(original, tmp_path)
    for flags in FILTERS[1:]:
        direct, again = tmp_path / "direct.nc3z", tmp_path / "again.nc3z"
        nccopy("-k", "archive", "--block", "4096", *flags, original, direct)
        nccopy("--block", "4096", *flags, archive, again)
        assert again.read_bytes() == direct.read_bytes(), flags


def test_check_and_salvage_find_each_damage(some, tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    archive = packed(original, tmp_path, "--block", "64")
    data = bytearray(archive.read_bytes())
    front = int.from_bytes(data[24:32], "little")

    def run(program, *arguments):
        return subprocess.run([BIN / program, *arguments], capture_output=True, text=True)

    assert run("ncdump", "--check", archive).returncode == 0
    back = tmp_path / "back.nc"
    assert run("nccopy", "--salvage", archive, back).returncode == 0
    assert back.read_bytes() == original.read_bytes()
    for place in some(range(0, len(data), 41)):
        data[place] ^= 4
        archive.write_bytes(data)
        assert run("ncdump", "--check", archive).returncode == 1, place
        back.unlink(missing_ok=True)
        done = run("nccopy", "--salvage", archive, back)
        if place < front:
            assert done.returncode == 1, (place, done.stderr)
        else:
            is_lost = " are lost" in done.stderr
            assert done.returncode == (3 if is_lost else 0), (place, done.stderr)
            assert done.stderr, place
            assert is_lost or back.read_bytes() == original.read_bytes(), place
            different = sum(a != b for a, b in zip(back.read_bytes(), original.read_bytes()))
            assert different <= 64, place
        data[place] ^= 4
    archive.write_bytes(data[: front + (len(data) - front) // 3])
    assert "'nccopy --salvage' copies what can still be read" in run("nccopy", archive, back).stderr
    # As of a pipe, the blocks that are there are checked.
    checked = run("ncdump", "--check", archive)
    assert checked.returncode == 1 and "truncated" in checked.stdout and ", 0 chunks" not in checked.stdout
    done = run("nccopy", "--salvage", archive, back)
    assert done.returncode == 3 and "are lost" in done.stderr
    assert len(back.read_bytes()) == len(original.read_bytes())
    for option in ["-k", "nc4"], ["-u"], ["--isel", "t=0"], ["--verify"]:
        assert f"leave out {option[0][:2]}" in nccopy("--salvage", *option, archive, tmp_path / "other.nc", ok=False)


def test_what_comes_from_a_pipe_is_salvaged(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    back = tmp_path / "back.nc"
    nccopy("--salvage", "-", back, stdin=packed(original, tmp_path).open("rb"))
    assert back.read_bytes() == original.read_bytes()
    nccopy("--salvage", "-", back, stdin=original.open("rb"))
    assert ncdump("-n", "a", back) == ncdump(original)
    assert "only an archive" in nccopy("--restore", "-", tmp_path / "other.nc", ok=False, stdin=original.open("rb"))


def test_lengths_of_a_cut_original_are_checked(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"][:-100])
    done = subprocess.run([BIN / "ncdump", "--check", packed(original, tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1 and "the file is truncated" in done.stdout


def test_bytes_are_verified(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    archive, other, back = tmp_path / "a.nc3z", tmp_path / "b.nc3z", tmp_path / "back.nc"
    nccopy("--verify", "-k", "archive", original, archive)
    nccopy("--verify", "-d", "5", "-k", "archive", archive, other)
    nccopy("--verify", "--restore", other, back)
    assert back.read_bytes() == original.read_bytes()


def test_an_archive_is_one_file(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    for name in "a.zarr#mode=zarr,v3", "a.zarr":
        assert "makes one file" in nccopy("-k", "archive", original, tmp_path / name, ok=False)
    assert "standard output" in nccopy(original, "-", ok=False, cwd=tmp_path)
    assert "-k archive" in nccopy(original, tmp_path / "b.nc3z")


def test_memory_is_kept(tmp_path):
    original = tmp_path / "many.nc"
    with netCDF4.Dataset(original, "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("time", None)
        file.createDimension("x", 100)
        for n in range(300):
            file.createVariable(f"v{n}", "f4", ("time", "x"))
        steps = np.arange(600, dtype="f4")[:, None] + np.arange(100, dtype="f4")
        for n in range(300):
            file[f"v{n}"][:] = steps * (n + 1)
    archive, back = tmp_path / "a.nc3z", tmp_path / "back.nc"
    limit, small = 24_000_000, tmp_path / "small.nc"
    small.write_bytes(dict(archive_samples.samples())["records"])
    # What the program takes of its own depends on how it was built: that of a small file is it.
    program = peak(BIN / "nccopy", "-k", "archive", small, tmp_path / "small.nc3z")
    for flags, source, target in (("-k", "archive"), original, archive), (("--restore",), archive, back):
        taken = peak(BIN / "nccopy", "-m", limit, *flags, source, target)
        assert taken <= program + limit + 6_000_000, (flags, taken, program)
    assert back.read_bytes() == original.read_bytes()


def test_a_pipe_is_packed_restored_and_printed(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    archive = packed(original, tmp_path)
    for flags, source, expected in (("-k", "archive"), original, archive), (("--restore",), archive, original):
        with open(source, "rb") as file:
            cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
            nccopy(*flags, "-", tmp_path / "out", stdin=cat.stdout)
            cat.wait()
        assert (tmp_path / "out").read_bytes() == expected.read_bytes()
    with open(archive, "rb") as file:
        cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
        assert ncdump("-n", "a", "-", stdin=cat.stdout) == ncdump("-n", "a", archive)


def test_a_pipe_is_restored_to_its_own_kind_alone(tmp_path):
    for kind, other in ("nc3", "nc6"), ("nc6", "nc3"), ("nc5", "nc6"):
        original, archive, back = (tmp_path / name for name in ("a.nc", "a.nc3z", "back.nc"))
        with netCDF4.Dataset(tmp_path / "in.nc", "w", format="NETCDF3_CLASSIC") as f:
            f.createDimension("x", 3)
            f.createVariable("v", "i4", ("x",))[:] = [1, 2, 3]
        nccopy("-k", kind, tmp_path / "in.nc", original)
        nccopy("-k", "archive", original, archive)
        nccopy("--restore", "-k", kind, "-", back, stdin=archive.open("rb"))
        assert back.read_bytes() == original.read_bytes()
        back.unlink()
        told = nccopy("--restore", "-k", other, "-", back, ok=False, stdin=archive.open("rb"))
        assert "what is restored is the original" in told and not back.exists()


def test_a_header_is_printed_before_its_pipe_ends(tmp_path):
    original = tmp_path / "in.nc"
    with netCDF4.Dataset(original, "w", format="NETCDF3_CLASSIC") as data:
        data.createDimension("x", 100_000)
        data.createVariable("v", "f8", ("x",))[:] = np.random.default_rng(5).normal(size=100_000)
    archive = packed(original, tmp_path)
    front = archive.read_bytes()[:10_000]
    with subprocess.Popen([BIN / "ncdump", "-n", "in", "-h", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as printing:
        printing.stdin.write(front)
        printing.stdin.flush()
        # The pipe stays open: a program that waits for its end would wait for ever.
        printed = printing.communicate(timeout=60)[0] if printing.wait(timeout=60) == 0 else b""
    assert printed == ncdump("-n", "in", "-h", archive)


def test_the_reader_runs_as_a_program(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    archive = packed(original, tmp_path)
    for command in "restore", "salvage":
        subprocess.run([sys.executable, HERE / "nc3z_reader.py", command, archive, tmp_path / "back"], check=True)
        assert (tmp_path / "back").read_bytes() == original.read_bytes()


def test_text_of_an_archive_becomes_an_archive(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    archive = packed(original, tmp_path, "-F", "*,delta|32008|32015,3")
    text, again, plain = tmp_path / "a.cdl", tmp_path / "again.nc3z", tmp_path / "plain.nc"
    text.write_bytes(ncdump("-s", archive))
    ncgen("-o", again, text)
    assert ncdump("-k", again).decode().strip() == "classic archive"
    assert ncdump(again).partition(b"\n")[2] == ncdump(archive).partition(b"\n")[2]
    text.write_bytes(ncdump(archive))
    for kind, short in ("64-bit offset archive", "nc6z"), ("cdf5 archive", "nc5z"):
        ncgen("-k", short, "-o", again, text)
        assert ncdump("-k", again).decode().strip() == kind
        Archive(again.read_bytes()).restore()
    ncgen("-k", "nc3", "-o", plain, text)
    nccopy("-k", "archive", plain, again)
    nccopy("-k", "nc3", again, tmp_path / "back.nc")
    assert (tmp_path / "back.nc").read_bytes() == plain.read_bytes()


def test_a_kill_leaves_no_target(tmp_path):
    original = tmp_path / "a.nc"
    original.write_bytes(dict(archive_samples.samples())["records"])
    for point in "write", "commit":
        process = stopped(point, "nccopy", "-k", "archive", original, tmp_path / "a.nc3z")
        assert process, f"{point} is not reached"
        process.kill()
        process.wait()
        assert [path.name for path in tmp_path.iterdir()] == ["a.nc"]


def test_names_that_mislead_are_told(tmp_path):
    source, archive = tmp_path / "in.nc", tmp_path / "in.nc3z"
    with netCDF4.Dataset(source, "w", format="NETCDF3_CLASSIC") as nc:
        nc.createDimension("x", 3)
        nc.createVariable("v", "f4", ("x",))[:] = 1

    def told(*arguments):
        return subprocess.run([BIN / "nccopy", *arguments], capture_output=True, text=True, check=True).stderr

    assert told("-k", "archive", source, archive) == ""
    for arguments in [["-k", "archive", source], [archive]]:
        assert "this will be an archive" in told(*arguments, tmp_path / "out.nc")
    assert told("-k", "nc3", archive, tmp_path / "out.nc") == told("--restore", archive, tmp_path / "out.nc") == ""
    assert "not compressed by gzip" in told(source, tmp_path / "out.nc.gz")
