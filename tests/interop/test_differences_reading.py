"""Differences in how HDF5 is read from netCDF-C's, as docs/reference/differences-reading.md lists them."""

import json
import zlib

import h5py
import netcdf_c
import numpy as np
import pytest
from conftest import BIN, nccopy, ncdump, ncgen
from differences import both, check, outcome


def some_scales(f):
    f["x"] = np.arange(2)
    f["x"].make_scale("x")
    f.create_dataset("v", (2, 3)).dims[0].attach_scale(f["x"])


def text_with_nul(f):
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(5)
    kind.set_strpad(h5py.h5t.STR_SPACEPAD)
    data = h5py.h5d.create(f.id, b"s", kind, h5py.h5s.create(h5py.h5s.SCALAR))
    data.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array(b"a\0b  ", "S5"), kind)


def coordinates_of_another_group(f):
    group = f.create_group("g")
    for number, (parent, name) in enumerate([(f, "x"), (group, "y")]):
        parent[name] = np.arange(2)
        parent[name].make_scale(name)
        parent[name].attrs["_Netcdf4Dimid"] = np.int32(number)
    v = f.create_dataset("v", (2,))
    v.attrs["_Netcdf4Coordinates"] = np.array([1], "i4")
    v.dims[0].attach_scale(f["x"])


def attribute_of_two_dimensions(f):
    f.attrs["a"] = np.arange(4).reshape(2, 2)


def attribute_of_arrays(f):
    kind = h5py.h5t.array_create(h5py.h5t.STD_I32LE, (2,))
    attribute = h5py.h5a.create(f.id, b"a", kind, h5py.h5s.create_simple((2,)))
    attribute.write(np.arange(4, dtype="i4").reshape(2, 2), mtype=kind)


def fixed_length_0(f):
    f.create_dataset("x", (0,))
    f["x"].make_scale("x")


def prefix_that_is_taken(f):
    f.create_dataset("_nc4_non_coord_v", (2,))
    f.create_dataset("v", (2,))


def large_elements(f):
    f.create_dataset("v", (1,), dtype="V20000000")


def long_double(f):
    f["h"] = np.longdouble(1.5)


def virtual(source):
    def write(f):
        layout = h5py.VirtualLayout((3,), "i4")
        layout[:] = h5py.VirtualSource(source, "v", (3,))
        f.create_virtual_dataset("v", layout, fillvalue=7)
    return write


# The beginning of a row, what makes a file, options, and what is found in our outcome and in theirs.
CASES = [
    ("a variable with scales on some", some_scales, ["-h"], r"v\(x, phony_dim_1\)", "status 1"),
    ("a padded string with a NUL", text_with_nul, [], "first NUL", "!NUL"),
    ("an id in `_Netcdf4Coordinates`", coordinates_of_another_group, ["-h"], r"v\(x\)", r"v\(/y\)"),
    ("attributes of more than one dimension", attribute_of_two_dimensions, ["-h"], "0LL, 1LL, 2LL, 3LL", "status 1"),
    ("an attribute whose elements are arrays", attribute_of_arrays, ["-h"], "0, 1, 2, 3", "!0, 1, 2, 3"),
    ("a fixed dimension of length 0", fixed_length_0, ["-h"], "x = 0 ;", "UNLIMITED"),
    ("the name without the prefix", prefix_that_is_taken, ["-h"], "_nc4_non_coord_v", "!_nc4_non_coord_v"),
    ("elements larger than 16 MiB", large_elements, ["-h"], "warning", "!warning"),
    ("80-bit `long double`", long_double, [], "h = 1.5(.|\n)*warning", "!h = 1.5"),
    ("a missing source", virtual("none.h5"), [], "warning", "!warning"),
    ("`_Storage` of virtual datasets", virtual("none.h5"), ["-s"], '"virtual"', "unknown"),
    ("a virtual dataset that leads back", virtual("."), [], "status 1", "status -"),
]


@pytest.mark.parametrize("row, write, flags, ours, theirs", CASES, ids=[f"{n}-{c[0][:30]}" for n, c in enumerate(CASES)])
def test_rows(tmp_path, row, write, flags, ours, theirs):
    with h5py.File(tmp_path / "in.h5", "w", track_order=True) as f:
        write(f)
    for told, pattern in zip(both("ncdump", *flags, "in.h5", folder=tmp_path), (ours, theirs), strict=True):
        check(pattern, told)


def test_external_data_is_looked_up_in_the_folder_of_the_file(tmp_path):
    folder, elsewhere = tmp_path / "a", tmp_path / "b"
    folder.mkdir()
    elsewhere.mkdir()
    with h5py.File(folder / "in.h5", "w") as f:
        f.create_dataset("v", (2,), dtype="i4", external=[("raw", 0, 8)])
    np.array([1, 2], "i4").tofile(folder / "raw")
    ours, theirs = both("ncdump", folder / "in.h5", folder=elsewhere)
    check("v = 1, 2", ours)
    check("!v = 1, 2", theirs)
    (folder / "raw").rename(elsewhere / "raw")
    ours, theirs = both("ncdump", folder / "in.h5", folder=elsewhere)
    check("status 1(.|\n)*working directory", ours)
    check("v = 1, 2", theirs)


def test_a_fixed_dimension_of_length_0_stays_fixed_in_a_copy(tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as f:
        fixed_length_0(f)
    nccopy(tmp_path / "in.h5", tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as f:
        assert f["x"].maxshape == (0,)


def test_attributes_of_nczarr(tmp_path):
    """What netCDF-C 4.10 loses when it writes attributes, and what it misreads of ours."""
    (tmp_path / "in.cdl").write_text(
        """netcdf z { variables: double v; v:_FillValue = 2.71828182845905; v:text = "aé"; v:number = "9.5"; v:nul = "x\\000y"; }""")
    theirs, ours = tmp_path / "theirs.zarr", tmp_path / "ours.zarr"
    netcdf_c.run("ncgen", "-4", "-o", netcdf_c.url(theirs, "nczarr,file"), tmp_path / "in.cdl")
    told = ncgen("-o", f"{ours}#mode=nczarr,file", tmp_path / "in.cdl")
    assert "netCDF-C reads control characters" in told
    of_theirs, of_ours = ncdump("-h", theirs).decode(), ncdump("-h", ours).decode()
    for line in "v:_FillValue = 2.71828182845905 ;", 'v:text = "aé" ;', 'v:number = "9.5" ;', 'v:nul = "x\\000y" ;':
        assert line in of_ours
    for line in "v:_FillValue = 2.71828 ;", 'v:text = "a" ;', 'v:number = "9.5" ;', 'v:nul = "x" ;':
        assert line in of_theirs
    read = netcdf_c.run("ncdump", "-h", netcdf_c.url(ours, "nczarr,file")).decode()
    assert "v:_FillValue = 2.71828182845905 ;" in read and 'v:text = "aé" ;' in read
    assert 'v:number = "9" ;' in netcdf_c.run("ncdump", "-h", netcdf_c.url(theirs, "nczarr,file")).decode()


@netcdf_c.needs_netcdf_c
def test_what_netcdf_c_writes_otherwise_to_zarr(tmp_path):
    """zarr-python and the standard's JSON say which is right."""
    zarr = pytest.importorskip("zarr", "3")
    (tmp_path / "in.cdl").write_text(
        """netcdf z { variables: int v; v:zero = "0"; v:list = "[0.,1.]"; string s; s:_nczarr_maxstrlen = 4; data: v = 1; s = "0123456789"; }""")
    theirs, ours = tmp_path / "theirs.zarr", tmp_path / "ours.zarr"
    netcdf_c.run("ncgen", "-4", "-o", netcdf_c.url(theirs, "zarr,file"), tmp_path / "in.cdl")
    ncgen("-o", f"{ours}#mode=zarr,file", tmp_path / "in.cdl")
    group = zarr.open_group(ours, mode="r", zarr_format=2)
    assert group["v"].attrs["zero"] == "0" and group["v"].attrs["list"] == "[0.,1.]" and group["v"].shape == ()
    assert group["s"][()] == b"0123456789"
    text = (theirs / "v" / ".zattrs").read_text()
    assert '"zero": 0' in text
    with pytest.raises(json.JSONDecodeError):
        json.loads(text)
    assert zarr.open_array(theirs / "s", mode="r", zarr_format=2)[:].tolist() == [b"0123"]
    assert "_scalar_" in text and json.loads((theirs / "v" / ".zarray").read_text())["shape"] == [1]


@pytest.mark.parametrize("kind", ["hdf5", "zarr2", "zarr3"])
def test_chunks_that_decode_to_more_than_their_elements(tmp_path, kind):
    """libhdf5 and netCDF-C take the first bytes. zarr-python refuses such a chunk."""
    zarr = pytest.importorskip("zarr", "3")
    values, path = np.arange(10, dtype="<i4"), tmp_path / "in"
    long = values.tobytes() + bytes(20)
    if kind == "hdf5":
        with h5py.File(path, "w") as f:
            v = f.create_dataset("v", (10,), "<i4", chunks=(10,), compression="gzip")
            v.id.write_direct_chunk((0,), zlib.compress(long))
        with h5py.File(path) as f:
            assert (f["v"][:] == values).all()
        theirs = netcdf_c.run("ncdump", path) if netcdf_c.BUILT else b" v = 0, 1, 2,"
        assert b" v = 0, 1, 2," in theirs
    else:
        version = int(kind[-1])
        array = zarr.create_group(path, zarr_format=version).create_array("v", shape=(10,), chunks=(10,), dtype="<i4", compressors=None)
        array[:] = values
        (path / ("v/0" if version == 2 else "v/c/0")).write_bytes(long)
        with pytest.raises(ValueError):
            array[:]
        if version == 2 and netcdf_c.BUILT:
            assert b" v = 0, 1, 2," in netcdf_c.run("ncdump", netcdf_c.url(path, "zarr,file"))
    assert "variable v: chunk [0]" in nccopy("-d", 1, path, tmp_path / "out.nc", ok=False)
    done = outcome([BIN / "ncdump", "--check", path], tmp_path)
    check("status 1(.|\n)*variable v: chunk", done)
