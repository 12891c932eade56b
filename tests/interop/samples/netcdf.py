"""For all tests, by netCDF4-python and h5netcdf: the data model, in every kind of file."""

import functools
import sys

import h5netcdf
import netCDF4
import numpy as np

from .declare import field, sample

NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def classic(path, format):
    types = ["i1", "i2", "i4", "f4", "f8"] + (["u1", "u2", "u4", "i8", "u8"] if format == "NETCDF3_64BIT_DATA" else [])
    with netCDF4.Dataset(path, "w", format=format) as d:
        d.createDimension("time", None)
        d.createDimension("lat", 7)
        d.createDimension("lon", 9)
        d.title = "classic kinds"
        d.empty = ""
        for t in types:
            v = d.createVariable(f"fixed_{t}", t, ("lat", "lon"))
            v[:] = field(7, 9, dtype=t)
            v.valid = np.arange(3, dtype=t)
            v = d.createVariable(f"record_{t}", t, ("time", "lat", "lon"), fill_value=np.array(3, t)[()])
            v[0:5] = field(5, 7, 9, dtype=t)
        v = d.createVariable("text", "S1", ("time", "lon"))
        v[0:5] = np.array([list("abcdefghi")] * 5, "S1")
        d.createVariable("never", "f4", ("lat",))
        v = d.createVariable("scalar", "f8", ())
        v[...] = 1.25
        v = d.createVariable("time", "f8", ("time",))
        v[:] = np.arange(5)
        v.units = "days since 2000-01-01"


for name, format in [
    ("cdf1", "NETCDF3_CLASSIC"),
    ("cdf2", "NETCDF3_64BIT_OFFSET"),
    ("cdf5", "NETCDF3_64BIT_DATA"),
    ("nc7", "NETCDF4_CLASSIC"),
]:
    sample(name=name)(functools.partial(classic, format=format))


@sample
def single_odd_record(path):
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as d:
        d.createDimension("t", None)
        d.createDimension("x", 3)
        v = d.createVariable("b", "i1", ("t", "x"))
        v[0:5] = np.arange(15).reshape(5, 3)


@sample
def no_records(path):
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as d:
        d.createDimension("t", None)
        d.createVariable("r", "i2", ("t",))
        d.createVariable("f", "i2", ())[...] = 5


@sample
def empty_classic(path):
    netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC").close()


@sample
def empty_nc4(path):
    netCDF4.Dataset(path, "w").close()


@sample
def atomic_types(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("x", 11)
        d.createDimension("y", 5)
        for t in NUMBERS:
            for endian in "little", "big":
                v = d.createVariable(f"{t}_{endian}", t, ("x", "y"), endian=endian)
                v[:] = field(11, 5, dtype=t)
                v.one = np.array(5, t)[()]
                v.many = np.arange(4, dtype=t)
        v = d.createVariable("c", "S1", ("x", "y"))
        v[:] = np.array([list("hello")] * 11, "S1")
        v.text = "a text with ünïcödé"
        v = d.createVariable("s", str, ("x",))
        v[:] = np.array([f"string {i}" * i for i in range(11)], object)
        v.setncattr_string("strings", ["one", "two", "", "ünï"])
        v.setncattr_string("one", "single")
        d.setncattr("big", np.arange(20000, dtype="i4"))
        d.setncattr("nothing", np.array([], "f8"))


@sample
def chunks_and_filters(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("t", None)
        d.createDimension("y", 50)
        d.createDimension("x", 70)
        data = field(4, 50, 70)
        shape = ("t", "y", "x")
        kinds = {
            "plain": {},
            "zlib": dict(compression="zlib", complevel=4),
            "zlib_noshuffle": dict(compression="zlib", complevel=1, shuffle=False),
            "fletcher": dict(fletcher32=True),
            "both": dict(compression="zlib", fletcher32=True),
            "zstd": dict(compression="zstd", complevel=3),
            "bzip2": dict(compression="bzip2", complevel=9),
            "blosc": dict(compression="blosc_zstd", complevel=4, blosc_shuffle=2),
            "szip_nn": dict(compression="szip", szip_coding="nn", szip_pixels_per_block=8),
            "szip_ec": dict(compression="szip", szip_coding="ec", szip_pixels_per_block=32),
        }
        for name, options in kinds.items():
            try:
                v = d.createVariable(name, "f4", shape, chunksizes=(1, 33, 17), **options)
            except Exception as error:  # a library built without that filter
                print(f"generate: {name}: {error}", file=sys.stderr)
                continue
            v[:] = data
        d.createVariable("contiguous", "f4", ("y", "x"), contiguous=True)[:] = data[0]
        d.createVariable("quantized", "f4", ("y", "x"), compression="zlib", least_significant_digit=2)[:] = data[0]


@sample
def fill_values(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("t", None)
        d.createDimension("x", 10)
        for t in NUMBERS:
            d.createVariable(f"default_{t}", t, ("x",))
            d.createVariable(f"own_{t}", t, ("x",), fill_value=np.array(9, t)[()])
            d.createVariable(f"none_{t}", t, ("x",), fill_value=False)[:] = 3
            d.createVariable(f"sparse_{t}", t, ("t", "x"), fill_value=np.array(7, t)[()], chunksizes=(1, 4))[3, 2:5] = 1
        d.createVariable("s", str, ("x",), fill_value="missing")[3] = "there"
        d.createVariable("s_default", str, ("t",))[2] = "there"
        d.createVariable("c", "S1", ("x",), fill_value="-")


@sample
def groups_and_unlimited(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("t", None)
        d.createDimension("u", None)
        d.createDimension("x", 3)
        d.createVariable("temp", "f4", ("t", "x"))[0:4] = field(4, 3)
        d.createVariable("short", "f4", ("t", "x"))[0:2] = field(2, 3)
        d.createVariable("t", "f8", ("t",))[:] = np.arange(4)
        d.createVariable("x", "i4", ("x",))[:] = np.arange(3)
        d.createVariable("two", "i4", ("t", "u"))[0:2, 0:5] = field(2, 5, dtype="i4")
        d.createVariable("scalar", "i4", ())[...] = 42
        g = d.createGroup("g")
        g.note = "in a group"
        g.createDimension("x", 5)
        g.createVariable("x", "f4", ("x",))[:] = np.arange(5)
        g.createVariable("v", "i2", ("t", "x"))[0:6] = field(6, 5, dtype="i2")
        h = g.createGroup("h")
        h.createVariable("w", "i2", ("u", "x"))[0:2] = field(2, 5, dtype="i2")
        h.createVariable("t", "i2", ("x",))[:] = 4
        h.createGroup("empty").createGroup("emptier")
        d.createVariable("late", "i4", ("x", "t"))[:] = field(3, 6, dtype="i4")


@sample
def coordinates_of_two_dimensions(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("station", 4)
        d.createDimension("len", 8)
        d.createVariable("data", "f4", ("station",))[:] = 1
        d.createVariable("station", "S1", ("station", "len"))[:] = netCDF4.stringtochar(
            np.array(["oslo", "bergen", "x", ""], "S8")
        )
        d.createVariable("len", "i4", ("station",))[:] = 5


@sample
def dimension_without_variable_after_variable(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("a", 2)
        d.createVariable("first", "i4", ("a",))[:] = 1
        d.createDimension("b", 3)
        d.createVariable("b", "i4", ("b",))[:] = 1
        d.createVariable("second", "i4", ("b", "a"))[:] = 2
        d.createDimension("c", None)
        d.createVariable("third", "i4", ("c", "b"))[0:2] = 2
        d.createVariable("a", "i4", ("b",))[:] = 9


@sample
def user_types(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("x", 4)
        d.createDimension("t", None)
        inner = d.createCompoundType(np.dtype([("a", "i2"), ("b", "f8")], align=True), "inner")
        outer = d.createCompoundType(
            np.dtype([("id", "i4"), ("in", inner.dtype), ("list", "f4", (2, 3)), ("c", "S1")], align=True), "outer"
        )
        e = d.createEnumType(np.int16, "colour", {"red": 0, "green": 5, "blue": -3})
        vl = d.createVLType(np.float32, "row")
        v = d.createVariable("in", inner, ("x",))
        a = np.zeros(4, inner.dtype)
        a["a"], a["b"] = range(4), 1.5
        v[:] = a
        v.setncattr("first", a[:1])
        v = d.createVariable("out", outer, ("t", "x"), chunksizes=(1, 3), zlib=True)
        o = np.zeros((2, 4), outer.dtype)
        o["id"] = np.arange(8).reshape(2, 4)
        o["list"] = field(2, 4, 2, 3)
        o["c"] = b"z"
        v[0:2] = o
        v = d.createVariable("hue", e, ("x",), fill_value=5)
        v[0:2] = [0, -3]
        v = d.createVariable("rows", vl, ("x",))
        for i in range(3):
            v[i] = np.arange(i * 3, dtype="f4")
        v = d.createVariable("chunked_rows", vl, ("t",), chunksizes=(3,))
        for i in range(7):
            v[i] = np.arange(i, dtype="f4")
        g = d.createGroup("g")
        g.createVariable("colour", e, ("x",))[:] = 5
        own = g.createEnumType(np.uint8, "flag", {"off": 0, "on": 1})
        g.createVariable("state", own, ("x",))[:] = 1


@sample
def many_variables(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("x", 3)
        for i in range(300):
            v = d.createVariable(f"v{i}", "i4", ("x",))
            v.units = "m"
        for i in range(60):
            d.setncattr(f"a{i}", i)


@sample
def names(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("x y", 2)
        d.createDimension("ä.b-c+d@e", 3)
        d.createVariable("ünï:cödé|x", "i4", ("x y", "ä.b-c+d@e"))[:] = 1
        d.createVariable("1st,one*&", "i4", ("x y",))[:] = 1
        d.createGroup("g r\\p").setncattr("a=b;", 1)


@sample
def h5netcdf_file(path):
    with h5netcdf.File(path, "w") as f:
        f.dimensions = {"x": 5, "t": None}
        f.resize_dimension("t", 4)
        v = f.create_variable("v", ("t", "x"), "f4", chunks=(2, 3), compression="gzip", fletcher32=True)
        v[:] = field(4, 5)
        v.attrs["units"] = "K"
        g = f.create_group("g")
        g.dimensions["y"] = 3
        g.create_variable("w", ("y", "x"), "i8", fillvalue=-1)[0] = 5
        f.attrs["title"] = "from h5netcdf"
