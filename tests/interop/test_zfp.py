"""zfp of the registered plugin, which is the C library, and ours: the same chunks, and the same numbers."""

import os
import pathlib
import subprocess
import sys

import h5py
import numpy as np
import pytest
from conftest import nccopy
from stored import filters
from zfp_files import MODES

BUILT_IN = {**os.environ, "HDF5_PLUGIN_PRELOAD": "::"}


def plugin(*arguments):
    """Runs zfp_files.py, without the plugins of another HDF5 that netCDF4-python points to."""
    env = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}
    command = [sys.executable, "-W", "ignore", pathlib.Path(__file__).parent / "zfp_files.py", *arguments]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("mode", range(len(MODES)))
def test_chunks_are_those_of_the_plugin(tmp_path, some, mode):
    """All types, 1 to 4 dimensions, and all kinds of numbers that the mode holds."""
    raw, encoded, decoded, plain, ours = (tmp_path / f"{name}.h5" for name in ("raw", "encoded", "decoded", "plain", "ours"))
    every = 64 // len(some(range(64)))
    plugin("write", mode, every, raw, encoded, decoded)
    nccopy("-F", "none", encoded, plain, env=BUILT_IN)
    with h5py.File(plain) as found, h5py.File(decoded) as wanted:
        for name in wanted:
            assert found[name][()].tobytes() == wanted[name][()].tobytes(), name
    nccopy("-F", f"*,32013,{','.join(map(str, MODES[mode]))}", raw, ours, env=BUILT_IN)
    plugin("compare", encoded, ours)


def test_numbers_that_no_mode_with_loss_holds(tmp_path):
    """The chunks that have them stay as they are. The plugin stores other numbers in their place."""
    raw, out, again = tmp_path / "raw.h5", tmp_path / "out.nc", tmp_path / "again.nc"
    values = np.add.outer(np.sin(np.arange(32) / 9), np.cos(np.arange(16) / 7)).astype("f4")
    values[3, 3], values[20, 5] = np.nan, np.inf
    with h5py.File(raw, "w") as file:
        file.create_dataset("v", data=values, chunks=(8, 16))
    nccopy("-F", "v,zfp,accuracy=0.001", raw, out, env=BUILT_IN)
    assert filters(out, "v") == [32013]
    with h5py.File(out) as file:
        masks = [file["v"].id.read_direct_chunk((row, 0))[0] for row in range(0, 32, 8)]
        assert masks == [1, 0, 1, 0]
        found = file["v"][()]
    nccopy("-F", "none", out, again, env=BUILT_IN)
    with h5py.File(again) as file:
        assert file["v"][()].tobytes() == found.tobytes()
    assert (np.isnan(found) == np.isnan(values)).all() and (np.isinf(found) == np.isinf(values)).all()
    finite = np.isfinite(values)
    assert np.abs(found[finite] - values[finite]).max() <= 0.001


@pytest.mark.parametrize("dtype, scale, error", [("f4", 1e-35, 1e-40), ("f8", 1e-300, 1e-305), ("f4", 1e-41, 1e-39), ("f8", 1e-315, 1e-313)])
def test_very_small_numbers_are_kept(tmp_path, dtype, scale, error):
    """The C library multiplies these by infinity, and stores other ones. Decoding makes zeros of the smallest."""
    raw, out = tmp_path / "raw.h5", tmp_path / "out.nc"
    values = (np.arange(1, 65) * scale).astype(dtype).reshape(8, 8)
    with h5py.File(raw, "w") as file:
        file.create_dataset("v", data=values, chunks=(8, 8))
    nccopy("-F", "v,zfp,precision=28", raw, out, env=BUILT_IN)
    with h5py.File(out) as file:
        assert np.abs(file["v"][()] - values).max() <= error
