#!/usr/bin/env python3
"""Makes chunks of LZF, LZ4 and bitshuffle beside this script, as h5py and hdf5plugin encode them.

Takes the raw chunks that make.py makes, and one of its own. Writes NAME.encoded, and puts its lines at the end of
index.txt in place of those that it put there before; so it runs after make.py.
"""

import pathlib

import h5py
import hdf5plugin  # noqa: F401  registers LZ4 and bitshuffle
import numpy as np

HERE = pathlib.Path(__file__).parent
LZF, LZ4, BITSHUFFLE, SHUFFLE = 32000, 32004, 32008, 2
index = []


def case(name, raw, dtype, filters, exact=False):
    values = np.fromfile(HERE / f"{raw}.raw", dtype)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(values.shape)
    for number, parameters in filters:
        plist.set_filter(number, h5py.h5z.FLAG_OPTIONAL, parameters)
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        space = h5py.h5s.create_simple(values.shape)
        dataset = h5py.h5d.create(file.id, b"d", h5py.h5t.py_create(values.dtype), space, plist)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        stored = dataset.get_create_plist()
        mask, encoded = dataset.read_direct_chunk((0,))
        stored = [stored.get_filter(i) for i in range(stored.get_nfilters())]
    pipeline = "|".join(",".join(map(str, (f[0], *f[2]))) for f in stored)
    (HERE / f"{name}.encoded").write_bytes(encoded)
    index.append(f"{name} {raw}.raw {pipeline} {mask} {'exact' if exact else 'any'}\n")


# Blocks, rows of eight elements after the last whole tile, and five elements at the end.
(np.arange(5389) // 7 * 3).astype("<i4").tofile(HERE / "steps_i4.raw")

for name, raw, dtype in [
    ("smooth", "smooth_f4", "<f4"),
    ("double", "walk_f8", "<f8"),
    ("short", "walk_i2", "<i2"),
    ("steps", "steps_i4", "<i4"),
    ("noise", "noise_u1", "u1"),
    ("sparse", "sparse_u1", "u1"),
]:
    case(f"lzf_{name}", raw, dtype, [(LZF, ())])
    case(f"shuffle_lzf_{name}", raw, dtype, [(SHUFFLE, ()), (LZF, ())])
    case(f"lz4_{name}", raw, dtype, [(LZ4, ())])
    case(f"lz4_{name}_blocks", raw, dtype, [(LZ4, (500,))])
    case(f"bitshuffle_{name}", raw, dtype, [(BITSHUFFLE, (0, 0))], exact=True)
    case(f"bitshuffle_{name}_blocks", raw, dtype, [(BITSHUFFLE, (136,))], exact=True)
    case(f"bitshuffle_lz4_{name}", raw, dtype, [(BITSHUFFLE, (0, 2))])
    case(f"bitshuffle_zstd_{name}", raw, dtype, [(BITSHUFFLE, (0, 3, 5))])
case("bitshuffle_lz4_three", "walk_i2", "V3", [(BITSHUFFLE, (0, 2))])
case("bitshuffle_three", "walk_i2", "V3", [(BITSHUFFLE, ())], exact=True)
case("bitshuffle_complex", "walk_f8", "<c16", [(BITSHUFFLE, ())], exact=True)
case("bitshuffle_lz4_blocks", "steps_i4", "<i4", [(BITSHUFFLE, (512, 2))])
case("bitshuffle_zstd_blocks", "steps_i4", "<i4", [(BITSHUFFLE, (512, 3))])
case("bitshuffle_lz4_larger", "noise_u1", "u1", [(BITSHUFFLE, (8, 2))])

path = HERE / "index.txt"
names = {line.split(" ")[0] for line in index}
kept = [line for line in path.read_text().splitlines(True) if line.split(" ")[0] not in names]
path.write_text("".join(kept + index))
