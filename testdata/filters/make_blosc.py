#!/usr/bin/env python3
"""Makes the blosc_*.encoded files beside this script: chunks as the registered plugin of Blosc encodes them.

Needs h5py and hdf5plugin. The raw chunks are those of make.py. Prints the lines for index.txt, which make.py describes.
"""

import pathlib

import h5py
import hdf5plugin  # noqa: F401  registers blosc
import numpy as np

HERE = pathlib.Path(__file__).parent


def case(name, raw, dtype, *filters):
    values = np.frombuffer((HERE / raw).read_bytes(), dtype)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(values.shape)
    for number, parameters in filters:
        plist.set_filter(number, 0 if number == 3 else h5py.h5z.FLAG_OPTIONAL, parameters)
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        space = h5py.h5s.create_simple(values.shape)
        dataset = h5py.h5d.create(file.id, b"d", h5py.h5t.py_create(values.dtype), space, plist)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        stored = dataset.get_create_plist()
        mask, encoded = dataset.read_direct_chunk((0,))
        stored = [stored.get_filter(i) for i in range(stored.get_nfilters())]
    pipeline = "|".join(",".join(map(str, (f[0], *f[2]))) for f in stored)
    (HERE / f"{name}.encoded").write_bytes(encoded)
    print(f"{name} {raw} {pipeline} {mask} any")


CODECS = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"]
for number, codec in enumerate(CODECS):
    case(f"blosc_{codec}", "smooth_f4.raw", "<f4", (32001, (0, 0, 0, 0, 5, 1, number)))
    case(f"blosc_{codec}_bits", "walk_i2.raw", "<i2", (32001, (0, 0, 0, 0, 9, 2, number)))
case("blosc_lz4_plain", "walk_f8.raw", "<f8", (32001, (0, 0, 0, 0, 1, 0, 1)))
case("blosc_big", "burst_i2.raw", ">i2", (32001, (0, 0, 0, 0, 5, 1, 5)))
case("blosc_default", "walk_i2.raw", "<i2", (32001, ()))
case("blosc_zero", "zero_f8.raw", "<f8", (32001, (0, 0, 0, 0, 5, 1, 1)))
case("blosc_noise", "noise_u1.raw", "u1", (32001, (0, 0, 0, 0, 5, 1, 1)))
case("fletcher32_blosc", "walk_i2.raw", "<i2", (3, ()), (32001, (0, 0, 0, 0, 5, 1, 1)))
case("shuffle_blosc_long", "narrow_u4.raw", "V400", (2, ()), (32001, (0, 0, 0, 0, 5, 1, 5)))
