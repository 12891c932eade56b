"""For all tests, by h5py: HDF5 files that nobody made for netCDF, and every chunk index."""

import functools

import h5py
import hdf5plugin
import numpy as np

from .declare import field, sample


@sample
def compact_storage(path):
    with h5py.File(path, "w", track_order=True) as f:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((5, 4))
        ds = h5py.h5d.create(f.id, b"small", h5py.h5t.NATIVE_INT32, space, plist)
        ds.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(20, dtype="i4").reshape(5, 4))
        x = f.create_dataset("x", data=np.arange(5))
        x.make_scale("x")
        y = f.create_dataset("y", data=np.arange(4))
        y.make_scale("y")
        f["small"].dims[0].attach_scale(x)
        f["small"].dims[1].attach_scale(y)


@sample
def partly_attached(path):
    """netCDF-C does not open this; we number the other dimension."""
    with h5py.File(path, "w") as f:
        x = f.create_dataset("x", data=np.arange(5))
        x.make_scale("x")
        v = f.create_dataset("v", data=field(5, 4))
        v.dims[0].attach_scale(x)
        f.attrs["matrix"] = np.arange(6).reshape(2, 3)
        f.create_dataset("half", data=np.arange(5, dtype="f2"))


def plain_hdf5(path, **options):
    with h5py.File(path, "w", **options) as f:
        t = f.create_dataset("time", data=np.arange(6.0), maxshape=(None,), chunks=(4,))
        t.make_scale("time")
        y = f.create_dataset("y", data=np.arange(4, dtype="i2"))
        y.make_scale("y")
        z = f.create_dataset("z", data=np.arange(5, dtype="u1"))
        z.make_scale("z")
        shape, maxshape = (6, 4, 5), (None, 4, 5)
        for name, filters in {
            "raw": {},
            "gzip": dict(compression="gzip", shuffle=True),
            "gzip_fletcher": dict(compression="gzip", fletcher32=True),
            "zstd": dict(hdf5plugin.Zstd(clevel=3)),
            "bzip2": dict(hdf5plugin.BZip2(5)),
            "szip": dict(compression="szip", compression_opts=("nn", 8)) if h5py.h5z.filter_avail(4) else {},
        }.items():
            v = f.create_dataset(name, data=field(*shape), chunks=(2, 3, 5), maxshape=maxshape, **filters)
            v.dims[0].attach_scale(t)
            v.dims[1].attach_scale(y)
            v.dims[2].attach_scale(z)
        f.create_dataset("unattached", data=field(7, 5))
        f.create_dataset("fixed_string", data=np.array([b"ab", b"cdefgh"], "S6"))
        f.create_dataset("strings", data=["a", "bcd", ""], dtype=h5py.string_dtype())
        f.create_dataset("big", data=np.arange(5, dtype=">i4"))
        f.create_dataset("scalar", data=np.float64(3.5))
        f.create_dataset("opaque", data=np.array([b"abc", b"def"], "V3"))
        f.create_dataset("flag", data=np.array([True, False]))
        f.create_dataset("vlen", (3,), h5py.vlen_dtype("i4"))[1] = np.arange(4)
        f.create_dataset("point", data=np.zeros(3, [("x", "<f4"), ("y", ">i2"), ("z", "<f8", (2,))]))
        f.create_dataset("never_contiguous", (10, 10), "f4", fillvalue=2.5)
        sparse = f.create_dataset("sparse", (100, 100), "f4", chunks=(10, 10), fillvalue=7, compression="gzip")
        sparse[33:47, 55] = 1
        f.attrs["text"] = "plain"
        f.attrs["bytes"] = np.bytes_(b"bytes")
        g = f.create_group("g/h")
        g.create_dataset("same_size", data=field(6, 4))
        g["link"] = h5py.SoftLink("/raw")
        f["hard"] = f["raw"]


sample(name="h5py_earliest")(functools.partial(plain_hdf5, libver="earliest"))
sample(name="h5py_latest")(functools.partial(plain_hdf5, libver="latest"))
sample(name="h5py_ordered")(functools.partial(plain_hdf5, libver="v110", track_order=True))
sample(name="h5py_userblock")(functools.partial(plain_hdf5, userblock_size=1024))


def chunk_index(path, libver):
    with h5py.File(path, "w", libver=libver) as f:
        kinds = {
            "single": ((20, 30), (20, 30), (20, 30)),
            "fixed": ((20, 30), (20, 30), (3, 4)),
            "fixed_paged": ((3000, 4), (3000, 4), (1, 2)),
            "extensible": ((20, 30), (None, 30), (3, 4)),
            "extensible_large": ((3000, 4), (None, 4), (1, 2)),
            "btree": ((20, 30), (None, None), (3, 4)),
            "sparse": ((2000, 30), (None, 30), (3, 4)),
        }
        for name, (shape, maxshape, chunks) in kinds.items():
            for filters in {}, dict(compression="gzip"):
                v = f.create_dataset(name + "_gzip" * len(filters), shape, "i4", maxshape=maxshape, chunks=chunks, **filters)
                if name == "sparse":
                    v[700:710, 5:9] = 3
                else:
                    v[...] = field(*shape, dtype="i4")
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((3, 4))
        plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        ds = h5py.h5d.create(f.id, b"implicit", h5py.h5t.NATIVE_INT32, h5py.h5s.create_simple((20, 30)), plist)
        ds.write(h5py.h5s.ALL, h5py.h5s.ALL, field(20, 30, dtype="i4"))


sample(name="index_earliest")(functools.partial(chunk_index, libver="earliest"))
sample(name="index_v110")(functools.partial(chunk_index, libver=("v110", "v110")))
sample(name="index_latest")(functools.partial(chunk_index, libver="latest"))
