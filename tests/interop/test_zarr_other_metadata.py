"""Hierarchies whose metadata is incomplete or unusual: what zarr-python and numcodecs make of them is what our programs read."""

import base64
import json
import os
import subprocess
import unicodedata

import h5py
import netCDF4
import netcdf_c
import numcodecs
import numpy as np
import pytest
import zarr
from conftest import BIN, nccopy, ncdump

GROUP2 = {"zarr_format": 2}


def put(path, key, value):
    target = path / key
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())


def array2(shape, chunks, dtype, **members):
    return {
        "zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": dtype, "fill_value": None, "order": "C",
        "compressor": None, "filters": None, **members,
    }


def check(path):
    done = subprocess.run([BIN / "ncdump", "--check", path], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout


@pytest.mark.parametrize("version", [2, 3])
def test_groups_without_metadata_are_read_and_told(tmp_path, version):
    path = tmp_path / "in.zarr"
    root = zarr.create_group(path, zarr_format=version)
    array = root.create_array("foo/bar/baz", shape=(3,), chunks=(2,), dtype="i4")
    array[:] = [7, 8, 9]
    for folder in ["foo", "foo/bar"]:
        for name in [".zgroup", ".zattrs", "zarr.json"]:
            (path / folder / name).unlink(missing_ok=True)
    assert list(zarr.open_array(path / "foo/bar/baz", mode="r")[:]) == [7, 8, 9]
    said = nccopy(path, tmp_path / "out.nc")
    assert "are read, though other programs do not list them: /foo, /foo/bar" in said
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert list(out["foo/bar/baz"][:]) == [7, 8, 9]
    code, text = check(path)
    assert code == 0 and "/foo, /foo/bar" in text


def test_consolidated_metadata_alone(tmp_path):
    path = tmp_path / "in.zarr"
    root = zarr.create_group(path, zarr_format=2)
    root.create_array("v", shape=(3,), chunks=(2,), dtype="i4")[:] = [7, 8, 9]
    zarr.consolidate_metadata(path)
    for key in [".zgroup", "v/.zarray", "v/.zattrs"]:
        (path / key).unlink(missing_ok=True)
    nccopy(path, tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert list(out["v"][:]) == [7, 8, 9]


@pytest.mark.parametrize("name, document", [
    (".zarray", b'{"zarr_format": 2, "shape": [3]'), (".zarray", b""), (".zarray", array2([3], [2], "<i4", fill_value="x")),
    (".zarray", array2([3], [0], "<i4")), (".zattrs", b"[1]"), (".zattrs", b'{"units": '),
], ids=str)
def test_a_damaged_document_hides_no_other_array(tmp_path, name, document):
    """zarr-python opens the others, too."""
    path, out = tmp_path / "in.zarr", tmp_path / "out.nc"
    group = zarr.create_group(path, zarr_format=2)
    for array in "good", "bad":
        group.create_array(array, shape=(3,), chunks=(2,), dtype="i4")[:] = [7, 8, 9]
    put(path, f"bad/{name}", document)
    assert zarr.open_group(path, mode="r")["good"][:].tolist() == [7, 8, 9]
    done = subprocess.run([BIN / "ncdump", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "good = 7, 8, 9 ;" in done.stdout and f"bad/{name}" in done.stderr, done
    assert f"bad/{name}" in nccopy(path, out, ok=False) and not out.exists()
    for chosen in ["-V", "good"], ["-V", "*"], ["-v", "good"], ["-g", "/"]:
        # A second line says that Debian's programs do not read the Zstandard that is kept.
        told = nccopy(*chosen, path, out).splitlines()[0]
        assert "warning: what is damaged is left out" in told and f"bad/{name}" in told, told
        with netCDF4.Dataset(out) as found:
            assert found["good"][:].tolist() == [7, 8, 9]
            # Of an array whose attributes alone are no JSON, the values are there.
            assert "bad" not in found.variables or name == ".zattrs"
    for proof, status in (["--digest"], 1), (["--diff", path], 2):
        for named in [], ["-v", "good"]:
            done = subprocess.run([BIN / "ncdump", *proof, *named, path], capture_output=True, text=True, timeout=60)
            assert done.returncode == (0 if named else status) and (f"bad/{name}" in done.stderr) == (not named), done
    code, text = check(path)
    assert code == 1 and f"bad/{name}" in text


STRUCTURE = np.dtype([
    ("a", ">i2"), ("b", "<f8", (2,)), ("s", "S3"), ("u", "<U2"), ("n", [("q", ">u4"), ("r", "?")], (2,)), ("h", "<f2"),
    ("v", "V3"), ("t", "<M8[s]"), ("c", ">c8"),
])


def structures():
    values = np.zeros(5, STRUCTURE)
    for i in range(5):
        values[i] = (
            i - 2, [i, i / 2], b"ab%d" % i, f"é{i}", [(i * 7, i % 2), (i * 70000, 1)], i / 4, b"xyz", i * 100, i - 0.5j,
        )
    return values


def test_structures(tmp_path):
    values = structures()
    path = tmp_path / "in.zarr"
    put(path, ".zgroup", GROUP2)
    codec = numcodecs.Zlib(3)
    fill = np.zeros(1, STRUCTURE)
    fill["a"] = 9
    fields = json.loads(json.dumps(STRUCTURE.descr))
    array = array2([7], [2], fields, compressor=codec.get_config(), fill_value=base64.b64encode(fill.tobytes()).decode())
    put(path, "v/.zarray", array)
    for n in range(2):
        put(path, f"v/{n}", bytes(codec.encode(values[2 * n:2 * n + 2].tobytes())))
    # zarr-python 3 has no arrays in structures. numpy gave the bytes.
    theirs = np.concatenate([values[:4], fill, fill, fill])
    nccopy(path, tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as out:
        ours = out["v"][:]
    for name in ["a", "b", "h", "c"]:
        found = ours[name]["r"] + 1j * ours[name]["i"] if name == "c" and ours[name].dtype.names else ours[name]
        assert np.array_equal(found, theirs[name]), name
    assert np.array_equal(ours["t"], theirs["t"].astype("i8"))
    for field in ["q", "r"]:
        assert np.array_equal(ours["n"][field], theirs["n"][field]), field
    text = [bytes(row).rstrip(b"\0") for row in ours["s"]]
    assert text == list(theirs["s"])
    text = [bytes(row).rstrip(b"\0").decode() for row in ours["u"]]
    assert text == list(theirs["u"])
    assert [bytes(v) for v in ours["v"]] == [bytes(v) for v in theirs["v"]]


TEXTS = np.array([["a", "bé"], ["", "a"]], dtype=object)


@pytest.mark.parametrize("codec", [
    numcodecs.JSON(), numcodecs.VLenUTF8(), numcodecs.Categorize(["a", "bé"], dtype=object),
    numcodecs.Categorize(["bé", "a"], dtype="<U2", astype="<u2"),
], ids=["json2", "vlen-utf8", "categorize", "categorize-u2"])
def test_codecs_of_texts(tmp_path, codec):
    path = tmp_path / "in.zarr"
    put(path, ".zgroup", GROUP2)
    dtype = codec.get_config().get("dtype", "|O")
    values = TEXTS if dtype == "|O" else TEXTS.astype(dtype)
    put(path, "v/.zarray", array2([2, 2], [2, 2], dtype, filters=[codec.get_config()], compressor={"id": "zlib", "level": 1}))
    put(path, "v/0.0", bytes(numcodecs.Zlib(1).encode(codec.encode(values))))
    decoded = codec.decode(codec.encode(values))
    nccopy("-F", "none", path, tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert out["v"][:].tolist() == decoded.reshape(2, 2).tolist()


def test_other_object_codecs_are_named(tmp_path):
    path = tmp_path / "in.zarr"
    put(path, ".zgroup", GROUP2)
    put(path, "p/.zarray", array2([2], [2], "|O", filters=[{"id": "pickle", "protocol": 5}]))
    put(path, "v/.zarray", array2([2], [2], "<i4"))
    said = nccopy(path, tmp_path / "out.nc")
    assert "variable p is left out: it has objects of the codec pickle" in said


def test_bytes_of_different_lengths(tmp_path):
    path = tmp_path / "in.zarr"
    put(path, ".zgroup", GROUP2)
    values = np.array([b"\x00\xff", b"", b"abc"], dtype=object)
    codec = numcodecs.VLenBytes()
    put(path, "v/.zarray", array2([3], [3], "|O", filters=[codec.get_config()]))
    put(path, "v/0", bytes(codec.encode(values)))
    nccopy(path, tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert [bytes(v) for v in out["v"][:]] == list(values)


@pytest.mark.parametrize("mode", ["nczarr,file", "zarr"])
def test_separator_of_rc_files(tmp_path, mode):
    with netCDF4.Dataset(tmp_path / "in.nc", "w") as made:
        for name in "yx":
            made.createDimension(name, 4)
        made.createVariable("v", "i4", ("y", "x"), chunksizes=(2, 2))[:] = np.arange(16).reshape(4, 4)
    (tmp_path / "rc").write_text("ZARR.DIMENSION_SEPARATOR=/\n")
    target = netcdf_c.url(tmp_path / "out", mode)
    nccopy(tmp_path / "in.nc", target, env={**os.environ, "NCRCENV_RC": str(tmp_path / "rc")})
    assert json.loads((tmp_path / "out/v/.zarray").read_text())["dimension_separator"] == "/"
    assert sorted(str(p.relative_to(tmp_path / "out/v")) for p in (tmp_path / "out/v").rglob("[01]/[01]")) == ["0/0", "0/1", "1/0", "1/1"]
    assert zarr.open_array(tmp_path / "out/v", mode="r", zarr_format=2)[:].tolist() == np.arange(16).reshape(4, 4).tolist()
    assert b"12, 13, 14, 15 ;" in netcdf_c.run("ncdump", target)


@netcdf_c.needs_netcdf_c
def test_names_are_normalized_for_netcdf_c(tmp_path):
    name = unicodedata.normalize("NFD", "café")
    with h5py.File(tmp_path / "in.h5", "w") as made:
        made.create_dataset(f"{name}s/{name}", data=np.arange(3))
    target = netcdf_c.url(tmp_path / "out", "nczarr,file")
    said = nccopy("--verify", tmp_path / "in.h5", target)
    assert "names are normalized" in said and "cafés, café" in said
    assert "café = 0, 1, 2 ;" in netcdf_c.run("ncdump", target).decode()
    nccopy(tmp_path / "in.h5", tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as out:
        assert list(out["cafés"]["café"][:]) == [0, 1, 2]


@netcdf_c.needs_netcdf_c
def test_text_without_bytes_is_empty_for_netcdf_c(tmp_path):
    with h5py.File(tmp_path / "in.h5", "w") as made:
        made["v"] = np.arange(3)
        made["v"].attrs["text"] = h5py.Empty("S1")
        made["v"].attrs["number"] = h5py.Empty("f4")
    target = netcdf_c.url(tmp_path / "out", "nczarr,file")
    nccopy("--verify", tmp_path / "in.h5", target)
    text = netcdf_c.run("ncdump", "-h", target).decode()
    assert 'v:text = "" ;' in text and 'v:number = "" ;' in text
    again = ncdump("-h", target).decode()
    assert 'v:text = "" ;' in again and 'v:number = "" ;' in again


def test_fill_value_of_texts_stays_empty(tmp_path):
    path = tmp_path / "in.zarr"
    array = zarr.create_array(path / "v", shape=(8,), chunks=(2,), dtype=str, fill_value="", dimension_names=("x",))
    array[:2] = np.array(["ab", "c"], object)
    nccopy(path, tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as out:
        # HDF5 up to 2.0 cannot read unwritten strings with such a fill value.
        assert list(out["v"][:]) == [b"ab", b"c"] + [b""] * 6
    nccopy(path, netcdf_c.url(tmp_path / "again", "zarr,v3"))
    again = zarr.open_array(tmp_path / "again/v", mode="r")
    assert again.fill_value == "" and list(again[:]) == ["ab", "c"] + [""] * 6
