"""Every filter, on every type in both byte orders, on all kinds of data: what nccopy encodes, h5py and hdf5plugin decode, and the
reverse."""

import itertools

import h5py
import hdf5plugin
import numpy as np
import pytest
from conftest import nccopy
from stored import filters

TYPES = [order + kind for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8") for order in "<>" if kind[1] != "1" or order == "<"]
SHAPE, CHUNK = (23, 37), (8, 15)


def data(dtype):
    """Kinds of data: constant, random, smooth with noise in the last bits, nothing but the fill value, special values."""
    rng = np.random.default_rng(7)
    dtype = np.dtype(dtype)
    noise = rng.integers(0, 256, SHAPE + (dtype.itemsize,), dtype="u1").view(dtype)[..., 0]
    smooth = np.add.outer(np.arange(SHAPE[0]), np.arange(SHAPE[1]) * 3) % 113
    kinds = {"constant": np.full(SHAPE, 5, dtype), "random": noise, "smooth": smooth.astype(dtype)}
    if dtype.kind == "f":
        kinds["random"] = np.where(np.isfinite(noise), noise, 1).astype(dtype)
        kinds["smooth"] = (smooth / 7 + rng.normal(size=SHAPE) / 1000).astype(dtype)
        special = np.zeros(SHAPE, dtype)
        special.flat[:6] = [np.nan, np.inf, -np.inf, -0.0, np.finfo(dtype).max, np.finfo(dtype).tiny]
        kinds["special"] = special
    else:
        extremes = np.zeros(SHAPE, dtype)
        extremes.flat[::3], extremes.flat[1::3] = np.iinfo(dtype).max, np.iinfo(dtype).min
        kinds["special"] = extremes
    return kinds


def name_of(dtype, kind):
    return f"{dtype[1:]}_{'big' if dtype[0] == '>' else 'little'}_{kind}"


VARIABLES = {name_of(t, kind): values for t in TYPES for kind, values in data(t).items()}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "plain.h5"
    with h5py.File(path, "w", libver="v108") as f:
        for name, values in VARIABLES.items():
            f.create_dataset(name, data=values, chunks=CHUNK)
        empty = f.create_dataset("empty", (0, 37), "f4", chunks=CHUNK, maxshape=(None, 37))
        assert empty.shape == (0, 37)
        f.create_dataset("unwritten", SHAPE, "<f4", chunks=CHUNK, fillvalue=7)
    return path


def same(path, names=VARIABLES):
    with h5py.File(path) as f:
        for name in names:
            found = f[name][()]
            assert found.dtype == VARIABLES[name].dtype, name
            assert found.tobytes() == VARIABLES[name].tobytes(), name
        if "unwritten" in f:
            assert (f["unwritten"][()] == 7).all() and f["empty"].shape == (0, 37)


OURS = [
    "1,5", "2|1,9", "3", "2|1,1|3", "307,9", "2|307", "lzf", "2|lzf", "blosc", "32001,0,0,0,0,9,2,5", "32001,0,0,0,0,3,0,1",
    "32001,0,0,0,0,5,1,2", "32001,0,0,0,0,5,1,3", "32001,0,0,0,0,5,1,4", "32004", "32004,256", "2|32004", "32008", "32008,0,2",
    "32008,64,3,9", "32008,0,2|3", "32015,3", "2|32015,19", "zstd,-5", "4,32,8", "4,4,16", "5", "5|2|1,3", "6,2,0|1,4",
]  # fmt: skip


def accepts(spec, name):
    """What a filter refuses is tested below."""
    if spec.startswith("6,2"):
        return name[0] in "iu"
    return True


@pytest.mark.parametrize("spec", OURS)
def test_what_is_encoded_here_is_decoded_there(plain, tmp_path, spec):
    names = [name for name in VARIABLES if accepts(spec, name)]
    out, again = tmp_path / "out.nc", tmp_path / "again.nc"
    options = ["-F", f"*,{spec}"] if len(names) == len(VARIABLES) else ["-F", f"{'&'.join(names)},{spec}"]
    nccopy(*options, plain, out)
    assert filters(out, names[0])
    same(out)
    nccopy("-F", "none", out, again)
    assert not filters(again, names[0])
    same(again)


THEIRS = {
    "gzip": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "lzf": {"compression": "lzf", "shuffle": True},
    "bzip2": dict(hdf5plugin.BZip2(3)),
    "zstd": dict(hdf5plugin.Zstd(clevel=5)),
    "lz4": dict(hdf5plugin.LZ4(nbytes=512)),
    **{f"bitshuffle_{cname}": dict(hdf5plugin.Bitshuffle(cname=cname)) for cname in ("none", "lz4", "zstd")},
    **{
        f"blosc_{cname}_{shuffle}": dict(hdf5plugin.Blosc(cname=cname, clevel=4, shuffle=shuffle))
        for cname, shuffle in itertools.product(("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"), range(3))
        if shuffle == 1 or cname in ("lz4", "zstd")
    },
    "scaleoffset": {"scaleoffset": 0},
}


@pytest.mark.parametrize("name", THEIRS)
def test_what_is_encoded_there_is_decoded_here(tmp_path, name):
    made, out = tmp_path / "made.h5", tmp_path / "out.nc"
    names = [v for v in VARIABLES if name != "scaleoffset" or v[0] in "iu"]
    with h5py.File(made, "w", libver="v108") as f:
        for variable in names:
            f.create_dataset(variable, data=VARIABLES[variable], chunks=CHUNK, **THEIRS[name])
    nccopy("-F", "none", made, out)
    same(out, names)
    # In other chunks, with the parameters that these need.
    nccopy("-c", "phony_dim_0/9,phony_dim_1/11", made, out)
    same(out, names)


@pytest.mark.parametrize("spec, name", [("6,0,2", "i4_little_smooth"), ("6,2,0", "f4_little_smooth"), ("32022,3,4", "f4_little_smooth")])
def test_what_a_filter_refuses(plain, tmp_path, spec, name):
    message = nccopy("-F", f"{name},{spec}", plain, tmp_path / "out.nc", ok=False)
    assert name in message and f"filter {spec.split(',')[0]}" in message


@pytest.mark.parametrize("decimals", [0, 2, 5])
@pytest.mark.parametrize("order", ["little", "big"])
def test_decimals_of_floats_are_those_of_hdf5(plain, tmp_path, decimals, order):
    theirs, out, ours = tmp_path / "theirs.h5", tmp_path / "out.nc", tmp_path / "ours.nc"
    names = [f"{kind}_{order}_smooth" for kind in ("f4", "f8")]
    with h5py.File(theirs, "w", libver="v108") as f:
        for name in names:
            f.create_dataset(name, data=VARIABLES[name], chunks=CHUNK, scaleoffset=decimals)
    nccopy("-F", "none", theirs, out)
    nccopy("-F", f"{'&'.join(names)},6,0,{decimals}", plain, ours)
    for name in names:
        with h5py.File(theirs) as t, h5py.File(out) as o, h5py.File(ours) as u:
            assert (t[name][()] == o[name][()]).all() and (t[name][()] == u[name][()]).all()
