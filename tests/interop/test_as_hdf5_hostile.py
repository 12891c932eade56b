"""`nccopy -k h5` of small files that stand for much: an error at once, in little memory."""

import resource
import subprocess

import h5py
import numpy as np
from conftest import BIN

MEMORY = 2 << 30


def refused(path):
    """The message of a copy in little memory."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    command = [BIN / "nccopy", "--threads", "1", "-m", "64M", "-k", "h5", path, path.parent / "out.h5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, preexec_fn=limit)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    assert not (path.parent / "out.h5").exists()
    return done.stderr


def test_many_elements_of_one_heap_object(tmp_path):
    path = tmp_path / "in.h5"
    count = 20_000
    with h5py.File(path, "w") as f:
        made = f.create_dataset("v", (count,), h5py.vlen_dtype(np.uint8))
        made[0] = np.zeros(50_000, np.uint8)
        made[count - 1] = np.zeros(1, np.uint8)
        at = made.id.get_offset()
    data = bytearray(path.read_bytes())
    data[at : at + 16 * count] = data[at : at + 16] * count
    path.write_bytes(data)
    assert "many times larger than the file" in refused(path)


def test_many_addresses_in_one_element(tmp_path):
    path = tmp_path / "in.h5"
    t = h5py.h5t
    inner = t.array_create(t.STD_REF_OBJ, (1_000_000,))
    whole = t.array_create(t.vlen_create(inner), (1_000_000,))
    with h5py.File(path, "w") as f:
        h5py.h5d.create(f.id, b"v", whole, h5py.h5s.create_simple((1,)))
    assert "more than 1048576 addresses" in refused(path)


def test_groups_in_groups(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", libver="latest") as f:
        group = f
        for _ in range(3000):
            group = group.create_group("g" * 100)
    assert "nested more than 256 deep" in refused(path)
