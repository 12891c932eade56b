"""Makes small hierarchies of Zarr version 3: `python3 testdata/zarr3/make.py`.

Element number n of each array of numbers is n, but where a chunk is missing: there the fill value 99 is read. Chunks that
`MISSING` takes are missing. Each hierarchy has a few arrays, so that a fuzzer's changes often meet what is rare.

    flat       chunks under both forms of keys, codecs, types that become others in netCDF
    shards     indexes at both ends, with other index codecs, gaps, shared and empty ranges
    nested     shards in shards, behind a transposition, and within gzip
    fields     structures, text, strings, and netCDF's own facts
"""

import gzip
import json
import pathlib
import shutil
import struct
import zlib

HERE = pathlib.Path(__file__).parent
MISSING = 2**64 - 1
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
CRC32C = {"name": "crc32c"}
GZIP = {"name": "gzip", "configuration": {"level": 1}}


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode())


def array(shape, chunk, data_type, codecs, fill=99, names=None, keys="default", **members):
    return {
        "zarr_format": 3, "node_type": "array", "shape": shape, "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": keys}, "fill_value": fill, "codecs": codecs,
        **({"dimension_names": names} if names else {}), **members,
    }


def group(**attributes):
    return {"zarr_format": 3, "node_type": "group", "attributes": attributes}


def shards(chunk, codecs, index_codecs=(LITTLE, CRC32C), **members):
    configuration = {"chunk_shape": chunk, "codecs": codecs, "index_codecs": list(index_codecs), **members}
    return {"name": "sharding_indexed", "configuration": configuration}


def shard(chunks, at="end", order="<", checksum=True, before=b"", gap=b""):
    """The bytes of a shard; a chunk is None where it is missing, an earlier chunk's number where it shares its range."""
    size = 16 * len(chunks) + 4 * checksum
    data, entries = bytearray(before), []
    for chunk in chunks:
        if chunk is None:
            entries.append((MISSING, MISSING))
        elif isinstance(chunk, int):
            entries.append(entries[chunk])
        else:
            entries.append((len(data) + (size if at == "start" else 0), len(chunk)))
            data += chunk + gap
    index = b"".join(struct.pack(order + "2Q", *entry) for entry in entries)
    index += crc32c(index) if checksum else b""
    return index + data if at == "start" else bytes(data) + index


def shorts(*numbers, order="<"):
    return struct.pack(f"{order}{len(numbers)}h", *numbers)


def zipped(data):
    return gzip.compress(data, 1, mtime=0)


def flat(folder):
    put(folder / "zarr.json", group(title="flat"))
    put(folder / "a/zarr.json", array([4, 3], [2, 3], "int16", [BIG, GZIP], names=["y", "x"], attributes={"units": "K"}))
    put(folder / "a/c/0/0", zipped(shorts(*range(6), order=">")))
    put(folder / "b/zarr.json", array([5], [2], "float32", [LITTLE, {"name": "zstd", "configuration": {"level": 1}}, CRC32C], 99.0, keys="v2"))
    chunk = bytes.fromhex("28b52ffd2008410000") + struct.pack("<2f", 0, 1)
    put(folder / "b/0", chunk + crc32c(chunk))
    put(folder / "g/zarr.json", group())
    put(folder / "g/h/zarr.json", array([3], [3], "float16", [LITTLE]))
    put(folder / "g/h/c/0", struct.pack("<3e", 0, 1, 2))
    put(folder / "g/t/zarr.json", array([], [], {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}, [LITTLE], 0))
    put(folder / "g/t/c", struct.pack("<q", 0))
    put(folder / "g/f/zarr.json", array([3], [4], "uint8", [{"name": "bytes"}, {"name": "numcodecs.zlib", "configuration": {"level": 1}}], 99))
    put(folder / "g/f/c/0", zlib.compress(bytes([0, 1, 2, 99]), 1))


def in_shards(folder):
    put(folder / "zarr.json", group())
    put(folder / "end/zarr.json", array([6], [4], "int16", [shards([1], [LITTLE])]))
    put(folder / "end/c/0", shard([shorts(0), shorts(1), None, shorts(3)]))
    put(folder / "start/zarr.json", array([2, 6], [2, 4], "int16", [shards([1, 2], [BIG, GZIP], index_location="start")]))
    rows = [shorts(n, n + 1, order=">") for n in (0, 2, 6, 8)]
    put(folder / "start/c/0/0", shard([zipped(row) for row in rows], "start", gap=b"--"))
    put(folder / "start/c/0/1", shard([zipped(shorts(4, 5, order=">")), None, None, None], "start"))
    put(folder / "big/zarr.json", array([4], [4], "uint8", [shards([2], [{"name": "bytes"}], [BIG])]))
    put(folder / "big/c/0", shard([bytes([0, 1]), bytes([2, 3])], order=">", checksum=False, before=b"foreign"))


def nested(folder):
    put(folder / "zarr.json", group())
    inner = shards([1, 2], [LITTLE])
    put(folder / "two/zarr.json", array([2, 4], [2, 4], "int16", [shards([1, 4], [inner])]))
    rows = [shard([shorts(n, n + 1), shorts(n + 2, n + 3)]) for n in (0, 4)]
    put(folder / "two/c/0/0", shard(rows))
    turned = {"name": "transpose", "configuration": {"order": [1, 0]}}
    put(folder / "turned/zarr.json", array([2, 3], [2, 3], "int16", [turned, shards([3, 1], [LITTLE])]))
    put(folder / "turned/c/0/0", shard([shorts(0, 1, 2), shorts(3, 4, 5)]))
    put(folder / "around/zarr.json", array([2], [2], "int16", [shards([1], [LITTLE]), GZIP]))
    put(folder / "around/c/0", zipped(shard([shorts(0), shorts(1)])))


def fields(folder):
    facts = {"version": 1}
    put(folder / "zarr.json", group(_nc=facts))
    text = {"name": "null_terminated_bytes", "configuration": {"length_bytes": 2}}
    ty = {"name": "struct", "configuration": {"fields": [{"name": "n", "data_type": "int16"}, {"name": "t", "data_type": text}, {"name": "z", "data_type": "complex64"}]}}
    put(folder / "s/zarr.json", array([2], [2], ty, [BIG], {"n": 1, "t": "", "z": [0, "NaN"]}))
    put(folder / "s/c/0", (struct.pack(">h", 5) + b"ab" + struct.pack(">2f", 1, 2)) * 2)
    strings = [shards([2], [{"name": "vlen-utf8"}, GZIP])]
    put(folder / "v/zarr.json", array([4], [4], "string", strings, "none", ["x"]))
    text = struct.pack("<3I", 2, 1, 97)[:9] + struct.pack("<I", 2) + b"bc"
    put(folder / "v/c/0", shard([zipped(text), None]))
    wide = {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}
    put(folder / "w/zarr.json", array([1], [1], wide, [LITTLE], ""))
    put(folder / "w/c/0", "é€".encode("utf-32-le"))
    put(folder / "r/zarr.json", array([2], [2], "r16", [shards([1], [{"name": "bytes"}])], "AAE="))
    put(folder / "r/c/0", shard([b"ab", 0]))
    put(folder / "b/zarr.json", array([1], [1], "variable_length_bytes", [{"name": "vlen-bytes"}], ""))
    put(folder / "b/c/0", struct.pack("<2I", 1, 3) + b"\0\1\2")


for name, make in {"flat": flat, "shards": in_shards, "nested": nested, "fields": fields}.items():
    shutil.rmtree(HERE / name, ignore_errors=True)
    make(HERE / name)
