"""For the reader alone, by h5py: what netCDF-C leaves out, reads wrongly or crashes on, and every structure of HDF5 once.

All content is a function of the index, so that the files are the same each time up to what the libraries put there.
"""

import ctypes
import os

import h5py
import numpy as np

from .declare import numbers, sample


@sample(reader_only=True)
def h5_plain(path):
    with h5py.File(path, "w") as f:
        f["b"] = numbers("i4", 3, 4)
        f["a"] = numbers("f8", 4, 4, 3)
        f["scalar"] = 4.5
        f.create_dataset("grow", (3, 4), "u2", maxshape=(None, 4))[...] = numbers("u2", 3, 4)
        f.create_dataset("grow2", (3, 5), "u2", maxshape=(None, None), fillvalue=8)
        f.create_dataset("capped", (3,), "u2", maxshape=(10,))
        g = f.create_group("g")
        g["c"] = numbers("i1", 7)
        g["d"] = numbers("i1", 3)
        h = g.create_group("h")
        h["e"] = numbers("i1", 3, 7)
        f.create_group("empty")
        f.attrs["bytes"] = np.bytes_("fixed")
        f.attrs["text"] = "variable"
        f.attrs["list"] = ["x", "yy"]
        f.attrs["fixed_list"] = np.array([b"ab", b"c"])
        f.attrs["empty"] = h5py.Empty("f4")
        f.attrs["empty_text"] = h5py.Empty("S1")
        f.attrs["none"] = np.zeros(0, "i4")
        f.attrs["big"] = numbers(">i4", 3)


@sample(reader_only=True)
def h5_matrix_attribute(path):
    """netCDF-C refuses all attributes of an object of which one has two dimensions."""
    with h5py.File(path, "w") as f:
        f.attrs["matrix"] = numbers("i4", 2, 3)
        f.attrs.create("arrays", np.zeros((), ("i2", (4,))), dtype=np.dtype(("i2", (4,))))


@sample(reader_only=True)
def h5_orders(path):
    with h5py.File(path, "w", track_order=True) as f:
        for name in "zmab":
            f[name] = numbers("i4", 3)
            for attribute in "qpr":
                f[name].attrs[attribute] = 1
        g = f.create_group("g2", track_order=False)
        for name in "zmab":
            g[name] = numbers("i4", 2)
        f.create_group("g1")


@sample(reader_only=True)
def h5_scales(path):
    with h5py.File(path, "w") as f:
        for name, n in ("x", 3), ("y", 4), ("spare", 4):
            f[name] = np.arange(n, dtype="f8")
            f[name].make_scale("label " + name)
        f["v"] = numbers("f4", 4, 3)
        f["v"].dims[0].attach_scale(f["y"])
        f["v"].dims[1].attach_scale(f["x"])
        f["two"] = numbers("f4", 4, 3)
        f["two"].dims[0].attach_scale(f["y"])
        f["two"].dims[0].attach_scale(f["spare"])
        f["two"].dims[1].attach_scale(f["x"])
        f["labelled"] = numbers("f4", 4, 3)
        f["labelled"].dims[0].label = "rows"
        g = f.create_group("g")
        g["w"] = numbers("f4", 3)
        g["w"].dims[0].attach_scale(f["x"])
        g.create_dataset("t", (2,), "i8", maxshape=(None,))
        g["t"].make_scale()
        g.create_dataset("longer", (5, 3), "i4", maxshape=(None, 3))[...] = numbers("i4", 5, 3)
        g["longer"].dims[0].attach_scale(g["t"])
        g["longer"].dims[1].attach_scale(f["x"])


@sample(reader_only=True)
def h5_partly_attached(path):
    with h5py.File(path, "w") as f:
        for name, n in ("x", 3), ("y", 4):
            f[name] = np.arange(n, dtype="f8")
            f[name].make_scale()
        f["first"] = numbers("f4", 4, 6)
        f["first"].dims[0].attach_scale(f["y"])
        f["second"] = numbers("f4", 6, 3)
        f["second"].dims[1].attach_scale(f["x"])


@sample(reader_only=True)
def h5_anonymous_types(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("bool", data=np.array([True, False]))
        f.create_dataset("bool2", data=np.array([True, False, True]))
        f.create_dataset("enum", (3,), h5py.enum_dtype({"R": 0, "G": 1, "B": 42}, "i2"))
        compound = np.dtype([("a", "i4"), ("b", "f8")])
        f.create_dataset("compound", data=np.array([(1, 2.0), (3, 4.0)], compound))
        f.create_dataset("big", data=np.array([(1, 2.0), (3, 4.0)], compound.newbyteorder(">")))
        f.create_dataset("packed", data=np.array([(1, 2, 3)], [("a", "i1"), ("b", "f8"), ("c", "i1", (2,))]))
        f.create_dataset("opaque", data=np.array([b"abcd", b"efgh"], "V4"))
        vlen = f.create_dataset("vlen", (3,), h5py.vlen_dtype(np.int32))
        vlen[0], vlen[2] = [1, 2, 3], [4]
        with_string = np.dtype([("n", "i4"), ("s", h5py.string_dtype())])
        f.create_dataset("with_string", data=np.array([(1, "one"), (2, "")], with_string))
        g = f.create_group("g")
        g.create_dataset("other", data=np.array([(1,)], [("only", "u1")]))
        f["named"] = np.dtype([("p", "f4"), ("q", "f4")])
        f.create_dataset("uses_named", (2,), f["named"])
        f.create_dataset("like_named", (2,), np.dtype([("p", "f4"), ("q", "f4")]))


@sample(reader_only=True)
def h5_nested_types(path):
    """What netCDF-C cannot read, but netCDF can hold."""
    with h5py.File(path, "w") as f:
        inner = np.dtype([("u", "u2"), ("v", "f4")])
        f.create_dataset("nested", data=np.zeros(2, [("p", inner), ("q", inner, (2,))]))
        f.create_dataset("fixed", data=np.array([(b"abc", [b"x", b"yy"])], [("s", "S5"), ("t", "S2", (2,))]))
        sequences = np.dtype([("n", "i4"), ("s", h5py.vlen_dtype(np.float32))])
        data = f.create_dataset("sequences", (2,), sequences)
        data[0] = (5, np.array([1, 2, 3], "f4"))
        f.attrs["flag"] = True
        f["nested"].attrs["pair"] = np.array((1, 2.5), [("a", ">i4"), ("b", "f8")])


@sample(reader_only=True)
def h5_strings(path):
    with h5py.File(path, "w") as f:
        f["fixed"] = np.array([b"abc", b"", b"abcdef"], "S6")
        f["one"] = np.array([b"a", b"b"], "S1")
        f["variable"] = np.array(["x", "", "üü"], object)
        f["utf8"] = np.array([b"abc", b"d"], h5py.string_dtype("utf-8", 5))
        f["scalar"] = "alone"
        f["fixed_scalar"] = np.bytes_("alone")
        f.create_dataset("unset", (3,), h5py.string_dtype())
        f.create_dataset("chunked", (9,), h5py.string_dtype(), chunks=(4,))[2] = "two"
        kind = h5py.h5t.C_S1.copy()
        kind.set_size(4)
        kind.set_strpad(h5py.h5t.STR_SPACEPAD)
        space = h5py.h5s.create_simple((2,))
        d = h5py.h5d.create(f.id, b"spaces", kind, space)
        d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"a   ", b"bcde"], "S4"), kind)


@sample(reader_only=True)
def h5_numbers(path):
    with h5py.File(path, "w") as f:
        f["i3"] = np.array([1, -2, 3], "i4")
        kind = h5py.h5t.STD_I32LE.copy()
        kind.set_precision(20)
        kind.set_offset(4)
        space = h5py.h5s.create_simple((4,))
        d = h5py.h5d.create(f.id, b"twenty_bits", kind, space)
        d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, -1, 100000, -100000], "i4"))
        kind = h5py.h5t.STD_U64BE.copy()
        kind.set_size(3)
        d = h5py.h5d.create(f.id, b"three_bytes", kind, space)
        d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, 2**24 - 1, 3, 4], "u4"))
        for order in "<>":
            for t in "i2", "u8", "f4", "f8":
                f[f"{t}{'le' if order == '<' else 'be'}"] = numbers(order + t, 5)


@sample(reader_only=True)
def h5_half(path):
    """netCDF-C takes binary16 for strings, and crashes."""
    with h5py.File(path, "w") as f:
        f["half"] = np.array([1, -2, 65504, np.inf, 6e-8], "f2")
        f["half_big"] = np.array([1, -2, 0.5], ">f2")


@sample(reader_only=True)
def h5_not_netcdf(path):
    """Each of these is left out with a warning, or rounded (the long double), and all else stays."""
    with h5py.File(path, "w") as f:
        f["good"] = numbers("i4", 3)
        f["reference"] = np.array([f["good"].ref], h5py.ref_dtype)
        f["complex"] = np.array([1 + 2j])
        f.create_dataset("null", data=h5py.Empty("f4"))
        f["dangling"] = h5py.SoftLink("/nowhere")
        f["outside"] = h5py.ExternalLink("/etc/passwd", "/")
        f["missing"] = h5py.ExternalLink("missing.h5", "/x")
        f["longdouble"] = np.zeros(2, np.longdouble)
        kind = h5py.h5t.STD_B16LE
        h5py.h5d.create(f.id, b"bits", kind, h5py.h5s.create_simple((2,)))
        layout = h5py.VirtualLayout((3,), "i4")
        layout[:] = h5py.VirtualSource(f["good"])
        f.create_virtual_dataset("virtual", layout)
        f.create_dataset("array", (2,), np.dtype(("i4", (3,))))
        f["number_type"] = np.dtype("i4")
        f["good"].attrs["region"] = f["good"].regionref[0:2]
        f["good"].attrs["kept"] = 1


@sample(reader_only=True)
def h5_links(path):
    folder = os.path.dirname(path)
    with h5py.File(os.path.join(folder, "h5_links_target.h5"), "w") as f:
        f["g/d"] = numbers("i4", 2)
        f["g"].attrs["from"] = "target"
        f["back"] = h5py.ExternalLink("h5_links.h5", "/a")
    with h5py.File(path, "w") as f:
        a = f.create_group("a")
        a["d"] = numbers("f4", 3)
        f["hard"] = a["d"]
        f["soft"] = h5py.SoftLink("/a/d")
        a["relative"] = h5py.SoftLink("d")
        f["chain"] = h5py.SoftLink("a/relative")
        f["external"] = h5py.ExternalLink("h5_links_target.h5", "/g/d")
        f["b"] = a


@sample(reader_only=True)
def h5_cycles(path):
    with h5py.File(path, "w") as f:
        a = f.create_group("a")
        a["d"] = numbers("f4", 3)
        a["self"] = a
        a["root"] = f["/"]
        f["loop1"] = h5py.SoftLink("/loop2")
        f["loop2"] = h5py.SoftLink("/loop1")
        a["up"] = h5py.SoftLink("/a")


@sample(reader_only=True)
def h5_layouts(path):
    with h5py.File(path, "w", libver="latest") as f:
        data = numbers("i4", 20, 30)
        f.create_dataset("single", data=data, chunks=(20, 30))
        f.create_dataset("single_filtered", data=data, chunks=(20, 30), compression="gzip")
        f.create_dataset("fixed_array", data=data, chunks=(3, 7))
        f.create_dataset("fixed_filtered", data=data, chunks=(3, 7), compression="gzip")
        f.create_dataset("extensible", data=data, chunks=(3, 7), maxshape=(None, 30))
        f.create_dataset("extensible_filtered", data=data, chunks=(3, 7), maxshape=(None, 30), shuffle=True)
        f.create_dataset("btree", data=data, chunks=(3, 7), maxshape=(None, None))
        f.create_dataset("btree_filtered", data=data, chunks=(3, 7), maxshape=(None, None), compression="gzip")
        for early in (True, False):
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_chunk((3, 7))
            if early:
                plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            name = b"implicit" if early else b"partial"
            d = h5py.h5d.create(f.id, name, h5py.h5t.STD_I32LE, h5py.h5s.create_simple((20, 30)), plist)
            if early:
                d.write(h5py.h5s.ALL, h5py.h5s.ALL, data)
        f["partial"][4, 5] = 6
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_layout(h5py.h5d.COMPACT)
        d = h5py.h5d.create(f.id, b"compact", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((4,)), plist)
        d.write(h5py.h5s.ALL, h5py.h5s.ALL, numbers("i4", 4))
        f.create_dataset("compound", data=np.zeros((7, 5), [("a", ">i4"), ("b", "i2")]), chunks=(2, 3),
                         compression="gzip")
        f.create_dataset("never", (10, 10), "f4", fillvalue=4.0)
        f.create_dataset("rows", data=np.array([[str(i * j) for j in range(5)] for i in range(6)], object))


@sample(reader_only=True)
def h5_user_block(path):
    with h5py.File(path, "w", userblock_size=1024) as f:
        f["x"] = numbers("i4", 3)
        f.create_dataset("c", data=numbers("i4", 30), chunks=(7,), compression="gzip")
        f["s"] = np.array(["a", "bb"], object)


@sample(reader_only=True)
def h5_many(path):
    with h5py.File(path, "w", libver="latest") as f:
        for i in range(400):
            f[f"d{i:04}"] = np.int32(i)
        for i in range(60):
            f.attrs[f"a{i:02}"] = i
        f.attrs["large"] = np.arange(30000, dtype="f8")


FILTERED = {"checked": (3,), "deflated": (1,), "both": (1, 3)}


def filtered_group(parent, name, filters, tracked=True):
    """A group whose links pass the filters (1: deflate, 3: Fletcher32) where they are many. h5py itself does not offer it."""
    library = ctypes.CDLL(h5py.h5p.__file__)
    properties = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
    if tracked:
        properties.set_link_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
    for filter in filters:
        values = (ctypes.c_uint * 1)(6)
        status = library.H5Pset_filter(
            ctypes.c_int64(properties.id), ctypes.c_int(filter), ctypes.c_uint(1), ctypes.c_size_t(filter == 1), values)
        assert status >= 0
    return h5py.Group(h5py.h5g.create(parent.id, name.encode(), gcpl=properties))


@sample(reader_only=True)
def h5_filtered_groups(path):
    with h5py.File(path, "w", libver="latest") as f:
        f["d"] = np.int32(5)
        for name, filters in FILTERED.items():
            # One direct block, then several behind an indirect one, and links that are huge: their path takes 5000 bytes.
            for count in 9, 40:
                g = filtered_group(f, f"{name}{count}", filters)
                for i in range(count):
                    g[f"{i:04}" + "link" * (i % 20)] = f["d"]
                g.attrs["note"] = name
                g["huge"] = h5py.SoftLink("/" + "./" * 2500 + "d")
