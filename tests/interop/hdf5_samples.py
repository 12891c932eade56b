"""Makes HDF5 files for the readers' tests: by netCDF4-python, h5netcdf and h5py, every idea of netCDF-4 at least once.

    hdf5_samples.py FOLDER

prints nothing; each function below makes one file named after it. All content is a function of the index, so that the
files are the same each time up to what the libraries put there (times, versions).
"""

import ctypes
import os
import sys

import h5py
import netCDF4
import numpy as np

MAKERS = []


def sample(make):
    MAKERS.append(make)
    return make


def numbers(dtype, *shape):
    count = int(np.prod(shape))
    return (np.arange(count) * 7 % 119).astype(dtype).reshape(shape)


# ---- by netCDF4-python

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "S1"]


@sample
def nc_types(path):
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("x", 5)
        nc.createDimension("t", None)
        for kind in TYPES:
            data = numbers(kind, 3, 5) if kind != "S1" else np.full((3, 5), b"q")
            for order in "little", "big":
                if kind == "S1":
                    order = "native"
                var = nc.createVariable(f"{kind}_{order}", kind, ("t", "x"), endian=order)
                var[:] = data
                if order == "native":
                    break
            if kind != "S1":
                var.setncattr("one", np.dtype(kind).type(3))
                var.setncattr("many", numbers(kind, 4))
        nc.createVariable("scalar", "f8", ())[...] = 2.5
        nc.title = "text"
        nc.empty = ""
        nc.strings = ["a", "", "ccc"]
        nc.setncattr_string("one_string", "only")
        nc.long = np.arange(20000, dtype="f8")
        s = nc.createVariable("s", str, ("x",))
        s[0], s[3] = "first", "vierter ü"
        s.note = "n"


@sample
def nc_classic_model(path):
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as nc:
        nc.createDimension("x", 5)
        nc.createDimension("t", None)
        nc.createVariable("x", "f4", ("x",))[:] = numbers("f4", 5)
        nc.createVariable("v", "i2", ("t", "x"), fill_value=-9)[:] = numbers("i2", 2, 5)


@sample
def nc_user_types(path):
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("x", 4)
        flag = nc.createEnumType(np.int8, "flag", {"no": 0, "yes": 1, "odd": -7})
        wide = nc.createEnumType(np.uint64, "wide", {"low": 0, "high": 2**63 + 5})
        point = nc.createCompoundType(np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2", (2, 3))], align=True), "point")
        inner = nc.createCompoundType(np.dtype([("u", "u2"), ("v", "f4")]), "inner")
        outer = nc.createCompoundType(
            np.dtype([("p", np.dtype([("u", "u2"), ("v", "f4")])), ("n", "S1", (6,))]), "outer")
        ragged = nc.createVLType(np.int16, "ragged")
        e = nc.createVariable("e", flag, ("x",), fill_value=-7)
        e[:3] = np.array([0, 1, -7], "i1")
        nc.createVariable("w", wide, ("x",))[:] = np.array([0, 2**63 + 5, 0, 0], "u8")
        c = nc.createVariable("c", point, ("x",))
        data = np.zeros(4, point.dtype)
        data["a"], data["b"] = np.arange(4), np.arange(4) / 3
        data["c"] = numbers("i2", 4, 2, 3)
        c[:] = data
        o = nc.createVariable("o", outer, ("x",))
        data = np.zeros(4, outer.dtype)
        data["p"]["u"] = np.arange(4)
        data["n"] = b"q"
        o[:] = data
        r = nc.createVariable("r", ragged, ("x",))
        for i in range(4):
            r[i] = np.arange(i, dtype="i2")
        nc.createVariable("i", inner, ())
        group = nc.createGroup("deep").createGroup("deeper")
        group.createVariable("c", point, ("x",))[:] = np.zeros(4, point.dtype)


@sample
def nc_groups(path):
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("t", None)
        nc.createDimension("x", 3)
        nc.createVariable("x", "f4", ("x",))[:] = [1, 2, 3]
        nc.createVariable("short", "i4", ("t",), chunksizes=(3,))[:] = [1, 2]
        a = nc.createGroup("a")
        a.createDimension("y", 2)
        a.createVariable("long", "i4", ("t", "y"), chunksizes=(4, 2))[:] = numbers("i4", 5, 2)
        b = a.createGroup("b")
        b.createDimension("x", 4)
        b.createVariable("longest", "f4", ("t", "x"), chunksizes=(4, 3))[:] = numbers("f4", 7, 4)
        b.createVariable("outer_x", "f4", ("t",))
        nc.createGroup("empty").note = np.int32(4)
        z = nc.createGroup("z")
        z.createDimension("u", None)
        z.createVariable("nothing", "f4", ("u",))
        z.createVariable("two", "f4", ("u", "t"), chunksizes=(2, 2))[:1, :3] = 1
        nc.createVariable("last", "f8", ("t",), fill_value=False, chunksizes=(5,))[:] = [1]


@sample
def nc_dimension_names(path):
    """Coordinate variables of two dimensions, a variable named as a dimension that it is not on, dimensions after use."""
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("x", 3)
        nc.createDimension("y", 4)
        nc.createDimension("n", 2)
        nc.createVariable("y", "f4", ("y", "x"))[:] = numbers("f4", 4, 3)
        nc.createVariable("n", "i4", ("x",))[:] = [1, 2, 3]
        nc.createVariable("v", "f8", ("x", "y", "n"))[:] = numbers("f8", 3, 4, 2)
        nc.createDimension("late", 5)
        nc.createVariable("x", "i2", ("x",))[:] = [3, 2, 1]
        nc.createVariable("l", "i2", ("late", "late"))[:] = numbers("i2", 5, 5)
        nc.createVariable("scalar", "i4", ())


@sample
def nc_fill(path):
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("x", 6)
        nc.createDimension("t", None)
        nc.createVariable("default", "f4", ("x",))
        nc.createVariable("own", "f4", ("x",), fill_value=-1)[:2] = 5
        off = nc.createVariable("off", "f4", ("x",), fill_value=False)
        off[:] = 1
        nc.createVariable("chunked", "i4", ("t", "x"), chunksizes=(1, 2), fill_value=77)[2, 3] = 1
        nc.createVariable("str", str, ("x",))[1] = "set"
        nc.createVariable("strown", str, ("x",), fill_value="gone")[1] = "set"
        nc.createVariable("char", "S1", ("x",))[:2] = b"z"
        nc.createVariable("t", "f8", ("t",), chunksizes=(9,))[:5] = np.arange(5)
        nc.createVariable("half", "i2", ("t",), fill_value=False, chunksizes=(9,))[:2] = 9


@sample
def nc_filters(path):
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("y", 50)
        nc.createDimension("x", 40)
        data = numbers("f4", 50, 40)
        for name, options in {
            "zlib": {"compression": "zlib", "complevel": 4},
            "noshuffle": {"compression": "zlib", "complevel": 9, "shuffle": False},
            "fletcher": {"fletcher32": True},
            "all": {"compression": "zlib", "fletcher32": True},
            "zstd": {"compression": "zstd", "complevel": 3},
            "bzip2": {"compression": "bzip2", "complevel": 9},
            "szip": {"compression": "szip", "szip_coding": "nn", "szip_pixels_per_block": 8},
        }.items():
            var = nc.createVariable(name, "f4", ("y", "x"), chunksizes=(20, 15), **options)
            var[:] = data
        nc.createVariable("big", "i4", ("y", "x"), zlib=True, endian="big")[:] = data.astype("i4")
        nc.createVariable("contiguous", "f4", ("y", "x"), contiguous=True)[:] = data
        strings = nc.createVariable("strings", str, ("y",), zlib=True, chunksizes=(7,))
        for i in range(50):
            strings[i] = "s" * i


@sample
def nc_vlen_of_compound(path):
    import ctypes  # netCDF4-python has no vlens of compounds; the C library does.

    import netcdf_c_dump as c

    ncid, comp, vlen, dim, var = (ctypes.c_int() for _ in range(5))
    c.call("nc_create", path.encode(), 0x1000, ctypes.byref(ncid))
    n = ncid.value
    c.call("nc_def_compound", n, ctypes.c_size_t(16), b"pair", ctypes.byref(comp))
    c.call("nc_insert_compound", n, comp, b"i", ctypes.c_size_t(0), 4)
    c.call("nc_insert_compound", n, comp, b"s", ctypes.c_size_t(8), 12)
    c.call("nc_def_vlen", n, b"pairs", comp, ctypes.byref(vlen))
    c.call("nc_def_dim", n, b"x", ctypes.c_size_t(3), ctypes.byref(dim))
    c.call("nc_def_var", n, b"v", vlen, 1, ctypes.byref(dim), ctypes.byref(var))
    comp_var, opaque, opaque_var, string_var = (ctypes.c_int() for _ in range(4))
    c.call("nc_def_var", n, b"c", comp, 1, ctypes.byref(dim), ctypes.byref(comp_var))
    c.call("nc_def_opaque", n, ctypes.c_size_t(5), b"raw", ctypes.byref(opaque))
    c.call("nc_def_var", n, b"o", opaque, 1, ctypes.byref(dim), ctypes.byref(opaque_var))
    c.call("nc_def_var", n, b"s", 12, 1, ctypes.byref(dim), ctypes.byref(string_var))

    class Pair(ctypes.Structure):
        _fields_ = [("i", ctypes.c_int), ("s", ctypes.c_char_p)]

    class Sequence(ctypes.Structure):
        _fields_ = [("len", ctypes.c_size_t), ("p", ctypes.c_void_p)]

    pairs = (Pair * 3)(Pair(1, b"one"), Pair(2, b""), Pair(3, None))
    data = (Sequence * 3)(Sequence(3, ctypes.addressof(pairs)), Sequence(0, None),
                          Sequence(1, ctypes.addressof(pairs)))
    c.call("nc_put_var", n, var, data)
    c.call("nc_put_var", n, comp_var, pairs)
    c.call("nc_put_var", n, opaque_var, b"0123456789abcde")
    c.call("nc_put_var", n, string_var, (ctypes.c_char_p * 3)(b"text", None, b""))
    c.call("nc_put_att", n, var, b"note", vlen, ctypes.c_size_t(2), data)
    c.call("nc_put_att", n, -1, b"pair", comp, ctypes.c_size_t(1), pairs)
    c.call("nc_put_att", n, -1, b"raw", opaque, ctypes.c_size_t(2), b"0123456789")
    c.call("nc_put_att", n, -1, b"strings", 12, ctypes.c_size_t(3), (ctypes.c_char_p * 3)(b"a", None, b""))
    c.call("nc_put_att", n, -1, b"no_ints", 4, ctypes.c_size_t(0), None)
    c.call("nc_put_att", n, -1, b"no_text", 2, ctypes.c_size_t(0), None)
    c.call("nc_close", n)


@sample
def nc_many(path):
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("x", 4)
        for i in range(300):
            var = nc.createVariable(f"v{i:03}", "f4", ("x",))
            var.units = f"m{i}"
        for i in range(40):
            var.setncattr(f"a{i}", np.int32(i))


# ---- by h5netcdf


@sample
def h5netcdf_basic(path):
    import h5netcdf

    with h5netcdf.File(path, "w") as f:
        f.dimensions = {"x": 5, "t": None}
        f.resize_dimension("t", 4)
        f.create_variable("x", ("x",), "f8", data=np.arange(5.0))
        f.create_variable("v", ("t", "x"), "i4", chunks=(2, 3))[...] = numbers("i4", 4, 5)
        f.create_variable("/g/w", ("x",), "f4", fillvalue=3.0)
        f.attrs["title"] = "by h5netcdf"
        f.create_group("h").attrs["n"] = 3


# ---- by h5py


@sample
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


@sample
def h5_matrix_attribute(path):
    """netCDF-C refuses all attributes of an object of which one has two dimensions."""
    with h5py.File(path, "w") as f:
        f.attrs["matrix"] = numbers("i4", 2, 3)
        f.attrs.create("arrays", np.zeros((), ("i2", (4,))), dtype=np.dtype(("i2", (4,))))


@sample
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


@sample
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


@sample
def h5_partly_attached(path):
    with h5py.File(path, "w") as f:
        for name, n in ("x", 3), ("y", 4):
            f[name] = np.arange(n, dtype="f8")
            f[name].make_scale()
        f["first"] = numbers("f4", 4, 6)
        f["first"].dims[0].attach_scale(f["y"])
        f["second"] = numbers("f4", 6, 3)
        f["second"].dims[1].attach_scale(f["x"])


@sample
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


@sample
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


@sample
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


@sample
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


@sample
def h5_half(path):
    """netCDF-C takes binary16 for strings, and crashes."""
    with h5py.File(path, "w") as f:
        f["half"] = np.array([1, -2, 65504, np.inf, 6e-8], "f2")
        f["half_big"] = np.array([1, -2, 0.5], ">f2")


@sample
def h5_not_netcdf(path):
    """Each of these is left out with a warning, and all else stays."""
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


@sample
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


@sample
def h5_cycles(path):
    with h5py.File(path, "w") as f:
        a = f.create_group("a")
        a["d"] = numbers("f4", 3)
        a["self"] = a
        a["root"] = f["/"]
        f["loop1"] = h5py.SoftLink("/loop2")
        f["loop2"] = h5py.SoftLink("/loop1")
        a["up"] = h5py.SoftLink("/a")


@sample
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


@sample
def h5_user_block(path):
    with h5py.File(path, "w", userblock_size=1024) as f:
        f["x"] = numbers("i4", 3)
        f.create_dataset("c", data=numbers("i4", 30), chunks=(7,), compression="gzip")
        f["s"] = np.array(["a", "bb"], object)


@sample
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


@sample
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


def file_name(make):
    return make.__name__ + (".nc" if make.__name__.startswith(("nc", "h5netcdf")) else ".h5")


def main(folder):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    os.makedirs(folder, exist_ok=True)
    for make in MAKERS:
        path = os.path.join(folder, file_name(make))
        try:
            make(path)
        except Exception as e:
            raise RuntimeError(f"{make.__name__}: {type(e).__name__}: {e}") from e


if __name__ == "__main__":
    main(sys.argv[1])
