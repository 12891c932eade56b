"""Reads compressed netCDF-3 archives. Written from docs/formats/nc3z.md alone, with the standard library, numpy and zstandard.

    nc3z_reader.py restore ARCHIVE ORIGINAL
    nc3z_reader.py salvage ARCHIVE ORIGINAL     by block headers, without the back
"""

import hashlib
import pathlib
import struct
import sys
import zlib

import numpy as np
import zstandard

HEADER = struct.Struct("<IIQ8sIHHII")
SECTION = struct.Struct("<HHIQQ")
STREAM = struct.Struct("<QQQQIIQ")
FOOTER = struct.Struct("<QQQQ4sI")
END = 2**32 - 1


def require(condition, why):
    if not condition:
        raise ValueError(f"the archive breaks the format: {why}")


def unzstd(data, length):
    out = zstandard.ZstdDecompressor().decompress(data, max_output_size=length)
    require(len(out) == length, "length of a Zstandard frame")
    return out


def section(data, at, end):
    """Type, content and end of the section at a position; None for an unknown type that may be skipped."""
    require(at + SECTION.size + 4 <= end, "a section is cut")
    number, flags, form, stored, length = SECTION.unpack_from(data, at)
    body = at + SECTION.size + stored
    require(body + 4 <= end, "a section is cut")
    crc = zlib.crc32(memoryview(data)[at:body])
    require(crc == struct.unpack_from("<I", data, body)[0], "checksum of a section")
    if not 1 <= number <= 5:
        require(not flags & 1, f"section {number} must be understood")
        return None, None, body + 4
    require(flags <= 1 and form <= 1 and length <= 32768 * stored, "head of a section")
    content = bytes(data[at + SECTION.size : body])
    if form == 1:
        content = unzstd(content, length)
    require(len(content) == length, "length of a section")
    return number, content, body + 4


def unshuffle(data, size):
    count = len(data) // size
    return np.frombuffer(data, "u1", count * size).reshape(size, count).T.tobytes() + data[count * size :]


def unbitshuffle(data, size):
    block = max(8192 // size // 8 * 8, 8)
    whole = len(data) // size // 8 * 8
    out, at = [], 0
    while at < whole:
        count = min(block, whole - at)
        rows = np.frombuffer(data, "u1", count * size, at * size).reshape(8 * size, count // 8)
        bits = np.unpackbits(rows, axis=1, bitorder="little").T
        out.append(np.packbits(bits, axis=1, bitorder="little").tobytes())
        at += count
    return b"".join(out) + data[whole * size :]


def undelta(data, size):
    if size not in (1, 2, 4, 8):
        return data
    count = len(data) // size
    sums = np.cumsum(np.frombuffer(data, f">u{size}", count), dtype=f"u{size}")
    return sums.astype(f">u{size}").tobytes() + data[count * size :]


class Stream:
    def __init__(self, data, at):
        (self.begin, self.slab, self.stride, self.count, self.block, self.element, filters) = STREAM.unpack_from(data, at)
        require(filters <= 8 and 1 <= self.element <= 8, "a stream")
        require(0 < self.block <= 2**28 and self.block % self.element == 0, "a block")
        pairs = struct.iter_unpack("<Hh", data[at + STREAM.size : at + STREAM.size + 4 * filters])
        self.filters = [number for number, _ in pairs]
        require(len(self.filters) == filters, "filters of a stream")
        require(all(1 <= number <= 5 for number in self.filters), "a filter")
        self.end = at + STREAM.size + 4 * filters
        self.length = self.slab * self.count
        self.blocks = -(-self.length // self.block)

    def block_length(self, number):
        return min(self.block, self.length - number * self.block)

    def decode(self, data, mask, length):
        require(mask < 1 << len(self.filters), "a mask")
        for number, name in reversed(list(enumerate(self.filters))):
            if mask >> number & 1:
                continue
            if name == 1:
                data = zlib.decompressobj().decompress(data, length + 1)
            elif name == 2:
                data = unshuffle(data, self.element)
            elif name == 3:
                data = unbitshuffle(data, self.element)
            elif name == 4:
                data = unzstd(data, length)
            else:
                data = undelta(data, self.element)
        require(len(data) == length, "length of a block")
        return data


class Archive:
    """An archive in memory, or in anything else that slices."""

    def __init__(self, data, back=True):
        self.data = data
        require(len(data) >= 40 and bytes(data[:8]) == b"\x89NC3Z\r\n\x1a", "magic number")
        version, self.kind, zero, sections, self.size, self.front, zeros, crc = struct.unpack_from("<HBBIQQII", data, 8)
        require(crc == zlib.crc32(bytes(data[:36])), "checksum of the prelude")
        require(version == 1 and self.kind in (1, 2, 5) and zero == zeros == 0, "prelude")
        require(40 <= self.front <= len(data) and self.size < 2**63, "lengths of the prelude")
        found, at = {}, 40
        for _ in range(sections):
            number, content, at = section(data, at, self.front)
            found[number] = content
        require(at == self.front and 1 in found and 2 in found, "sections of the front")
        self.header = found[1]
        require(self.header[:4] == b"CDF" + bytes([self.kind]) and len(self.header) <= self.size, "header")
        self.read_streams(found[2])
        self.indexes = {}
        if back:
            self.read_back()

    def read_streams(self, table):
        (count,) = struct.unpack_from("<I", table)
        at, self.streams = 4, []
        for _ in range(count):
            require(at + STREAM.size <= len(table), "the table of streams is cut")
            self.streams.append(Stream(table, at))
            at = self.streams[-1].end
        require(at == len(table) and self.streams, "length of the table of streams")
        *others, rest = self.streams
        # What is not in a stream is the rest: gaps between sorted pieces.
        fixed = [(s.begin, s.begin + s.slab) for s in others if s.count == 1]
        apart = sorted((s for s in others if s.count > 1), key=lambda s: s.begin)
        self.records = None
        if apart:
            first, last = apart[0], apart[-1]
            span = last.begin + last.slab - first.begin
            require(span <= first.stride, "records overlap")
            require(all((s.stride, s.count) == (first.stride, first.count) for s in apart), "records differ")
            end = first.begin + (first.count - 1) * first.stride + span
            gaps, at = [], 0
            for s in apart:
                low = s.begin - first.begin
                require(low >= at, "records overlap")
                gaps.append((at, low))
                at = low + s.slab
            gaps.append((at, first.stride))
            self.records = (first.begin, end, first.stride, [gap for gap in gaps if gap[0] < gap[1]])
            fixed.append((first.begin, end))
        at, self.rest_parts = len(self.header), []
        for begin, end in [*sorted(fixed), (self.size, self.size)]:
            require(at <= begin <= end <= self.size, "streams overlap")
            if at < begin:
                self.rest_parts.append((at, begin))
            if self.records and begin == self.records[0] and end == self.records[1]:
                self.rest_parts.append(None)
            at = end
        length = sum(end - begin for begin, end in self.rest_pieces())
        require((rest.begin, rest.element, rest.length) == (0, 1, length), "the rest")

    def rest_pieces(self):
        """The pieces of the rest, in the order of the original."""
        for part in self.rest_parts:
            if part:
                yield part
                continue
            begin, end, stride, gaps = self.records
            for record in range(begin, end, stride):
                for low, high in gaps:
                    if record + low < end:
                        yield record + low, min(record + high, end)

    def read_back(self):
        data = self.data
        require(len(data) >= self.front + 80, "the archive is cut")
        self.back, directory, sha, length, mark, crc = FOOTER.unpack_from(data, len(data) - 40)
        require(mark == b"NC3E" and crc == zlib.crc32(bytes(data[-40:-4])), "footer")
        require(length == len(data) and self.front <= self.back <= directory < sha < length - 40, "places of the footer")
        found, at = {}, directory
        while at < length - 40:
            number, content, at = section(data, at, length - 40)
            found[number] = content
        require(4 in found and len(found.get(5, b"")) == 32, "sections of the back")
        self.sha256 = found[5]
        require(len(found[4]) == 16 * len(self.streams), "directory")
        self.directory = list(struct.iter_unpack("<QQ", found[4]))

    def index(self, number):
        """Numbers, runs, forms, masks, elements, lengths and places of the blocks of a stream."""
        if number in self.indexes:
            return self.indexes[number]
        at, length = self.directory[number]
        require(self.back <= at, "place of an index")
        kind, content, end = section(self.data, at, min(at + length, len(self.data)))
        require(kind == 3 and end == at + length, "an index")
        stream, count = struct.unpack_from("<II", content)
        require(stream == number and len(content) == 8 + 28 * count, "length of an index")
        columns, at = [], 8
        for dtype in "<u4", "<u2", "<u2", "V8", "<u4", "<u8":
            columns.append(np.frombuffer(content, dtype, count, at))
            at += count * np.dtype(dtype).itemsize
        runs, forms, masks, elements, lengths, gaps = columns
        ends = np.cumsum(gaps + lengths + np.uint64(40), dtype="u8") + np.uint64(self.front)
        places = ends - lengths - np.uint64(40)
        numbers = np.cumsum(runs, dtype="u8") - runs
        require(int(runs.sum(dtype="u8")) == self.streams[number].blocks, "an index does not have all blocks")
        self.indexes[number] = numbers, runs, forms, masks, elements, lengths, places
        return self.indexes[number]

    def block_at(self, at):
        """Header and stored bytes at a position."""
        require(at + 40 <= len(self.data), "a block header is cut")
        fields = HEADER.unpack_from(self.data, at)
        require(fields[8] == zlib.crc32(bytes(self.data[at : at + 36])), "checksum of a block header")
        stored = bytes(self.data[at + 40 : at + 40 + fields[1]])
        require(len(stored) == fields[1] and zlib.crc32(stored) == fields[7], "checksum of a block")
        return fields, stored

    def block(self, number, block):
        """The bytes of a block of a stream."""
        stream = self.streams[number]
        numbers, runs, forms, masks, _, lengths, places = self.index(number)
        n = int(np.searchsorted(numbers, block, "right")) - 1
        fields, stored = self.block_at(int(places[n]))
        expected = number, lengths[n], numbers[n], runs[n], masks[n], forms[n]
        require((*fields[:3], *fields[4:7]) == expected, "a block is not where the index has it")
        return self.content(fields, stored, block, stream)

    def content(self, fields, stored, block, stream):
        length = stream.block_length(block)
        if fields[6] == 1:
            return fields[3][: stream.element] * (length // stream.element)
        return stream.decode(stored, fields[5], length)

    def read(self, number, start, count):
        """Bytes of a stream."""
        block = self.streams[number].block
        whole = b"".join(self.block(number, n) for n in range(start // block, -(-(start + count) // block)))
        return whole[start % block :][:count]

    def blocks(self):
        """All blocks front to back, found by their headers: stream, number, bytes."""
        at, headers = self.front, 0
        while True:
            fields, stored = self.block_at(at)
            at += 40 + len(stored)
            if fields[0] == END:
                require(fields[2] == headers, "blocks are missing")
                return
            headers += 1
            require(fields[0] < len(self.streams), "a block of no stream")
            stream = self.streams[fields[0]]
            require(fields[2] + fields[4] <= stream.blocks, "number of a block")
            for number in range(fields[2], fields[2] + fields[4]):
                yield fields[0], number, self.content(fields, stored, number, stream)

    def restore(self, checked=True):
        """The original."""
        out = np.zeros(self.size, "u1")
        out[: len(self.header)] = np.frombuffer(self.header, "u1")
        parts = [np.empty(stream.length, "u1") for stream in self.streams]
        seen = [0] * len(self.streams)
        for number, block, data in self.blocks():
            require(block == seen[number], "order of blocks")
            seen[number] += 1
            start = block * self.streams[number].block
            parts[number][start : start + len(data)] = np.frombuffer(data, "u1")
        require(seen == [stream.blocks for stream in self.streams], "blocks are missing")
        for stream, part in zip(self.streams[:-1], parts, strict=False):
            if stream.count:
                shape = stream.count, stream.slab
                view = np.lib.stride_tricks.as_strided(out[stream.begin :], shape, (stream.stride, 1))
                view[:] = part.reshape(shape)
        at = 0
        for begin, end in self.rest_pieces():
            out[begin:end] = parts[-1][at : at + end - begin]
            at += end - begin
        if checked:
            require(hashlib.sha256(out.data).digest() == self.sha256, "SHA-256 of the original")
        return out.tobytes()


if __name__ == "__main__":
    command, source, target = sys.argv[1:]
    has_back = command == "restore"
    pathlib.Path(target).write_bytes(Archive(pathlib.Path(source).read_bytes(), has_back).restore(has_back))
