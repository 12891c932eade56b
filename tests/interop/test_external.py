"""Raw data in external files: values as h5py and netCDF4-python read them, and what is refused."""

import os
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy, ncdump

UNLIMITED = h5py.h5f.UNLIMITED


def external(folder, name, shape, dtype, segments, **options):
    """A file whose dataset `d` has its data in these segments of files beside it."""
    path = folder / name
    with h5py.File(path, "w") as f:
        f.create_dataset("d", shape, dtype, external=segments, **options)
    return path


def of_h5py(path, monkeypatch):
    # libhdf5 takes names from the working directory.
    monkeypatch.chdir(path.parent)
    with h5py.File(path) as f:
        return f["d"][()]


def copied(path, target, *arguments, cwd="/"):
    nccopy(*arguments, path, target, cwd=cwd)
    with h5py.File(target) as f:
        return f["d"][()], f["d"].maxshape


CASES = {
    "one": ((3, 4), "<f4", [("raw.bin", 0, UNLIMITED)]),
    "offset": ((5,), ">i2", [("raw.bin", 7, 10)]),
    "segments": ((4, 4), "<i4", [("raw.bin", 100, 20), ("b.bin", 3, 30), ("raw.bin", 0, UNLIMITED)]),
    "overlapping": ((10,), "<i4", [("raw.bin", 0, 20), ("raw.bin", 8, 20)]),
    "split elements": ((6,), "<f8", [("raw.bin", 1, 5), ("b.bin", 0, 13), ("raw.bin", 9, 30)]),
    "past the end": ((300,), "<u1", [("b.bin", 40, 100), ("raw.bin", 190, UNLIMITED)]),
    "compound": ((3,), np.dtype([("a", "<i2"), ("b", ">f4")]), [("raw.bin", 2, 10), ("b.bin", 1, 8)]),
}


@pytest.mark.parametrize("case", CASES)
def test_values(tmp_path, monkeypatch, case):
    rng = np.random.default_rng(5)
    (tmp_path / "raw.bin").write_bytes(rng.integers(0, 60, 200, np.uint8).tobytes())
    (tmp_path / "b.bin").write_bytes(rng.integers(0, 60, 50, np.uint8).tobytes())
    path = external(tmp_path, "in.h5", *CASES[case])
    expected = of_h5py(path, monkeypatch)
    for arguments in [], ["-m", "1M"], ["-d1"]:
        found, _ = copied(path, tmp_path / "out.nc", *arguments)
        assert found.dtype.newbyteorder("=") == expected.dtype.newbyteorder("=")
        assert found.tobytes() == expected.astype(found.dtype).tobytes()
    assert b'_Storage = "contiguous"' in ncdump("-s", path)


def test_strings_of_fixed_size(tmp_path, monkeypatch):
    (tmp_path / "raw.bin").write_bytes(b"onetwo\0\0\0\0three")
    path = external(tmp_path, "in.h5", (3,), "S5", [("raw.bin", 0, 15)])
    expected = of_h5py(path, monkeypatch)
    nccopy(path, tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as f:
        assert f["d"][:].tolist() == [text.decode() for text in expected.tolist()]


def test_an_extendable_dimension_is_unlimited(tmp_path, monkeypatch):
    np.arange(24, dtype="<i4").tofile(tmp_path / "raw.bin")
    path = external(
        tmp_path, "in.h5", (3, 4), "<i4", [("raw.bin", 0, UNLIMITED)], maxshape=(None, 4)
    )
    monkeypatch.chdir(tmp_path)
    with netCDF4.Dataset(path) as f:
        lengths = [(len(dim), dim.isunlimited()) for dim in f.dimensions.values()]
    assert lengths == [(3, True), (4, False)]
    assert ncdump("-h", path).count(b"UNLIMITED ; // (3 currently)") == 1
    found, maxshape = copied(path, tmp_path / "out.nc")
    assert found.tolist() == np.arange(12).reshape(3, 4).tolist() and maxshape == (None, 4)


def test_only_the_data_needs_the_file(tmp_path):
    path = external(tmp_path, "in.h5", (3,), "<i4", [("none.bin", 0, 12)])
    with h5py.File(path, "a") as f:
        f["other"] = np.arange(2)
    assert b"int d(" in ncdump("-h", path)
    assert b"other = 0, 1" in ncdump("-v", "other", path)
    nccopy("-V", "other", path, tmp_path / "out.nc")
    message = nccopy(path, tmp_path / "fail.nc", ok=False)
    assert "in.h5: variable d: external file none.bin: it does not exist" in message
    assert not (tmp_path / "fail.nc").exists()


def test_the_working_directory_is_not_read(tmp_path):
    (tmp_path / "sub").mkdir()
    np.arange(3, dtype="<i4").tofile(tmp_path / "raw.bin")
    path = external(tmp_path / "sub", "in.h5", (3,), "<i4", [("raw.bin", 0, 12)])
    message = nccopy("sub/in.h5", tmp_path / "out.nc", ok=False, cwd=tmp_path)
    assert "the working directory" in message and "raw.bin" in message
    for prefix in tmp_path, "${ORIGIN}/..", "..":
        environment = {**os.environ, "HDF5_EXTFILE_PREFIX": str(prefix)}
        nccopy("in.h5", tmp_path / "out.nc", cwd=tmp_path / "sub", env=environment)
        with h5py.File(tmp_path / "out.nc") as f:
            assert f["d"][()].tolist() == [0, 1, 2]
    assert path.exists()


def test_sizes_without_end_cost_nothing(tmp_path):
    """A terabyte that is said to lie in a file of three bytes is neither read nor allocated."""
    (tmp_path / "raw.bin").write_bytes(b"abc")
    path = external(tmp_path, "in.h5", (1 << 40,), "u1", [("raw.bin", 0, UNLIMITED)])
    assert b"d(phony_dim_0)" in ncdump("-h", path)
    done = subprocess.run(
        f"ulimit -v 1000000; {BIN / 'ncdump'} {path} | head -c 60000 | tail -c 100", shell=True, capture_output=True
    )
    assert done.stdout.count(b"0, 0, 0") > 5, done


def test_huge_claims_are_checked_at_once_and_never_fill_a_disk(tmp_path):
    (tmp_path / "raw.bin").write_bytes(b"abc")
    external(tmp_path, "raw.h5", (1 << 60,), "u1", [("raw.bin", 0, UNLIMITED)])
    with h5py.File(tmp_path / "source.h5", "w") as f:
        f["d"] = np.arange(10.0)
    with h5py.File(tmp_path / "virtual.h5", "w", libver="v110") as f:
        layout = h5py.VirtualLayout((1 << 59,), "f4")
        layout[10:20] = h5py.VirtualSource("source.h5", "d", (10,))
        f.create_virtual_dataset("v", layout, fillvalue=2)
    for name, held in ("raw.h5", 3), ("virtual.h5", 40):
        checked = ncdump("--check", tmp_path / name, timeout=30).decode()
        assert f"no fault in 1 variable, 0 chunks, {held} bytes" in checked
        for options in [], ["--salvage"], ["-k", "nc5"]:
            assert "its file system has" in nccopy(*options, tmp_path / name, tmp_path / "out", ok=False, timeout=30)
            assert not (tmp_path / "out").exists()


def test_segments_that_end_too_early(tmp_path):
    (tmp_path / "raw.bin").write_bytes(bytes(100))
    path = external(tmp_path, "in.h5", (3,), "<i4", [("raw.bin", 0, 12)])
    # The last 12 of the file is the size of the segment.
    data = bytearray(path.read_bytes())
    entry = (0).to_bytes(8, "little") + (12).to_bytes(8, "little")
    at = data.index(entry)
    data[at + 8] = 10
    path.write_bytes(data)
    message = nccopy(path, tmp_path / "out.nc", ok=False)
    assert "its external files are said to hold 10 bytes" in message
