"""Every filter, on every type in both byte orders, on all kinds of data: what nccopy encodes, h5py and hdf5plugin decode, and the
reverse."""

import os
import pathlib
import subprocess
import sys

import h5py
import pytest
from conftest import BIN, nccopy
from filters_of_hdf5plugin import CHUNK, SHAPE, THEIRS, VARIABLES
from stored import filters

BUILT_IN = {**os.environ, "HDF5_PLUGIN_PRELOAD": "::"}


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
    "blosc2", "32026,0,0,0,0,9,2,5", "32026,0,200,0,0,3,0,1", "32026,0,0,0,0,5,3,2", "blosc2,cname=zlib,clevel=7,shuffle=bit", "3|blosc2",
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
    nccopy(*options, plain, out, env=BUILT_IN)
    assert filters(out, names[0])
    same(out)
    nccopy("-F", "none", out, again, env=BUILT_IN)
    assert not filters(again, names[0])
    same(again)


@pytest.mark.parametrize("name", THEIRS)
def test_what_is_encoded_there_is_decoded_here(tmp_path, name):
    made, out = tmp_path / "made.h5", tmp_path / "out.nc"
    names = [v for v in VARIABLES if name != "scaleoffset" or v[0] in "iu"]
    # In a process of its own, without the plugins of another HDF5 that netCDF4-python points to.
    env = {variable: value for variable, value in os.environ.items() if variable != "HDF5_PLUGIN_PATH"}
    script = pathlib.Path(__file__).parent / "filters_of_hdf5plugin.py"
    subprocess.run([sys.executable, "-W", "ignore", script, name, made, *names], check=True, env=env)
    nccopy("-F", "none", made, out, env=BUILT_IN)
    same(out, names)
    # In other chunks, with the parameters that these need.
    nccopy("-c", "phony_dim_0/9,phony_dim_1/11", made, out, env=BUILT_IN)
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
