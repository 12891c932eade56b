"""Makes the zips of this folder with Python's zipfile. Run it here: python3 make.py

Each holds the keys of `VALUES`, but for what its name says. `damaged-*.zip` must be refused, or an entry of it.
"""

import struct
import warnings
import zipfile

warnings.simplefilter("ignore")
DATE = (2020, 2, 2, 2, 2, 2)
VALUES = {
    ".zgroup": b'{"zarr_format": 2}',
    "v/.zarray": b'{"shape": [1000]}',
    "v/0": bytes(n * n % 251 for n in range(1000)),
    "v/1": bytes(1000),
    "empty": b"",
    "ä/β": "grüße".encode(),
}


def info(name, method=zipfile.ZIP_STORED):
    info = zipfile.ZipInfo(name, DATE)
    info.compress_type = method
    return info


def make(name, method=zipfile.ZIP_STORED, prefix="", comment=b"", force=False, before=(), after=()):
    with zipfile.ZipFile(name, "w") as file:
        for key, value in [*before, *((prefix + key, value) for key, value in VALUES.items()), *after]:
            with file.open(info(key, method), "w", force_zip64=force) as entry:
                entry.write(value)
        file.comment = comment


def damage(name, source, change):
    data = bytearray(open(source, "rb").read())
    change(data)
    open(name, "wb").write(data)


def central(data, key):
    """The position of a key's central header."""
    at = data.index(b"PK\x01\x02")
    while True:
        name, extra, comment = struct.unpack_from("<3H", data, at + 28)
        if data[at + 46 : at + 46 + name] == key.encode():
            return at
        at += 46 + name + extra + comment


def set_central(key, offset, form, value):
    return lambda data: struct.pack_into(form, data, central(data, key) + offset, value)


class Stream:
    """A file that cannot seek, so that sizes come after the data."""

    def __init__(self, name):
        self.file = open(name, "wb")

    def write(self, data):
        return self.file.write(data)

    def flush(self):
        self.file.flush()


make("stored.zip")
make("deflated.zip", zipfile.ZIP_DEFLATED)
make("zip64.zip", force=True)
make("comment.zip", comment=b"PK\x05\x06 a comment that looks like an end" + bytes(200))
make("duplicates.zip", before=[("v/0", b"old"), ("v/1", b"older")])
make("top-folder.zip", prefix="data/", before=[("data/", b""), ("data/v/", b"")])
hostile = ["../x", "/etc/x", "a/../x", "c:\\x", "a\\b", "a//b", "./x", "x/./y", ".ncutils-partial-1"]
make("hostile-names.zip", after=[(name, b"x") for name in hostile])
with zipfile.ZipFile(Stream("streamed.zip"), "w", zipfile.ZIP_DEFLATED) as file:
    for key, value in VALUES.items():
        file.writestr(info(key, zipfile.ZIP_DEFLATED), value)

damage("damaged-method.zip", "deflated.zip", set_central("v/0", 10, "<H", 12))
damage("damaged-encrypted.zip", "deflated.zip", set_central("v/0", 8, "<H", 1))
damage("damaged-longer.zip", "deflated.zip", set_central("v/1", 24, "<I", 1001))
damage("damaged-shorter.zip", "deflated.zip", set_central("v/1", 24, "<I", 999))
damage("damaged-bomb.zip", "deflated.zip", set_central("v/1", 24, "<I", 0xFFFFFFF0))
damage("damaged-checksum.zip", "stored.zip", set_central("v/1", 16, "<I", 1))
damage("damaged-overlap.zip", "stored.zip", lambda data: (
    set_central("v/0", 20, "<I", 1100)(data), set_central("v/0", 24, "<I", 1100)(data)))
damage("damaged-other-entry.zip", "stored.zip", lambda data: struct.pack_into(
    "<I", data, central(data, "v/0") + 42, struct.unpack_from("<I", data, central(data, "v/1") + 42)[0]))
damage("damaged-disks.zip", "stored.zip", lambda data: struct.pack_into("<H", data, len(data) - 18, 1))
damage("damaged-count.zip", "stored.zip", lambda data: struct.pack_into("<HH", data, len(data) - 14, 7, 7))
damage("damaged-directory.zip", "stored.zip", lambda data: struct.pack_into("<I", data, len(data) - 10, 1 << 30))
damage("damaged-cut.zip", "stored.zip", lambda data: data.pop())
