"""Booleans and complex numbers: h5py's enum and compound, and the types that numpy and Zarr have, in both directions."""

import json

import h5py
import hdf5plugin  # noqa: F401, filters for h5py
import numpy as np
import pytest
from conftest import nccopy, ncdump
from zarr_reference import by_readers_of_version_3, by_zarr_python

zarr = pytest.importorskip("zarr", "3")

FLAGS = np.array([True, False, True, True, False])
WAVES = {"c8": np.array([1 + 2j, -0.5j, 3, 1e30 - 1j, 0], "c8"), "c16": np.array([1 + 2j, -0.5j, 3, 1e300 - 1j, 0], "c16")}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "in.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("flags", data=FLAGS, chunks=(2,), compression="gzip", shuffle=True)
        file["flags"].attrs["whole"] = np.bool_(True)
        file["flags"].attrs["some"] = np.array([True, False])
        file.attrs["root"] = np.bool_(False)
        for name, values in WAVES.items():
            file.create_dataset(name, data=values, chunks=(2,))
            file.create_dataset(f"{name}_big", data=values.astype(values.dtype.newbyteorder(">")))
        file["number"] = np.arange(5.0)
    return path


@pytest.mark.parametrize("mode", ["zarr,v3", "zarr"])
def test_into_zarr_and_back(tmp_path, source, mode):
    out = f"{tmp_path}/out.zarr#mode={mode}"
    said = nccopy("--verify", source, out)
    assert "has compounds" not in said and "become bytes" not in said, said
    root = zarr.open_group(str(tmp_path / "out.zarr"), mode="r")
    assert root["flags"].dtype == bool
    np.testing.assert_array_equal(root["flags"][...], FLAGS)
    assert dict(root["flags"].attrs) == {"whole": True, "some": [True, False]} | ({} if "v3" in mode else {
        "_ARRAY_DIMENSIONS": root["flags"].attrs["_ARRAY_DIMENSIONS"]})
    assert root.attrs["root"] is False
    for name, values in WAVES.items():
        for array in root[name], root[f"{name}_big"]:
            assert array.dtype == values.dtype
            np.testing.assert_array_equal(array[...], values)
    nccopy("-k", "nc4", out, tmp_path / "back.nc")
    with h5py.File(tmp_path / "back.nc") as file:
        assert file["flags"].dtype == bool
        np.testing.assert_array_equal(file["flags"][...], FLAGS)
        for name, values in WAVES.items():
            assert file[name].dtype == values.dtype
            np.testing.assert_array_equal(file[name][...], values)
        if "v3" in mode:
            assert file["flags"].attrs["some"].tolist() == [True, False] and file["flags"].attrs["some"].dtype == bool


def test_other_readers_of_version_3(tmp_path, source):
    nccopy("-F", "*,zstd,3", source, f"{tmp_path}/out.zarr#mode=zarr,v3")
    for reader in "zarr", "zarrs", "tensorstore":
        found = by_readers_of_version_3(reader, tmp_path / "out.zarr")[0]["variables"]
        assert found["/flags"]["dtype"] == "bool" and found["/flags"]["values"] == FLAGS.tolist(), reader
        for name, values in WAVES.items():
            assert found[f"/{name}"]["values"] == [repr(x) for x in values.tolist()], reader


def test_zarr_python_2(tmp_path, source):
    nccopy(source, f"{tmp_path}/out.zarr#mode=zarr")
    found = by_zarr_python(tmp_path / "out.zarr", 2)["variables"]
    assert found["/flags"]["dtype"] == "bool" and found["/flags"]["values"] == FLAGS.tolist()
    assert found["/c8"]["dtype"] == "complex64" and found["/c16_big"]["dtype"] == "complex128"


@pytest.mark.parametrize("kind", [("-k", "nc3", "out.nc"), ("-k", "nc5", "out.nc"), ("out.zarr#mode=nczarr",)])
def test_kinds_without_booleans(tmp_path, source, kind):
    said = nccopy("--verify", "--drop-unsupported", "-V", "flags,number", *kind[:-1], source, tmp_path / kind[-1])
    lines = [line for line in said.splitlines() if "has no booleans" in line]
    assert len(lines) == 1 and lines[0].endswith(": flags, flags:whole, flags:some, /root"), said
    text = ncdump(tmp_path / kind[-1]).decode()
    assert "byte flags(" in text and "flags = 1, 0, 1, 1, 0 ;" in text and "flags:some = 1b, 0b ;" in text


@pytest.mark.parametrize("version", [2, 3])
def test_arrays_of_zarr_python(tmp_path, version):
    """What never was netCDF: unwritten chunks, fill values, big-endian parts."""
    root = zarr.open_group(str(tmp_path / "in.zarr"), mode="w", zarr_format=version)
    flags = root.create_array("flags", shape=(5,), chunks=(2,), dtype=bool, fill_value=True)
    flags[:2] = [False, True]
    wave = root.create_array("wave", shape=(5,), chunks=(2,), dtype="c16", fill_value=complex(1, float("nan")))
    wave[:2] = WAVES["c16"][:2]
    nccopy("-k", "nc4", tmp_path / "in.zarr", tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as file:
        assert file["flags"].dtype == bool and file["flags"][...].tolist() == [False, True, True, True, True]
        assert file["wave"].dtype == "c16"
        np.testing.assert_array_equal(file["wave"][...], wave[...])
    for other in 2, 3:
        out = tmp_path / f"out{other}.zarr"
        nccopy(tmp_path / "in.zarr", f"{out}#mode=zarr,v{other}")
        copied = zarr.open_group(str(out), mode="r")
        for array in flags, wave:
            np.testing.assert_array_equal(copied[array.basename][...], array[...])
            assert copied[array.basename].dtype == array.dtype
            np.testing.assert_array_equal(copied[array.basename].fill_value, array.fill_value)


def test_older_copies_have_integers(tmp_path, source):
    """Booleans were int8 with the enum among netCDF's own facts."""
    nccopy("-F", "none", "-V", "flags", source, f"{tmp_path}/old.zarr#mode=zarr,v3")
    path = tmp_path / "old.zarr" / "flags" / "zarr.json"
    document = json.loads(path.read_text())
    document |= {"data_type": "int8", "fill_value": 0}
    path.write_text(json.dumps(document))
    root = tmp_path / "old.zarr" / "zarr.json"
    document = json.loads(root.read_text())
    del document["consolidated_metadata"]
    root.write_text(json.dumps(document))
    nccopy("-k", "nc4", tmp_path / "old.zarr", tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as file:
        assert file["flags"].dtype == bool and file["flags"][...].tolist() == FLAGS.tolist()
