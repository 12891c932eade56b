"""The datasets of the matrix between netCDF and Zarr: all that both sides can hold, written by netCDF4-python.

    python zarr_samples.py FOLDER    makes full.nc and classic.nc
"""

import pathlib
import sys

import netCDF4
import numpy as np

NUMBERS = {"byte": "i1", "ubyte": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "int64": "i8", "uint64": "u8",
           "float": "f4", "double": "f8"}
CLASSIC = {"byte", "short", "int", "float", "double"}

TEXTS = {
    "text": b"plain text",
    "text_empty": b"",
    "text_one": b"x",
    "text_digit": b"7",
    "text_number": b"1.5e3",
    "text_true": b"true",
    "text_null": b"null",
    "text_json_list": b"[1, 2, 3]",
    "text_json_strings": b'["one","two"]',
    "text_json_object": b'{"a": {"b": [1, null, "x"]}, "c": 1.0}',
    "text_json_broken": b'{"a": ',
    "text_quoted": b'"quoted" \\ back / slash',
    "text_lines": b"two\nlines\tand a tab",
    "text_utf8": "Temperatur in °C, 温度, 🌡".encode(),
}

LIMITS = {
    "i": lambda t: [np.iinfo(t).min, -1, 0, np.iinfo(t).max],
    # The largest first: libnetcdf takes the type of an attribute in Zarr from its first number.
    "u": lambda t: [np.iinfo(t).max, np.iinfo(t).max - 1, 1, 0],
    "f": lambda t: [np.nan, np.inf, -np.inf, np.finfo(t).max, np.finfo(t).tiny, 0.1, -0.0],
}


def limits(dtype):
    """The numbers at the limits of a type."""
    dtype = np.dtype(dtype)
    return np.array(LIMITS[dtype.kind](dtype), dtype)


def field(dtype, *shape):
    """Numbers that compress, that a byte holds, and of which none is a default fill value."""
    count = int(np.prod(shape))
    return (np.arange(count) // 2 % 100).astype(dtype).reshape(shape)


def attributes(holder, types):
    for name, text in TEXTS.items():
        holder.setncattr(name, text)
    for name, dtype in NUMBERS.items():
        if name in types:
            holder.setncattr(f"{name}_limits", limits(dtype))
            holder.setncattr(f"{name}_one", np.array([3], dtype))
            holder.setncattr(f"{name}_least", limits(dtype)[:1])


def string_attributes(holder):
    holder.setncattr_string("string_one", "one string")
    holder.setncattr_string("string_several", ["one", "", "größe 温度", 'with "quotes"'])
    holder.setncattr_string("string_json", '{"a": 1}')


def variable(group, name, dtype, dims, values=None, **options):
    made = group.createVariable(name, dtype, dims, **options)
    made.set_auto_maskandscale(False)
    if values is not None:
        made[...] = values
    return made


def text_variables(group):
    """Characters: rows of several lengths, one never written."""
    rows = np.array([list("abcd"), list("ef\0\0"), list("\0\0\0\0"), list("g\0\0\0"), list("hijk")], "S1")
    variable(group, "chars", "S1", ("y", "len"), rows).units = "text"
    variable(group, "chars_filled", "S1", ("y", "len"), rows, fill_value=b"-")
    variable(group, "char_scalar", "S1", (), np.array(b"q", "S1"))
    variable(group, "chars_never", "S1", ("len",))


def common(group, types):
    """What the classic model holds as well."""
    for name, dtype in NUMBERS.items():
        if name not in types:
            continue
        variable(group, name, dtype, ("y", "x"), field(dtype, 5, 7)).units = "m"
        variable(group, f"{name}_limits", dtype, ("seven",), np.resize(limits(dtype), 7))
        filled = variable(group, f"{name}_filled", dtype, ("time", "x"), fill_value=np.array(9, dtype)[()])
        filled[0:3, :] = field(dtype, 3, 7)
        filled.valid_range = np.array([0, 99], dtype)
        variable(group, f"{name}_scalar", dtype, (), np.array(42, dtype))
        variable(group, f"{name}_never", dtype, ("x",))
        variable(group, f"{name}_records", dtype, ("time",), field(dtype, 3))
    variable(group, "x", "f8", ("x",), np.linspace(0, 1, 7)).long_name = "a coordinate"
    variable(group, "nan_filled", "f8", ("y",), np.array([1, np.nan, 3, np.inf, 5]), fill_value=np.nan)
    text_variables(group)
    attributes(group.variables["double"], types)
    attributes(group, types)


def dimensions(group):
    for name, length in ("y", 5), ("x", 7), ("len", 4), ("seven", 7), ("unused", 3), ("time", None):
        group.createDimension(name, length)


def classic(path):
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as file:
        dimensions(file)
        common(file, CLASSIC)


FILTERS = {
    "deflate": dict(compression="zlib", complevel=6, shuffle=False),
    "shuffle_deflate": dict(compression="zlib", complevel=1, shuffle=True),
    "shuffle_fletcher32": dict(compression="zlib", complevel=1, shuffle=True, fletcher32=True),
    "fletcher32": dict(fletcher32=True),
    "zstd": dict(compression="zstd", complevel=3),
    "bzip2": dict(compression="bzip2", complevel=9),
    "blosc_lz": dict(compression="blosc_lz", blosc_shuffle=0),
    "blosc_lz4": dict(compression="blosc_lz4", blosc_shuffle=1),
    "blosc_lz4hc": dict(compression="blosc_lz4hc", blosc_shuffle=2),
    "blosc_zlib": dict(compression="blosc_zlib", blosc_shuffle=1),
    "blosc_zstd": dict(compression="blosc_zstd", blosc_shuffle=1),
}


def stored(group):
    """Each way to store an array that both sides have."""
    for endian in "little", "big":
        for name, dtype in NUMBERS.items():
            if dtype[1] != "1":
                variable(group, f"{name}_{endian}", dtype, ("y", "x"), field(dtype, 5, 7), endian=endian, chunksizes=(2, 3))
    for name, options in FILTERS.items():
        for dtype in "i2", "f8", "u1":
            edges = variable(group, f"{name}_{dtype}", dtype, ("long", "x"), chunksizes=(64, 4), **options)
            edges[...] = field(dtype, 150, 7) // 16
    variable(group, "contiguous", "i4", ("y", "x"), field("i4", 5, 7), contiguous=True)
    variable(group, "one_chunk", "i4", ("y", "x"), field("i4", 5, 7), chunksizes=(5, 7))
    variable(group, "no_fill", "i4", ("y", "x"), field("i4", 5, 7), chunksizes=(2, 7), fill_value=False)
    variable(group, "never_chunked", "i4", ("y", "x"), chunksizes=(2, 2))
    variable(group, "never_filled", "f4", ("y", "x"), chunksizes=(2, 2), fill_value=-99)
    variable(group, "never_compressed", "f4", ("y", "x"), chunksizes=(2, 2), compression="zlib")
    partly = variable(group, "partly", "i4", ("long", "x"), chunksizes=(10, 7), compression="zlib")
    partly[12:14] = field("i4", 2, 7)
    partly = variable(group, "partly_filled", "f4", ("long", "x"), chunksizes=(10, 7), fill_value=-1)
    partly[45:50, 3:5] = 7
    all_fill = variable(group, "all_fill", "i4", ("y",), chunksizes=(2,), fill_value=6)
    all_fill[:] = 6
    variable(group, "no_records", "i4", ("never", "x"))
    variable(group, "records_two", "i2", ("time", "other", "x"), chunksizes=(2, 2, 7))[0:3, 0:2] = field("i2", 3, 2, 7)
    variable(group, "fewer_records", "i2", ("time",), chunksizes=(2,))[0:1] = np.array([5], "i2")


def strings(group):
    texts = np.array(["alpha", "", "größe 温度 🌡", "a " * 60, " spaces "], object)
    variable(group, "strings", str, ("y",), texts).units = "names"
    many = variable(group, "strings_chunked", str, ("long",), chunksizes=(40,))
    many[...] = np.array([f"row {i}" * (i % 4) for i in range(150)], object)
    variable(group, "strings_long", str, ("y",), np.array(["x" * 300, "y", "", "é" * 150, "z"], object))
    variable(group, "string_scalar", str, ())[...] = "just one"
    variable(group, "strings_never", str, ("x",))


def groups(file):
    forecast = file.createGroup("forecast")
    forecast.createDimension("level", 2)
    forecast.createDimension("x", 3)
    forecast.purpose = b"dimensions of its own and of its parent"
    variable(forecast, "shared", "f4", ("time", "y"), chunksizes=(1, 5))[0:3] = field("f4", 3, 5)
    variable(forecast, "own", "i2", ("level", "x"), field("i2", 2, 3))
    deep = forecast.createGroup("deep")
    variable(deep, "all_of_them", "i4", ("y", "level", "x"), field("i4", 5, 2, 3)).note = "from three groups"
    file.createGroup("without_anything")
    only = file.createGroup("only_attributes")
    attributes(only, NUMBERS)
    string_attributes(only)


def full(path):
    with netCDF4.Dataset(path, "w") as file:
        dimensions(file)
        for name, length in ("long", 150), ("never", None), ("other", None):
            file.createDimension(name, length)
        common(file, NUMBERS)
        string_attributes(file)
        string_attributes(file.variables["double"])
        for name, dtype in NUMBERS.items():
            file.variables["double"].setncattr(f"{name}_none", np.array([], dtype))
        stored(file)
        strings(file)
        groups(file)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    full(folder / "full.nc")
    classic(folder / "classic.nc")
