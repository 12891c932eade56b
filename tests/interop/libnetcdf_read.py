"""Reads datasets whole through a libnetcdf of any version: every group, type, variable and attribute, and the values.

    python libnetcdf_read.py LIBRARY NAME…

Values of user-defined types are read too, as bytes. `read_whole.py` says what is printed.
"""

import ctypes
import sys
from ctypes import byref, c_int, c_size_t, c_void_p, create_string_buffer

import numpy as np
import read_whole
from netcdf_c_read import NUMPY, TYPES, Library, listed, strings


def dimensions(lib, group):
    """The ids of the dimensions that a group defines."""
    number, ids = c_int(), (c_int * 65536)()
    lib.call("nc_inq_dimids", group, byref(number), ids, 0)
    return ids[:number.value]


def size_of(lib, group, kind):
    size = c_size_t()
    lib.call("nc_inq_type", group, kind, None, byref(size))
    return size.value


def read_attributes(lib, group, variable, count, path, found):
    for n in read_whole.some(range(count)):
        with found.item(f"{path}@{n}"):
            name = lib.text("nc_inq_attname", group, variable, n).encode(errors="surrogateescape")
            kind, length = c_int(), c_size_t()
            lib.call("nc_inq_att", group, variable, name, byref(kind), byref(length))
            buffer = create_string_buffer(max(length.value * size_of(lib, group, kind.value), 8))
            if length.value:
                lib.call("nc_get_att", group, variable, name, buffer)


def told(kind, raw, count):
    """Values of numbers and text; nothing of user-defined types."""
    name = TYPES.get(kind)
    if name == "string":
        return ["" if x is None else x for x in strings((ctypes.c_char_p * count).from_buffer_copy(raw))]
    if name == "char":
        return [raw[n:n + 1].rstrip(b"\0").decode("latin-1") for n in range(count)]
    return listed(np.frombuffer(raw, NUMPY[name])) if name else None


def read_variable(lib, group, variable, path, found):
    kind, rank, count = c_int(), c_int(), c_int()
    lib.call("nc_inq_var", group, variable, None, byref(kind), byref(rank), None, byref(count))
    read_attributes(lib, group, variable, count.value, path, found)
    ids = (c_int * max(rank.value, 1))()
    lib.call("nc_inq_vardimid", group, variable, ids)
    shape = [lib.count("nc_inq_dimlen", group, i, type=c_size_t) for i in ids[:rank.value]]
    storage, chunks = c_int(), (c_size_t * max(rank.value, 1))()
    lib.call("nc_inq_var_chunking", group, variable, byref(storage), chunks)
    chunked = list(chunks[:rank.value]) if storage.value == 0 and rank.value else None
    size = size_of(lib, group, kind.value)
    for start, counts in read_whole.boxes(shape, chunked, size):
        total = int(np.prod(counts, dtype="i8"))
        buffer = create_string_buffer(max(total * size, 8))
        if total:
            vector = c_size_t * max(len(shape), 1)
            lib.call("nc_get_vara", group, variable, vector(*start), vector(*counts), buffer)
        if counts == shape and total <= read_whole.TOLD:
            found.values[path] = told(kind.value, buffer.raw[:total * size], total)


def read_group(lib, group, path, found):
    dims, variables, count = c_int(), c_int(), c_int()
    lib.call("nc_inq", group, byref(dims), byref(variables), byref(count), None)
    for i in read_whole.some(dimensions(lib, group)):
        lib.count("nc_inq_dimlen", group, i, type=c_size_t)
    read_attributes(lib, group, -1, count.value, path, found)
    for n in read_whole.some(range(variables.value)):
        name = f"{path.rstrip('/')}/{lib.text('nc_inq_varname', group, n)}"
        with found.item(name):
            read_variable(lib, group, n, name, found)
    for child in read_whole.some(lib.ids("nc_inq_grps", group)):
        name = f"{path.rstrip('/')}/{lib.text('nc_inq_grpname', child)}"
        with found.item(name):
            read_group(lib, child, name, found)


def reader(library):
    lib = Library(library)

    def read(name, found):
        group = c_int()
        lib.call("nc_open", name.encode(errors="surrogateescape"), 0, byref(group))
        read_group(lib, group.value, "/", found)
        lib.call("nc_close", group.value)

    return read


if __name__ == "__main__":
    read_whole.tell(reader(sys.argv[1]), sys.argv[2:])
