"""What a header claims and no file holds costs no time: checks and salvage are bounded by what is stored."""

import struct
import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN


def missing_external(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("v", (2**38,), "u1", external=[("none.bin", 0, 2**38)])


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
        (missing_external, "external file none.bin: it does not exist"), (virtual, None), (virtual_of_nothing, None),
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
