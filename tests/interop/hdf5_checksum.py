"""Changes HDF5 metadata that has a checksum (Bob Jenkins' lookup3, as the file format specification says)."""

import re
import struct

MASK = 0xFFFFFFFF


def lookup3(data):
    """The checksum of bytes."""
    rotated = lambda x, k: (x << k | x >> (32 - k)) & MASK
    a = b = c = (0xDEADBEEF + len(data)) & MASK
    if not data:
        return c
    padded = data + bytes(-len(data) % 12)
    for at in range(0, len(padded), 12):
        x, y, z = struct.unpack_from("<3I", padded, at)
        a, b, c = (a + x) & MASK, (b + y) & MASK, (c + z) & MASK
        if at + 12 < len(padded):
            a = (a - c) & MASK ^ rotated(c, 4); c = (c + b) & MASK
            b = (b - a) & MASK ^ rotated(a, 6); a = (a + c) & MASK
            c = (c - b) & MASK ^ rotated(b, 8); b = (b + a) & MASK
            a = (a - c) & MASK ^ rotated(c, 16); c = (c + b) & MASK
            b = (b - a) & MASK ^ rotated(a, 19); a = (a + c) & MASK
            c = (c - b) & MASK ^ rotated(b, 4); b = (b + a) & MASK
    c = ((c ^ b) - rotated(b, 14)) & MASK
    a = ((a ^ c) - rotated(c, 11)) & MASK
    b = ((b ^ a) - rotated(a, 25)) & MASK
    c = ((c ^ b) - rotated(b, 16)) & MASK
    a = ((a ^ c) - rotated(c, 4)) & MASK
    b = ((b ^ a) - rotated(a, 14)) & MASK
    return ((c ^ b) - rotated(b, 24)) & MASK


def checked_end(data, begin):
    """Where the checksum of the structure at `begin` lies."""
    for end in range(begin + 4, min(begin + 4096, len(data) - 3)):
        if struct.unpack_from("<I", data, end)[0] == lookup3(data[begin:end]):
            return end
    raise AssertionError(f"the structure at {begin} has no checksum")


def with_filter_id(data, old, new):
    """A file in which a filter of object headers and fractal heaps has another id."""
    data = bytearray(data)
    for found in re.finditer(rb"OHDR|OCHK|FRHP", bytes(data)):
        end = checked_end(data, found.start())
        structure = bytes(data[found.start() : end]).replace(struct.pack("<H", old), struct.pack("<H", new))
        data[found.start() : end + 4] = structure + struct.pack("<I", lookup3(structure))
    return bytes(data)
