"""The inputs of test_plugins, as h5py writes them with hdf5plugin's filters.

    python plugin_inputs.py PATH [FILTER] [CHUNK CHUNK]

A process of its own writes them, without the plugins of another HDF5 that netCDF4-python points to."""

import os
import pathlib
import subprocess
import sys

import h5py
import hdf5plugin
import numpy as np

# By the name of the filter: as h5py asks for it.
FILTERS = {
    "blosc": hdf5plugin.Blosc("zstd", 5, hdf5plugin.Blosc.SHUFFLE),
    "blosc2": hdf5plugin.Blosc2("zstd", 5, hdf5plugin.Blosc2.BITSHUFFLE),
    "bitshuffle": hdf5plugin.Bitshuffle(0, "lz4"),
    "bzip2": hdf5plugin.BZip2(),
    "lz4": hdf5plugin.LZ4(),
    "sperr": hdf5plugin.Sperr(absolute=1e-3),
    "sz": hdf5plugin.SZ(absolute=1e-3),
    "sz3": hdf5plugin.SZ3(absolute=1e-3),
    "zfp": hdf5plugin.Zfp(accuracy=1e-2),
    "zfp-reversible": hdf5plugin.Zfp(reversible=True),
    "zstd": hdf5plugin.Zstd(),
}


def write(path, name="", chunks=(30, 20)):
    """Writes a variable v with a filter of FILTERS, or with none."""
    command = [sys.executable, __file__, path, name, *chunks]
    env = {key: value for key, value in os.environ.items() if key != "HDF5_PLUGIN_PATH"}
    subprocess.run([str(word) for word in command], check=True, env=env)


def main(path, name, *chunks):
    noise = np.random.default_rng(1).normal(size=(60, 40))
    data = np.cumsum(noise, axis=1).astype("f4")
    with h5py.File(pathlib.Path(path), "w") as f:
        f.create_dataset("v", data=data, chunks=tuple(map(int, chunks)), **FILTERS.get(name, {}))


if __name__ == "__main__":
    main(*sys.argv[1:])
