"""HDF5 types that netCDF lacks, and text that was never written."""

import gzip
import pathlib
import subprocess
import tempfile

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, installed, nccopy, ncdump


def write_bits(path):
    """A table as PyTables writes it, whose booleans are bit fields, and bit fields by themselves."""
    with h5py.File(path, "w") as made:
        space = h5py.h5s.create_simple((3,))
        table = np.zeros(3, np.dtype({"names": ["flag", "x"], "formats": ["u1", "f8"], "offsets": [0, 8], "itemsize": 16}))
        table["flag"], table["x"] = [0, 1, 1], [0.5, 1.5, 2.5]
        types = [h5py.h5t.create(h5py.h5t.COMPOUND, 16) for _ in range(2)]
        for ty, bits in zip(types, [h5py.h5t.STD_B8LE, h5py.h5t.NATIVE_B8]):
            ty.insert(b"flag", 0, bits)
            ty.insert(b"x", 8, h5py.h5t.NATIVE_DOUBLE)
        h5py.h5d.create(made.id, b"table", types[0], space).write(h5py.h5s.ALL, h5py.h5s.ALL, table, types[1])
        wide = h5py.h5d.create(made.id, b"wide", h5py.h5t.STD_B16BE, space)
        wide.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, 0x8001, 0xFFFF], "u2"), h5py.h5t.NATIVE_B16)
        mask = h5py.h5a.create(wide, b"mask", h5py.h5t.STD_B32LE, space)
        mask.write(np.array([1, 2, 1 << 31], "u4"), h5py.h5t.NATIVE_B32)


def test_bit_fields_are_integers(tmp_path):
    write_bits(tmp_path / "in.h5")
    said = nccopy(tmp_path / "in.h5", tmp_path / "out.nc")
    for what in ["/table:", "/wide:", "the attribute /wide:mask:"]:
        assert f"{what} its bit fields are read as unsigned integers" in said
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert out["table"][:]["flag"].tolist() == [0, 1, 1] and out["table"][:]["x"].tolist() == [0.5, 1.5, 2.5]
        out.set_auto_mask(False)
        assert (out["wide"].dtype.str[1:], out["wide"][:].tolist()) == ("u2", [1, 0x8001, 0xFFFF])
        assert out["wide"].getncattr("mask").tolist() == [1, 2, 1 << 31]
    nccopy("-k", "h5", tmp_path / "in.h5", tmp_path / "same.h5")
    with h5py.File(tmp_path / "same.h5") as same:
        assert same["wide"].id.get_type().get_class() == h5py.h5t.BITFIELD


@pytest.mark.skipif(not hasattr(h5py.h5t, "COMPLEX_IEEE_F32LE"), reason="h5py has an HDF5 without complex numbers")
@pytest.mark.parametrize("name", ["COMPLEX_IEEE_F32LE", "COMPLEX_IEEE_F64BE"])
def test_complex_numbers_of_hdf5_2(tmp_path, name):
    values = np.array([1 + 2j, -0.5j, 3])
    with h5py.File(tmp_path / "in.h5", "w", libver="latest") as made:
        space = h5py.h5s.create_simple((3,))
        data = h5py.h5d.create(made.id, b"v", getattr(h5py.h5t, name), space)
        memory = h5py.h5t.NATIVE_DOUBLE_COMPLEX
        data.write(h5py.h5s.ALL, h5py.h5s.ALL, values, memory)
    nccopy(tmp_path / "in.h5", tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as out:
        found = out["v"][:]
        if found.dtype.names:
            found = found["r"] + 1j * found["i"]
        assert found.tolist() == values.tolist()


def test_text_that_was_never_written_is_empty(tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as made:
        made.create_dataset("t", (8,), "S4", chunks=(2,))[:2] = [b"ab", b"c"]
    nccopy(tmp_path / "in.h5", tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as out:
        assert list(out["t"][:]) == [b"ab", b"c"] + [b""] * 6
    # h5py reads NIL as empty. A program in C gets a null pointer.
    assert b"NIL" not in subprocess.check_output([installed("ncdump"), tmp_path / "out.nc"])


def test_elements_that_are_arrays_are_left_out_as_by_netcdf_c(tmp_path):
    """netCDF-C says nothing of them. A copy as HDF5 keeps them."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as made:
        made.create_dataset("v", (4,), dtype=np.dtype(("i4", (3, 2))))[:] = np.arange(24).reshape(4, 3, 2)
        made["x"] = np.arange(3)
    with netCDF4.Dataset(path) as peer:
        assert list(peer.variables) == ["x"]
    said = nccopy(path, tmp_path / "out.nc")
    assert "/v is left out: netCDF has no elements that are arrays" in said, said
    with netCDF4.Dataset(tmp_path / "out.nc") as copied:
        assert list(copied.variables) == ["x"]
    nccopy("-k", "h5", path, tmp_path / "out.h5")
    with h5py.File(path) as made, h5py.File(tmp_path / "out.h5") as copied:
        assert (made["v"][()] == copied["v"][()]).all() and made["v"].dtype == copied["v"].dtype


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_families_of_files(tmp_path, libver):
    values = np.arange(5000)
    name = str(tmp_path / "f%05d.h5")
    with h5py.File(name, "w", driver="family", memb_size=8192, libver=libver) as made:
        made.create_dataset("v", data=values)
    assert len(list(tmp_path.glob("f0*.h5"))) > 3
    nccopy(name, tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert np.array_equal(out["v"][:], values)
    error = nccopy(tmp_path / "f00000.h5", tmp_path / "out.nc", ok=False)
    assert libver == "latest" or "a member of a family of files without the others" in error


def test_external_data_in_hidden_files_is_refused(tmp_path):
    (tmp_path / ".secret").write_bytes(bytes(range(8)))
    with h5py.File(tmp_path / "in.h5", "w") as made:
        made.create_dataset("v", (8,), "u1", external=[(".secret", 0, 8)])
    error = nccopy(tmp_path / "in.h5", tmp_path / "out.nc", ok=False)
    assert "is hidden" in error and "--data-dir" in error, error
    nccopy("--data-dir", tmp_path, tmp_path / "in.h5", tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert out["v"][:].tolist() == list(range(8))


def test_compressed_files_that_are_no_datasets_are_not_decoded(tmp_path):
    zeros = bytes(1 << 20)
    with gzip.open(tmp_path / "zeros.nc.gz", "wb", compresslevel=1) as made:
        for _ in range(17):
            made.write(zeros)
    # Behind what is decided, nothing is read: damage there is not told.
    with open(tmp_path / "zeros.nc.gz", "r+b") as made:
        made.seek(-1, 2)
        made.write(b"\x7f")
    done = subprocess.run([BIN / "ncdump", "-h", tmp_path / "zeros.nc.gz"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.endswith("zeros.nc.gz: not a netCDF file\n"), done.stderr


def test_one_thread_is_enough():
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    if subprocess.run([*nobody, "true"], capture_output=True, check=False).returncode:
        pytest.skip("the limit of processes does not hold for this user, and no other one can be taken")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "in.nc"
        with netCDF4.Dataset(path, "w") as made:
            made.createDimension("x", 100)
            made.createVariable("v", "i4", ("x",), chunksizes=(10,), zlib=True)[:] = np.arange(100)
        path.parent.chmod(0o755)
        for arguments in [["-h"], []]:
            command = [*nobody, "prlimit", "--nproc=1", BIN / "ncdump", *arguments, path]
            done = subprocess.run(command, capture_output=True, timeout=60)
            assert done.returncode == 0, done.stderr
            assert done.stdout == ncdump(*arguments, path)
