"""LZF, LZ4 and bitshuffle: what h5py and hdf5plugin encode is decoded, what we encode they decode, with equal parameters."""

import json
import os
import subprocess
import sys

import pytest
from conftest import nccopy
from stored import filters, parameters

LZF, LZ4, BITSHUFFLE = 32000, 32004, 32008

GIVEN = {
    "lzf": (LZF, ()),
    "lz4": (LZ4, ()),
    "lz4_default": (LZ4, (0,)),
    "lz4_blocks": (LZ4, (1000,)),
    "bitshuffle": (BITSHUFFLE, ()),
    "bitshuffle_plain": (BITSHUFFLE, (0, 0)),
    "bitshuffle_plain_blocks": (BITSHUFFLE, (40,)),
    "bitshuffle_lz4": (BITSHUFFLE, (0, 2)),
    "bitshuffle_lz4_blocks": (BITSHUFFLE, (136, 2)),
    "bitshuffle_zstd": (BITSHUFFLE, (0, 3)),
    "bitshuffle_zstd_level": (BITSHUFFLE, (512, 3, 9)),
}

# In a process of its own: netCDF4-python may bring plugins that another HDF5 was built with.
DATA = """
import json, sys, h5py, hdf5plugin, numpy as np
path, filter, given = sys.argv[1], int(sys.argv[2]), tuple(json.loads(sys.argv[3]))
rng = np.random.default_rng(7)
SHAPE, CHUNK = (53, 41), (20, 30)

def variables():
    for dtype in "i1", "u1", "<i2", ">i2", "<u4", ">i4", "<i8", ">u8", "<f4", ">f4", "<f8", ">f8":
        size = np.dtype(dtype).itemsize
        kinds = {
            "constant": np.full(SHAPE, 5),
            "ramp": np.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE) // 5 % 120,
            "walk": np.cumsum(rng.integers(-2, 3, SHAPE), axis=1),
        }
        for kind, values in kinds.items():
            yield f"{kind}_{dtype[-2:]}_{'be' if dtype[0] == '>' else 'le'}", values.astype(dtype)
        noise = np.frombuffer(rng.bytes(SHAPE[0] * SHAPE[1] * size), dtype).reshape(SHAPE)
        yield f"noise_{dtype[-2:]}_{'be' if dtype[0] == '>' else 'le'}", noise
    yield "text", np.array(list(b"abc " * 600)[: 53 * 41], "u1").view("S1").reshape(SHAPE)
"""

WRITE = DATA + """
with h5py.File(path, "w") as f:
    for name, values in variables():
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk(CHUNK)
        if filter:
            plist.set_filter(filter, h5py.h5z.FLAG_OPTIONAL, given)
        v = h5py.h5d.create(f.id, name.encode(), h5py.h5t.py_create(values.dtype), h5py.h5s.create_simple(SHAPE), plist)
        h5py.Dataset(v)[...] = values
"""

READ = DATA + """
with h5py.File(path) as f:
    for name, values in variables():
        found = f[name][...]
        assert found.dtype.itemsize == values.dtype.itemsize
        assert found.astype(values.dtype).tobytes() == values.tobytes(), name
"""


def alone(script, path, filter=0, given=()):
    env = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}
    arguments = [str(path), str(filter), json.dumps(given)]
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script, *arguments], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def names(path):
    import h5py

    with h5py.File(path) as f:
        return [name for name in f if f[name].chunks]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The data without filters, written by h5py."""
    path = tmp_path_factory.mktemp("plain") / "in.h5"
    alone(WRITE, path)
    return path


@pytest.mark.parametrize("filter, given", GIVEN.values(), ids=GIVEN)
def test_both_directions(plain, tmp_path, filter, given):
    theirs, decoded, ours = tmp_path / "theirs.h5", tmp_path / "decoded.nc", tmp_path / "ours.nc"
    alone(WRITE, theirs, filter, given)
    nccopy("-F", "none", theirs, decoded)
    alone(READ, decoded)
    # Other chunks: what was decoded is encoded again.
    nccopy("-c", "phony_dim_0/11,phony_dim_1/13", theirs, tmp_path / "rechunked.nc")
    alone(READ, tmp_path / "rechunked.nc")
    nccopy("-F", ",".join(map(str, ("*", filter, *given))), plain, ours)
    alone(READ, ours)
    for name in names(ours):
        assert filters(ours, name) == filters(theirs, name) == [filter]
        assert parameters(ours, name) == parameters(theirs, name), name


@pytest.mark.parametrize("filter, given", GIVEN.values(), ids=GIVEN)
def test_with_shuffle_and_checksum(plain, tmp_path, filter, given):
    """h5py reads the order of a new pipeline: bitshuffle comes before the checksum."""
    target = tmp_path / "out.nc"
    nccopy("-F", ",".join(map(str, ("*", filter, *given))) + "|2|3", plain, target)
    alone(READ, target)
    rest = [3, 2]
    wanted = [filter, *rest] if filter == BITSHUFFLE else [*rest, filter]
    assert all(filters(target, name) == wanted for name in names(target))
    nccopy("-F", "none", target, tmp_path / "decoded.nc")
    alone(READ, tmp_path / "decoded.nc")


@pytest.mark.parametrize(
    "spec, says",
    [
        ("32000,1", "filter 32000 (lzf) takes no parameters"),
        ("32004,1,2", "filter 32004 (lz4) takes one parameter"),
        ("32004,4294967295", "filter 32004 (lz4) takes one parameter"),
        ("32008,12", "multiple of eight"),
        ("32008,0,1", "filter 32008 (bitshuffle) takes up to three parameters"),
        ("32008,0,2,3", "filter 32008 (bitshuffle) takes up to three parameters"),
    ],
)
def test_wrong_parameters_are_refused(plain, tmp_path, spec, says):
    assert says in nccopy("-F", f"*,{spec}", plain, tmp_path / "out.nc", ok=False)
