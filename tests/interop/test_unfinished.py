"""HDF5 files that their writer has not closed: they are told by ncdump, refused by nccopy, and no output replaces one."""

import contextlib
import fcntl
import json
import os
import subprocess
import sys

import h5py
import numpy as np
import pytest
from conftest import BIN, HERE, installed, nccopy, ncdump
from stop_points import go_on, stopped

# Writes a file, flushes it, and waits until it is told to end.
WRITER = """
import os, sys, h5py, numpy as np
path, libver, swmr = sys.argv[1:]
f = h5py.File(path, "w", libver=(libver, "v110"))
f.create_dataset("x", data=np.arange(10), chunks=(10,), maxshape=(None,))
f.flush()
if swmr == "swmr":
    f.swmr_mode = True
print("open", flush=True)
if sys.stdin.readline() == "close\\n":
    f.close()
os._exit(0)
"""

BEING_WRITTEN = "the file is being written by another program"
NOT_CLOSED = "the file was not closed by its writer"
OPEN = "the file is being written by another program, or was not closed by its writer"
KINDS = [("earliest", ""), ("v108", ""), ("v110", ""), ("v110", "swmr")]


@contextlib.contextmanager
def writer(path, libver, swmr, end="kill", env=None):
    """A program that has the file open for writing. It ends without closing it, unless `end` is `close`."""
    command = [sys.executable, "-W", "ignore", "-c", WRITER, path, libver, swmr]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
    try:
        assert program.stdout.readline() == "open\n"
        yield
    finally:
        program.communicate(f"{end}\n", timeout=60)


def told(path, *arguments):
    """What ncdump warns of."""
    done = subprocess.run([BIN / "ncdump", *arguments, path], capture_output=True, text=True)
    assert done.returncode == 0 and "x = 0, 1, 2" in done.stdout, done.stderr
    return done.stderr


def checked(path):
    done = subprocess.run([BIN / "ncdump", "--check", "--json", path], capture_output=True, text=True)
    faults = [fault["cause"] for fault in json.loads(done.stdout)["faults"]]
    assert done.returncode == (1 if faults else 0)
    return faults


@pytest.mark.parametrize("libver, swmr", KINDS)
def test_an_open_file_is_told(tmp_path, libver, swmr):
    path, out = tmp_path / "in.h5", tmp_path / "out.nc"
    with writer(path, libver, swmr):
        # A writer lets its lock go when it allows readers.
        wanted = OPEN if swmr else BEING_WRITTEN
        assert told(path) == f"ncdump: {path}: warning: {wanted}\n"
        assert checked(path) == [wanted]
        for flags in [], ["-k", "h5"]:
            said = nccopy(*flags, path, out, ok=False)
            assert wanted in said and "--unfinished" in said
            assert not out.exists()
    wanted = OPEN if swmr else NOT_CLOSED
    assert told(path) == f"ncdump: {path}: warning: {wanted}\n"
    assert checked(path) == [wanted]
    assert wanted in nccopy(path, out, ok=False)
    for flags in ["--unfinished"], ["--unfinished", "-k", "h5"], ["--salvage"]:
        assert wanted in nccopy(*flags, path, out)
        assert "x = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9" in ncdump(out).decode()
        assert checked(out) == []
        out.unlink()
    subprocess.run(["h5clear", "-s", path], check=True)
    assert told(path) == "" and checked(path) == [] and nccopy(path, out) == ""


# Writes a file with netCDF-C.
NETCDF_WRITER = """
import os, sys, netCDF4, numpy as np
f = netCDF4.Dataset(sys.argv[1], sys.argv[2], format=sys.argv[3])
if sys.argv[2] == "w":
    f.createDimension("d")
    f.createVariable("x", "i4", ("d",))[:] = np.arange(10)
f.sync()
print("open", flush=True)
if sys.stdin.readline() == "close\\n":
    f.close()
os._exit(0)
"""


@pytest.mark.parametrize("mode", ["w", "a"])
@pytest.mark.parametrize("model", ["NETCDF4", "NETCDF4_CLASSIC"])
def test_a_file_that_netcdf_c_has_open_is_told(tmp_path, model, mode):
    path, out = tmp_path / "in.nc", tmp_path / "out.nc"

    def write(mode, end, meanwhile):
        command = [sys.executable, "-W", "ignore", "-c", NETCDF_WRITER, path, mode, model]
        program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            assert program.stdout.readline() == "open\n"
            meanwhile()
        finally:
            program.communicate(f"{end}\n", timeout=60)

    def is_told(wanted):
        assert told(path) == f"ncdump: {path}: warning: {wanted}\n" and checked(path) == [wanted]
        assert wanted in nccopy(path, out, ok=False) and not out.exists()

    if mode == "a":
        write("w", "close", lambda: None)
        assert told(path) == "" and checked(path) == []
    write(mode, "kill", lambda: is_told(BEING_WRITTEN))
    is_told(NOT_CLOSED)
    subprocess.run(["h5clear", "-s", path], check=True)
    assert told(path) == "" and checked(path) == [] and nccopy(path, out) == ""


@pytest.mark.parametrize("libver, swmr", KINDS)
def test_a_closed_file_is_whole(tmp_path, libver, swmr):
    path = tmp_path / "in.h5"
    with writer(path, libver, swmr, "close"):
        pass
    assert told(path) == "" and checked(path) == []
    assert nccopy(path, tmp_path / "out.nc") == ""


# Opens a file to change it, and ends without closing it.
CHANGER = """
import os, sys, h5py
f = h5py.File(sys.argv[1], "r+")
f.attrs["new"] = 1
f.flush()
print("open", flush=True)
sys.stdin.readline()
os._exit(0)
"""


def test_an_open_file_of_superblock_1_is_told(tmp_path):
    """h5py makes no new file with this superblock."""
    path = tmp_path / "in.h5"
    path.write_bytes((HERE.parent.parent / "crates/hdf5/tests/data/structure/superblock1.h5").read_bytes())
    assert path.read_bytes()[8] == 1 and checked(path) == []
    command = [sys.executable, "-W", "ignore", "-c", CHANGER, path]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout.readline() == "open\n"
        assert checked(path) == [BEING_WRITTEN] and BEING_WRITTEN in nccopy(path, tmp_path / "out.nc", ok=False)
    finally:
        program.communicate("\n", timeout=60)
    assert checked(path) == [NOT_CLOSED] and NOT_CLOSED in nccopy(path, tmp_path / "out.nc", ok=False)
    subprocess.run(["h5clear", "-s", path], check=True)
    assert checked(path) == []


def test_locks_that_are_not_used_are_not_tried(tmp_path, monkeypatch):
    path = tmp_path / "in.h5"
    with writer(path, "earliest", ""):
        for value in "FALSE", "0":
            monkeypatch.setenv("HDF5_USE_FILE_LOCKING", value)
            assert OPEN in told(path)
        monkeypatch.setenv("HDF5_USE_FILE_LOCKING", "BEST_EFFORT")
        assert BEING_WRITTEN in told(path)


# A file system without locks, such as some network file systems: each attempt fails with this error.
FLOCK = """
#include <errno.h>
int flock(int file, int operation) { (void)file; (void)operation; errno = ENOSYS; return -1; }
"""


@pytest.fixture(scope="module")
def without_locks(tmp_path_factory):
    """The environment of a program on a file system without locks."""
    folder = tmp_path_factory.mktemp("flock")
    (folder / "flock.c").write_text(FLOCK)
    subprocess.run([installed("gcc"), "-shared", "-fPIC", "-o", folder / "flock.so", folder / "flock.c"], check=True)
    return {**os.environ, "LD_PRELOAD": str(folder / "flock.so"), "HDF5_USE_FILE_LOCKING": "BEST_EFFORT"}


@pytest.mark.parametrize("libver, swmr", KINDS)
def test_a_file_system_may_have_no_locks(tmp_path, without_locks, libver, swmr):
    """What is told is that which the flag in the file says. HDF5 writes there only if locks are its best effort."""
    path = tmp_path / "a.h5"
    strict = {**without_locks, "HDF5_USE_FILE_LOCKING": "TRUE"}
    refused = subprocess.run([sys.executable, "-W", "ignore", "-c", WRITER, path, libver, swmr], capture_output=True, text=True, env=strict, input="")
    assert refused.returncode != 0 and "unable to lock file" in refused.stderr
    with writer(path, libver, swmr, env=without_locks):
        says = BEING_WRITTEN if swmr else OPEN
        for _ in range(2):
            done = subprocess.run([BIN / "ncdump", path], capture_output=True, text=True, env=without_locks)
            assert done.returncode == 0 and "x = 0, 1, 2" in done.stdout and says in done.stderr and len(done.stderr.splitlines()) == 1
        assert says in nccopy(path, tmp_path / "b.nc", ok=False, env=without_locks)
        assert says in nccopy("--unfinished", path, tmp_path / "b.nc", env=without_locks)
    # A file without the flag is whole, and an output is written and replaced as elsewhere.
    for _ in range(2):
        assert nccopy("-d", 1, tmp_path / "b.nc", tmp_path / "c.nc", env=without_locks) == ""
    with h5py.File(tmp_path / "c.nc") as f:
        assert (f["x"][:] == np.arange(10)).all()


def test_readers_leave_no_lock(tmp_path):
    path = tmp_path / "in.h5"
    with writer(path, "earliest", ""):
        pass
    assert NOT_CLOSED in told(path)
    subprocess.run(["h5clear", "-s", path], check=True)
    with h5py.File(path, "r+") as f:
        f["y"] = np.arange(3)
    assert "y" in ncdump("-h", path).decode()


def test_the_lock_of_standard_input_stays(tmp_path):
    path = tmp_path / "in.h5"
    with writer(path, "earliest", ""):
        pass
    with open(path) as file, open(path) as other:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = subprocess.run([BIN / "ncdump", "-"], stdin=file, capture_output=True, text=True)
        assert done.returncode == 0 and OPEN in done.stderr
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize("flags", [[], ["-k", "nc3"], ["-k", "h5"]], ids=" ".join)
def test_what_is_being_written_is_not_replaced(tmp_path, flags):
    source, path = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(source, "w") as f:
        f["x"] = np.arange(3, dtype="i4")
    with writer(path, "earliest", "", "close"):
        said = nccopy(*flags, source, path, ok=False)
        assert f"{path}: " in said and "being written by another program" in said
    with h5py.File(path) as f:
        assert f["x"].shape == (10,)
    nccopy(*flags, source, path)
    assert "x = 0, 1, 2 ;" in ncdump(path).decode()


@pytest.mark.parametrize("options", [{}, {"libver": "latest"}, {"userblock_size": 512}], ids=str)
def test_bytes_behind_the_end_are_told(tmp_path, options):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", **options) as f:
        f["x"] = np.arange(10)
    for added, note in (b"", []), (b"x", ["1 byte follows the end of the HDF5 file"]), (b"xy", ["3 bytes follow the end of the HDF5 file"]):
        with open(path, "ab") as file:
            file.write(added)
        done = subprocess.run([BIN / "ncdump", "--check", "--json", path], capture_output=True, text=True)
        found = json.loads(done.stdout)
        # What libhdf5 allocates at once, and does not use up, is told, too.
        notes = [told for told in found["notes"] if "that nothing refers to" not in told]
        assert (done.returncode, found["faults"], notes) == (0, [], note)
    assert "3 bytes follow" in subprocess.run([BIN / "ncdump", "--check", path], capture_output=True, text=True).stdout
    with h5py.File(path) as f:
        assert f["x"][9] == 9


def virtual_of(path, source):
    layout = h5py.VirtualLayout((10,), "i8")
    layout[:] = h5py.VirtualSource(source.name, "x", (10,))
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("x", layout)


def link_to(path, source):
    with h5py.File(path, "w") as f:
        f["x"] = h5py.ExternalLink(source.name, "x")


@pytest.mark.parametrize("make", [virtual_of, link_to])
@pytest.mark.parametrize("libver, swmr", [("earliest", ""), ("v110", "swmr")])
def test_an_unfinished_source_is_told(tmp_path, make, libver, swmr):
    source, path, out = tmp_path / "source.h5", tmp_path / "in.h5", tmp_path / "out.nc"
    make(path, source)
    with writer(source, libver, swmr):
        wanted = f"it refers to {source}: {OPEN if swmr else BEING_WRITTEN}"
        assert told(path) == f"ncdump: {path}: warning: {wanted}\n"
        assert checked(path) == [wanted]
        said = nccopy(path, out, ok=False)
        assert wanted in said and "--unfinished" in said and not out.exists()
        assert wanted in nccopy("--unfinished", path, out)


def test_a_source_that_was_closed_is_whole(tmp_path):
    source, path = tmp_path / "source.h5", tmp_path / "in.h5"
    virtual_of(path, source)
    with writer(source, "v110", "swmr", "close"):
        pass
    assert told(path) == "" and checked(path) == [] and nccopy(path, tmp_path / "out.nc") == ""


@pytest.mark.parametrize("flags", [[], ["-k", "nc3"], ["-k", "h5"], ["-k", "zst"], ["--dry-run"]], ids=" ".join)
@pytest.mark.parametrize("swmr", ["", "swmr"])
def test_an_output_with_a_writer_is_not_replaced(tmp_path, flags, swmr):
    source, path = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(source, "w") as f:
        f["x"] = np.arange(3, dtype="i4")
    with writer(path, "v110", swmr, "close"):
        said = nccopy(*flags, source, path, ok=False)
        assert f"{path}: " in said and "name another file" in said, said
    with h5py.File(path) as f:
        assert f["x"].shape == (10,)
    nccopy(*flags, source, path)


def test_an_output_that_is_opened_meanwhile_is_not_replaced(tmp_path):
    source, path = tmp_path / "in.h5", tmp_path / "out.h5"
    for file in source, path:
        with h5py.File(file, "w") as f:
            f["x"] = np.arange(3, dtype="i4")
    process = stopped("commit", "nccopy", source, path)
    with h5py.File(path, "r+") as f:
        f["y"] = 1
        status, said = go_on(process)
        assert status == 1 and "being written by another program" in said
    with h5py.File(path) as f:
        assert "y" in f


def test_bytes_of_an_unfinished_file_are_refused(tmp_path):
    path, out = tmp_path / "in.h5", tmp_path / "out.zst"
    with writer(path, "earliest", ""):
        said = nccopy("-k", "zst", path, out, ok=False)
        assert BEING_WRITTEN in said and "--unfinished" in said and not out.exists()
    assert OPEN in nccopy("-k", "zst", "--unfinished", path, out)
    assert out.exists()


# Writes without a flush: the superblock may be in the file, and nothing else.
UNFLUSHED = """
import os, sys, h5py, numpy as np
f = h5py.File(sys.argv[1], "w", libver=(sys.argv[2], "v110"))
f.create_dataset("x", data=np.arange(100000), chunks=(100,))
print("open", flush=True)
sys.stdin.readline()
os._exit(0)
"""


@pytest.mark.parametrize("libver", ["earliest", "v110"])
def test_a_file_that_was_never_flushed_is_told(tmp_path, libver):
    path = tmp_path / "in.h5"
    command = [sys.executable, "-W", "ignore", "-c", UNFLUSHED, path, libver]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout.readline() == "open\n"
        done = subprocess.run([BIN / "ncdump", path], capture_output=True, text=True)
        assert done.returncode == 1 and BEING_WRITTEN in done.stderr and "flushed" in done.stderr, done.stderr
        assert BEING_WRITTEN in nccopy(path, tmp_path / "out.nc", ok=False)
    finally:
        program.communicate("\n", timeout=60)
    done = subprocess.run([BIN / "ncdump", path], capture_output=True, text=True)
    assert done.returncode == 1 and NOT_CLOSED in done.stderr, done.stderr
