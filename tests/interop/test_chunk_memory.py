"""Chunks that claim more memory than a run may use are refused before they are decoded, in every format."""

import gzip
import json
import struct
import subprocess
import sys
import zlib

import h5py
import numpy as np
import pytest
from conftest import BIN, nccopy

CLAIMED = 1 << 40
STORED = gzip.compress(bytes(64 << 20), 1)


def zarr3(path, shape, codecs, content):
    path.mkdir()
    (path / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {}}))
    (path / "v" / "c").mkdir(parents=True)
    meta = {
        "zarr_format": 3, "node_type": "array", "shape": [shape], "data_type": "uint8", "fill_value": 0, "codecs": codecs,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [shape]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "dimension_names": ["x"],
    }
    (path / "v" / "zarr.json").write_text(json.dumps(meta))
    (path / "v" / "c" / "0").write_bytes(content)


BYTES, GZIP = {"name": "bytes"}, {"name": "gzip", "configuration": {"level": 1}}


def plain(path):
    zarr3(path, CLAIMED, [BYTES, GZIP], STORED)


def twice(path):
    """A stage in the middle holds no more than the chunk."""
    zarr3(path, CLAIMED, [BYTES, GZIP, GZIP], gzip.compress(STORED))


def sharded(path):
    # One chunk fills the shard. The index behind it has its offset and size.
    shard = STORED + struct.pack("<QQ", 0, len(STORED))
    configuration = {"chunk_shape": [CLAIMED], "codecs": [BYTES, GZIP], "index_codecs": [BYTES | {"configuration": {"endian": "little"}}]}
    zarr3(path, CLAIMED, [{"name": "sharding_indexed", "configuration": configuration}], shard)


def zarr2(path):
    (path / "v").mkdir(parents=True)
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    meta = {"zarr_format": 2, "shape": [CLAIMED], "chunks": [CLAIMED], "dtype": "|u1", "fill_value": 0, "order": "C",
            "filters": None, "compressor": {"id": "gzip", "level": 1}}
    (path / "v" / ".zarray").write_text(json.dumps(meta))
    (path / "v" / ".zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}')
    (path / "v" / "0").write_bytes(STORED)


def hdf5(path, size=2**32 - 1):
    with h5py.File(path, "w") as f:
        v = f.create_dataset("v", (size,), "u1", chunks=(size,), compression="gzip")
        v.id.write_direct_chunk((0,), zlib.compress(bytes(64 << 20), 1))


# What a process takes counts from its fork, so a small process starts the program.
MEASURE = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)
"""


def run(*command):
    """The status of a program, what it said, and the most memory that it took, in MB."""
    done = subprocess.run([sys.executable, "-S", "-E", "-c", MEASURE, *command], capture_output=True, text=True, check=True)
    *said, measured = done.stderr.splitlines()
    status, memory = map(int, measured.split())
    return status, "\n".join([done.stdout[-2000:], *said]), memory


@pytest.mark.parametrize("make", [plain, twice, sharded, zarr2, hdf5])
def test_a_claim_is_refused(tmp_path, make):
    path, out = tmp_path / "in", tmp_path / "out.nc"
    make(path)
    size = 2**32 - 1 if make is hdf5 else CLAIMED
    again = tmp_path / "again"
    for command in (
        ["ncdump", "-m", "100M", path], ["ncdump", "-m", "100M", "--check", path], ["ncdump", "-m", "100M", "--digest", path],
        ["nccopy", "-m", "100M", "-d", "2", path, f"{again}#mode=zarr,file"],
        ["nccopy", "-m", "100M", "-k", "nc5", "--isel", f"{'phony_dim_0' if make is hdf5 else 'x'}=0:9", path, out],
    ):
        status, told, memory = run(BIN / command[0], *command[1:])
        assert status == 1, (command, told)
        assert "v" in told and f"{size} bytes when it is decoded" in told and "100000000" in told and "-m" in told, told
        assert memory < 100, command
        assert not out.exists() and not again.exists()


def test_a_claim_is_not_compared(tmp_path):
    for name, content in ("a", STORED), ("b", gzip.compress(bytes(5))):
        zarr3(tmp_path / name, CLAIMED, [BYTES, GZIP], content)
    status, told, memory = run(BIN / "ncdump", "-m", "100M", "--diff", tmp_path / "b", tmp_path / "a")
    assert (status, memory < 100) == (2, True) and "bytes when it is decoded" in told, told


def test_the_default_comes_from_the_machine(tmp_path):
    plain(tmp_path / "in")
    status, told, memory = run(BIN / "ncdump", tmp_path / "in")
    assert (status, memory < 100) == (1, True) and "variable v: chunk [0]: it takes 1099511627776 bytes" in told, told


def test_an_honest_large_chunk_is_read(tmp_path):
    path, out = tmp_path / "in.h5", tmp_path / "out.nc"
    size = 300 << 20
    with h5py.File(path, "w") as f:
        f.create_dataset("v", data=np.zeros(size, "u1"), chunks=(size,), compression=1)
    refused = nccopy("-m", "100M", "-d", "0", path, out, ok=False)
    assert "variable v" in refused and "allow more memory (-m)" in refused
    assert nccopy("-m", "400M", "-d", "0", path, out) == ""
    assert subprocess.run([BIN / "ncdump", "--check", path]).returncode == 0
    # What is not checked is no fault, and the status tells that not all is known to be sound.
    done = subprocess.run([BIN / "ncdump", "-m", "100M", "--check", path], capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout.startswith("not checked: variable v: chunk [0]: "), done.stdout
    assert "\nno fault in 1 variable, " in done.stdout and "; 1 chunk not checked; " in done.stdout, done.stdout
    for flags in [], ["-m", "400M"]:
        assert subprocess.run([BIN / "ncdump", *flags, "--diff", out, path]).returncode == 0
    # What passes as it is takes no memory of its decoded size.
    assert nccopy("-m", "100M", path, out, "--replace") == ""


def test_what_has_no_codecs_is_read(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f.create_dataset("v", data=np.zeros(100 << 20, "u1"), chunks=(100 << 20,))
    assert subprocess.run([BIN / "ncdump", "-m", "70M", "--check", path]).returncode == 0
    assert nccopy("-m", "70M", "-c", "phony_dim_0/1000000", path, tmp_path / "out.nc") == ""
