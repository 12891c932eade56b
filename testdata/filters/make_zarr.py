#!/usr/bin/env python3
"""Makes zarr.jsonl beside this script: chunks as numcodecs (version 2 of Zarr) and zarr-python (version 3) encode them, for the
codecs that HDF5 does not have.

LZ4 frames are imagecodecs' and those of the library lz4.

Needs numcodecs 0.16, zarr 3.4 with cast-value-rs, imagecodecs 2026.10, lz4 4.4 and zfpy 1.0.1. Each line is a chunk: version, codecs, type and shape of the elements; the bytes before
encoding (`raw`), after it, and after decoding if they differ from `raw`; and `exact`, false where an encoder may choose other
bytes.
"""

import json
import lzma
import pathlib
import warnings

import lz4.frame
import numcodecs
import numpy as np
import zarr
from imagecodecs.numcodecs import Lz4f
from zarr.codecs import BytesCodec, CastValue, Crc32cCodec, GzipCodec, ScaleOffset, TransposeCodec
from zarr.codecs import numcodecs as v3

warnings.simplefilter("ignore")
HERE = pathlib.Path(__file__).parent
rng = np.random.default_rng(3)
lines = []


def record(version, codecs, values, encoded, decoded):
    raw, decoded = values.tobytes(), np.ascontiguousarray(decoded).tobytes()
    line = {
        "version": version,
        "codecs": codecs,
        "dtype": values.dtype.str,
        "shape": values.shape,
        "exact": not any(codec.get("id", codec.get("name")).removeprefix("numcodecs.") in ("gzip", "imagecodecs_lz4f", "lzma", "zlib") for codec in codecs),
        "raw": raw.hex(),
        "encoded": bytes(encoded).hex(),
    }
    if decoded != raw:
        line["decoded"] = decoded.hex()
    lines.append(json.dumps(line) + "\n")


def two(values, *codecs):
    """A chunk of version 2."""
    encoded = values
    for codec in codecs:
        encoded = codec.encode(encoded)
    encoded = np.asarray(encoded).tobytes() if isinstance(encoded, np.ndarray) else bytes(encoded)
    decoded = encoded
    for codec in reversed(codecs):
        if isinstance(codec, numcodecs.LZMA) and codec.format != lzma.FORMAT_RAW:
            # numcodecs cannot read what it makes with filters; they are told by the stream itself.
            codec = numcodecs.LZMA(format=codec.format)
        decoded = codec.decode(decoded)
    decoded = np.frombuffer(decoded if isinstance(decoded, bytes) else np.ascontiguousarray(decoded).tobytes(), values.dtype)
    record(2, [codec.get_config() for codec in codecs], values, encoded, decoded)


def three(values, *filters, endian="little", compressors=()):
    """A chunk of version 3."""
    store = zarr.storage.MemoryStore()
    array = zarr.create_array(
        store, shape=values.shape, chunks=values.shape, dtype=values.dtype.newbyteorder("="),
        filters=list(filters), serializer=BytesCodec(endian=endian), compressors=list(compressors),
        # One that all codecs can encode.
        fill_value=values.flat[1],
        config={"write_empty_chunks": True},
    )
    array[...] = values
    stored = {key: value.to_bytes() for key, value in store._store_dict.items() if key.startswith("c")}
    (encoded,) = stored.values()
    metadata = json.loads(store._store_dict["zarr.json"].to_bytes())["codecs"]
    codecs = [codec for codec in metadata if codec["name"] != "bytes"]
    order = {"little": "<", "big": ">"}[endian]
    record(3, codecs, values.astype(values.dtype.newbyteorder(order)), encoded, array[...].astype(values.dtype.newbyteorder(order)))


walk = np.cumsum(rng.integers(-9, 10, 60))
wave = 280 + 15 * np.sin(np.arange(60) / 7)
text = np.frombuffer(b"hello, hello, hello and so on " * 4, "u1")
for level in 0, 1, 9:
    two(text, numcodecs.GZip(level))
for codec in numcodecs.CRC32, numcodecs.Adler32, numcodecs.CRC32C if hasattr(numcodecs, "CRC32C") else numcodecs.checksum32.CRC32C:
    for location in "start", "end":
        two(text, codec(location=location))
    two(text, codec(), numcodecs.GZip(1))
for dtype, astype in ("i2", "i1"), ("<i4", ">i2"), (">u8", None), ("f4", "f4"), (">f8", "<f4"), ("u1", "u1"), ("<i8", "<f8"), ("f4", "i2"):
    two(walk.astype(dtype), numcodecs.Delta(dtype, astype))
for offset, scale, dtype, astype in [
    (250, 5, "f8", "u1"), (250.5, 100.0, "<f4", "<i2"), (200, 2, "<i4", "u1"), (200, 2.5, ">i4", ">i2"),
    (0.5, 4, "<u2", "<i8"), (250, 8, ">f4", None), (-3, 7, "<i8", "<f4"),
]:
    two(wave.astype(dtype), numcodecs.FixedScaleOffset(offset, scale, dtype, astype))
for n in 8, 60, 1, 13:
    two(rng.integers(0, 2, n).astype(bool), numcodecs.PackBits())
two(rng.integers(0, 2, 60).astype(bool), numcodecs.PackBits(), numcodecs.GZip(1))
wild = (rng.normal(size=60) * 10.0 ** rng.integers(-9, 9, 60))
wild[:4] = np.inf, -np.inf, 0, -0.0
for dtype, keep in ("<f4", 5), ("<f4", 0), ("<f8", 20), ("<f8", 52), ("<f2", 4), ("<f4", 23):
    two(wild.astype(dtype), numcodecs.BitRound(keep))
for digits, dtype, astype in (2, "<f4", None), (3, ">f8", "<f4"), (0, "f8", "f8"), (-2, "<f4", ">f8"), (7, "<f8", None):
    two(wave.astype(dtype), numcodecs.Quantize(digits, dtype, astype))
for decoded, encoded in ("<i4", "i1"), ("<f8", ">f4"), (">u2", "<i8"), ("<f4", "<i2"), ("<i8", "<i4"):
    two(walk.astype(decoded), numcodecs.AsType(encoded, decoded))
field = walk.astype("<i2")
two(field, numcodecs.LZMA())
two(field, numcodecs.LZMA(preset=9 | lzma.PRESET_EXTREME, check=lzma.CHECK_CRC32))
two(field, numcodecs.LZMA(format=lzma.FORMAT_ALONE, preset=1))
two(field, numcodecs.LZMA(filters=[{"id": lzma.FILTER_DELTA, "dist": 2}, {"id": lzma.FILTER_LZMA2, "preset": 1}]))
two(field, numcodecs.LZMA(format=lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 4096, "lc": 2, "lp": 1, "pb": 1, "mode": lzma.MODE_FAST, "nice_len": 64, "mf": lzma.MF_HC4, "depth": 4}]))
two(field, numcodecs.LZMA(format=lzma.FORMAT_ALONE, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 65536}]))
two(walk.astype("<i4"), numcodecs.Delta("<i4", "<i2"), numcodecs.Shuffle(2), numcodecs.Zlib(1))

two(text, Lz4f())
two(text, Lz4f(level=1, blocksizeid=5, contentchecksum=True, blockchecksum=True))
two(text, Lz4f(contentsize=False))
two(np.random.default_rng(4).integers(0, 256, 60).astype("u1"), Lz4f(contentchecksum=True))
for linked in True, False:
    # Each part is a block: linked ones refer to those before. No content size.
    writer = lz4.frame.LZ4FrameCompressor(block_linked=linked, block_checksum=linked, content_checksum=True, auto_flush=True)
    frame = writer.begin() + b"".join(writer.compress(part) for part in (text[:31], text[31:35], text[35:])) + writer.flush()
    record(2, [Lz4f().get_config()], text, frame, text)
# A frame of other data between two frames, which together are the chunk.
other = (0x184D2A53).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"
frame = lz4.frame.compress(text[:50].tobytes()) + other + lz4.frame.compress(text[50:].tobytes(), block_size=lz4.frame.BLOCKSIZE_MAX4MB, store_size=False)
record(2, [Lz4f().get_config()], text, frame, text)

for dtype, options in [
    ("<f4", {"mode": 4, "tolerance": 0.01}), ("<f8", {"mode": 2, "rate": 12}), ("<i4", {"mode": 3, "precision": 25}), ("<i8", {}), ("<f8", {"mode": 3, "precision": 0}),
]:
    two(walk.astype(dtype).reshape(3, 4, 5), numcodecs.ZFPY(**options))
    two(walk.astype(dtype)[:57], numcodecs.ZFPY(**options))

cube = rng.integers(0, 99, (3, 4, 5))
for order in (2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1), (0, 1, 2):
    three(cube.astype("i4"), TransposeCodec(order=order))
three(cube.astype("i2"), TransposeCodec(order=(1, 0, 2)), endian="big")
three(cube.astype("f8"), TransposeCodec(order=(2, 1, 0)), TransposeCodec(order=(1, 0, 2)))
three(cube.astype("u1"), TransposeCodec(order=(2, 1, 0)), compressors=[GzipCodec(level=5), Crc32cCodec()])
three(cube.astype("i4"), v3.AsType(encode_dtype="<i2", decode_dtype="<i4"), TransposeCodec(order=(1, 2, 0)))
three(walk.astype("i4"), v3.Delta(dtype="<i4"), compressors=[v3.Adler32(), v3.CRC32(), v3.CRC32C()])
three(wave.astype("f4"), v3.FixedScaleOffset(offset=250, scale=10, astype="<i2"), compressors=[v3.LZMA(preset=1)])
three(wave.astype("f8"), v3.BitRound(keepbits=9), endian="big", compressors=[v3.GZip(level=1)])
three(wave.astype("f8"), v3.Quantize(digits=2))
three(walk.astype("i8"), v3.AsType(encode_dtype="<i2"))

for dtype, to, options in [
    ("f8", "int16", {}), ("f8", "uint8", {"out_of_range": "clamp"}), ("f8", "int8", {"out_of_range": "wrap"}), ("i4", "float64", {}),
    ("i4", "uint8", {"out_of_range": "wrap"}), ("u1", "uint32", {}), ("f8", "float32", {}), ("f4", "float64", {}),
]:
    three(abs(walk).astype(dtype) if dtype == "u1" else walk.astype(dtype), CastValue(data_type=to, **options))
for rounding in "nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away":
    three(walk / 4, CastValue(data_type="int32", rounding=rounding), endian="big")
    three(walk / 3, CastValue(data_type="float32", rounding=rounding))
    three((1 << 53) + walk, CastValue(data_type="float64", rounding=rounding))
holes = walk.astype("f4")
holes[::7] = np.nan
three(holes, CastValue(data_type="int16", scalar_map={"encode": [["NaN", -32768]], "decode": [[-32768, "NaN"]]}))
three(walk.astype("i2"), ScaleOffset(offset=-7, scale=3))
three(walk.astype("u8") % 1000 + 50, ScaleOffset(offset=50, scale=1 << 40))
three(wave.astype("f4"), ScaleOffset(offset=280, scale=0.1), endian="big")
three(wave, ScaleOffset(scale=1e-3))
three(wave, ScaleOffset(offset=250, scale=10), CastValue(data_type="uint16"))
three(cube.astype("f4"), ScaleOffset(offset=1, scale=2), TransposeCodec(order=(2, 0, 1)), CastValue(data_type="int16"), compressors=[Crc32cCodec()])
(HERE / "zarr.jsonl").write_text("".join(lines))
print(len(lines), "chunks")
