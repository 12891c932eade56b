"""For the reader alone, by netCDF4-python and h5netcdf: every idea of netCDF-4 once, in a small file.

All content is a function of the index, so that the files are the same each time up to what the libraries put there.
"""

import ctypes

import h5netcdf
import netCDF4
import numpy as np

from .declare import numbers, sample

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "S1"]


@sample(reader_only=True)
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


@sample(reader_only=True)
def nc_classic_model(path):
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as nc:
        nc.createDimension("x", 5)
        nc.createDimension("t", None)
        nc.createVariable("x", "f4", ("x",))[:] = numbers("f4", 5)
        nc.createVariable("v", "i2", ("t", "x"), fill_value=-9)[:] = numbers("i2", 2, 5)


@sample(reader_only=True)
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


@sample(reader_only=True)
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


@sample(reader_only=True)
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


@sample(reader_only=True)
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


@sample(reader_only=True)
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


@sample(reader_only=True)
def nc_vlen_of_compound(path):
    """netCDF4-python has no vlens of compounds; the C library does."""
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


@sample(reader_only=True)
def nc_many(path):
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("x", 4)
        for i in range(300):
            var = nc.createVariable(f"v{i:03}", "f4", ("x",))
            var.units = f"m{i}"
        for i in range(40):
            var.setncattr(f"a{i}", np.int32(i))


@sample(reader_only=True)
def h5netcdf_basic(path):
    with h5netcdf.File(path, "w") as f:
        f.dimensions = {"x": 5, "t": None}
        f.resize_dimension("t", 4)
        f.create_variable("x", ("x",), "f8", data=np.arange(5.0))
        f.create_variable("v", ("t", "x"), "i4", chunks=(2, 3))[...] = numbers("i4", 4, 5)
        f.create_variable("/g/w", ("x",), "f4", fillvalue=3.0)
        f.attrs["title"] = "by h5netcdf"
        f.create_group("h").attrs["n"] = 3
