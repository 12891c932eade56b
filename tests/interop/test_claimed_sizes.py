"""What a header claims and no file holds costs no time: checks and salvage are bounded by what is stored."""

import json
import struct
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN


def missing_external(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("v", (2**38,), "u1", external=[("none.bin", 0, 2**38)])


def short_external(path):
    path.with_name("short.bin").write_bytes(bytes(range(100)))
    with h5py.File(path, "w") as f:
        f.create_dataset("v", (2**33,), "u1", external=[("short.bin", 0, 2**33)])
        f.create_dataset("w", (2**33,), "u1", external=[("short.bin", 0, 2**33)], fillvalue=7)


def virtual(path):
    with h5py.File(path.parent / "source.h5", "w") as f:
        f["x"] = np.arange(4, dtype="i4")
    layout = h5py.VirtualLayout((2**44,), "i4")
    layout[:] = h5py.VirtualSource("source.h5", "x", (2**44,))
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)


def virtual_of_nothing(path):
    virtual(path)
    (path.parent / "source.h5").unlink()


def name(text):
    return struct.pack(">q", len(text)) + text + bytes(-len(text) % 4)


def records(path):
    """CDF-5 with one record variable and 2**40 records, in 196 bytes."""
    absent = struct.pack(">iq", 0, 0)
    head = b"CDF\x05" + struct.pack(">q", 2**40) + struct.pack(">iq", 10, 1) + name(b"t") + struct.pack(">q", 0) + absent
    head += struct.pack(">iq", 11, 1) + name(b"v") + struct.pack(">qq", 1, 0) + absent + struct.pack(">iq", 6, 8)
    head += struct.pack(">q", len(head) + 8)
    path.write_bytes(head + bytes(196 - len(head)))


@pytest.mark.parametrize(
    "make, fault",
    [
        (missing_external, "external file none.bin: it does not exist"), (short_external, None), (virtual, None), (virtual_of_nothing, None),
        (records, "bytes 64 to 8796093022207 of its values cannot be read"),
    ],
)
def test_a_claim_costs_no_time(tmp_path, make, fault):
    path = tmp_path / "in.nc"
    make(path)
    done = subprocess.run([BIN / "ncdump", "--check", path], capture_output=True, text=True, timeout=10)
    assert done.returncode == (1 if fault else 0) and (fault or "no fault") in done.stdout, done.stdout
    # The output holds what is there, or is refused as the disk has no room for it.
    for kind in "nc4", "h5":
        command = [BIN / "nccopy", "--salvage", "-k", kind, path, tmp_path / f"out.{kind}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
        assert done.returncode in (0, 1, 3), done.stderr


def checked(path):
    done = subprocess.run([BIN / "ncdump", "--check", "--json", path], capture_output=True, text=True)
    found = json.loads(done.stdout)
    return [fault["cause"] for fault in found["faults"]], found["notes"]


def test_records_that_do_not_fit_the_file_are_told(tmp_path):
    path = tmp_path / "in.nc"
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as f:
        f.createDimension("t")
        for name in "ab":
            f.createVariable(name, "f8", ("t",))[:] = np.arange(5)
    whole = path.read_bytes()
    assert checked(path) == ([], [])
    # The number of records follows the magic number.
    path.write_bytes(whole[:4] + struct.pack(">I", 3) + whole[8:])
    assert checked(path) == ([], ["32 bytes follow the data: the header says that there are 3 records, and the file has room for 5"])
    path.write_bytes(whole[:4] + b"\xff\xff\xff\xff" + whole[8:])
    assert checked(path) == ([], ["the header leaves the number of records to the file's size, which gives 5"])
    assert "t = UNLIMITED ; // (5 currently)" in subprocess.run([BIN / "ncdump", path], capture_output=True, text=True).stdout
    path.write_bytes(whole + bytes(5))
    assert checked(path) == ([], ["5 bytes follow the data"])
    path.write_bytes(whole[:-20])
    faults, _ = checked(path)
    assert faults[0].endswith(f"and it has {len(whole) - 20}; 3 of 5 records are there")


@pytest.mark.parametrize("kind, type, chunks", [("nc4", "u1", []), ("nc4", "u1", ["-d", "1"]), ("nc5", "u1", []), ("nc6", "i1", [])])
def test_zeros_that_are_claimed_take_no_disk(tmp_path, monkeypatch, kind, type, chunks):
    """What lies past the end of an external file reads as zeros, whatever the fill value: libhdf5 says so, too."""
    monkeypatch.chdir(tmp_path)  # where libhdf5 looks for external files
    path, out = tmp_path / "in.h5", tmp_path / "out.nc"
    path.with_name("short.bin").write_bytes(bytes(range(1, 101)))
    with h5py.File(path, "w") as f:
        for name, fill in ("v", None), ("w", 7):
            f.create_dataset(name, (2**26,), type, external=[("short.bin", 0, 2**26)], fillvalue=fill)
    done = subprocess.run([BIN / "nccopy", "--verify", "-k", kind, *chunks, path, out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with h5py.File(path) as a, netCDF4.Dataset(out) as b:
        b.set_auto_mask(False)
        for name in "v", "w":
            assert (a[name][:200] == b[name][:200]).all() and not b[name][200:].any() and not a[name][200:].any()
    # A classic file is as long as its header says, and has holes.
    assert (out.stat().st_size > 2**27) == (not chunks) and out.stat().st_blocks * 512 < 2**23
    done = subprocess.run([BIN / "ncdump", "--check", path], capture_output=True, text=True)
    assert done.stdout.startswith("no fault in 2 variables, 0 chunks, 200 bytes of data"), done.stdout
