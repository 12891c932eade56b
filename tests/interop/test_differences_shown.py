"""Rows of the pages on differences from netCDF-C that take more than a text and a command to show."""

import json
import re
import subprocess

import h5py
import netCDF4
import netcdf_c
import numcodecs
import numpy as np
import pytest
from conftest import BIN, installed, ncdump, nccopy
from remote_proxy import fault
from remote_run import on

VALUES = np.arange(200) * 0.37


def both(arguments, cwd):
    """How our program and netCDF-C's of one name end: status, output and messages of each."""
    def run(program):
        done = subprocess.run([program, *map(str, arguments[1:])], cwd=cwd, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    return run(BIN / arguments[0]), run(installed(arguments[0]))


@pytest.mark.parametrize("pipeline", ["3|4,32,8", "4,32,8|3"])
def test_fletcher32_with_szip_on_numbers_of_8_bytes(tmp_path, pipeline):
    """netCDF-C's ncdump reads what ours stores, and not what its own nccopy stores."""
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as nc:
        nc.createDimension("x", 200)
        nc.createVariable("v", "f8", ("x",), chunksizes=(100,))[:] = VALUES
    nccopy("-F", f"v,{pipeline}", "in.nc", "ours.nc", cwd=tmp_path)
    subprocess.run([installed("nccopy"), "-F", f"v,{pipeline}", "in.nc", "theirs.nc"], cwd=tmp_path, check=True)
    read = {name: subprocess.run([installed("ncdump"), "-p", "9,17", name], cwd=tmp_path, capture_output=True, text=True) for name in ("ours.nc", "theirs.nc")}
    found = re.search(r" v = ([^;]*);", read["ours.nc"].stdout)[1].split(",")
    assert [float(number) for number in found] == VALUES.tolist()
    assert read["theirs.nc"].returncode != 0 and "HDF error" in read["theirs.nc"].stderr
    with h5py.File(tmp_path / "ours.nc") as file:
        properties = file["v"].id.get_create_plist()
        filters = [properties.get_filter(n)[0] for n in range(properties.get_nfilters())]
        assert sorted(filters) == [3, 4]
        # The bit of szip says that it was skipped.
        assert {file["v"].id.get_chunk_info(n).filter_mask for n in range(2)} == {1 << filters.index(4)}


@pytest.mark.parametrize("kind, word", [("f4", 1), ("i1", 2)])
def test_the_shuffle_that_numcodecs_chooses(tmp_path, kind, word):
    """`_Filter` of Blosc has the shuffle that numcodecs takes for -1, which is in the third byte of what it encodes."""
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as nc:
        nc.createDimension("x", 100)
        nc.createVariable("v", kind, ("x",))[:] = np.arange(100)
    out = tmp_path / "out.zarr"
    nccopy("-F", "v,blosc", tmp_path / "in.nc", f"{out}#mode=nczarr,file")
    array = json.loads((out / "v" / ".zarray").read_text())
    array["compressor"] |= {"shuffle": -1}
    (out / "v" / ".zarray").write_text(json.dumps(array))
    flags = numcodecs.Blosc(shuffle=-1).encode(np.arange(100).astype(kind))[2]
    assert word == (2 if flags & 4 else 1 if flags & 1 else 0)

    def shuffle(text):
        return int(re.search(r'v:_Filter = "32001,([\d,]*)"', text)[1].split(",")[5])

    assert shuffle(ncdump("-hs", out).decode()) == word
    if netcdf_c.BUILT:
        assert shuffle(netcdf_c.run("ncdump", "-hs", netcdf_c.url(out, "nczarr,file")).decode()) == 2**32 - 1


def test_an_error_names_the_damaged_structure_and_its_byte(tmp_path):
    """One changed byte in the header of a variable: HDF5 refuses it as well, and netCDF-C says no more than that."""
    with h5py.File(tmp_path / "a.nc", "w", libver=("v110", "v110")) as file:
        file["v"] = np.arange(5)
        at = h5py.h5o.get_info(file["v"].id).addr
    data = bytearray((tmp_path / "a.nc").read_bytes())
    assert data[at : at + 4] == b"OHDR"
    data[at + 20] ^= 0x55
    (tmp_path / "a.nc").write_bytes(data)
    with h5py.File(tmp_path / "a.nc") as file, pytest.raises(KeyError, match="checksum"):
        file["v"]
    ours, theirs = both(["ncdump", "a.nc"], tmp_path)
    assert ours[0] == 1 and re.search(rf"object header at (byte )?{at}\b", ours[2]) and "checksum" in ours[2], ours
    assert theirs[0] != 0 and str(at) not in theirs[2] and "checksum" not in theirs[2], theirs


def test_only_a_chunk_that_is_not_there_is_fill(store, proxy, tmp_path):
    """A server that has no chunk says 404, and one that refuses it something else. zarr-python reads the former as fill."""
    zarr = pytest.importorskip("zarr", "3")
    array = zarr.create_group(str(tmp_path / "in.zarr"), zarr_format=2).create_array("v", shape=(8,), chunks=(2,), dtype="i4", fill_value=-5)
    array[:] = np.arange(1, 9)
    [chunk] = [path for path in (tmp_path / "in.zarr" / "v").iterdir() if path.name == "1"]
    store.clear()
    store.put_tree(tmp_path / "in.zarr", "in")
    proxy.set(fault("status", start=0, contains="/v/1", status=403, code="AccessDenied"))
    done = on(store, "ncdump", "-v", "v", store.tree("in", "zarr"), port=proxy.port)
    assert done.code == 1 and re.search("403|refused", done.error), done.error
    proxy.set()
    assert "v = 1, 2, 3, 4, 5, 6, 7, 8 ;" in on(store, "ncdump", "-v", "v", store.tree("in", "zarr"), port=proxy.port).whole().out
    chunk.unlink()
    wanted = zarr.open_group(str(tmp_path / "in.zarr"), mode="r")["v"][:].tolist()
    assert wanted == [1, 2, -5, -5, 5, 6, 7, 8]
    store.clear()
    store.put_tree(tmp_path / "in.zarr", "in")
    done = on(store, "ncdump", "-v", "v", store.tree("in", "zarr"), port=proxy.port).whole()
    assert f"v = {', '.join(map(str, wanted))} ;" in done.out, done.out
