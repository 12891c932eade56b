"""Prints what netCDF-C gives of a file, in the lines of tests/harness/src/bin/schema_dump.rs.

Calls the C library that the Python package netCDF4 brings along, as that package's own interface hides the types and
lengths of attributes. One file a process: the library crashes on some files.
"""

import ctypes
import glob
import os
import resource
import sys
import zlib
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p, create_string_buffer

NAMES = {1: "byte", 2: "char", 3: "short", 4: "int", 5: "float", 6: "double", 7: "ubyte", 8: "ushort", 9: "uint",
         10: "int64", 11: "uint64", 12: "string"}
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8, 12: 8}
VLEN, OPAQUE, ENUM, COMPOUND = 13, 14, 15, 16
KINDS = {1: "classic", 2: "64-bit offset", 5: "cdf5", 3: "netCDF-4", 4: "netCDF-4 classic model"}
MOST = 20_000_000
# Bytes of memory that the library may ask for: damaged files can make it ask for more than there is.
MEMORY = 4 << 30


def library():
    import netCDF4

    folder = os.path.dirname(os.path.dirname(netCDF4.__file__))
    for name in glob.glob(os.path.join(folder, "netcdf4.libs", "libnetcdf-*")):
        return ctypes.CDLL(name)
    from ctypes import util

    return ctypes.CDLL(util.find_library("netcdf"))


nc = library()


class Failed(Exception):
    pass


def call(name, *args):
    status = getattr(nc, name)(*args)
    if status:
        raise Failed(f"{name}: {status}")


def encode(name):
    if isinstance(name, str):
        name = name.encode()
    keep = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
    return "".join(chr(b) if b in keep else f"%{b:02X}" for b in name)


def encode_path(path):
    return b"/".join(encode(p).encode() for p in path.split(b"/")).decode()


def group_path(ncid):
    length = c_size_t()
    call("nc_inq_grpname_full", ncid, byref(length), None)
    buffer = create_string_buffer(length.value + 1)
    call("nc_inq_grpname_full", ncid, None, buffer)
    return buffer.value


class Types:
    def __init__(self, root):
        self.root = root
        self.cache = {}
        self.paths = {}

    def get(self, ty):
        if ty in SIZES:
            return (NAMES[ty], SIZES[ty], None)
        if ty not in self.cache:
            self.cache[ty] = self.read(ty)
        return self.cache[ty]

    def name(self, ty):
        if ty in NAMES:
            return NAMES[ty]
        return f"{self.paths.get(ty, '?')}:{encode(self.get(ty)[0])}"

    def read(self, ty):
        name = create_string_buffer(1024)
        size, base, count, kind = c_size_t(), c_int(), c_size_t(), c_int()
        call("nc_inq_user_type", self.root, ty, name, byref(size), byref(base), byref(count), byref(kind))
        if kind.value == ENUM:
            members = []
            for i in range(count.value):
                label, value = create_string_buffer(1024), create_string_buffer(8)
                call("nc_inq_enum_member", self.root, ty, i, label, value)
                raw = value.raw[: SIZES[base.value]]
                signed = base.value in (1, 3, 4, 10) or base.value == 11
                members.append((label.value, int.from_bytes(raw, "little", signed=signed)))
            detail = ("enum", base.value, members)
        elif kind.value == OPAQUE:
            detail = ("opaque",)
        elif kind.value == VLEN:
            detail = ("vlen", base.value)
        else:
            fields = []
            for i in range(count.value):
                label, offset, fty, rank = create_string_buffer(1024), c_size_t(), c_int(), c_int()
                dims = (c_int * 1024)()
                call("nc_inq_compound_field", self.root, ty, i, label, byref(offset), byref(fty), byref(rank), dims)
                fields.append((label.value, offset.value, fty.value, list(dims[: rank.value])))
            detail = ("compound", fields)
        return (name.value, size.value, detail)

    def describe(self, ty):
        _, size, detail = self.get(ty)
        if detail[0] == "enum":
            return f"enum {NAMES[detail[1]]}" + "".join(f" {encode(n)}={v}" for n, v in detail[2])
        if detail[0] == "opaque":
            return f"opaque {size}"
        if detail[0] == "vlen":
            return f"vlen {self.name(detail[1])}"
        return "compound" + "".join(
            f" {encode(n)}={self.name(t)}[{','.join(map(str, d))}]" for n, _, t, d in detail[1])

    def flat(self, ty):
        """Whether elements are plain bytes without padding."""
        if ty in SIZES:
            return ty != 12
        return self.get(ty)[2][0] in ("enum", "opaque")

    def flatten(self, ty, address, out):
        _, size, detail = self.get(ty)
        if ty == 12:
            pointer = c_char_p.from_address(address).value
            if pointer is None:
                out += b"\xff" * 8
            else:
                out += len(pointer).to_bytes(8, "little") + pointer
        elif detail is None or detail[0] in ("enum", "opaque"):
            out += ctypes.string_at(address, size)
        elif detail[0] == "vlen":
            length = c_size_t.from_address(address).value
            pointer = c_void_p.from_address(address + 8).value
            out += length.to_bytes(8, "little")
            step = self.get(detail[1])[1]
            for i in range(length):
                self.flatten(detail[1], pointer + i * step, out)
        else:
            for _, offset, fty, dims in detail[1]:
                count = 1
                for d in dims:
                    count *= d
                step = self.get(fty)[1]
                for i in range(count):
                    self.flatten(fty, address + offset + i * step, out)

    def crc(self, ty, buffer, count):
        size = self.get(ty)[1]
        if self.flat(ty):
            out = buffer.raw[: size * count]
        else:
            out = bytearray()
            at = ctypes.addressof(buffer)
            for i in range(count):
                self.flatten(ty, at + i * size, out)
        return f"{len(out)} {zlib.crc32(out):08x} {bytes(out[:24]).hex()}"


def ids(name, ncid, *rest):
    count = c_int()
    call(name, ncid, byref(count), None, *rest)
    found = (c_int * max(count.value, 1))()
    call(name, ncid, byref(count), found, *rest)
    return list(found[: count.value])


def dump(path):
    ncid = c_int()
    call("nc_open", path.encode(), 0, byref(ncid))
    root = ncid.value
    kind = c_int()
    call("nc_inq_format", root, byref(kind))
    print("kind", KINDS[kind.value])
    hdf5 = kind.value in (3, 4)
    types = Types(root)
    if hdf5:
        provenance(root)
    paths = {}

    def walk(group):
        yield group
        for child in ids("nc_inq_grps", group):
            yield from walk(child)

    groups = list(walk(root)) if hdf5 else [root]
    unlimited = set()
    for group in groups:
        where = encode_path(group_path(group)) if hdf5 else "/"
        paths[group] = where
        if hdf5:
            for ty in ids("nc_inq_typeids", group):
                types.paths[ty] = where
        count = c_int()
        call("nc_inq_unlimdims", group, byref(count), None)
        found = (c_int * max(count.value, 1))()
        call("nc_inq_unlimdims", group, byref(count), found)
        unlimited.update(found[: count.value])
    dims = {}
    for group in groups:
        count = c_int()
        call("nc_inq_dimids", group, byref(count), None, 0)
        found = (c_int * max(count.value, 1))()
        call("nc_inq_dimids", group, byref(count), found, 0)
        for dim in found[: count.value]:
            name, length = create_string_buffer(1024), c_size_t()
            call("nc_inq_dim", group, dim, name, byref(length))
            dims[dim] = (group, name.value, length.value)
    for group in groups:
        where = paths[group]
        print("group", where)
        if hdf5:
            for ty in ids("nc_inq_typeids", group):
                try:
                    print("type", where, encode(types.get(ty)[0]), types.describe(ty))
                except Failed as e:
                    print("type", where, "error", e)
        for dim, (owner, name, length) in dims.items():
            if owner == group:
                print("dim", where, encode(name), length, int(dim in unlimited))
        attributes(types, group, -1, where, "")
        count = c_int()
        call("nc_inq_nvars", group, byref(count))
        for var in range(count.value):
            try:
                variable(types, group, var, where, dims, paths, hdf5)
            except Failed as e:
                print("var", where, var, "error", e)


def provenance(root):
    text = b""
    length = c_size_t()
    if nc.nc_inq_attlen(root, -1, b"_NCProperties", byref(length)) == 0:
        buffer = create_string_buffer(length.value + 1)
        call("nc_get_att_text", root, -1, b"_NCProperties", buffer)
        text = buffer.value
    version, own = c_int(), c_int()
    call("nc_get_att_int", root, -1, b"_SuperblockVersion", byref(version))
    call("nc_get_att_int", root, -1, b"_IsNetcdf4", byref(own))
    print("provenance", encode(text), version.value, own.value)


def attributes(types, group, var, where, name):
    count = c_int()
    try:
        call("nc_inq_varnatts", group, var, byref(count))
    except Failed as e:
        print("att", where, f"{name}:", "error", e)
        return
    for i in range(count.value):
        label, ty, length = create_string_buffer(1024), c_int(), c_size_t()
        try:
            call("nc_inq_attname", group, var, i, label)
            call("nc_inq_att", group, var, label, byref(ty), byref(length))
            size = types.get(ty.value)[1]
            buffer = create_string_buffer(max(size * length.value, 1))
            call("nc_get_att", group, var, label, buffer)
            print("att", where, f"{name}:{encode(label.value)}", types.name(ty.value), length.value,
                  types.crc(ty.value, buffer, length.value))
        except Failed as e:
            print("att", where, f"{name}:{encode(label.value)}", "error", e)


def variable(types, group, var, where, dims, paths, hdf5):
    label, ty, rank, natts = create_string_buffer(1024), c_int(), c_int(), c_int()
    dimids = (c_int * 1024)()
    call("nc_inq_var", group, var, label, byref(ty), byref(rank), dimids, None)
    shape = [dims[d][2] for d in dimids[: rank.value]]
    name = encode(label.value)
    names = ",".join(f"{paths[dims[d][0]]}:{encode(dims[d][1])}" for d in dimids[: rank.value])
    print("var", where, name, types.name(ty.value), names)
    if hdf5:
        storage, chunks = c_int(), (c_size_t * 1024)()
        call("nc_inq_var_chunking", group, var, byref(storage), chunks)
        kinds = {0: "chunked", 1: "contiguous", 2: "compact"}
        text = kinds.get(storage.value, str(storage.value))
        if storage.value == 0:
            text += " " + ",".join(str(c) for c in chunks[: rank.value])
        print("storage", where, name, text)
        filters = []
        count = c_size_t()
        call("nc_inq_var_filter_ids", group, var, byref(count), None)
        found = (ctypes.c_uint * max(count.value, 1))()
        call("nc_inq_var_filter_ids", group, var, byref(count), found)
        for f in found[: count.value]:
            n = c_size_t()
            call("nc_inq_var_filter_info", group, var, f, byref(n), None)
            parameters = (ctypes.c_uint * max(n.value, 1))()
            call("nc_inq_var_filter_info", group, var, f, byref(n), parameters)
            filters.append(f"{f}" + "".join(f",{p}" for p in parameters[: n.value]))
        print("filters", where, name, "|".join(filters))
        endian = c_int()
        call("nc_inq_var_endian", group, var, byref(endian))
        print("endian", where, name, {0: "native", 1: "little", 2: "big"}[endian.value])
        size = types.get(ty.value)[1]
        nofill, value = c_int(), create_string_buffer(size)
        call("nc_inq_var_fill", group, var, byref(nofill), None)
        text = "-"
        if not nofill.value:
            call("nc_inq_var_fill", group, var, None, value)
            text = types.crc(ty.value, value, 1)
        print("fill", where, name, nofill.value, text)
    attributes(types, group, var, where, name)
    count = 1
    for s in shape:
        count *= s
    if count > MOST:
        print("data", where, name, "large")
        return
    try:
        buffer = create_string_buffer(max(count * types.get(ty.value)[1], 1))
        if count:
            call("nc_get_var", group, var, buffer)
        print("data", where, name, types.crc(ty.value, buffer, count))
    except (Failed, MemoryError) as e:
        print("data", where, name, "error", e)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        dump(sys.argv[1])
    except Failed as e:
        print("error", e)
        sys.exit(1)
