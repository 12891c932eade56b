"""Scale-offset: nccopy's chunks equal those of libhdf5, byte for byte, and each reads the other's."""

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import nccopy
from stored import filters, parameters

INTEGERS = "i1 u1 <i2 >i2 <u2 >i4 <u4 <i8 >u8".split()
FLOATS = [(kind, decimals) for kind in ("<f4", ">f4", "<f8", ">f8") for decimals in (-1, 0, 3)]


def numbers(kind):
    """Numbers in 3 x 4 chunks: a chunk of the fill value, one of another value, and one that needs all bits of an integer."""
    values = np.random.default_rng(8).integers(20, 90, (7, 10)).astype(kind)
    values[:3, :4] = 77
    values[:3, 4:8] = 33
    if values.dtype.kind != "f":
        values[3, 0], values[3, 1] = np.iinfo(kind).min, np.iinfo(kind).max
    return values if values.dtype.kind != "f" else (values / 7).astype(kind)


def chunks(path, name):
    with h5py.File(path) as file:
        dataset = file[name].id
        infos = [dataset.get_chunk_info(n) for n in range(dataset.get_num_chunks())]
        return {info.chunk_offset: dataset.read_direct_chunk(info.chunk_offset) for info in infos}


def made(path, kind, scale, fill):
    """The same variable twice: with libhdf5's scale-offset, and plain."""
    with h5py.File(path, "w") as file:
        for name, filtered in ("so", True), ("plain", False):
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_chunk((3, 4))
            plist.set_fill_value(np.array(fill, kind))
            if filtered:
                plist.set_filter(6, h5py.h5z.FLAG_OPTIONAL, scale)
            space = h5py.h5s.create_simple((7, 10))
            dataset = h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(np.dtype(kind)), space, plist)
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, numbers(kind))


CASES = [(kind, (2, 0)) for kind in INTEGERS] + [(kind, (0, d % 2**32)) for kind, d in FLOATS]


@pytest.mark.parametrize("kind, scale", CASES)
def test_chunks_equal_those_of_libhdf5(tmp_path, kind, scale):
    source, ours, plain = tmp_path / "in.h5", tmp_path / "ours.nc", tmp_path / "plain.nc"
    made(source, kind, scale, 77)
    nccopy("-F", f"plain,6,{scale[0]},{scale[1]}", source, ours)
    assert filters(ours, "plain") == [6]
    assert parameters(ours, "plain") == parameters(source, "so") == parameters(ours, "so")
    wanted = chunks(source, "so")
    assert {mask for mask, _ in wanted.values()} == {0}
    # What lies past the extent is arbitrary.
    whole = [at for at in wanted if at[0] < 6 and at[1] < 8]
    got = chunks(ours, "plain")
    assert len(whole) == 4 and [got[at] for at in whole] == [wanted[at] for at in whole]
    nccopy("-F", "none", source, plain)
    with h5py.File(source) as theirs, h5py.File(ours) as file, h5py.File(plain) as bare:
        expected = theirs["so"][()]
        assert np.array_equal(file["plain"][()], expected)
        assert np.array_equal(bare["so"][()], expected)
        if scale[0] == 2:
            assert np.array_equal(expected, numbers(kind))


def test_new_chunks_keep_the_filter(tmp_path):
    source, target = tmp_path / "in.h5", tmp_path / "out.nc"
    made(source, "<i4", (2, 0), 77)
    nccopy("-c", "so:7,5", source, target)
    assert parameters(target, "so")[0][:9] == (2, 0, 35, 0, 4, 1, 0, 1, 77)
    with h5py.File(target) as file:
        assert np.array_equal(file["so"][()], numbers("<i4"))


def test_a_netcdf_variable_tells_its_fill_value(tmp_path):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("x", 50)
        d.createVariable("own", "i2", ("x",), chunksizes=(50,), fill_value=-5)[:] = np.arange(50)
        d.createVariable("usual", "i4", ("x",), chunksizes=(50,))[:] = np.arange(50)
    nccopy("-F", "*,6,2,0|3|1,5", source, target)
    assert filters(target, "own") == [6, 3, 1]
    assert parameters(target, "own")[0][7:9] == (1, 2**16 - 5)
    assert parameters(target, "usual")[0][7:9] == (1, 2**32 - 2147483647)
    with h5py.File(target) as file:
        assert np.array_equal(file["own"][()], np.arange(50))
        assert np.array_equal(file["usual"][()], np.arange(50))


def test_a_nan_is_not_lost(tmp_path):
    source, target = tmp_path / "in.nc", tmp_path / "out.nc"
    values = np.array([1.5, np.nan, 2.25, 3], "f4")
    with netCDF4.Dataset(source, "w") as d:
        d.createDimension("x", 4)
        d.createVariable("v", "f4", ("x",), chunksizes=(4,))[:] = values
    nccopy("-F", "v,6,0,2", source, target)
    assert chunks(target, "v")[0,][0] == 1
    with h5py.File(target) as file:
        assert np.array_equal(file["v"][()], values, equal_nan=True)


@pytest.mark.parametrize("spec, says", [
    ("6,2,33", "33 bits of integers of 32"),
    ("6,0,2", "takes scale type 2 for integers"),
    ("6", "takes two parameters"),
    ("32022,3", "rounds floats"),
])
def test_what_a_user_cannot_give(tmp_path, spec, says):
    source = tmp_path / "in.h5"
    made(source, "<i4", (2, 0), 77)
    assert says in nccopy("-F", f"plain,{spec}", source, tmp_path / "out.nc", ok=False)
