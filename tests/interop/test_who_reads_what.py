"""Makes docs/formats/who-reads-what.md: each feature of each kind of output, read by every program.

    CDL ─► ncgen ─► nccopy ─► an output for each feature ─► every reader ─► tables, in which features of the same row stand together

`NCUTILS_BLESS=1` writes the page anew. `promises.py` has to excuse what the page says no to, and nothing else.
"""

import collections
import dataclasses
import os
import pathlib

import h5py
import numpy as np
import promises
import pytest
import strict
from conftest import nccopy, ncgen

PAGE = pathlib.Path(__file__).parent.parent.parent / "docs" / "formats" / "who-reads-what.md"
BEGIN, END = "<!-- Tables. NCUTILS_BLESS=1 cargo xtask interop test_who_reads_what.py writes them. -->\n", "<!-- End of tables. -->\n"

NUMBERS = list(range(20))
FLOATS = [repr(float(n)) for n in NUMBERS]


@dataclasses.dataclass(frozen=True)
class Feature:
    """What a row is about: declarations and data in CDL, or a function that fills an HDF5 file, the values of `v`, and flags of nccopy."""

    name: str
    text: str = "float v(y, x); data: v = " + ", ".join(map(str, NUMBERS)) + ";"
    values: list | None = dataclasses.field(default_factory=lambda: FLOATS)
    flags: tuple = ("-c", "y/2,x/5")
    types: str = ""
    item: str = "/v"
    fill: object = None


def filtered(*specs):
    """A feature for each name and argument of `-F`."""
    return [Feature(name, flags=("-c", "y/2,x/5", "-F", f"*,{spec}")) for name, spec in specs]


NUMERIC = Feature("numbers")
BIG = Feature("big-endian numbers", 'float v(y, x); v:_Endianness = "big"; data: v = ' + ", ".join(map(str, NUMBERS)) + ";")
PARTLY = Feature(
    "chunks that were never written", "double v(y, x); v:_FillValue = -1.; data: v = " + ", ".join(map(str, NUMBERS[:10])) + ";",
    [*FLOATS[:10], *["-1.0"] * 10], flags=("-c", "y/2,x/5", "--skip-fill"),
)
GROUPS = Feature("groups", "float a; group: g { variables: float v(y, x); data: v = " + ", ".join(map(str, NUMBERS)) + "; }", item="/g/v")
UNLIMITED = Feature("unlimited dimensions", "float v(t, x); v:_ChunkSizes = 2, 5; data: v = " + ", ".join(map(str, NUMBERS)) + ";", flags=())
SCALAR = Feature("scalars", "double v; data: v = 3.5;", ["3.5"], flags=())
CHARACTERS = Feature("characters", 'char v(x); data: v = "abcde";', list("abcde"), flags=())
STRINGS = Feature("strings", 'string v(x); data: v = "a", "bc", "d", "é", "f";', ["a", "bc", "d", "é", "f"], flags=())
TWICE = Feature("a dimension twice in one array", "int v(x, x);", None, flags=())
ENUM = Feature("enums", "e v(x); data: v = A, B, A, B, A;", [1, 2, 1, 2, 1], (), "byte enum e {A = 1, B = 2};")
COMPOUND = Feature("compounds", "c v(x); data: v = {1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10};", None, (), "compound c {int a; double b;};")
ARRAYS = Feature("compounds with array fields", "c v(x); data: v = {{1, 2}}, {{3, 4}}, {{5, 6}}, {{7, 8}}, {{9, 10}};", None, (), "compound c {int a(2);};")
VLEN = Feature("sequences", "s v(x); data: v = {1}, {1, 2}, {3}, {4}, {5};", None, (), "int(*) s;")
OPAQUE = Feature("opaque", "o v(x); data: v = 0x01020304, 0x01020304, 0x01020304, 0x01020304, 0x01020304;", None, (), "opaque(4) o;")
COMPLEX = dataclasses.replace(
    COMPOUND, name="complex numbers", text=COMPOUND.text.replace("c v", "_PFNC_DOUBLE_COMPLEX_TYPE v"),
    types="compound _PFNC_DOUBLE_COMPLEX_TYPE {double r; double i;};",
)
TYPED = Feature("attributes of user types", 'float v(y, x); o v:a = 0x0102; s v:b = {1, 2}; data: v = ' + ", ".join(map(str, NUMBERS)) + ";",
                types="opaque(2) o; int(*) s;")


def of_file(name, fill, values=None):
    """A feature that only HDF5 has."""
    return Feature(name, values=values, fill=fill, flags=())


def bits(file):
    h5py.h5d.create(file.id, b"v", h5py.h5t.STD_B8LE, h5py.h5s.create_simple((5,)))


def references(file):
    file["w"] = np.arange(3)
    file.create_dataset("v", data=[file["w"].ref], dtype=h5py.ref_dtype)


def regions(file):
    file["w"] = np.arange(3)
    file.create_dataset("v", data=[file["w"].regionref[0:1]], dtype=h5py.regionref_dtype)


def arrays(file):
    file.create_dataset("v", data=np.zeros(3, "(2,)i4,f4"))


def halves(file):
    file["v"] = np.arange(3, dtype="f2")


# The filters that a kind has a form for.
HDF5_FILTERS = filtered(
    ("deflate", "1,5"), ("shuffle", "2|1,5"), ("fletcher32", "3"), ("szip", "4,32,8"), ("nbit", "5"), ("bzip2", "307,9"), ("LZF", "lzf"),
    ("Blosc", "blosc"), ("LZ4", "32004"), ("bitshuffle", "32008"), ("zfp", "zfp,reversible=true"), ("zstd", "32015,3"), ("Blosc2", "blosc2"),
)  # fmt: skip
HDF5_FILTERS.append(
    Feature("scale-offset", "int v(y, x); data: v = " + ", ".join(map(str, NUMBERS)) + ";", NUMBERS, ("-c", "y/2,x/5", "-F", "*,6,2,0"))
)
HDF5_FILTERS.append(
    Feature("scale-offset of all bits", "byte v(y, x); data: v = " + ", ".join(str(n * 13 - 127) for n in range(19)) + ", 127;",
            [n * 13 - 127 for n in range(19)] + [127], ("-c", "y/4,x/5", "-F", "*,6,2,0"))
)
VERSION_2_FILTERS = filtered(
    ("deflate", "deflate,5"), ("shuffle", "shuffle|deflate,5"), ("fletcher32", "fletcher32"), ("bzip2", "bz2,9"), ("zstd", "zstd,3"), ("Blosc", "blosc"),
    ("szip", "4,32,8"), ("LZ4", "lz4"), ("gzip", "gzip,level=5"), ("lzma", "lzma"), ("crc32", "crc32"), ("adler32", "adler32"),
    ("bitround", "bitround,keepbits=23"), ("delta", "delta"), ("zstd with a checksum", "zstd,level=3,checksum=true"),
)  # fmt: skip
WIDE = "double v(y, x); data: v = " + ", ".join(map(str, NUMBERS)) + ";"
CHECKED_FIRST = Feature("fletcher32 before shuffle, 8 bytes", WIDE, flags=("-c", "y/2,x/5", "-F", "*,fletcher32|shuffle"))
SHUFFLED_STRINGS = dataclasses.replace(STRINGS, name="shuffled strings", flags=("-F", "v,shuffle"))
VERSION_3_FILTERS = filtered(
    ("gzip", "gzip,level=5"), ("zstd", "zstd,level=3"), ("Blosc", "blosc,cname=lz4,clevel=5,shuffle=shuffle"), ("crc32c", "crc32c"),
    ("transpose", "transpose,order=[1,0]"), ("numcodecs.zlib", "deflate,5"), ("numcodecs.shuffle", "shuffle|zstd,3"), ("numcodecs.bz2", "bz2,9"),
    ("numcodecs.fletcher32", "fletcher32"), ("numcodecs.lz4", "lz4"), ("numcodecs.lzma", "lzma"), ("numcodecs.bitround", "bitround,keepbits=23"),
    ("numcodecs.delta", "delta,dtype=<f4"), ("numcodecs.crc32", "crc32"),
)  # fmt: skip

MODEL = [NUMERIC, BIG, PARTLY, GROUPS, UNLIMITED, SCALAR, CHARACTERS, STRINGS, TWICE]
TYPES = [ENUM, COMPOUND, VLEN, OPAQUE, COMPLEX, TYPED]
PLAIN = [NUMERIC, UNLIMITED, SCALAR, CHARACTERS]


@dataclasses.dataclass(frozen=True)
class Table:
    """A heading, the readers, and for each kind of output: its name on the page, how nccopy makes it, what has no place in it."""

    heading: str
    readers: list
    kinds: dict


HDF5 = ["HDF5 1.10", "HDF5 1.14", "HDF5 2"]
TABLES = [
    Table(
        "Files of netCDF and HDF5",
        ["netCDF-C 4.9", "netCDF-C 4.10", *HDF5, "xarray"],
        {
            ("classic", "classic", "nc3", "{}.nc"): [dataclasses.replace(f, flags=()) for f in PLAIN],
            ("64-bit offset", "classic", "nc6", "{}.nc"): [dataclasses.replace(f, flags=()) for f in PLAIN],
            ("CDF-5", "classic", "nc5", "{}.nc"): [dataclasses.replace(f, flags=()) for f in PLAIN],
            ("netCDF-4", "nc4", "nc4", "{}.nc"): [*MODEL, *TYPES, *HDF5_FILTERS, dataclasses.replace(NUMERIC, name="`--page`", flags=("--page", "4096"))],
            ("HDF5", "h5", "h5", "{}.h5"): [
                of_file("references", references), of_file("region references", regions), of_file("bit fields", bits),
                of_file("fields of arrays", arrays), of_file("half floats", halves, ["0.0", "1.0", "2.0"]),
            ],
        },
    ),
    Table(
        "Zarr version 2",
        ["netCDF-C 4.10 with NCZarr", "zarr-python 2", "zarr-python 3", "xarray", "tensorstore", "zarrs"],
        {
            ("NCZarr", "nczarr", None, "{}.ncz#mode=nczarr,file"): [*MODEL, *VERSION_2_FILTERS, CHECKED_FIRST, SHUFFLED_STRINGS],
            ("NCZarr in a zip", "nczarr", None, "{}.nczip#mode=nczarr,zip"): [NUMERIC, GROUPS],
            ("Zarr", "zarr", None, "{}.zarr#mode=zarr"): [*MODEL, VLEN, COMPLEX, COMPOUND, ARRAYS, *VERSION_2_FILTERS, CHECKED_FIRST, SHUFFLED_STRINGS],
            ("Zarr in a zip", "zarr", None, "{}.zip#mode=zarr,zip"): [NUMERIC, GROUPS],
        },
    ),
    Table(
        "Zarr version 3",
        ["zarr-python 3", "xarray", "tensorstore", "zarrs"],
        {
            ("folder", "v3", None, "{}.v3#mode=zarr,v3"): [*MODEL, ENUM, COMPOUND, ARRAYS, VLEN, OPAQUE, COMPLEX, TYPED, *VERSION_3_FILTERS],
            ("shards", "v3", None, "{}.shards#mode=zarr,v3"): [dataclasses.replace(NUMERIC, flags=("-c", "y/2,x/5", "--shard", "2K"))],
            ("shards, index first", "v3", None, "{}.start#mode=zarr,v3"): [
                dataclasses.replace(NUMERIC, flags=("-c", "y/2,x/5", "--shard", "2K", "--shard-index", "start"))
            ],
            ("zip", "v3", None, "{}.v3.zip#mode=zarr,v3,zip"): [NUMERIC, GROUPS],
        },
    ),
]


def make(feature, kind, form, folder, number):
    """Makes the output of a feature: its path, and what nccopy printed."""
    source = folder / f"{number}.in.nc"
    if feature.fill:
        with h5py.File(source, "w", libver="v108") as file:
            feature.fill(file)
    else:
        text = folder / f"{number}.cdl"
        types = f"types: {feature.types} " if feature.types else ""
        text.write_text(f"netcdf n {{ {types}dimensions: t = UNLIMITED; y = 4; x = 5; variables: {feature.text} }}\n")
        ncgen("-k", "nc4", "-o", source, text)
    name = form.format(folder / str(number))
    printed = nccopy(*(["-k", kind] if kind else []), *feature.flags, source, name)
    return pathlib.Path(name.split("#")[0]), printed


def cell(feature, found):
    """What a reader made of an output."""
    errors, values = found
    if errors or feature.item not in values:
        return "no"
    told = values[feature.item]
    return "yes" if told is None or feature.values is None or told == feature.values else "wrong"


def short(reader):
    return {"netCDF-C 4.10 with NCZarr": "netCDF-C 4.10"}.get(reader, reader)


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """For each table a list: (name of a kind, feature, kind, output, what was printed, {reader: what it found})."""
    folder = tmp_path_factory.mktemp("features")
    tables = []
    number = 0
    for table in TABLES:
        rows = []
        for (name, kind, flag, form), features in table.kinds.items():
            for feature in features:
                number += 1
                rows.append((name, feature, kind, *make(feature, flag, form, folder, number), {}))
        for reader in table.readers:
            if not promises.is_there(reader):
                pytest.skip(f"{reader} is not installed")
            asked = [row for row in rows if promises.asks(reader, row[2], row[3])]
            for row, found in zip(asked, strict.read(reader, [row[3] for row in asked]).values()):
                row[5][reader] = found
        tables.append(rows)
    return tables


def lines_of(table, rows):
    """A table. Features of one kind with the same cells share a row, and so do kinds with the same features and cells."""
    by_cells = collections.defaultdict(list)
    for name, feature, _, _, _, found in rows:
        cells = tuple(cell(feature, found[reader]) if reader in found else "" for reader in table.readers)
        by_cells[name, cells].append(feature.name)
    by_features = collections.defaultdict(list)
    for (name, cells), features in by_cells.items():
        by_features[tuple(features), cells].append(name)
    lines = [f"## {table.heading}", ""]
    lines.append("| kind | content | " + " | ".join(short(reader) for reader in table.readers) + " |")
    lines.append("| --- " * (len(table.readers) + 2) + "|")
    for (features, cells), names in by_features.items():
        lines.append(f"| {', '.join(names)} | {', '.join(features)} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def test_page(read):
    made = "\n".join(line for table, rows in zip(TABLES, read) for line in lines_of(table, rows))
    page = PAGE.read_text() if PAGE.exists() else f"{BEGIN}{END}"
    head, rest = page.split(BEGIN)
    wanted = f"{head}{BEGIN}\n{made}\n{END}{rest.split(END)[1]}"
    if os.environ.get("NCUTILS_BLESS"):
        PAGE.write_text(wanted)
    assert page == wanted or os.environ.get("NCUTILS_BLESS"), "NCUTILS_BLESS=1 writes the page anew"


def test_what_the_page_says_no_to_is_excused(read):
    for rows in read:
        for name, feature, kind, path, printed, found in rows:
            errors = {reader: errors for reader, (errors, _) in found.items()}
            for reader in errors.keys() & promises.ASKED[kind]:
                for item, message in errors[reader]:
                    failure = promises.Failure(reader, kind, path, item, message, printed, errors)
                    assert promises.excuse(failure), f"{name}: {feature.name}: {failure}"
