#!/usr/bin/env python3
"""Makes zfp_streams.txt beside this script: hashes of what the registered plugin of zfp makes of many arrays.

Needs h5py and hdf5plugin. The arrays are computed, here and in crates/zfp/src/tests/streams.rs, so that only hashes are
stored. A line has the type, the shape, the field, the words of zfp's header, the length of the stream, its hash, and the
hash of the array that the plugin decodes it to.
"""

import itertools
import pathlib
import struct

import h5py
import hdf5plugin  # noqa: F401  registers zfp
import numpy as np

HERE = pathlib.Path(__file__).parent
TYPES = ["<i4", "<i8", "<f4", "<f8"]
SHAPES = [
    [(2,), (3,), (4,), (7,), (130,)],
    [(2, 2), (8, 8), (5, 9), (17, 3)],
    [(8, 4, 4), (5, 6, 7), (9, 2, 3)],
    [(2, 2, 2, 2), (3, 5, 4, 6), (5, 2, 7, 3)],
]
LOSSY = ["smooth", "noise", "sparse", "huge"]
LOSSLESS = [*LOSSY, "wild", "tiny"]


def double(value):
    return struct.unpack("<2I", struct.pack("<d", value))


def expert(least, most, planes, exponent):
    return (4, 0, least, most, planes, exponent % 2**32)


MODES = [(1, 0, *double(rate)) for rate in (0.75, 3.5, 8, 17, 40)]
MODES += [(2, 0, planes) for planes in (1, 7, 20, 33, 64)]
MODES += [(3, 0, *double(error)) for error in (0.0, 1e-3, 0.4, 100.0)]
MODES += [expert(20, 300, 30, -9), expert(1, 50, 64, -1074), expert(400, 16658, 64, -3), expert(100, 120, 9, -1074)]
MODES += [(5,), expert(1, 16658, 20, -1075), expert(1, 250, 64, -1075)]


def is_reversible(mode):
    return mode[0] == 5 or (mode[0] == 4 and mode[5] == -1075 % 2**32)


def mixed(index):
    """Numbers without order: splitmix64 of the index."""
    with np.errstate(over="ignore"):
        z = (index.astype("u8") + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def field(name, dtype, shape):
    """The array of a name, as crates/zfp/src/tests/streams.rs has it."""
    dtype = np.dtype(dtype)
    bits = 8 * dtype.itemsize
    index = np.arange(np.prod(shape))
    mix = mixed(index)
    signed = mix.view("i8")
    if name == "smooth":
        x, y, z, w = [0 * index + c for c in [*np.unravel_index(index, shape)[::-1], 0, 0, 0][:4]]
        value = 1000 * (3 * x * x - 5 * x * y + 7 * y * z - 2 * z * w + 11 * w * w - 40) + (signed & 15)
        values = (value * (2 ** (bits - 30)) if dtype.kind == "i" else value / 1024).astype(dtype)
    elif dtype.kind == "i":
        narrow = {"noise": 2, "sparse": 9, "huge": 2, "wild": 0, "tiny": bits - 3}[name]
        values = (signed >> (64 - bits + narrow)).astype(dtype)
    elif name in ("noise", "sparse"):
        digits = (signed >> (64 - np.finfo(dtype).nmant)).astype(dtype)
        values = digits * np.exp2(-(signed & 31).astype(dtype)).astype(dtype)
    else:
        field = {"wild": (0, 1), "tiny": (0, 0x1F), "huge": (0x7C, 3)}[name]
        shift = bits - 9
        raw = (mix >> np.uint64(64 - bits)).astype(f"<u{dtype.itemsize}")
        if name != "wild":
            # The first eight bits of the exponent, of which some are free.
            raw &= raw.dtype.type(~(0xFF << shift) % 2**bits | field[1] << shift)
            raw |= raw.dtype.type(field[0] << (shift + 1))
        values = raw.view(dtype)
    if name == "sparse":
        values = np.where(index // 24 % 3 == 1, values, dtype.type(0))
    return values.reshape(shape)


def hashed(data):
    """FNV-1a of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def line(dtype, shape, name, mode):
    values = field(name, dtype, shape)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(shape)
    plist.set_filter(32013, h5py.h5z.FLAG_MANDATORY, mode)
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        space = h5py.h5s.create_simple(shape)
        dataset = h5py.h5d.create(file.id, b"d", h5py.h5t.py_create(values.dtype), space, plist)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        mask, encoded = dataset.read_direct_chunk((0,) * values.ndim)
        assert mask == 0
        words = dataset.get_create_plist().get_filter(0)[2][1:]
        # What was written may be in the cache as it was.
        dataset.write_direct_chunk((0,) * values.ndim, encoded, mask)
        decoded = np.empty_like(values)
        dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, decoded)
    if mode == (5,):
        assert decoded.tobytes() == values.tobytes()
    words = ",".join(f"{word:x}" for word in words)
    shape = ",".join(map(str, shape))
    return f"{dtype[1:]} {shape} {name} {words} {len(encoded)} {hashed(encoded)} {hashed(decoded.tobytes())}\n"


def lines():
    """For each type, number of dimensions and mode: two of the shapes and fields, other ones each time."""
    number = 0
    for dtype, shapes, mode in itertools.product(TYPES, SHAPES, MODES):
        if mode[0] == 3 and "i" in dtype:
            # Integers have no accuracy.
            continue
        cases = list(itertools.product(shapes, LOSSLESS if is_reversible(mode) else LOSSY))
        for _ in range(2):
            number += 1
            yield line(dtype, *cases[number * 7 % len(cases)], mode)


if __name__ == "__main__":
    (HERE / "zfp_streams.txt").write_text("".join(lines()))
