"""Codecs that only Zarr has: numcodecs reads what is encoded here, and the reverse."""

import json
import lzma
import subprocess
import warnings

import numpy as np
import pytest
from conftest import harness, nccopy, ncgen

numcodecs = pytest.importorskip("numcodecs")
warnings.simplefilter("ignore")

WALK = np.cumsum(np.random.default_rng(5).integers(-9, 10, 5000))
WAVE = 280 + 15 * np.sin(np.arange(5000) / 37) + np.random.default_rng(6).normal(0, 0.3, 5000)
CASES = [
    *[(numcodecs.GZip(level), "<i4") for level in range(10)],
    (numcodecs.LZMA(), "<i4"),
    (numcodecs.LZMA(preset=1, check=lzma.CHECK_SHA256), "<f8"),
    (numcodecs.LZMA(format=lzma.FORMAT_ALONE, preset=3), "<i4"),
    (numcodecs.LZMA(format=lzma.FORMAT_RAW, filters=[
        {"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 2}
    ]), "<i4"),
    (numcodecs.CRC32(), "<i4"),
    (numcodecs.CRC32(location="end"), "<i4"),
    (numcodecs.Adler32(), "<i4"),
    (numcodecs.checksum32.CRC32C(), "<i4"),
    (numcodecs.checksum32.CRC32C(location="start"), "<i4"),
    (numcodecs.Delta("<i4", "<i2"), "<i4"),
    (numcodecs.Delta(">i8"), ">i8"),
    (numcodecs.Delta("<f8"), "<f8"),
    (numcodecs.FixedScaleOffset(250, 10, "<f8", "<i2"), "<f8"),
    (numcodecs.FixedScaleOffset(250.5, 100, ">f4", "<i4"), ">f4"),
    (numcodecs.FixedScaleOffset(-20000, 3, "<i4", "<i8"), "<i4"),
    (numcodecs.FixedScaleOffset(0, 0.5, "<i8", "<i4"), "<i8"),
    *[(numcodecs.Quantize(digits, dtype), dtype) for digits in range(7) for dtype in ("<f4", ">f8")],
    *[(numcodecs.BitRound(bits), dtype) for bits in (0, 1, 7, 23) for dtype in ("<f4", "<f8")],
    (numcodecs.AsType("<i2", "<i8"), "<i8"),
    (numcodecs.AsType(">f4", "<f8"), "<f8"),
    (numcodecs.PackBits(), "bool"),
]
# It is there with the package zfpy.
if hasattr(numcodecs, "ZFPY"):
    CASES += [
        (numcodecs.ZFPY(), "<f4"),
        (numcodecs.ZFPY(mode=2, rate=9), "<f8"),
        (numcodecs.ZFPY(mode=3, precision=20), "<f4"),
        (numcodecs.ZFPY(mode=4, tolerance=0.1), "<f8"),
    ]


def values(dtype, count):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return WALK[:count] % 3 == 0
    return (WALK if kind == "i" else WAVE)[:count].astype(dtype)


def tool(tmp_path, mode, codec, dtype, data, *arguments):
    """Runs our codec over a chunk."""
    ours, source, target = codec.get_config(), tmp_path / "in", tmp_path / "out"
    source.write_bytes(data)
    pipeline = (dtype if np.dtype(dtype).kind == "f" else "") + json.dumps([ours])
    subprocess.run(harness("filter_tool", mode, pipeline, source, target, *arguments), check=True, capture_output=True)
    return target.read_bytes()


def as_bytes(data):
    return data.tobytes() if isinstance(data, np.ndarray) else bytes(data)


@pytest.mark.parametrize("codec, dtype", CASES, ids=lambda case: str(case).replace(" ", ""))
@pytest.mark.parametrize("count", [1, 77, 5000])
def test_both_ways(tmp_path, codec, dtype, count):
    data = values(dtype, count)
    theirs = as_bytes(codec.encode(data))
    ours = tool(tmp_path, "encode", codec, dtype, data.tobytes())
    if codec.codec_id not in ("gzip", "lzma"):
        assert ours == theirs
    # What bytes are does not tell the type to a codec that has no type in its configuration.
    stored = np.frombuffer(ours, dtype) if codec.codec_id == "bitround" else ours
    wanted = as_bytes(codec.decode(stored))
    if codec.codec_id not in ("bitround", "quantize", "fixedscaleoffset", "delta", "astype", "zfpy"):
        assert wanted == data.tobytes()
    for encoded in ours, theirs:
        assert tool(tmp_path, "decode", codec, dtype, encoded, data.nbytes) == wanted


@pytest.mark.parametrize(
    "codec, name, member, ty",
    [
        ("delta", "d", "dtype", "<f8"),
        ("delta", "s", "dtype", "<i2"),
        ("fixedscaleoffset,scale=10,offset=0", "d", "dtype", "<f8"),
        ("quantize,digits=2", "d", "dtype", "<f8"),
        ("astype,encode_dtype=<f4", "d", "decode_dtype", "<f8"),
        ("delta,dtype=<i2,astype=<i4", "s", "dtype", "<i2"),
    ],
)
def test_the_type_that_numcodecs_needs_is_that_of_the_variable(tmp_path, codec, name, member, ty):
    text = "netcdf a { dimensions: x = 5 ; variables: short s(x) ; double d(x) ; data: s = 3, 1, 4, 1, 5 ; d = 3, 1, 4, 1, 5 ; }"
    (tmp_path / "a.cdl").write_text(text)
    ncgen("-4", "-o", tmp_path / "a.nc", tmp_path / "a.cdl")
    nccopy("-F", f"{name},{codec}", tmp_path / "a.nc", f"{tmp_path}/a.zarr#mode=zarr,v2")
    array = json.loads((tmp_path / "a.zarr" / name / ".zarray").read_text())
    stored = array["compressor"] or array["filters"][0]
    assert stored[member] == ty
    zarr = pytest.importorskip("zarr", "3")
    assert zarr.open_array(tmp_path / "a.zarr" / name)[:].tolist() == [3, 1, 4, 1, 5]
    nccopy("-F", f"{name},{codec}", tmp_path / "a.nc", f"{tmp_path}/3.zarr#mode=zarr,v3")
    [stored] = [c for c in json.loads((tmp_path / "3.zarr" / name / "zarr.json").read_text())["codecs"] if c["name"].startswith("numcodecs")]
    assert stored["configuration"][member] == ty
    assert zarr.open_array(tmp_path / "3.zarr" / name)[:].tolist() == [3, 1, 4, 1, 5]
