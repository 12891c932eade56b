"""Zip files that were cut: what is left of them is found without their directory. Names of entries that changed."""

import io
import json
import subprocess
import zipfile

import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy

SHAPE = (8, 30, 40)


def field():
    return np.random.default_rng(3).normal(size=SHAPE).astype("f4")


def run(program, *arguments):
    done = subprocess.run([BIN / program, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Stream(io.RawIOBase):
    """Cannot seek, so that sizes follow the data."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)

    def flush(self):
        self.file.flush()


@pytest.fixture(params=["stored", "deflated", "streamed"])
def pack(request):
    method = zipfile.ZIP_DEFLATED if request.param == "deflated" else zipfile.ZIP_STORED

    def pack(tree, path):
        keys = [key for key in sorted(tree.rglob("*")) if key.is_file()]
        # As zarr-python and netCDF-C write: the metadata of an array before its chunks.
        keys.sort(key=lambda key: not key.name.startswith((".z", "zarr.json")))
        target = Stream(path) if request.param == "streamed" else path
        with zipfile.ZipFile(target, "w", method) as file:
            for key in keys:
                file.write(key, key.relative_to(tree).as_posix())
        with zipfile.ZipFile(path) as file:
            return {info.filename: info.header_offset for info in file.infolist()}

    return pack


@pytest.mark.parametrize("mode", ["zarr,v2", "zarr,v3", "nczarr,file"])
def test_chunks_before_the_cut_are_saved(pack, mode, tmp_path):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as dataset:
        for n, length in enumerate(SHAPE):
            dataset.createDimension(f"d{n}", length)
        variable = dataset.createVariable("v", "f4", ("d0", "d1", "d2"), chunksizes=(1, 30, 40), zlib=True, fill_value=-7)
        variable[:] = field()
    tree = tmp_path / "tree.zarr"
    nccopy(tmp_path / "in.nc", f"{tree}#mode={mode}")
    path = tmp_path / "cut.zip"
    headers = pack(tree, path)
    places = [next(at for name, at in headers.items() if name.endswith((f"/c/{n}/0/0", f"/{n}.0.0"))) for n in range(8)]
    path.write_bytes(path.read_bytes()[: places[5] + 200])

    status, _, told = run("ncdump", "-h", path)
    assert status == 1 and told.endswith("a zip without an end record; 'nccopy --salvage' copies what can still be read\n")
    status, text, _ = run("ncdump", "--check", path)
    assert status == 1 and "entries were found without it" in text and "variable v: chunk [5, 0, 0]: " in text
    status, _, told = run("nccopy", "-k", "nc4", "--salvage", "--verify", path, tmp_path / "out.nc")
    assert status == 3 and "the zip's directory cannot be read: a zip without an end record" in told
    with netCDF4.Dataset(tmp_path / "out.nc") as dataset:
        dataset.set_auto_mask(False)
        found = dataset["v"][:]
    assert found[:5].tobytes() == field()[:5].tobytes()
    assert (found[5:] == -7).all()


def test_a_zip_without_metadata_is_an_error(tmp_path):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as dataset:
        dataset.createDimension("x", 5000)
        dataset.createVariable("v", "f8", ("x",), chunksizes=(500,))[:] = np.arange(5000)
    path = tmp_path / "ours.zip"
    nccopy(tmp_path / "in.nc", f"{path}#mode=zarr,v2,zip")
    path.write_bytes(path.read_bytes()[:20_000])
    status, _, told = run("nccopy", "-k", "nc4", "--salvage", path, tmp_path / "out.nc")
    assert status == 1 and told.count("\n") == 1 and "metadata of the root group" in told
    assert not (tmp_path / "out.nc").exists()


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_a_zip_that_is_truncated_within_the_metadata_of_a_variable(version, tmp_path):
    names = ["a", "b", "c"]
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as dataset:
        dataset.createDimension("x", 50)
        for name in names:
            dataset.createVariable(name, "f8", ("x",))[:] = np.arange(50)
    tree = tmp_path / "tree.zarr"
    nccopy(tmp_path / "in.nc", f"{tree}#mode=zarr,{version}")
    # Without consolidated metadata, all documents of a variable before those of the next.
    (tree / ".zmetadata").unlink(missing_ok=True)
    if version == "v3":
        root = json.loads((tree / "zarr.json").read_text())
        root.pop("consolidated_metadata", None)
        (tree / "zarr.json").write_text(json.dumps(root))
    keys = [key for key in sorted(tree.rglob("*")) if key.is_file()]
    keys.sort(key=lambda key: (key.parent != tree, key.relative_to(tree).parts[0], not key.name.startswith((".z", "zarr.json")), key.name))
    whole = tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w") as file:
        for key in keys:
            file.write(key, key.relative_to(tree).as_posix())
    with zipfile.ZipFile(whole) as file:
        infos = [info for info in file.infolist() if info.filename.split("/")[-1] in (".zarray", ".zattrs", "zarr.json") and info.filename.startswith(("b/", "c/"))]
    assert len(infos) >= 2
    cut = tmp_path / "cut.zip"
    for info in infos:
        data = info.header_offset + 30 + len(info.filename)
        for end in data - 3, data + 1, data + info.file_size // 2, data + info.file_size - 1:
            cut.write_bytes(whole.read_bytes()[:end])
            status, _, told = run("nccopy", "-k", "nc4", "--salvage", cut, tmp_path / "out.nc")
            assert status == 3 and "overlaps" not in told, (info.filename, told)
            if end > data:
                assert f'the zip\'s entry "{info.filename}" ' in told and "is truncated: the file ends within its data" in told
            with netCDF4.Dataset(tmp_path / "out.nc") as dataset:
                before = names[: names.index(info.filename[0])]
                assert before == [name for name in before if (dataset[name][:] == np.arange(50)).all()]
            assert run("ncdump", "--check", cut)[0] == 1


@pytest.mark.parametrize("changed", [b"0.0.8", b"0.0.\\", b"0.0.\xff"])
def test_a_changed_name_in_the_directory_is_a_fault(tmp_path, changed):
    zarr = pytest.importorskip("zarr", "3")
    path = tmp_path / "a.zip"
    with zarr.storage.ZipStore(path, mode="w") as store:
        group = zarr.create_group(store, zarr_format=2)
        array = group.create_array("v", shape=(2, 2, 4), chunks=(2, 2, 2), dtype="i4")
        array[:] = 1
    status, told, _ = run("ncdump", "--check", path)
    assert status == 0, told
    data = bytearray(path.read_bytes())
    at = data.rindex(b"v/0.0.1")
    data[at : at + 7] = b"v/" + changed
    path.write_bytes(data)
    status, told, _ = run("ncdump", "--check", path)
    assert status == 1
    assert 'is called "v/0.0.1" by its local header' in told, told
