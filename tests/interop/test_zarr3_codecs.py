"""Chunks that change at the outer end of their filters alone: what lies below is neither decoded nor encoded."""

import json
import zlib

import h5py
import numpy as np
import pytest
from conftest import nccopy

zarr = pytest.importorskip("zarr", "3")

WAVE = (280 + 15 * np.sin(np.arange(60 * 50) / 37)).astype("<f4").reshape(60, 50)
CHUNK = 20, 25


def netcdf4(path, **options):
    with h5py.File(path, "w") as file:
        for name, length in ("y", 60), ("x", 50):
            scale = file.create_dataset(name, shape=length, dtype="f4")
            scale.make_scale("This is a netCDF dimension but not a netCDF variable. %9d" % length)
        var = file.create_dataset("v", data=WAVE, chunks=CHUNK, **options)
        for n, name in enumerate("yx"):
            var.dims[n].attach_scale(file[name])


def chunks_of_hdf5(path):
    with h5py.File(path) as file:
        var = file["v"]
        places = [(y, x) for y in range(0, 60, 20) for x in range(0, 50, 25)]
        return [var.id.read_direct_chunk(place)[1] for place in places]


def chunks_of_v2(path):
    return [(path / "v" / f"{y}.{x}").read_bytes() for y in range(3) for x in range(2)]


def body_of_zlib(stream):
    assert zlib.decompress(stream)
    return stream[2:-4]


def body_of_gzip(stream):
    assert stream[:10] == b"\x1f\x8b\x08\0\0\0\0\0\0\xff" and zlib.decompress(stream, 31)
    return stream[10:-8]


def test_zlib_is_wrapped_as_gzip_and_back(tmp_path):
    # h5py's stream is not the one that is made here.
    netcdf4(tmp_path / "in.nc", shuffle=True, compression="gzip", compression_opts=9)
    stored = chunks_of_hdf5(tmp_path / "in.nc")
    out = f"{tmp_path}/out.zarr#mode=zarr"
    nccopy("-F", "v,shuffle|gzip,level=9", tmp_path / "in.nc", out)
    wrapped = chunks_of_v2(tmp_path / "out.zarr")
    assert [body_of_gzip(new) for new in wrapped] == [body_of_zlib(old) for old in stored]
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "out.zarr"), mode="r")["v"][:], WAVE)
    # Without options, what HDF5 lacks becomes deflate of the same level.
    nccopy("-4", out, tmp_path / "back.nc")
    back = chunks_of_hdf5(tmp_path / "back.nc")
    assert [body_of_zlib(new) for new in back] == [body_of_zlib(old) for old in stored]
    with h5py.File(tmp_path / "back.nc") as file:
        np.testing.assert_array_equal(file["v"][:], WAVE)


def test_checksums_come_and_go(tmp_path):
    netcdf4(tmp_path / "in.nc", shuffle=True, compression="gzip", compression_opts=9)
    stored = chunks_of_hdf5(tmp_path / "in.nc")
    out = f"{tmp_path}/out.zarr#mode=zarr"
    nccopy("-F", "v,shuffle|deflate,9|crc32c", tmp_path / "in.nc", out)
    summed = chunks_of_v2(tmp_path / "out.zarr")
    assert [chunk[:-4] for chunk in summed] == stored
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "out.zarr"), mode="r")["v"][:], WAVE)
    # HDF5 has no crc32c.
    nccopy("-4", out, tmp_path / "back.nc")
    assert chunks_of_hdf5(tmp_path / "back.nc") == stored
    damaged = tmp_path / "out.zarr" / "v" / "1.1"
    data = bytearray(damaged.read_bytes())
    data[7] ^= 1
    damaged.write_bytes(data)
    failed = nccopy("-4", out, tmp_path / "never.nc", ok=False)
    assert all(part in failed for part in ("v", "[1, 1]", "crc32c", "checksum")), failed
    assert not (tmp_path / "never.nc").exists()


def test_zstd_frames_that_hdf5_cannot_read_are_encoded_anew(tmp_path):
    numcodecs = pytest.importorskip("numcodecs")
    root = zarr.open_group(str(tmp_path / "in.zarr"), mode="w", zarr_format=2)
    codec = numcodecs.Zstd(level=3)
    array = root.create_array("v", shape=WAVE.shape, chunks=CHUNK, dtype="<f4", compressors=codec)
    array.attrs["_ARRAY_DIMENSIONS"] = ["y", "x"]
    array[:] = WAVE
    path = tmp_path / "in.zarr" / "v" / "1.0"
    tile = WAVE[20:40, :25].tobytes()
    path.write_bytes(bytes(codec.encode(tile[:1000])) + bytes(codec.encode(tile[1000:])))
    before = chunks_of_v2(tmp_path / "in.zarr")
    nccopy("-4", f"{tmp_path}/in.zarr#mode=zarr", tmp_path / "out.nc")
    after = chunks_of_hdf5(tmp_path / "out.nc")
    assert [old == new for old, new in zip(before, after)] == [True, True, False, True, True, True]
    assert codec.decode(after[2]) == tile


def chunk_of_v3(path, name):
    return (path / name / "c" / "0" / "0").read_bytes()


@pytest.mark.parametrize("filters, names", [
    ("shuffle|deflate,9", ["bytes", "numcodecs.shuffle", "numcodecs.zlib"]),
    ("shuffle|gzip,level=9", ["bytes", "numcodecs.shuffle", "gzip"]),
    ("shuffle|gzip,level=9|crc32c", ["bytes", "numcodecs.shuffle", "gzip", "crc32c"]),
])
def test_version_3(tmp_path, filters, names):
    netcdf4(tmp_path / "in.nc", shuffle=True, compression="gzip", compression_opts=9)
    old = chunks_of_hdf5(tmp_path / "in.nc")[0]
    out = f"{tmp_path}/out.zarr#mode=zarr,v3"
    nccopy("-F", f"v,{filters}", tmp_path / "in.nc", out)
    codecs = json.loads((tmp_path / "out.zarr" / "v" / "zarr.json").read_text())["codecs"]
    assert [codec["name"] for codec in codecs] == names
    new = chunk_of_v3(tmp_path / "out.zarr", "v")
    if "crc32c" in names:
        new = new[:-4]
    body = body_of_gzip if "gzip" in names else body_of_zlib
    assert body(new) == body_of_zlib(old)
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "out.zarr"), mode="r")["v"][:], WAVE)
    nccopy("-4", out, tmp_path / "back.nc")
    assert body_of_zlib(chunks_of_hdf5(tmp_path / "back.nc")[0]) == body_of_zlib(old)


@pytest.mark.parametrize("filters", [
    "zstd,level=3,checksum=true", "zstd,3|crc32c", "blosc,cname=zstd,clevel=5,shuffle=bit", "transpose,order=[1,0]|gzip,level=3", "numcodecs.lz4",
    "numcodecs.bz2,level=5", "numcodecs.lzma,preset=1", "delta,dtype=<f4|zstd,3", "bitround,keepbits=20|zstd,3", "numcodecs.adler32|crc32",
    "fixedscaleoffset,offset=200,scale=1000,dtype=<f4,astype=<i4|zstd,3", "quantize,digits=3,dtype=<f4|gzip,level=1", "shuffle|fletcher32|zstd,3",
])
def test_zarr_python_reads_each_codec(tmp_path, filters):
    netcdf4(tmp_path / "in.nc")
    out = f"{tmp_path}/out.zarr#mode=zarr,v3"
    nccopy("-F", f"v,{filters}", tmp_path / "in.nc", out)
    found = zarr.open(str(tmp_path / "out.zarr"), mode="r")["v"][:]
    np.testing.assert_allclose(found, WAVE, rtol=1e-5)
    nccopy("-F", "none", "-4", out, tmp_path / "back.nc")
    with h5py.File(tmp_path / "back.nc") as file:
        np.testing.assert_array_equal(file["v"][:], found)


@pytest.mark.parametrize("mode", [{"mode": 4, "tolerance": 1e-3}, {"mode": 2, "rate": 12}, {"mode": 3, "precision": 18}, {"mode": 4, "tolerance": -1}],
                         ids=lambda mode: "-".join(map(str, mode.values())))
def test_zfpy_makes_the_bytes_of_the_array(tmp_path, mode):
    """In version 3 the codec stands in place of `bytes`; the chunks are those of version 2."""
    zfpy = pytest.importorskip("zarr.codecs.numcodecs").ZFPY
    root = zarr.create_group(str(tmp_path / "theirs.zarr"), zarr_format=3)
    for name, options in {"v": {"chunks": (20, 30)}, "sharded": {"chunks": (10, 15), "shards": (20, 30)}}.items():
        array = root.create_array(name, shape=WAVE.shape, dtype=WAVE.dtype, serializer=zfpy(**mode), **options)
        array[:] = WAVE
    wanted = {name: root[name][:] for name in ("v", "sharded")}
    nccopy("-F", "none", "-k", "nc4", tmp_path / "theirs.zarr", tmp_path / "a.nc")
    with h5py.File(tmp_path / "a.nc") as file:
        for name, values in wanted.items():
            np.testing.assert_array_equal(file[name][:], values)
    nccopy("--shard", "none", tmp_path / "theirs.zarr", f"{tmp_path}/ours.zarr#mode=zarr,v3")
    ours = zarr.open_group(str(tmp_path / "ours.zarr"), mode="r")
    for name, values in wanted.items():
        np.testing.assert_array_equal(ours[name][:], values)
    assert chunk_of_v3(tmp_path / "ours.zarr", "v") == chunk_of_v3(tmp_path / "theirs.zarr", "v")
    nccopy(tmp_path / "theirs.zarr", f"{tmp_path}/2.zarr#mode=zarr,v2")
    np.testing.assert_array_equal(zarr.open_group(str(tmp_path / "2.zarr"), mode="r")["v"][:], wanted["v"])
    configuration = ",".join(f"{key}={value}" for key, value in mode.items())
    netcdf4(tmp_path / "plain.nc")
    nccopy("-F", f"v,zfpy,{configuration}", tmp_path / "plain.nc", f"{tmp_path}/3.zarr#mode=zarr,v3")
    codecs = json.loads((tmp_path / "3.zarr" / "v" / "zarr.json").read_text())["codecs"]
    assert [codec["name"] for codec in codecs] == ["numcodecs.zfpy"]
    found = zarr.open_group(str(tmp_path / "3.zarr"), mode="r")["v"][:]
    np.testing.assert_allclose(found, WAVE, atol=0.1)
    nccopy(f"{tmp_path}/3.zarr", f"{tmp_path}/again.zarr#mode=zarr,v2")
    nccopy(f"{tmp_path}/again.zarr", f"{tmp_path}/again3.zarr#mode=zarr,v3")
    assert chunk_of_v3(tmp_path / "again3.zarr", "v") == chunk_of_v3(tmp_path / "3.zarr", "v")
    np.testing.assert_array_equal(zarr.open_group(str(tmp_path / "again.zarr"), mode="r")["v"][:], found)


def test_zfpy_beside_other_codecs(tmp_path):
    netcdf4(tmp_path / "in.nc")
    nccopy("-F", "v,zfpy,tolerance=0.1|zstd,3|crc32c", tmp_path / "in.nc", f"{tmp_path}/out.zarr#mode=zarr,v3")
    np.testing.assert_allclose(zarr.open_group(str(tmp_path / "out.zarr"), mode="r")["v"][:], WAVE, atol=0.2)
    # No array has two codecs that make bytes of it.
    path = tmp_path / "out.zarr" / "v" / "zarr.json"
    document = json.loads(path.read_text())
    document["codecs"].insert(0, {"name": "bytes", "configuration": {"endian": "little"}})
    path.write_text(json.dumps(document))
    (tmp_path / "out.zarr" / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    with pytest.raises((TypeError, ValueError)):
        zarr.open_array(str(tmp_path / "out.zarr" / "v"), mode="r")
    said = nccopy(tmp_path / "out.zarr", tmp_path / "back.nc", ok=False)
    assert "numcodecs.zfpy" in said and "two codecs that make bytes" in said, said
