"""Files of several writers, and a map of each: which bytes each dataset needs.

    write ─► file ─► Map: path ─► blocks of its header, of its chunk index, of its data
"""

import re
import struct
import subprocess

import h5netcdf
import h5py
import netCDF4
import numpy as np
from conftest import BIN

# Size of a page that is overwritten.
PAGE = 512

# Bytes that are overwritten of a structure with each signature: all of a header, and of a block no more than the smallest has. Blocks
# of heaps and nodes of version 2 B-trees have their whole size in the file, whatever is in them.
SIZES = {
    "OHDR": 18, "OCHK": 18, "TREE": 24, "SNOD": 328, "HEAP": 32, "GCOL": 512, "FRHP": 142, "FHDB": 512, "FHIB": 18, "BTHD": 38, "BTIN": 512,
    "BTLF": 512, "FAHD": 28, "FADB": 18, "EAHD": 72, "EAIB": 18, "EASB": 18, "EADB": 18,
}


def netcdf_c(path, rng):
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", None)
        f.createDimension("y", 11)
        f.createDimension("x", 13)
        for n in range(10):
            chunks = [(1, 11, 13), (1, 4, 5), (6, 11, 13)][n % 3]
            v = f.createVariable(f"v{n}", "f4", ("time", "y", "x"), zlib=n % 2 == 0, chunksizes=chunks)
            v.units = "K"
            v.setncattr_string("source", f"the writer of v{n}")
            v[:] = rng.normal(size=(25, 11, 13))
        f.createVariable("time", "f8", ("time",))[:] = np.arange(25) + 0.5
        f.createVariable("x", "f8", ("x",))[:] = np.arange(13) + 0.25
        for g in ("one", "one/two"):
            group = f.createGroup(g)
            for n in range(3):
                group.createVariable(f"w{n}", "i4", ("y", "x"))[:] = rng.integers(1, 1 << 30, (11, 13))


def h5py_file(libver, **options):
    def write(path, rng):
        with h5py.File(path, "w", libver=libver, **options) as f:
            for g in ("", "a/", "a/b/", "c/"):
                for n in range(5):
                    f[f"{g}plain{n}"] = rng.normal(size=(20, 15))
                f.create_dataset(f"{g}fixed", data=rng.normal(size=(90, 30)), chunks=(9, 4), compression="gzip")
                f.create_dataset(f"{g}grows", data=rng.normal(size=(300, 4)), chunks=(2, 4), maxshape=(None, 4))
                f.create_dataset(f"{g}both", data=rng.integers(1, 1 << 30, (30, 30)), chunks=(3, 4), maxshape=(None, None), shuffle=True, compression="gzip")
                f.create_dataset(f"{g}single", data=rng.normal(size=(30,)), chunks=(30,))
                f.create_dataset(f"{g}long", data=rng.normal(size=(1200,)), chunks=(2,), maxshape=(None,))
                f[f"{g}fixed"].attrs["note"] = "a note " * 40
            f.create_dataset("paged", data=rng.normal(size=(2500,)), chunks=(2,))
            f["grows"].attrs["texts"] = ["one", "two"]
            for n in range(12):
                f["grows"].attrs[f"attribute {n}"] = n + 0.5
    return write


def h5netcdf_file(path, rng):
    with h5netcdf.File(path, "w", libver="latest") as f:
        f.dimensions = {"time": None, "y": 20, "x": 30}
        f.resize_dimension("time", 40)
        for g in ("", "one/", "one/two/"):
            for n in range(4):
                f.create_variable(f"{g}fixed{n}", ("y", "x"), data=rng.normal(size=(20, 30)), chunks=(3, 7), compression="gzip")
                v = f.create_variable(f"{g}grows{n}", ("time", "x"), "f8", chunks=(1, 30))
                v[:] = rng.normal(size=(40, 30))
                for m in range(4 * n):
                    v.attrs[f"attribute {m}"] = f"the value {m}"


def dense(path, rng):
    with h5py.File(path, "w", libver=("v108", "v108"), track_order=True) as f:
        for n in range(30):
            d = f.create_dataset(f"dataset {n}", data=rng.normal(size=(40, 6)), chunks=(3, 2) if n % 2 else None, track_order=True)
            for m in range(n % 12):
                d.attrs[f"attribute {m}"] = m
        for n in range(20):
            f.create_group(f"g/{n}", track_order=True)["only"] = rng.normal(size=50)


def ours(path, rng):
    first = path.with_suffix(".first.nc")
    netcdf_c(first, rng)
    subprocess.run([BIN / "nccopy", first, path], check=True)


def netcdf_bin(path, rng):
    first = path.with_suffix(".first.nc")
    netcdf_c(first, rng)
    subprocess.run(["/usr/bin/nccopy", "-d", "3", "-c", "time/2,y/5,x/6", first, path], check=True)


WRITERS = {
    "netcdf-c": netcdf_c,
    "h5py earliest": h5py_file("earliest"),
    "h5py user block": h5py_file("earliest", userblock_size=1024),
    "h5py latest": h5py_file("latest"),
    "h5py dense": dense,
    "h5netcdf": h5netcdf_file,
    "ncutils": ours,
    "nccopy": netcdf_bin,
}


def values(path):
    """The numbers of all datasets, by path."""
    found = {}
    with h5py.File(path) as f:
        f.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) and item.dtype.kind in "if" else None)
    return found


class Map:
    """Which bytes of a file each of its datasets needs: lists of (begin, end)."""

    def __init__(self, path):
        self.data = path.read_bytes()
        self.headers, self.trees, self.chunks, self.groups = {}, {}, {}, {}
        with h5py.File(path) as f:
            self.base = f.userblock_size
            self.groups["/"] = self.header(h5py.h5o.get_info(f["/"].id).addr)[0]
            f.visititems(self.meet)

    def meet(self, name, item):
        blocks, index = self.header(h5py.h5o.get_info(item.id).addr)
        if not isinstance(item, h5py.Dataset):
            self.groups[name] = blocks
            return
        self.headers[name] = blocks
        self.chunks[name] = chunks = []
        if item.chunks:
            for n in range(item.id.get_num_chunks()):
                chunk = item.id.get_chunk_info(n)
                chunks.append((chunk.byte_offset, chunk.byte_offset + chunk.size))
        elif item.id.get_offset() is not None:
            chunks.append((item.id.get_offset(), item.id.get_offset() + item.id.get_storage_size()))
        self.trees[name] = self.index(index, len(item.shape)) if item.chunks and index is not None else []

    def number(self, at, size):
        return int.from_bytes(self.data[self.base + at : self.base + at + size], "little")

    def block(self, begin, size):
        return (self.base + begin, self.base + begin + size)

    def header(self, at):
        """The blocks of an object header, and the address of the chunk index that its layout tells."""
        blocks, pending, index = [], [], None
        if self.data[self.base + at : self.base + at + 4] == b"OHDR":
            flags = self.number(at + 5, 1)
            start = 6 + (16 if flags & 32 else 0) + (4 if flags & 16 else 0)
            width = 1 << (flags & 3)
            size = self.number(at + start, width)
            head, order = start + width, 2 if flags & 4 else 0
            blocks.append(self.block(at, head + size + 4))
            pending.append((at + head, at + head + size))
            old = False
        else:
            size = self.number(at + 8, 4)
            blocks.append(self.block(at, 16 + size))
            pending.append((at + 16, at + 16 + size))
            old, order = True, 0
        while pending:
            begin, end = pending.pop()
            while end - begin >= (8 if old else 4 + order):
                kind, size = (self.number(begin, 2), self.number(begin + 2, 2)) if old else (self.number(begin, 1), self.number(begin + 1, 2))
                body = begin + (8 if old else 4 + order)
                if kind == 0x10:
                    address, length = self.number(body, 8), self.number(body + 8, 8)
                    blocks.append(self.block(address, length))
                    pending.append((address, address + length) if old else (address + 4, address + length - 4))
                if kind == 0x08:
                    index = self.layout(body, size)
                begin = body + size
        return blocks, index

    def layout(self, at, size):
        version, kind = self.number(at, 1), self.number(at + 1, 1)
        if kind != 2 or version not in (3, 4, 5):
            return None
        return self.number(at + 3, 8) if version == 3 else self.number(at + size - 8, 8)

    def index(self, at, rank):
        """The blocks of a chunk index: lists of (level, begin, end). Those at level 0 have addresses of chunks."""
        kind = self.data[self.base + at : self.base + at + 4]
        if kind == b"TREE":
            found = []
            pending = [at]
            while pending:
                node = pending.pop()
                level, count = self.number(node + 5, 1), self.number(node + 6, 2)
                key = 8 + 8 * (rank + 1)
                found.append((level, *self.block(node, 24 + count * (key + 8) + key)))
                if level:
                    pending += [self.number(node + 24 + n * (key + 8) + key, 8) for n in range(count)]
            return sorted(found)
        if kind == b"BTHD":
            return [(1, *self.block(at, 38)), *((0, *node) for node in self.records(at))]
        if kind not in (b"FAHD", b"EAHD"):
            return []
        found = [(1, *self.block(at, SIZES[kind.decode()]))]
        for match in re.finditer(b"FADB" if kind == b"FAHD" else b"EAIB|EASB|EADB", self.data):
            owner = struct.unpack("<Q", self.data[match.start() + 6 : match.start() + 14])[0]
            if owner == at:
                # Longer than any of these files has, but for the pages of the first, which follow it.
                length = 30000 if kind == b"FAHD" and self.number(at + 8, 8) > 1 << self.number(at + 7, 1) else 600
                found.append((0, match.start(), match.start() + length))
        return found

    def records(self, at):
        """The nodes of a version 2 B-tree."""
        size, record, depth = self.number(at + 6, 4), self.number(at + 10, 2), self.number(at + 12, 2)
        most = (size - 10) // record
        widths = [(most.bit_length() + 7) // 8]
        below, subtree, pointers = most, 0, []
        for _ in range(depth):
            pointers.append((8 + widths[0] + subtree, widths[0]))
            own = (size - 10 - pointers[-1][0]) // (record + pointers[-1][0])
            below = (own + 1) * below + own
            subtree = (below.bit_length() + 7) // 8
        pending, found = [(self.number(at + 16, 8), self.number(at + 24, 2), depth)], []
        while pending:
            node, count, level = pending.pop()
            found.append(self.block(node, size))
            if level:
                pointer, width = pointers[level - 1]
                for n in range(count + 1):
                    child = node + 6 + count * record + n * pointer
                    pending.append((self.number(child, 8), self.number(child + 8, width), level - 1))
        return found

    def structures(self):
        """The first and the last structure with each signature: (signature, begin, end)."""
        for signature, size in SIZES.items():
            places = [match.start() for match in re.finditer(signature.encode(), self.data)]
            for place in sorted({*places[:1], *places[-1:], *places[len(places) // 2 :][:1]}):
                yield signature, place, min(place + size, len(self.data))

    def expected(self, damage, cut):
        """The datasets that can be read whole where the bytes of `damage` are lost."""
        begin, end = damage

        def is_there(blocks):
            return all(b >= end or e <= begin for b, e in blocks)

        found = []
        for name in self.headers:
            tree = self.trees[name]
            leaves = [block[1:] for block in tree if block[0] == 0]
            # What is above can be done without, but for trees of a file that is cut, where others may have been.
            is_array = not cut or not self.trees[name] or self.data[tree[0][1] :][:4] in (b"FAHD", b"EAHD")
            needed = leaves if is_array else [block[1:] for block in tree]
            if is_there(self.headers[name]) and is_there(self.chunks[name]) and is_there(needed):
                found.append(name)
        return found
