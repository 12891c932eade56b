"""Files in which objects have many links: all are read, and what multiplies ends."""

import resource
import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN, ncdump

MANY = 100_000


@pytest.mark.long
def test_a_dataset_of_many_links(tmp_path):
    path = tmp_path / "many.h5"
    with h5py.File(path, "w", libver="latest") as f:
        d = f.create_dataset("d", data=7)
        d.attrs["units"] = "m"
        for n in range(MANY):
            f[f"l{n}"] = d
    text = ncdump("-h", path).decode()
    assert text.count("\tint64 ") == MANY + 1 and text.count(':units = "m" ;') == MANY + 1
    assert f"\tint64 l{MANY - 1} ;" in text


def test_groups_of_several_links(tmp_path):
    path = tmp_path / "groups.h5"
    with h5py.File(path, "w", libver="latest") as f:
        group = f.create_group("g")
        group["d"] = 7
        empty = f.create_group("empty")
        for n in range(1000):
            f[f"g{n}"], f[f"empty{n}"] = group, empty
    text = ncdump("-h", path).decode()
    assert text.count("group: ") == 2002 and text.count("int64 d ;") == 1001


@pytest.mark.parametrize("depth, wide", [(60, 2), pytest.param(30, 20, marks=pytest.mark.long), pytest.param(3, 1000, marks=pytest.mark.long)])
def test_nets_of_groups_end(depth, wide, tmp_path):
    """From the root to the last group there are wide ** depth ways."""
    path = tmp_path / "net.h5"
    with h5py.File(path, "w", libver="latest") as f:
        groups = [f, *(f.create_group(f"level{n}") for n in range(depth))]
        for outer, inner in zip(groups, groups[1:]):
            for n in range(wide):
                outer[f"to{n}"] = inner
        groups[-1]["d"] = np.arange(3)
    ended(path)


def ended(path):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    done = subprocess.run([BIN / "ncdump", "-h", path], capture_output=True, text=True, timeout=60, preexec_fn=limit)
    assert done.returncode == 1 and "met again" in done.stderr and "damaged" not in done.stderr, done.stderr
