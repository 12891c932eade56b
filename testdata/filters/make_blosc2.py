#!/usr/bin/env python3
"""Makes chunks of Blosc2 beside this script, as hdf5plugin encodes them.

Takes the raw chunks that make.py and make_blocks.py make. Writes NAME.encoded, and puts its lines at the end of index.txt in
place of those that it put there before; so it runs after them.
"""

import pathlib

import h5py
import hdf5plugin  # noqa: F401  registers Blosc2
import numpy as np

HERE = pathlib.Path(__file__).parent
BLOSC2 = 32026
COMPRESSORS = {"blosclz": 0, "lz4": 1, "lz4hc": 2, "zlib": 4, "zstd": 5}
index = []


def case(name, raw, dtype, shape, parameters, exact=False):
    values = np.fromfile(HERE / f"{raw}.raw", dtype).reshape(shape)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(values.shape)
    plist.set_filter(BLOSC2, h5py.h5z.FLAG_OPTIONAL, parameters)
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        space = h5py.h5s.create_simple(values.shape)
        dataset = h5py.h5d.create(file.id, b"d", h5py.h5t.py_create(values.dtype), space, plist)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        mask, encoded = dataset.read_direct_chunk((0,) * values.ndim)
        stored = dataset.get_create_plist().get_filter(0)[2]
    name = f"blosc2_{name}"
    (HERE / f"{name}.encoded").write_bytes(encoded)
    index.append(f"{name} {raw}.raw {','.join(map(str, (BLOSC2, *stored)))} {mask} {'exact' if exact else 'any'}\n")


for cname, code in COMPRESSORS.items():
    case(f"{cname}", "smooth_f4", "<f4", (-1,), (0, 0, 0, 0, 5, 1, code))
    case(f"{cname}_array", "smooth_f4", "<f4", (15, 80), (0, 0, 0, 0, 9, 2, code))
case("stored", "walk_f8", "<f8", (20, 20), (0, 0, 0, 0, 0, 1, 1), exact=True)
case("stored_plain", "walk_f8", "<f8", (-1,), (0, 0, 0, 0, 0, 1, 1), exact=True)
case("delta", "walk_f8", "<f8", (20, 20), (0, 0, 0, 0, 5, 3, 5))
case("blocks", "walk_f8", "<f8", (4, 10, 10), (0, 600, 0, 0, 5, 1, 5))
case("delta_blocks", "walk_i2", "<i2", (-1,), (0, 300, 0, 0, 5, 3, 1))
case("steps", "steps_i4", "<i4", (17, 317), (0, 2000, 0, 0, 7, 1, 0))
case("noise", "noise_u1", "u1", (-1,), (0, 0, 0, 0, 5, 1, 5), exact=True)

path = HERE / "index.txt"
names = {line.split(" ")[0] for line in index}
kept = [line for line in path.read_text().splitlines(True) if line.split(" ")[0] not in names]
path.write_text("".join(kept + index))
