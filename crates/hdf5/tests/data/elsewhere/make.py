#!/usr/bin/env python3
"""Makes the files beside it: datasets whose data lies elsewhere, in external files or in other datasets.

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


for name, libver in ("earliest", "earliest"), ("v110", ("v110", "v110")), ("latest", "latest"):
    with h5py.File(os.path.join(HERE, f"{name}.h5"), "w", libver=libver) as f:
        f["d"] = np.arange(24, dtype="i2").reshape(4, 6)
        f.create_dataset("long", data=np.arange(8, dtype="i2"), maxshape=(None,), chunks=(3,))
        whole = space((4, 6))
        virtual(f, b"all", (4, 6), [(".", "d", whole, whole)])
        # Names that are the same in all mappings, which version 1 of the block stores once.
        rows = [(".", "a dataset of a long name", space((9, 6), ((0, 0), (1, 6))), space((9, 6), ((n, 0), (1, 6)))) for n in range(9)]
        virtual(f, b"rows", (9, 6), [("a file of a long name.h5", *row[1:]) for row in rows] + rows[:2])
        striped = space((20, 30), ((1, 2), (2, 3), (8, 7), (2, 2)))
        virtual(f, b"regular", (20, 30), [(".", "d", whole, striped)])
        pieces = space((20, 30), ((0, 0), (2, 3)), ((1, 5), (3, 6)))
        virtual(f, b"irregular", (20, 30), [(".", "d", whole, pieces)])
        if name != "earliest":
            endless = space((8,), ((0,), (UNLIMITED,)), maxshape=(UNLIMITED,))
            target = space((15,), ((0,), (UNLIMITED,), (2,)), maxshape=(UNLIMITED,))
            virtual(f, b"endless", (15,), [(".", "long", endless, target)], (UNLIMITED,))
            blocks = space((15,), ((0,), (UNLIMITED,), (8,), (8,)), maxshape=(UNLIMITED,))
            virtual(f, b"numbered", (15,), [("n%b.h5", "d%%", space((8,)), blocks)], (UNLIMITED,))
        f.create_dataset("raw", (3, 4), "i2", external=[("a.bin", 5, 10), ("b.bin", 0, 4), ("a.bin", 0, h5py.h5f.UNLIMITED)])
