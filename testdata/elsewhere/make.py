#!/usr/bin/env python3
"""Makes the files beside it: virtual datasets of sources in the same file, and external data, for the fuzzer.

Needs the Python package h5py 3.16 with HDF5 2.0. Files made by other versions differ in their bytes, not in what they hold.
"""

import os

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
UNLIMITED = h5py.h5s.UNLIMITED


def space(shape, *slabs, maxshape=None):
    made = h5py.h5s.create_simple(shape, maxshape)
    for n, slab in enumerate(slabs):
        made.select_hyperslab(*slab, op=h5py.h5s.SELECT_OR if n else h5py.h5s.SELECT_SET)
    return made


def virtual(f, name, shape, mappings, maxshape=None):
    layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    layout.set_layout(h5py.h5d.VIRTUAL)
    layout.set_fill_value(np.array(-1, "i2"))
    for file, dataset, source, target in mappings:
        layout.set_virtual(target, file.encode(), dataset.encode(), source)
    h5py.h5d.create(f.id, name, h5py.h5t.STD_I16LE, h5py.h5s.create_simple(shape, maxshape), layout)


for name, libver in ("v110", ("v110", "v110")), ("latest", "latest"):
    with h5py.File(os.path.join(HERE, f"virtual_{name}.h5"), "w", libver=libver) as f:
        options = {"chunks": (2, 3), "compression": "gzip"}
        for n in range(2):
            f.create_dataset(f"d{n}", data=np.arange(24, dtype="i2").reshape(4, 6), **options)
        f.create_dataset("long", data=np.arange(8, dtype="f4"), maxshape=(None,), chunks=(3,))
        whole = space((4, 6), ((0, 0), (4, 6)))
        stacked = [(".", f"d{n}", whole, space((8, 6), ((4 * n, 0), (4, 6)))) for n in range(2)]
        virtual(f, b"stacked", (8, 6), stacked)
        pieces = space((20, 30), ((0, 0), (2, 3)), ((1, 5), (3, 6)))
        virtual(f, b"pieces", (20, 30), [(".", "d0", whole, pieces), ("x.h5", "d1", whole, space((20, 30), ((5, 5), (4, 6))))])
        endless = space((8,), ((0,), (UNLIMITED,)), maxshape=(UNLIMITED,))
        target = space((15,), ((0,), (UNLIMITED,), (2,)), maxshape=(UNLIMITED,))
        virtual(f, b"endless", (15,), [(".", "long", endless, target)], (UNLIMITED,))
        blocks = space((2, 24), ((0, 0), (UNLIMITED, 1), (1, 1), (1, 24)), maxshape=(UNLIMITED, 24))
        virtual(f, b"numbered", (2, 24), [(".", "d%b", whole, blocks)], (UNLIMITED, 24))
        virtual(f, b"cycle", (4, 6), [(".", "cycle", whole, whole)])

with h5py.File(os.path.join(HERE, "external.h5"), "w") as f:
    f.create_dataset("raw", (3, 4), "i2", external=[("a.bin", 5, 10), ("b.bin", 0, 4), ("a.bin", 0, h5py.h5f.UNLIMITED)])
    f.create_dataset("open", (3,), "f8", maxshape=(None,), external=[("a.bin", 0, h5py.h5f.UNLIMITED)])
