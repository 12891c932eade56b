"""Makes chunk_indexes_*.h5, datasets with every kind of chunk index, and beside each a .chunks file with what
libhdf5 says of its chunks: `dataset index address size filter_mask`, where index counts in C order over the grid of
chunks that covers the present extent.

Run with h5py 3.16 or later (HDF5 2.0: layout message version 5):  python chunk_indexes.py
"""

import math

import h5py
import numpy as np


def make_dataset(f, name, shape, chunks, maxshape=None, early=False, write=(), filters=()):
    """Makes a dataset of bytes and writes the chunks that `write` gives by their coordinates in chunks."""
    space = h5py.h5s.create_simple(shape, maxshape and tuple(h5py.h5s.UNLIMITED if m is None else m for m in maxshape))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(chunks)
    if early:
        plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    for filter_id, flags, values in filters:
        plist.set_filter(filter_id, flags, values)
    d = h5py.Dataset(h5py.h5d.create(f.id, name.encode(), h5py.h5t.STD_U8LE, space, plist))
    for n, where in enumerate(write):
        region = tuple(slice(c * k, min((c + 1) * k, s)) for c, k, s in zip(where, chunks, shape))
        d[region] = (n * 7 + np.arange(math.prod(r.stop - r.start for r in region)) * (n // 251 + 1)).astype("u1").reshape(
            [r.stop - r.start for r in region]
        )
    return d


def grid(shape, chunks):
    return list(np.ndindex(*(-(-s // k) for s, k in zip(shape, chunks))))


# The files are to be small: of the versions other than 1.10 only what is stored in another way there.
WANTED = {
    "earliest": "unwritten small small_filtered room grows_both masked shrunk".split(),
    "latest": "one_filtered small small_filtered grows_middle_filtered grows_both_filtered masked".split(),
}

DEFLATE = [(1, 1, (6,))]


def fill(f, wanted):
    def dataset(f, name, *args, **kwargs):
        return make_dataset(f, name, *args, **kwargs) if not wanted or name in wanted else None

    every = grid((7, 10), (3, 4))
    dataset(f, "unwritten", (7, 10), (3, 4))
    dataset(f, "empty", (0, 10), (3, 4), (None, 10))
    dataset(f, "one", (5,), (5,), write=[(0,)])
    dataset(f, "one_filtered", (40,), (40,), write=[(0,)], filters=DEFLATE)
    dataset(f, "small", (7, 10), (3, 4), write=every)
    dataset(f, "small_filtered", (7, 10), (3, 4), write=every, filters=DEFLATE)
    dataset(f, "sparse", (7, 10), (3, 4), write=every[1::4])
    dataset(f, "early", (7, 10), (3, 4), early=True)
    # The array indexes count over the largest extent: these two differ from it.
    dataset(f, "early_room", (7, 10), (3, 4), (10, 21), early=True)
    dataset(f, "room", (7, 10), (3, 4), (10, 21), write=every)
    # One unlimited dimension, not always in front: an extensible array.
    dataset(f, "grows", (50, 3), (2, 2), (None, 3), write=grid((50, 3), (2, 2)))
    dataset(f, "grows_last", (3, 4, 70), (2, 3, 4), (5, 9, None), write=grid((3, 4, 70), (2, 3, 4))[::3])
    dataset(f, "grows_middle_filtered", (3, 25, 4), (2, 1, 3), (5, None, 9), write=grid((3, 25, 4), (2, 1, 3)), filters=DEFLATE)
    # Two unlimited dimensions: a version 2 B-tree.
    dataset(f, "grows_both", (32, 20), (2, 2), (None, None), write=grid((32, 20), (2, 2)))
    dataset(f, "grows_both_filtered", (12, 30), (2, 4), (None, None), write=grid((12, 30), (2, 4))[::2], filters=DEFLATE)
    # A mask: the second filter (shuffle) was skipped.
    d = dataset(f, "masked", (6,), (3,), filters=[(2, 1, ()), *DEFLATE])
    if d:
        d[:] = 1
        d.id.write_direct_chunk((3,), b"\x00\x01\x02", filter_mask=3)
    # Chunks that a smaller extent has left behind are gone, or outside.
    for name, room in ("shrunk", (20, 20)), ("shrunk_grows", (20, None)), ("shrunk_grows_both", (None, None)):
        d = dataset(f, name, (9, 10), (2, 4), room, write=grid((9, 10), (2, 4)))
        if d:
            d.resize((5, 7))
    # More than 1024 chunks: a fixed array with pages, most of them not written.
    dataset(f, "many_sparse", (2049,), (1,), write=[(0,), (7,), (2047,), (2048,)])
    dataset(f, "many_sparse_filtered", (1100,), (1,), write=[(1099,)], filters=DEFLATE)
    # Far enough for data blocks that have pages.
    dataset(f, "grows_far", (140000,), (1,), (None,), write=[(0,), (5,), (131100,), (132095,), (139999,)])


def stored_chunks(d):
    """(coordinates in chunks, address, size, filter mask) of every stored chunk inside the extent."""
    found = []
    d.id.chunk_iter(found.append)
    if d.maxshape.count(None) != 1 or d.maxshape[0] is None:
        places = [tuple(o // k for o, k in zip(c.chunk_offset, d.chunks)) for c in found]
        return [(p, c.byte_offset, c.size, c.filter_mask) for p, c in zip(places, found) if inside(d, p)]
    # libhdf5 2.0 iterates over an extensible array with the coordinates confused where the unlimited dimension is not
    # the first. It reads by coordinates well, so what it reads tells the addresses, as no two chunks are alike.
    with open(d.file.filename, "rb") as raw:
        by_bytes = {}
        for c in found:
            raw.seek(c.byte_offset)
            by_bytes[raw.read(c.size)] = c
    assert len(by_bytes) == len(found), d.name
    result = []
    for p in grid(d.shape, d.chunks):
        try:
            mask, data = d.id.read_direct_chunk(tuple(i * k for i, k in zip(p, d.chunks)))
        except (OSError, RuntimeError):
            continue
        c = by_bytes[data]
        assert mask == c.filter_mask
        result.append((p, c.byte_offset, c.size, c.filter_mask))
    return result


def inside(d, place):
    return all(i * k < s for i, k, s in zip(place, d.chunks, d.shape))


def expected(path, out):
    with h5py.File(path, "r") as f, open(out, "w") as lines:
        for name, d in f.items():
            print(name, file=lines)
            counts = [-(-s // k) for s, k in zip(d.shape, d.chunks)]
            for place, *rest in sorted(stored_chunks(d)) if d.size else []:
                print(name, int(np.ravel_multi_index(place, counts)), *rest, file=lines)


for version in "earliest", "v110", "latest":
    fcpl = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    if version == "earliest":
        fapl.set_libver_bounds(h5py.h5f.LIBVER_EARLIEST, h5py.h5f.LIBVER_V18)
    elif version == "v110":
        fcpl.set_userblock(512)
        fapl.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    else:
        fapl.set_libver_bounds(h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)
    path = f"chunk_indexes_{version}.h5"
    with h5py.File(h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, fcpl, fapl)) as f:
        fill(f, WANTED.get(version))
    expected(path, path.replace(".h5", ".chunks"))
