"""Encoded chunks that a copy passes: damage in each kind of them is refused, and what only some writers make is not."""

import gzip
import json
import pathlib
import subprocess
import zipfile
import zlib

import h5py
import hdf5plugin
import numcodecs
import numpy as np
import pytest
import zarr
import zarr.codecs
from conftest import BIN, UNKNOWN_FILTER, nccopy

# Chunks of 40 KB, compressible and not constant. Zstandard stores noisy planes of a shuffled chunk as they are, where no decoder
# notices zeros.
SHAPE, CHUNK = (3, 100, 100), (1, 100, 100)


def field():
    return np.random.default_rng(3).integers(0, 1 << 18, SHAPE).astype("i4")


def run(program, *arguments):
    done = subprocess.run([BIN / program, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def flip(chunk, at):
    return chunk[:at] + bytes([chunk[at] ^ 0x40]) + chunk[at + 1 :]


def wiped(chunk, start, end):
    return chunk[:start] + bytes(end - start) + chunk[end:]


def middle(chunk):
    return flip(chunk, len(chunk) // 2)


def header(chunk):
    return wiped(chunk, 0, 16)


def page(chunk):
    return wiped(chunk, 9000, 9000 + 4096)


def tail(chunk):
    return wiped(chunk, len(chunk) - 400, len(chunk))


def cut(chunk):
    return chunk[:-1000]


# Filters of HDF5, and what is damaged.
FILTERS = {
    "fletcher32": (dict(fletcher32=True), [middle, header, tail]),
    "shuffle,fletcher32": (dict(shuffle=True, fletcher32=True), [middle, page]),
    "deflate": (dict(compression="gzip"), [header, page, tail]),
    "deflate,fletcher32": (dict(compression="gzip", fletcher32=True), [middle, header, page, tail]),
    "lzf": (dict(compression="lzf"), [page]),
    "szip": (dict(compression="szip"), [header]),
    "zstd": (hdf5plugin.Zstd(), [header, page, cut]),
    "lz4": (hdf5plugin.LZ4(nbytes=8000), [header, cut]),
    "bitshuffle": (hdf5plugin.Bitshuffle(cname="lz4"), [header, page, cut]),
    "blosc": (hdf5plugin.Blosc(cname="lz4"), [header, page, cut]),
    "blosc2": (hdf5plugin.Blosc2(cname="zstd"), [header, tail, cut]),
    "bzip2": (hdf5plugin.BZip2(), [header, page, tail, cut]),
}


def write_direct(path, chunks, mask=0, **storage):
    """A file whose chunks have these bytes."""
    with h5py.File(path, "w") as file:
        v = file.create_dataset("v", SHAPE, "i4", chunks=CHUNK, **storage)
        for n, chunk in enumerate(chunks):
            v.id.write_direct_chunk((n, 0, 0), chunk, mask)
    return path


def stored(path):
    with h5py.File(path) as file:
        return [file["v"].id.read_direct_chunk((n, 0, 0))[1] for n in range(SHAPE[0])]


def refused(broken, target, index):
    """What is wrong, which a copy refuses and a check tells in the same words."""
    out = pathlib.Path(str(target).split("#")[0])
    status, _, told = run("nccopy", broken, target)
    assert status == 1 and not out.exists(), told
    start, end = f"nccopy: {broken}: variable v: chunk {index}: ", "; --salvage copies the other chunks, --no-check all as they are\n"
    assert told.startswith(start) and told.endswith(end) and told.count("\n") == 1, told
    status, text, _ = run("ncdump", "--check", "--json", broken)
    faults = json.loads(text)["faults"]
    assert status == 1 and [fault["cause"] for fault in faults] == [told[len(start) : -len(end)]], (faults, told)
    status, _, told = run("nccopy", "--no-check", broken, target)
    assert (status, told) == (0, "") and out.exists()


@pytest.mark.parametrize("name", FILTERS)
def test_damaged_chunks_of_hdf5_are_refused(name, tmp_path):
    storage, damages = FILTERS[name]
    whole = tmp_path / "whole.h5"
    with h5py.File(whole, "w") as file:
        file.create_dataset("v", data=field(), chunks=CHUNK, **storage)
    sound = stored(whole)
    assert run("nccopy", whole, tmp_path / "copy.h5") == (0, "", "")
    assert stored(tmp_path / "copy.h5") == sound
    for damage in damages:
        broken = write_direct(tmp_path / f"{damage.__name__}.h5", [sound[0], damage(sound[1]), sound[2]], **storage)
        target = tmp_path / f"{damage.__name__}.nc"
        refused(broken, target, "[1, 0, 0]")
        assert stored(target) == stored(broken)


def test_a_checksum_before_shuffle_is_compared(tmp_path):
    """The order of netCDF-C."""
    whole, broken = tmp_path / "whole.h5", tmp_path / "broken.h5"
    with h5py.File(whole, "w") as file:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk(CHUNK)
        plist.set_fletcher32()
        plist.set_shuffle()
        h5py.h5d.create(file.id, b"v", h5py.h5t.STD_I32LE, h5py.h5s.create_simple(SHAPE), dcpl=plist)
        file["v"][...] = field()
        chunk = file["v"].id.get_chunk_info(1)
    assert run("nccopy", whole, tmp_path / "copy.h5") == (0, "", "")
    broken.write_bytes(flip(whole.read_bytes(), chunk.byte_offset + 500))
    refused(broken, tmp_path / "broken.nc", "[1, 0, 0]")


# Codecs of Zarr by version, and what is damaged.
CODECS = {
    "v2 zlib": (dict(compressors=[numcodecs.Zlib(1)]), [header, page, tail]),
    "v2 gzip": (dict(compressors=[numcodecs.GZip(1)]), [header, page, cut]),
    "v2 blosc": (dict(compressors=[numcodecs.Blosc()]), [header, page, cut]),
    "v2 zstd": (dict(compressors=[numcodecs.Zstd()]), [header, page, cut]),
    "v2 lz4": (dict(compressors=[numcodecs.LZ4()]), [header]),
    "v2 bz2": (dict(compressors=[numcodecs.BZ2()]), [header, page, cut]),
    "v2 lzma": (dict(compressors=[numcodecs.LZMA()]), [header, tail, cut]),
    "v2 crc32": (dict(filters=[numcodecs.CRC32()], compressors=None), [middle, header, cut]),
    "v3 gzip": (dict(compressors=[zarr.codecs.GzipCodec()]), [header, page, cut]),
    "v3 zstd": (dict(compressors=[zarr.codecs.ZstdCodec()]), [header, page, cut]),
    "v3 blosc": (dict(compressors=[zarr.codecs.BloscCodec(typesize=4)]), [header, cut]),
    "v3 zstd,crc32c": (dict(compressors=[zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()]), [middle, header, tail, cut]),
    "v3 crc32c": (dict(compressors=[zarr.codecs.Crc32cCodec()]), [middle, cut]),
}


def make_zarr(path, version, **codecs):
    group = zarr.create_group(path, zarr_format=version)
    names = dict(dimension_names=["t", "y", "x"]) if version == 3 else {}
    array = group.create_array("v", shape=SHAPE, chunks=CHUNK, dtype="i4", **names, **codecs)
    array[:] = field()
    if version == 2:
        array.attrs["_ARRAY_DIMENSIONS"] = ["t", "y", "x"]
    return path / "v" / ("c/1/0/0" if version == 3 else "1.0.0")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CODECS)
def test_damaged_chunks_of_zarr_are_refused(name, tmp_path):
    version = int(name[1])
    codecs, damages = CODECS[name]
    place = tmp_path / "in.zarr"
    chunk = make_zarr(place, version, **codecs)
    mode = "mode=zarr,v3" if version == 3 else "mode=zarr"
    nccopy(place, f"{tmp_path}/copy.zarr#{mode},file")
    assert (tmp_path / "copy.zarr" / chunk.relative_to(place)).read_bytes() == chunk.read_bytes()
    sound = chunk.read_bytes()
    for damage in damages:
        chunk.write_bytes(damage(sound))
        zipped = tmp_path / f"{damage.__name__}.zip"
        with zipfile.ZipFile(zipped, "w") as file:
            for path in sorted(place.rglob("*")):
                file.write(path, path.relative_to(place))
        for source in place, zipped:
            made = tmp_path / f"{source.stem}-{damage.__name__}.zarr"
            status, _, told = run("nccopy", source, f"{made}#{mode},file")
            assert status == 1 and not made.exists(), (damage, told)
            told = told.splitlines()[-1]
            assert told.startswith(f"nccopy: {source}: variable v: chunk [1, 0, 0]: key v/"), told
            assert told.endswith("; --salvage copies the other chunks, --no-check all as they are"), told
            status, text, _ = run("ncdump", "--check", "--json", source)
            causes = [fault["cause"] for fault in json.loads(text)["faults"]]
            assert status == 1 and len(causes) == 1 and causes[0] in told, (causes, told)
            nccopy("--no-check", source, f"{made}#{mode},file")
            assert (made / chunk.relative_to(place)).read_bytes() == damage(sound)


@pytest.mark.filterwarnings("ignore")
def test_chunks_of_shards_are_tested(tmp_path):
    place = tmp_path / "in.zarr"
    group = zarr.create_group(place, zarr_format=3)
    codecs = [zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()]
    array = group.create_array("v", shape=SHAPE, chunks=CHUNK, shards=SHAPE, dtype="i4", compressors=codecs)
    array[:] = field()
    shard = place / "v" / "c/0/0/0"
    sound = shard.read_bytes()
    shard.write_bytes(flip(sound, 20))
    status, _, told = run("nccopy", place, f"{tmp_path}/out.zarr#mode=zarr,v3")
    assert status == 1 and "variable v: chunk [0, 0, 0]: " in told and "--no-check" in told, told
    assert not (tmp_path / "out.zarr").exists()
    shard.write_bytes(sound)
    nccopy(place, f"{tmp_path}/out.zarr#mode=zarr,v3")


def test_what_only_some_writers_make_passes(tmp_path):
    rows = [row.tobytes() for row in field()]
    deflated = [zlib.compress(row) for row in rows]
    frames = numcodecs.Zstd(3)
    skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    shuffled = [numcodecs.Shuffle(4).encode(row) for row in rows]
    made = {
        "bytes behind a zlib stream": ([part + bytes(300) for part in deflated], dict(compression="gzip")),
        "level 0": ([zlib.compress(row, 0) for row in rows], dict(compression="gzip")),
        "constant": ([zlib.compress(bytes(len(row))) for row in rows], dict(compression="gzip")),
        "several frames": ([frames.encode(row[:5000]) + skippable + frames.encode(row[5000:]) for row in rows], hdf5plugin.Zstd()),
        "masked deflate": ([bytes(part) for part in shuffled], dict(compression="gzip", shuffle=True), 0b10),
        "all masked": (rows, dict(compression="gzip", shuffle=True), 0b11),
    }
    for n, (chunks, storage, *mask) in enumerate(made.values()):
        source = write_direct(tmp_path / f"{n}.h5", chunks, *mask, **storage)
        assert run("ncdump", "--check", source)[0] == 0, source
        assert run("nccopy", source, tmp_path / f"{n}.nc") == (0, "", "")
        assert stored(tmp_path / f"{n}.nc") == chunks
    place = tmp_path / "in.zarr"
    chunk = make_zarr(place, 3, compressors=[zarr.codecs.GzipCodec()])
    chunk.write_bytes(gzip.compress(rows[1][:5000]) + gzip.compress(rows[1][5000:]))
    assert (zarr.open_group(place)["v"][1] == field()[1]).all()
    # Not all readers take several members of gzip, so the copy is not for the strict checker.
    assert run("nccopy", place, f"{tmp_path}/out.zarr#mode=zarr,v3")[0] == 0


def unknown(path, sum_too=False):
    """Chunks through a filter that nobody knows."""
    with h5py.File(path, "w") as file:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk(CHUNK)
        plist.set_filter(UNKNOWN_FILTER, h5py.h5z.FLAG_OPTIONAL, (7, 8))
        if sum_too:
            plist.set_fletcher32()
        v = h5py.h5d.create(file.id, b"v", h5py.h5t.STD_I32LE, h5py.h5s.create_simple(SHAPE), dcpl=plist)
        for n in range(SHAPE[0]):
            chunk = f"nobody knows {n}".encode()
            # Without a filter that it can skip, h5py cannot make the sum.
            sums = numcodecs.Fletcher32().encode(np.frombuffer(chunk, "u1"))
            v.write_direct_chunk((n, 0, 0), bytes(sums) if sum_too else chunk)
    return path


def test_verify_needs_no_filter_and_says_what_it_compared(tmp_path):
    source, target = unknown(tmp_path / "in.h5"), tmp_path / "out.nc"
    status, _, told = run("nccopy", "--verify", source, target)
    told_of = "compared 1 variable: 3 chunks by their bytes (3 not decoded, for lack of a filter or of memory)"
    assert (status, told) == (0, f"nccopy: {target}: {told_of}\n")
    assert stored(target) == stored(source)
    with h5py.File(tmp_path / "known.h5", "w") as file:
        file.create_dataset("v", data=field(), chunks=CHUNK, compression="gzip")
        file.create_dataset("w", data=np.arange(10.0))
    for options, told_of in [
        ([], "compared 2 variables: 3 chunks by their bytes and 10 values"),
        (["-d", "2"], "compared 2 variables: 30010 values"),
        (["-k", "h5"], "compared 2 variables: 3 chunks by their bytes and 10 values"),
        (["-k", "zst"], f"compared {(tmp_path / 'known.h5').stat().st_size} bytes"),
    ]:
        target = tmp_path / f"verified{len(options)}{options[-1:]}"
        status, _, told = run("nccopy", "--verify", *options, tmp_path / "known.h5", target)
        assert (status, told) == (0, f"nccopy: {target}: {told_of}\n")
        assert run("nccopy", "--quiet", "--replace", "--verify", *options, tmp_path / "known.h5", target) == (0, "", "")


def test_a_checksum_over_an_unknown_filter_is_compared(tmp_path):
    source = unknown(tmp_path / "in.h5", sum_too=True)
    assert run("nccopy", source, tmp_path / "out.nc") == (0, "", "")
    data = source.read_bytes()
    broken = tmp_path / "broken.h5"
    broken.write_bytes(data.replace(b"nobody knows 1", b"nobody knows!1"))
    status, _, told = run("nccopy", broken, tmp_path / "broken.nc")
    assert status == 1 and "variable v: chunk [1, 0, 0]: filter 3 (fletcher32): checksum mismatch" in told, told
    status, text, _ = run("ncdump", "--check", broken)
    assert status == 1 and "chunk [1, 0, 0]" in text and "filter 3 (fletcher32): checksum mismatch" in text


def test_the_summary_counts_what_was_tested(tmp_path):
    source = tmp_path / "in.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("sum", data=field(), chunks=CHUNK, compression="gzip", fletcher32=True)
        file.create_dataset("stream", data=field(), chunks=CHUNK, compression="gzip")
        file.create_dataset("run", data=field()[:2], chunks=CHUNK, compression="lzf")
    status, text, told = run("nccopy", "--summary", source, tmp_path / "out.nc")
    line = "8 chunks passed as they are: 3 tested by a checksum, 3 tested by lengths and marks, 2 not tested\n"
    assert status == 0 and told == "" and line in text, text
    for options, counts in ([], [0, 3, 3, 2]), (["--no-check"], [0, 0, 0, 8]):
        _, text, _ = run("nccopy", "--replace", "--summary", "--json", *options, source, tmp_path / "out.nc")
        passed = json.loads(text)["passed"]
        assert [passed[name] for name in ("decoded", "checksum", "structure", "untested")] == counts
