#!/usr/bin/env python3
"""Makes the zfp_* files beside this script: chunks as the registered plugin of zfp encodes them.

Needs h5py and hdf5plugin. Prints the lines for index.txt, which make.py describes, and writes the lossy cases to
zfp.txt: name, pipeline, and in NAME.decoded what the plugin decodes the chunk to.
"""

import pathlib
import struct

import h5py
import hdf5plugin  # noqa: F401  registers zfp
import numpy as np

HERE = pathlib.Path(__file__).parent
lossy = []


def double(value):
    return struct.unpack("<2I", struct.pack("<d", value))


def case(name, values, parameters, raw=None):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(values.shape)
    plist.set_filter(32013, h5py.h5z.FLAG_OPTIONAL, parameters)
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        space = h5py.h5s.create_simple(values.shape)
        dataset = h5py.h5d.create(file.id, b"d", h5py.h5t.py_create(values.dtype), space, plist)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        mask, encoded = dataset.read_direct_chunk((0,) * values.ndim)
        stored = dataset.get_create_plist().get_filter(0)[2]
        dataset.write_direct_chunk((0,) * values.ndim, encoded, mask)
        decoded = np.empty_like(values)
        dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, decoded)
    pipeline = ",".join(map(str, (32013, *stored)))
    (HERE / f"{name}.encoded").write_bytes(encoded)
    if raw:
        assert (decoded == values).all()
        print(f"{name} {raw} {pipeline} {mask} exact")
    else:
        assert (decoded != values).any()
        (HERE / f"{name}.raw").write_bytes(values.tobytes())
        (HERE / f"{name}.decoded").write_bytes(decoded.tobytes())
        lossy.append(f"{name} {pipeline}\n")


def of(raw, dtype):
    return np.frombuffer((HERE / raw).read_bytes(), dtype)


case("zfp_float", of("smooth_f4.raw", "<f4").reshape(15, 80), (5,), "smooth_f4.raw")
case("zfp_double", of("walk_f8.raw", "<f8"), (5,), "walk_f8.raw")
case("zfp_int", of("narrow_u4.raw", "<i4").reshape(7, 2, 50), (5,), "narrow_u4.raw")
case("zfp_int64", of("walk_f8.raw", "<i8").reshape(2, 2, 10, 10), (5,), "walk_f8.raw")
grid = np.add.outer(np.sin(np.arange(9) / 5), np.cos(np.arange(7) / 3)) * 100
for name, dtype in [("float", "<f4"), ("double", "<f8"), ("int", "<i4"), ("int64", "<i8")]:
    field = (grid * (1000 if "int" in name else 1)).astype(dtype)
    case(f"zfp_rate_{name}", field, (1, 0, *double(6.5)))
    case(f"zfp_precision_{name}", field, (2, 0, 9))
case("zfp_accuracy", grid.astype("<f4"), (3, 0, *double(0.25)))
case("zfp_accuracy_3d", np.multiply.outer(grid, np.arange(1, 6)), (3, 0, *double(0.01)))
case("zfp_accuracy_4d", np.multiply.outer(grid, np.add.outer(range(5), range(3)) + 1.0), (3, 0, *double(0.01)))
case("zfp_accuracy_1d", grid.ravel(), (3, 0, *double(0.01)))
case("zfp_expert", grid, (4, 0, 20, 300, 30, 2**32 - 9))
(HERE / "zfp.txt").write_text("".join(lossy))
