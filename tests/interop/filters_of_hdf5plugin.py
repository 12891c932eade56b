"""Values of all types, and files of them with each filter of h5py and hdf5plugin.

    python filters_of_hdf5plugin.py FILTER FILE VARIABLES…
"""

import itertools
import sys

import h5py
import hdf5plugin
import numpy as np

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
    **{
        f"blosc2_{cname}_{filters}": dict(hdf5plugin.Blosc2(cname=cname, clevel=4, filters=filters))
        for cname, filters in itertools.product(("blosclz", "lz4", "lz4hc", "zlib", "zstd"), range(4))
        if filters == 1 or cname in ("lz4", "zstd")
    },
    "scaleoffset": {"scaleoffset": 0},
}


if __name__ == "__main__":
    _, chosen, path, *names = sys.argv
    with h5py.File(path, "w", libver="v108") as file:
        for variable in names:
            file.create_dataset(variable, data=VARIABLES[variable], chunks=CHUNK, **THEIRS[chosen])
