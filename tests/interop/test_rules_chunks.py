"""Every rule of nccopy about -c and -M; h5py reads the results back."""

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import nccopy
from rules_inputs import DATA, copied, nc4  # noqa: F401 (fixtures)
from stored import chunks, filters

DEFLATE = 1


def test_chunk_specs(nc4, tmp_path):
    c = lambda *arguments: (lambda t: [chunks(t, n) for n in ("var", "plain", "small", "g/var")])(
        copied(nc4, tmp_path, *arguments)
    )
    assert c() == [(1, 10, 15), None, (5, 7), (5, 7)]
    assert c("-c", "y/4,x/") == [(1, 4, 30), (4, 30), (4, 30), (4, 30)]
    assert c("-c", "y/4", "-c", "x/3") == [(1, 4, 3), (4, 3), (4, 3), (4, 3)]
    assert c("-c", "t/100") == [(100, 10, 15), None, (5, 7), (5, 7)]
    assert c("-c", "t/") == [(3, 10, 15), None, (5, 7), (5, 7)]
    assert c("-c", "plain:6,7", "-c", "y/4,x/5") == [(1, 4, 5), (6, 7), (4, 5), (4, 5)]
    assert c("-c", "/g/var:1,2") == [(1, 10, 15), None, (5, 7), (1, 2)]
    assert c("-c", "small:") == [(1, 10, 15), None, None, (5, 7)]
    assert c("-c", "/") == [(1, 10, 15), None, None, None]
    assert c("-c", "//") == [(1, 10, 15), None, None, None]
    assert c("-c", "var:contiguous")[0] == (1, 10, 15)
    assert c("-c", "var:2,20,30")[0] == (2, 20, 30)
    assert c("-u", "-c", "t/2")[0] == (2, 10, 15)
    target = copied(nc4, tmp_path, "-c", "small:compact")
    with h5py.File(target) as f:
        assert f["small"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT
        np.testing.assert_array_equal(f["small"][()], DATA[0])
    assert filters(copied(nc4, tmp_path, "-c", "/"), "g/var") == []
    assert filters(copied(nc4, tmp_path, "-c", "/", "-d1"), "g/var") == [DEFLATE]


@pytest.mark.parametrize("size", [65200, 65531])
def test_compact_variables_as_large_as_hdf5_has_them(size, tmp_path):
    data = np.arange(size, dtype="u8").astype("u1")
    with h5py.File(tmp_path / "in.nc", "w", libver=("v108", "v108")) as f:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((size,))
        h5py.h5d.create(f.id, b"v", h5py.h5t.STD_U8LE, space, dcpl=plist).write(h5py.h5s.ALL, h5py.h5s.ALL, data)
    nccopy(tmp_path / "in.nc", tmp_path / "plain.nc")
    nccopy("-c", "v:contiguous", tmp_path / "in.nc", tmp_path / "contiguous.nc")
    nccopy("-c", "v:compact", tmp_path / "contiguous.nc", tmp_path / "compact.nc")
    for name in ("plain.nc", "compact.nc"):
        with h5py.File(tmp_path / name) as f:
            assert f["v"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT
            np.testing.assert_array_equal(f["v"][()], data)


@pytest.mark.parametrize("spec, says", [
    ("absent/3", "absent"), ("absent:3", "absent"), ("small:3", "2"), ("small:50,50", "50"), ("small:0,1", "0"), ("y", "y"),
])
def test_bad_chunk_specs(nc4, tmp_path, spec, says):
    assert says in nccopy("-c", spec, nc4, tmp_path / "out.nc", ok=False)
    assert not (tmp_path / "out.nc").exists()


def test_default_shapes_are_those_of_netcdf_c(tmp_path):
    source, target, theirs = tmp_path / "in.nc", tmp_path / "out.nc", tmp_path / "theirs.nc"
    shapes = {"a": (248, 361, 72), "b": (None, 3610, 7200), "c": (5_000_000,), "d": (None,), "e": (7, 33333, 3)}
    for path, format, kw in (source, "NETCDF3_64BIT_OFFSET", {}), (theirs, "NETCDF4", {"compression": "zlib"}):
        with netCDF4.Dataset(path, "w", format=format) as d:
            d.set_fill_off()
            d.createDimension("t", None)
            for name, shape in shapes.items():
                dims = []
                for i, n in enumerate(shape):
                    dims.append("t" if n is None else f"{name}{i}")
                    if n is not None:
                        d.createDimension(dims[-1], n)
                d.createVariable(name, "f4", dims, **kw)
    nccopy("-k", "nc4", "-d1", source, target)
    for name in shapes:
        assert chunks(target, name) == chunks(theirs, name)


def test_minimum_chunk_size(nc4, tmp_path):
    # One chunk of plain would take 2,400 bytes.
    assert chunks(copied(nc4, tmp_path, "-c", "y/5,x/5", "-M", "100000"), "plain") == (5, 5)
    assert chunks(copied(nc4, tmp_path, "-d1", "-M", "100"), "plain") == (20, 30)
    assert chunks(copied(nc4, tmp_path, "-d1", "-M", "100000"), "plain") is None
