"""Classic files with what is allowed, odd, or wrong, made byte by byte."""

import struct

HEADER = 400


def header(version, records, dims, variables):
    """The header of a file. A variable is (code of the type, numbers of dimensions, begin)."""
    count = ">Q" if version == 5 else ">I"

    def number(n):
        return struct.pack(count, n)

    def name(text):
        return number(len(text)) + text.encode() + b"\0" * (-len(text) % 4)

    def listed(tag, items):
        return struct.pack(">I", tag if items else 0) + number(len(items))

    out = b"CDF" + bytes([version]) + number(records) + listed(10, dims)
    for n, length in enumerate(dims):
        out += name(f"d{n}") + number(length)
    out += listed(12, []) + listed(11, variables)
    for n, (ty, places, begin) in enumerate(variables):
        out += name(f"variable_{n}") + number(len(places)) + b"".join(number(d) for d in places) + listed(12, [])
        out += struct.pack(">I", ty) + number(0) + struct.pack(">I" if version == 1 else ">Q", begin)
    return out


def file(version, records, dims, variables, length):
    head = header(version, records, dims, variables)
    data = bytes((n // 7 ^ n % 5) & 255 for n in range(len(head), length))
    return head + data


def samples():
    """Name and bytes of each file."""
    h = HEADER
    of_records = [(3, (0, 1), h), (6, (0,), h + 8), (1, (0,), h + 16)]
    streaming = 2**32 - 1
    yield "no_variable", file(1, 0, [], [], 60)
    yield "trailing_bytes", file(2, 0, [], [], 1000)
    yield "gap", file(2, 0, [10], [(5, (0,), h), (6, (0,), h + 100)], 600)
    yield "odd_padding", file(2, 0, [3], [(3, (0,), h), (1, (0,), h + 9), (3, (0,), h + 16)], 430)
    yield "no_record", file(2, 0, [0, 10], [(5, (0, 1), h), (3, (1,), h)], 420)
    yield "one_record_variable", file(2, 7, [0, 3], [(3, (0, 1), h)], 442)
    yield "one_record", file(2, 1, [0, 3], [(3, (0, 1), h), (6, (0,), h + 8)], 416)
    yield "records", file(1, 500, [0, 3], of_records, h + 500 * 20)
    yield "records_of_cdf5", file(5, 500, [0, 3], [(10, (0, 1), 600), (7, (0,), 624)], 600 + 500 * 28)
    yield "cut_records", file(2, 500, [0, 3], of_records, h + 200 * 20 + 11)
    yield "streaming_count", file(2, streaming, [0, 3], of_records, h + 77 * 20 + 5)
    yield "cut_data", file(2, 0, [100], [(6, (0,), h), (4, (0,), h + 800)], 1000)
    yield "past_the_end", file(2, 0, [100], [(6, (0,), 5000)], 600)
    yield "out_of_order", file(2, 0, [10], [(5, (0,), h + 200), (6, (0,), h), (5, (0,), h + 100)], 700)
    yield "overlap", file(2, 0, [20], [(5, (0,), h), (5, (0,), h + 40), (6, (0,), h + 4)], 600)
    yield "in_the_header", file(2, 0, [20], [(5, (0,), 8)], 600)


def sparse(path, size):
    """A file of one variable of bytes with a few numbers far apart, most of which is a hole."""
    head = header(5, 0, [size], [(1, (0,), HEADER)])
    with open(path, "wb") as out:
        out.write(head)
        out.truncate(HEADER + size)
        for place in 1, size // 3, size - 1:
            out.seek(HEADER + place)
            out.write(b"\x2a")
