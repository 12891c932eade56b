"""Reads a whole dataset through a libnetcdf, whatever its kind, and writes it as JSON.

    python netcdf_c_read.py LIBRARY NAME [--no-values]

Calls the C interface by ctypes, because netCDF4-python's library has no NCZarr, and because it hides what matters here: types of
attributes, the order of variables, fill modes. Runs in a process of its own, as the library may crash.
`zarr_reference.Dataset` describes the form.
"""

import ctypes
import json
import sys
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_void_p, create_string_buffer

import numpy as np

TYPES = {1: "byte", 2: "char", 3: "short", 4: "int", 5: "float", 6: "double", 7: "ubyte", 8: "ushort", 9: "uint", 10: "int64",
         11: "uint64", 12: "string"}
NUMPY = {"byte": "i1", "char": "S1", "short": "i2", "int": "i4", "float": "f4", "double": "f8", "ubyte": "u1", "ushort": "u2",
         "uint": "u4", "int64": "i8", "uint64": "u8"}
ENDIAN = {0: "native", 1: "little", 2: "big"}
# The class of enums among the user-defined types.
ENUM = 15
STORAGE = {0: "chunked", 1: "contiguous", 2: "compact"}


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.c.nc_strerror.restype = c_char_p

    def call(self, name, *arguments):
        status = getattr(self.c, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name}: {self.c.nc_strerror(status).decode()}")

    def count(self, name, *arguments, type=c_int):
        value = type()
        self.call(name, *arguments, byref(value))
        return value.value

    def ids(self, name, *arguments):
        count = c_int()
        self.call(name, *arguments, byref(count), None)
        ids = (c_int * max(count.value, 1))()
        self.call(name, *arguments, byref(count), ids)
        return list(ids[:count.value])

    def text(self, name, *arguments):
        buffer = create_string_buffer(2048)
        self.call(name, *arguments, buffer)
        return buffer.value.decode(errors="surrogateescape")


def number(value):
    """A number for JSON: `repr` of floats, so that NaN, infinities and every digit stay."""
    return int(value) if isinstance(value, np.integer) else repr(float(value))


def listed(array):
    """Numbers as a list; text as one string of a character for each byte."""
    if array.dtype.kind == "S":
        return array.tobytes().decode("latin-1")
    return [number(x) for x in array.ravel()]


def strings(pointers):
    """Strings of a C array; none where the pointer is null."""
    return [None if p is None else p.decode(errors="surrogateescape") for p in pointers]


def attribute(lib, group, variable, name):
    kind, length = c_int(), c_size_t()
    lib.call("nc_inq_att", group, variable, name, byref(kind), byref(length))
    kind, length = TYPES.get(kind.value, f"type {kind.value}"), length.value
    if kind == "string":
        values = (c_char_p * max(length, 1))()
        if length:
            lib.call("nc_get_att", group, variable, name, values)
        return [kind, strings(values[:length])]
    if kind not in NUMPY:
        return [kind, None]
    values = np.zeros(max(length, 1), NUMPY[kind])
    lib.call("nc_get_att", group, variable, name, values.ctypes.data_as(c_void_p))
    if kind == "char":
        return [kind, values.tobytes()[:length].decode(errors="surrogateescape")]
    return [kind, listed(values[:length])]


def attributes(lib, group, variable, count):
    names = [lib.text("nc_inq_attname", group, variable, i) for i in range(count)]
    return [[name, *attribute(lib, group, variable, name.encode(errors="surrogateescape"))] for name in names]


def values(lib, group, variable, kind, shape):
    count = int(np.prod(shape, dtype="i8"))
    if count == 0:
        return "" if kind == "char" else []
    if kind == "string":
        pointers = (c_char_p * count)()
        lib.call("nc_get_var", group, variable, pointers)
        return strings(pointers)
    array = np.zeros(count, NUMPY[kind])
    lib.call("nc_get_var", group, variable, array.ctypes.data_as(c_void_p))
    return listed(array)


def fill(lib, group, variable, kind):
    off = c_int()
    if kind == "string":
        value = (c_char_p * 1)()
        lib.call("nc_inq_var_fill", group, variable, byref(off), value)
        return off.value == 0, strings(value)[0]
    value = np.zeros(1, NUMPY[kind])
    lib.call("nc_inq_var_fill", group, variable, byref(off), value.ctypes.data_as(c_void_p))
    return off.value == 0, listed(value)[0]


def filters(lib, group, variable):
    count = c_size_t()
    lib.call("nc_inq_var_filter_ids", group, variable, byref(count), None)
    ids = (c_uint * max(count.value, 1))()
    lib.call("nc_inq_var_filter_ids", group, variable, byref(count), ids)
    return list(ids[:count.value])


def integers(lib, group, kind):
    """The type of an enum's integers; `None` for any other type."""
    base, of = c_int(), c_int()
    lib.call("nc_inq_user_type", group, kind, None, None, byref(base), None, byref(of))
    return TYPES[base.value] if of.value == ENUM else None


def read_variable(lib, group, variable, dimensions, with_values):
    kind, rank, count = c_int(), c_int(), c_int()
    lib.call("nc_inq_var", group, variable, None, byref(kind), byref(rank), None, byref(count))
    ids = (c_int * max(rank.value, 1))()
    lib.call("nc_inq_vardimid", group, variable, ids)
    ids = ids[:rank.value]
    # An enum is read as its integers.
    stored = TYPES.get(kind.value) or integers(lib, group, kind)
    kind = TYPES.get(kind.value) or (f"enum of {stored}" if stored else f"type {kind.value}")
    shape = [dimensions[i][1] for i in ids]
    found = {
        "type": kind,
        "dims": [dimensions[i][0] for i in ids],
        "shape": shape,
        "attributes": attributes(lib, group, variable, count.value),
    }
    if stored:
        try:
            found["filled"], found["fill"] = fill(lib, group, variable, stored)
        except RuntimeError as error:
            found["filled"], found["fill"] = str(error), None
    storage, chunks = c_int(), (c_size_t * max(rank.value, 1))()
    try:
        lib.call("nc_inq_var_chunking", group, variable, byref(storage), chunks)
        found["storage"] = STORAGE.get(storage.value, storage.value)
        found["chunks"] = list(chunks[:rank.value]) if storage.value == 0 else None
        found["filters"] = filters(lib, group, variable)
        found["endian"] = ENDIAN[lib.count("nc_inq_var_endian", group, variable)]
    except RuntimeError as error:
        found["storage"] = str(error)
    if with_values and stored:
        try:
            found["values"] = values(lib, group, variable, stored, shape)
        except RuntimeError as error:
            found["error"] = str(error)
    return found


def read_group(lib, group, path, dimensions, found, with_values):
    dims, variables, count = c_int(), c_int(), c_int()
    lib.call("nc_inq", group, byref(dims), byref(variables), byref(count), None)
    count_ids = c_int()
    ids = (c_int * 1024)()
    lib.call("nc_inq_dimids", group, byref(count_ids), ids, 0)
    unlimited_count, unlimited = c_int(), (c_int * 1024)()
    lib.call("nc_inq_unlimdims", group, byref(unlimited_count), unlimited)
    own = []
    for i in list(ids[:count_ids.value]):
        length = lib.count("nc_inq_dimlen", group, i, type=c_size_t)
        name = lib.text("nc_inq_dimname", group, i)
        dimensions[i] = (path + name, length)
        own.append([name, length, i in unlimited[:unlimited_count.value]])
    found["groups"][path] = {
        "dims": own,
        "attributes": attributes(lib, group, -1, count.value),
    }
    for i in range(variables.value):
        name = lib.text("nc_inq_varname", group, i)
        found["variables"][path + name] = read_variable(lib, group, i, dimensions, with_values)
    for child in lib.ids("nc_inq_grps", group):
        read_group(lib, child, path + lib.text("nc_inq_grpname", child) + "/", dimensions, found, with_values)


def read(library, name, with_values=True):
    lib = Library(library)
    group = c_int()
    lib.call("nc_open", name.encode(), 0, byref(group))
    found = {"groups": {}, "variables": {}}
    read_group(lib, group.value, "/", {}, found, with_values)
    lib.call("nc_close", group.value)
    return found


if __name__ == "__main__":
    json.dump(read(sys.argv[1], sys.argv[2], "--no-values" not in sys.argv), sys.stdout)
