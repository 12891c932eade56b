"""Makes dense_*.h5: groups and objects that keep their links and attributes in fractal heaps and version 2 B-trees.

dense.h5        a group with 250 links and one with 20; attributes small and huge (by B-tree); strings in the global heap
dense_direct.h5 the same kind of attributes with offsets of 2 bytes: huge objects whose addresses stand in the identifier

Run with h5py:  python dense.py
"""

import h5py
import numpy as np


def attributes(o):
    for i in range(12):
        o.attrs[f"small{i}"] = np.arange(i + 1, dtype="<i4")
    for i in range(3):
        o.attrs[f"huge{i}"] = ((np.arange(5000 + i) + i) % 251).astype("u1")


with h5py.File("dense.h5", "w", libver=("v108", "v108")) as f:
    g = f.create_group("ordered", track_order=True)
    for i in range(250):
        g[f"link {249 - i:03} {'x' * (i % 50)}"] = h5py.SoftLink(f"/target {i}")
    g = f.create_group("named")
    for i in range(20):
        g[f"name{i}"] = h5py.SoftLink("/")
    attributes(f.create_group("attributes", track_order=True))
    strings = [f"string {i}" for i in range(300)]
    strings[7] = "long" * 1200
    f.create_dataset("strings", data=strings, dtype=h5py.string_dtype())

fcpl = h5py.h5p.create(h5py.h5p.FILE_CREATE)
fcpl.set_sizes(2, 4)
fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
fapl.set_libver_bounds(h5py.h5f.LIBVER_V18, h5py.h5f.LIBVER_V18)
with h5py.File(h5py.h5f.create(b"dense_direct.h5", h5py.h5f.ACC_TRUNC, fcpl, fapl)) as f:
    attributes(f.create_group("attributes"))
