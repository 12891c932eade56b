"""Names of HDF5 files in messages: they steer no terminal and look like no line of their own."""

import json
import os
import re
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN

HOSTILE = {
    "escape": "\x1b[31mred",
    "bell_and_title": "\x1b]0;title\x07",
    "c1": "\x9b31m\x90q",
    "delete": "a\x7f",
    "bidi": "\u202eab\u2066cd\u2069",
    "lines": "a\nncdump: all is well\r\u2028\n",
}
SHOWN_RAW = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def told(program, *arguments):
    """What the program says on standard error, a line each, and its exit status."""
    done = subprocess.run([str(BIN / program), *map(str, arguments)], capture_output=True, timeout=60)
    text = done.stderr.decode()
    assert not SHOWN_RAW.search(text), repr(text)
    assert text.endswith("\n") and all(line.startswith(f"{program}: ") for line in text.splitlines()), repr(text)
    return text.splitlines(), done.returncode


@pytest.mark.parametrize("name", HOSTILE)
def test_warnings(name, tmp_path):
    path = tmp_path / "h.h5"
    with h5py.File(path, "w") as f:
        group = f.create_group(HOSTILE[name])
        group[HOSTILE[name]] = h5py.SoftLink("nowhere")
        group.attrs[HOSTILE[name]] = h5py.Empty("S10")
        group.create_dataset("null " + HOSTILE[name], data=h5py.Empty("f4"))
    for program, arguments in (("ncdump", ["-h", path]), ("nccopy", [path, tmp_path / "out.nc"])):
        lines, status = told(program, *arguments)
        assert status == 0 and sum("is left out" in line for line in lines) == len(lines) >= 2, lines
        assert any("does not exist" in line for line in lines), lines


def test_quiet_copies_tell_errors_alone(tmp_path):
    path, output = tmp_path / "h.h5", tmp_path / "out.nc"
    with h5py.File(path, "w") as f:
        f.create_dataset("null", data=h5py.Empty("f4"))
        f.create_dataset("v", data=np.arange(1000.0), chunks=(100,))
    for options in [], ["-F", "v,auto"]:
        assert told("nccopy", *options, path, output)[0]
        done = subprocess.run([BIN / "nccopy", "--quiet", *options, path, output], capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    lines, status = told("nccopy", "--quiet", "-d", "11", path, output)
    assert status == 1 and len(lines) == 1, lines


def test_progress_is_lines_of_json(tmp_path):
    paths = [tmp_path / f"{n}.h5" for n in range(2)]
    for path in paths:
        with h5py.File(path, "w") as f:
            f.create_dataset("v", data=np.arange(1000.0), chunks=(100,))
    of_files = {"files": 2, "all_files": 2}
    sizes = sum(path.stat().st_size for path in paths)
    for arguments, last in [
        ([paths[0], tmp_path / "out.nc"], {"done": 8000, "total": 8000}),
        ([*paths, f"{tmp_path}/more/"], {"done": sizes, "total": sizes, **of_files}),
    ]:
        done = subprocess.run([BIN / "nccopy", "--quiet", "--progress=json", "-d1", *arguments], capture_output=True)
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        assert done.returncode == 0 and (lines[0]["done"], lines[-1]) == (0, {"type": "progress", **last}), lines


@pytest.mark.parametrize("name", HOSTILE)
def test_errors(name, tmp_path):
    path = tmp_path / (HOSTILE[name] + ".h5")
    with h5py.File(path, "w") as f:
        bad = f.create_dataset(HOSTILE[name], data=np.arange(10000), chunks=(10000,), compression="gzip")
        offset = bad.id.get_chunk_info(0).byte_offset
    with open(path, "r+b") as f:
        f.seek(offset)
        f.write(b"\xff" * 64)
    for program, arguments in (
        ("ncdump", [path]),
        ("nccopy", ["-d0", path, tmp_path / "out.nc"]),
        ("nccopy", [path, tmp_path / HOSTILE[name] / "out.nc"]),
    ):
        lines, status = told(program, *arguments)
        assert status == 1 and len(lines) == 1, lines


def test_long_paths(tmp_path):
    """Each name is no longer than netCDF allows, but there are many."""
    path = tmp_path / "long.h5"
    with h5py.File(path, "w") as f:
        group = f
        for n in range(60):
            group = group.create_group(f"{n:02}" + "ä" * 100)
        group["dangling"] = h5py.SoftLink("nowhere")
    (line,), status = told("ncdump", "-h", path)
    assert status == 0 and len(line.encode()) <= 4096
    assert "…" in line and line.endswith("nowhere does not exist"), line


def test_a_terminal_is_not_steered_by_names_and_text(tmp_path):
    path = tmp_path / "steers.nc"
    with netCDF4.Dataset(path, "w") as dataset:
        dataset.setncattr("text", "a\x1b]0;x\x07b\u009b31m\u202e")
    piped = subprocess.run([BIN / "ncdump", path], capture_output=True, timeout=60).stdout
    assert "\u009b31m\u202e".encode() in piped
    for options in ([], ["-x"]):
        ours, theirs = os.openpty()
        dump = subprocess.Popen([BIN / "ncdump", *options, path], stdout=theirs)
        os.close(theirs)
        shown = b""
        while True:
            try:
                more = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
            shown += more
        assert dump.wait(timeout=60) == 0
        assert b"\\302\\23331m\\342\\200\\256" in shown, shown
        assert b"\x1b" not in shown and b"\x07" not in shown


@pytest.mark.parametrize("arguments, says", [
    (["-F", "zstd,3"], "'*,zstd,…'"),
    (["-F", "zstd,level=3"], "'*,zstd,level=3'"),
    (["-F", "shuffle|zstd,3"], "'*,shuffle|zstd,3'"),
    (["-c", "time:3,lat:2"], "'time/3,lat/2'"),
    (["--sel", "longitude=3"], "it has time, lat"),
    (["--sel", "lat=12"], "lat~12 takes the nearest"),
])
def test_a_form_that_is_not_taken_is_answered_by_the_one_that_is(arguments, says, tmp_path):
    path, output = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(path, "w") as nc:
        for name in "time", "lat":
            nc.createDimension(name, 4)
            nc.createVariable(name, "f8", (name,))[:] = np.arange(4)
        nc.createVariable("tas", "f4", ("time", "lat"))[:] = 1
    lines, status = told("nccopy", *arguments, path, output)
    assert status == 1 and says in lines[0] and not output.exists(), lines


def test_a_name_of_zarr_is_answered_by_the_kinds(tmp_path):
    path = tmp_path / "in.nc"
    netCDF4.Dataset(path, "w").close()
    lines, status = told("nccopy", path, tmp_path / "out.zarr")
    assert status == 1 and "-k zarr3" in lines[0], lines


@pytest.mark.parametrize("arguments, warns", [([], True), (["-u"], False), (["-u", "-d", "1"], True)])
def test_chunks_that_stay_are_told(arguments, warns, tmp_path):
    path, output = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("time", None)
        nc.createVariable("tas", "f4", ("time",))[:] = np.arange(5000)
    done = subprocess.run([BIN / "nccopy", "-c", "tas:", *arguments, path, output], capture_output=True, text=True, check=True)
    assert ("no chunks are asked for" in done.stderr) == warns, done.stderr
    with netCDF4.Dataset(output) as nc:
        assert (nc["tas"].chunking() != "contiguous") == warns


def test_memory_without_its_suffix_is_told(tmp_path):
    path = tmp_path / "in.nc"
    netCDF4.Dataset(path, "w").close()
    for program, arguments in ("nccopy", [path, tmp_path / "out.nc"]), ("ncdump", [path]):
        lines, status = told(program, "-m", "64", *arguments)
        assert status == 1 and "write 64M for megabytes" in lines[0], lines
