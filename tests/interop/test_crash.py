"""Whatever happens to a copy, the file that was there stays whole, and nothing is left lying about."""

import os
import resource
import shutil
import signal
import subprocess

import netCDF4
import numpy as np
import pytest
from conftest import BIN, installed, nccopy, ncdump
from stop_points import stopped


def noise(path, length):
    """A file of 40 chunks of noise."""
    rng = np.random.default_rng(1)
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("t", 40)
        d.createDimension("x", length)
        d.createVariable("v", "f4", ("t", "x"), chunksizes=(1, length))[:] = rng.normal(0, 1, (40, length))
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return noise(tmp_path_factory.mktemp("large") / "in.nc", 250_000)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return noise(tmp_path_factory.mktemp("small") / "in.nc", 25_000)


def partial_files(target):
    """The names of what lies beside a target."""
    return [path.name for path in target.parent.iterdir() if path != target]


@pytest.mark.parametrize("point", ["write", "commit", "rename"])
def test_kill_leaves_the_old_file(small, tmp_path, point):
    target = tmp_path / "out.nc"
    old = b"precious" * 1000
    killed = 0
    for time in range(1, 36, 2) if point == "write" else [1]:
        target.write_bytes(old)
        process = stopped(point, "nccopy", "-d", "1", "-s", small, target, time=time)
        assert process, f"{point} is not reached for the {time}th time"
        process.kill()
        process.wait()
        # Pytest would spend minutes on what differs.
        is_old = target.read_bytes() == old
        assert is_old
        killed += process.returncode == -signal.SIGKILL
        left = partial_files(target)
        assert len(left) <= 1 and all("partial" in name for name in left), left
        for name in left:
            (tmp_path / name).unlink()
    assert killed >= (10 if point == "write" else 1)


def test_kill_after_the_commit_leaves_the_new_file(small, tmp_path):
    target = tmp_path / "out.nc"
    nccopy("-d", "1", "-s", small, target)
    new = target.read_bytes()
    target.write_bytes(b"precious" * 1000)
    process = stopped("committed", "nccopy", "-d", "1", "-s", small, target)
    process.kill()
    process.wait()
    is_new = target.read_bytes() == new
    assert is_new and partial_files(target) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(("point", "time"), [("write", 1), ("write", 20), ("commit", 1), ("rename", 1)])
def test_interrupt_leaves_no_litter(small, tmp_path, number, point, time):
    target = tmp_path / "out.nc"
    target.write_bytes(b"precious")
    process = stopped(point, "nccopy", "-d", "1", "-s", small, target, time=time)
    process.send_signal(number)
    process.wait(timeout=30)
    assert process.returncode != 0
    assert target.read_bytes() == b"precious"
    assert [p.name for p in tmp_path.iterdir()] == ["out.nc"]


def test_full_disk(large, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        target = disk / "out.nc"
        target.write_bytes(b"precious")
        strings = tmp_path / "strings.nc"
        with netCDF4.Dataset(strings, "w") as d:
            d.createDimension("x", 20_000)
            d.createVariable("s", str, ("x",))[:] = np.array([f"{i:0500}" for i in range(20_000)], dtype=object)
        # Every way that data takes: as it is, decoded and encoded, in ranges, rechunked (in much memory and in little), as values.
        for source, *flags in [
            [large],
            [large, "-d", "1"],
            [large, "-k", "nc3"],
            [large, "-c", "v:40,1000"],
            [large, "-c", "v:40,1000", "-m", "4M"],
            [strings],
        ]:
            message = nccopy(*flags, source, target, ok=False)
            assert "No space left" in message and "out.nc" in message and source.name not in message, message
            assert target.read_bytes() == b"precious"
            assert [p.name for p in disk.iterdir()] == ["out.nc"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_full_disk_in_the_middle_of_many(tmp_path):
    disk, folder = tmp_path / "disk", tmp_path / "in"
    disk.mkdir()
    folder.mkdir()
    one = noise(tmp_path / "one.nc", 100)
    inputs = [folder / f"f{n:03}.nc" for n in range(300)]
    for path in inputs:
        os.link(one, path)
    nccopy("-d", "1", one, tmp_path / "alone.nc")
    whole = (tmp_path / "alone.nc").read_bytes()
    pages = -(-len(whole) // 4096) * 4
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={150 * pages}k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        command = [BIN / "nccopy", "-d", "1", *inputs, f"{disk}/"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1
        complete = sorted(path.name for path in disk.iterdir())
        assert 130 < len(complete) <= 150 and all((disk / name).read_bytes() == whole for name in complete)
        failed = [line for line in done.stderr.splitlines() if "No space left" in line]
        assert len(failed) == len(inputs) - len(complete)
        named = {path.name for path in inputs if any(str(disk / path.name) in line or str(path) in line for line in failed)}
        assert named == {path.name for path in inputs} - set(complete)
        assert f"{len(complete)} copied, 0 skipped, {len(failed)} failed" in done.stderr.splitlines()[-1]
        subprocess.run(["mount", "-o", f"remount,size={600 * pages}k", str(disk)], check=True)
        times = {name: (disk / name).stat().st_mtime_ns for name in complete}
        done = subprocess.run([*command[:1], "--update", *command[1:]], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert f"{len(failed)} copied, {len(complete)} skipped, 0 failed" in done.stderr.splitlines()[-1]
        assert sorted(path.name for path in disk.iterdir()) == [path.name for path in inputs]
        assert all(path.read_bytes() == whole for path in disk.iterdir())
        assert {name: (disk / name).stat().st_mtime_ns for name in complete} == times
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_limit_on_file_sizes(large, tmp_path):
    target = tmp_path / "out.nc"
    target.write_bytes(b"precious")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    for flags in [], ["-d", "1"], ["-k", "nc3"]:
        message = nccopy(*flags, large, target, ok=False, preexec_fn=limit)
        assert "too large" in message and "out.nc" in message, message
        assert target.read_bytes() == b"precious"
        assert [p.name for p in tmp_path.iterdir()] == ["out.nc"]


def test_closed_standard_error(large, tmp_path):
    command = f"exec 2>&-; exec {BIN / 'nccopy'} {tmp_path / 'absent.nc'} {tmp_path / 'out.nc'}"
    assert subprocess.run(["sh", "-c", command]).returncode == 1


def test_output_through_a_symlink_keeps_link_and_mode(large, tmp_path):
    real, link = tmp_path / "real.nc", tmp_path / "link.nc"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    nccopy(large, link)
    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o640
    with netCDF4.Dataset(real) as d:
        assert d["v"].shape == (40, 250_000)


def test_damaged_input(large, tmp_path):
    whole = large.read_bytes()
    for name, content, says in [
        ("empty.nc", b"", ""),
        ("text.nc", b"no netCDF at all " * 100, "not a netCDF file"),
        ("cut.nc", whole[: len(whole) // 2], ""),
        ("head.nc", whole[:100], ""),
    ]:
        path = tmp_path / name
        path.write_bytes(content)
        message = nccopy(path, tmp_path / "out.nc", ok=False)
        assert name in message and says in message
        assert not (tmp_path / "out.nc").exists()
    assert "absent.nc" in nccopy(tmp_path / "absent.nc", tmp_path / "out.nc", ok=False)
    folder = tmp_path / "folder"
    folder.mkdir()
    assert "folder" in nccopy(folder, tmp_path / "out.nc", ok=False)


def test_chunk_that_does_not_decode(tmp_path):
    import h5py

    path = tmp_path / "in.nc"
    with h5py.File(path, "w") as f:
        f.create_dataset("good", data=np.arange(100), chunks=(10,), compression="gzip")
        v = f.create_dataset("v", data=np.arange(100), chunks=(10,), compression="gzip")
        v.id.write_direct_chunk((30,), b"\x78\x9crubbish", 0)
    message = nccopy("--for", "netcdf-c", "-F", "*,307,9", path, tmp_path / "out.nc", ok=False)
    assert "in.nc" in message and "variable v" in message and "chunk [3]" in message, message
    assert not (tmp_path / "out.nc").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_no_permission(large, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    assert "out.nc" in nccopy(large, locked / "out.nc", ok=False)


def test_an_output_in_place_is_told_although_its_summary_fails(tmp_path):
    source, out = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as f:
        f.createDimension("x", 3)
        f.createVariable("v", "i4", ("x",))[:] = [1, 2, 3]
    with open("/dev/full", "w") as full:
        done = subprocess.run([BIN / "nccopy", "--summary", source, out], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert "out.nc is in place, but its summary is not printed" in done.stderr, done.stderr
    with netCDF4.Dataset(out) as f:
        assert list(f["v"][:]) == [1, 2, 3]


def test_a_folder_that_stays_where_descriptors_run_out_is_told(tmp_path):
    source = tmp_path / "in.nc"
    with netCDF4.Dataset(source, "w") as f:
        f.createDimension("x", 3)
        f.createVariable("v", "i4", ("x",))[:] = [1, 2, 3]
    for most in range(4, 12):
        out = tmp_path / f"out{most}"
        out.mkdir()
        command = f'ulimit -n {most}; exec "$@"'
        url = f"file://{out}/z.zarr#mode=nczarr,file"
        done = subprocess.run(["bash", "-c", command, "sh", BIN / "nccopy", source, url], capture_output=True, text=True, timeout=60)
        if done.returncode == 0:
            break
        left = [path.name for path in out.iterdir()]
        assert not left or f"{left[0]} could not be removed" in done.stderr, (most, done.stderr)


@pytest.mark.parametrize("point", ["write", "commit"])
def test_the_next_run_removes_what_a_killed_one_left_of_zarr(small, tmp_path, point):
    target, other = tmp_path / "out.zarr", tmp_path / "other.zarr"
    for stage in target, other:
        process = stopped(point, "nccopy", "-k", "zarr3", small, stage)
        assert process, f"{point} is not reached"
        process.kill()
        process.wait()
    assert len(partial_files(target)) == 2 and not target.exists()
    lives = stopped("write", "nccopy", "-k", "zarr3", small, target)
    # Its own output is being written, so that is left alone; what the killed run left is gone.
    left = partial_files(target)
    assert len(left) == 2 and sum(".other.zarr" in name for name in left) == 1
    nccopy("-k", "zarr3", small, target)
    assert len(partial_files(target)) == 2
    lives.kill()
    lives.wait()
    for name in target, other:
        nccopy("-k", "zarr3", small, name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.zarr", "out.zarr"]


# A file system that cannot synchronize its folders, but for those with a word in their path.
SYNC = """
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int fsync(int file) {
    struct stat found;
    char path[64], name[4096] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    readlink(path, name, sizeof name - 1);
    if (fstat(file, &found) == 0 && S_ISDIR(found.st_mode) && !strstr(name, getenv("SYNCED"))) { errno = EIO; return -1; }
    return syscall(SYS_fsync, file);
}
"""


@pytest.mark.parametrize("kind", ["nc4", "nc3", "h5", "zarr3"])
def test_a_folder_that_cannot_be_synchronized_is_told(tmp_path, kind):
    """The status is that of an error, and the message says that the output is in place."""
    (tmp_path / "sync.c").write_text(SYNC)
    subprocess.run([installed("gcc"), "-shared", "-fPIC", "-o", tmp_path / "sync.so", tmp_path / "sync.c"], check=True)
    source, out = tmp_path / "in.nc", tmp_path / ("out.zarr" if kind == "zarr3" else "out.nc")
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("x", 5)
        d.createVariable("v", "i4", ("x",))[:] = np.arange(5)
    env = {**os.environ, "LD_PRELOAD": str(tmp_path / "sync.so"), "SYNCED": ".ncutils-partial"}
    said = nccopy("-k", kind, source, out, ok=False, env=env)
    assert "the output is in place, but its folder cannot be synchronized" in said, said
    assert b"v = 0, 1, 2, 3, 4 ;" in ncdump(out)
    # A folder that is not in place is no output.
    if kind == "zarr3":
        shutil.rmtree(out)
        said = nccopy("-k", kind, source, out, ok=False, env={**env, "SYNCED": "no such folder"})
        assert "in place" not in said and "Input/output error" in said and not out.exists(), said
        assert {path.name for path in tmp_path.iterdir()} == {"in.nc", "sync.c", "sync.so"}
