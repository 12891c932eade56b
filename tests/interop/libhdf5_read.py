"""Reads HDF5 files whole through a libhdf5 of any version: every object that a hard link leads to, every attribute, every value.

    python libhdf5_read.py LIBRARY PATH…

h5py brings an HDF5 of its own, so that another version, such as Debian's 1.10, is called by ctypes. Values are read in the type of the
file, through all filters. `read_whole.py` says what is printed.
"""

import ctypes
import sys
from ctypes import byref, c_char_p, c_int, c_int64, c_size_t, c_ulonglong, c_void_p, create_string_buffer

import numpy as np
import read_whole

GROUP, DATASET = 0, 1
HARD = 0
INTEGER, FLOAT, STRING, ENUM = 0, 1, 3, 8


class Info(ctypes.Structure):
    """`H5O_info1_t`, as far as it is used here."""

    _fields_ = [("file", ctypes.c_ulong), ("address", c_ulonglong), ("kind", c_int), ("references", ctypes.c_uint),
                ("times", c_int64 * 4), ("attributes", c_ulonglong), ("rest", c_ulonglong * 32)]


class GroupInfo(ctypes.Structure):
    _fields_ = [("storage", c_int), ("links", c_ulonglong), ("rest", c_ulonglong * 4)]


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.H5open()
        self.c.H5Eset_auto2(c_int64(0), None, None)

    def call(self, name, *arguments, result=c_int64):
        function = getattr(self.c, name)
        function.restype = result
        value = function(*arguments)
        if value is None or value < 0:
            raise RuntimeError(f"{name}: {self.why()}")
        return value

    def why(self):
        """What the error stack says, from the call to the cause."""
        lines = []

        class Error(ctypes.Structure):
            _fields_ = [("class_", c_int64), ("major", c_int64), ("minor", c_int64), ("line", ctypes.c_uint), ("function", c_char_p),
                        ("file", c_char_p), ("text", c_char_p)]

        visit = ctypes.CFUNCTYPE(c_int, ctypes.c_uint, ctypes.POINTER(Error), c_void_p)
        seen = visit(lambda _, error, __: lines.append((error[0].text or b"").decode(errors="replace")) or 0)
        self.c.H5Ewalk2(c_int64(0), c_int(1), seen, None)
        return "; ".join(lines)


def text(lib, name, *arguments):
    """A name that a function writes to a buffer."""
    buffer = create_string_buffer(4096)
    lib.call(name, *arguments, buffer, c_size_t(len(buffer)), *[c_int64(0)] * (name.endswith("idx")))
    return buffer.value


def decoded(lib, kind, raw, count):
    """Numbers and text of a buffer; nothing of other types."""
    size = lib.call("H5Tget_size", c_int64(kind), result=c_size_t)
    cls = lib.call("H5Tget_class", c_int64(kind), result=c_int)
    if cls == STRING:
        if lib.call("H5Tis_variable_str", c_int64(kind), result=c_int):
            pointers = (c_char_p * count).from_buffer_copy(raw)
            return ["" if p is None else p.decode(errors="surrogateescape") for p in pointers]
        return [raw[at * size:(at + 1) * size].rstrip(b"\0").decode(errors="surrogateescape") for at in range(count)]
    if cls == ENUM:
        return decoded(lib, lib.call("H5Tget_super", c_int64(kind)), raw, count)
    if cls in (INTEGER, FLOAT):
        order = ">" if lib.call("H5Tget_order", c_int64(kind), result=c_int) == 1 else "<"
        signed = cls == INTEGER and lib.call("H5Tget_sign", c_int64(kind), result=c_int)
        letter = "f" if cls == FLOAT else "i" if signed else "u"
        values = np.frombuffer(raw, f"{order}{letter}{size}")
        return [int(x) if cls == INTEGER else repr(float(x)) for x in values]
    return None


def extent(lib, space):
    """The lengths of a dataspace; none for a null dataspace."""
    if lib.call("H5Sget_simple_extent_type", c_int64(space), result=c_int) == 2:
        return None
    rank = lib.call("H5Sget_simple_extent_ndims", c_int64(space), result=c_int)
    lengths = (c_ulonglong * max(rank, 1))()
    lib.call("H5Sget_simple_extent_dims", c_int64(space), lengths, None, result=c_int)
    return list(lengths[:rank])


def read_attributes(lib, item, count, name, found):
    for n in read_whole.some(range(count)):
        with found.item(f"{name}@{n}"):
            attribute = lib.call("H5Aopen_by_idx", c_int64(item), b".", c_int(0), c_int(0), c_ulonglong(n), c_int64(0), c_int64(0))
            kind = lib.call("H5Aget_type", c_int64(attribute))
            shape = extent(lib, lib.call("H5Aget_space", c_int64(attribute)))
            if shape is not None:
                size = lib.call("H5Tget_size", c_int64(kind), result=c_size_t)
                buffer = create_string_buffer(max(size * int(np.prod(shape, dtype="i8")), 1))
                lib.call("H5Aread", c_int64(attribute), c_int64(kind), buffer, result=c_int)
            lib.call("H5Aclose", c_int64(attribute), result=c_int)


def chunks_of(lib, dataset, rank):
    """The chunk shape, or none."""
    properties = lib.call("H5Dget_create_plist", c_int64(dataset))
    if lib.call("H5Pget_layout", c_int64(properties), result=c_int) != 2:
        return None
    lengths = (c_ulonglong * max(rank, 1))()
    lib.call("H5Pget_chunk", c_int64(properties), c_int(rank), lengths, result=c_int)
    return list(lengths[:rank])


def read_values(lib, dataset, name, found):
    kind = lib.call("H5Dget_type", c_int64(dataset))
    space = lib.call("H5Dget_space", c_int64(dataset))
    shape = extent(lib, space)
    if shape is None:
        return
    size = lib.call("H5Tget_size", c_int64(kind), result=c_size_t)
    lengths = ctypes.POINTER(c_ulonglong)
    for start, counts in read_whole.boxes(shape, chunks_of(lib, dataset, len(shape)), size):
        total = int(np.prod(counts, dtype="i8"))
        buffer = create_string_buffer(max(total * size, 1))
        memory = c_int64(0)
        if shape and 0 not in shape:
            rank = len(shape)
            first, number = ctypes.cast((c_ulonglong * rank)(*start), lengths), ctypes.cast((c_ulonglong * rank)(*counts), lengths)
            lib.call("H5Sselect_hyperslab", c_int64(space), c_int(0), first, None, number, None, result=c_int)
            memory = c_int64(lib.call("H5Screate_simple", c_int(rank), number, None))
        where = c_int64(space) if memory.value else c_int64(0)
        lib.call("H5Dread", c_int64(dataset), c_int64(kind), memory, where, c_int64(0), buffer, result=c_int)
        if counts == shape and total <= read_whole.TOLD:
            values = decoded(lib, kind, buffer.raw[:total * size], total)
            found.values[name] = values


def read_object(lib, item, name, found, seen):
    info = Info()
    lib.call("H5Oget_info1" if hasattr(lib.c, "H5Oget_info1") else "H5Oget_info", c_int64(item), byref(info), result=c_int)
    if info.address in seen:
        return
    seen.add(info.address)
    read_attributes(lib, item, info.attributes, name, found)
    if info.kind == DATASET:
        with found.item(name):
            read_values(lib, item, name, found)
    if info.kind != GROUP:
        return
    group = GroupInfo()
    lib.call("H5Gget_info", c_int64(item), byref(group), result=c_int)
    for n in read_whole.some(range(group.links)):
        own = text(lib, "H5Lget_name_by_idx", c_int64(item), b".", c_int(0), c_int(0), c_ulonglong(n))
        link = (c_ulonglong * 16)()
        lib.call("H5Lget_info1" if hasattr(lib.c, "H5Lget_info1") else "H5Lget_info", c_int64(item), own, link, c_int64(0), result=c_int)
        path = f"{name.rstrip('/')}/{own.decode(errors='surrogateescape')}"
        if link[0] & 0xFFFF_FFFF == HARD:
            with found.item(path):
                child = lib.call("H5Oopen", c_int64(item), own, c_int64(0))
                read_object(lib, child, path, found, seen)
                lib.call("H5Oclose", c_int64(child), result=c_int)


def reader(library):
    lib = Library(library)

    def read(path, found):
        file = lib.call("H5Fopen", path.encode(errors="surrogateescape"), ctypes.c_uint(0), c_int64(0))
        root = lib.call("H5Oopen", c_int64(file), b"/", c_int64(0))
        read_object(lib, root, "/", found, set())
        lib.call("H5Fclose", c_int64(file), result=c_int)

    return read


if __name__ == "__main__":
    read_whole.tell(reader(sys.argv[1]), sys.argv[2:])
