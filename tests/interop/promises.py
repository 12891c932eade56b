"""Which programs are promised to read what our programs write, and what they need not read.

`strict.py` checks it of every output of the tests, and `test_who_reads_what.py` makes the page docs/formats/who-reads-what.md.
"""

import contextlib
import dataclasses
import glob
import json
import os
import pathlib
import sysconfig
import zipfile

import h5py
import netcdf_c
import zarr_reference
from zarr_python_read import keys, prefix, value_of

HERE = pathlib.Path(__file__).parent
HDF5_1_14 = pathlib.Path(os.environ.get("NCUTILS_HDF5", HERE.parent.parent / "target" / "interop" / "hdf5")).resolve()


def of_package(pattern):
    """A file of an installed package, or none."""
    return next(iter(sorted(glob.glob(f"{sysconfig.get_path('purelib')}/{pattern}"))), None)


def plugins():
    return of_package("hdf5plugin/plugins") or ""


@dataclasses.dataclass(frozen=True)
class Reader:
    """A script, the modules that it imports, what its command line and its environment begin with, and a file without which there is none."""

    script: str
    libraries: tuple = ("numpy",)
    argument: object = None
    variable: object = dict
    needs: object = None

    def arguments(self):
        return [self.argument]

    def variables(self):
        return self.variable()


def of_hdf5():
    """Plugins of all filters that are built in here, and external data and virtual sources beside the file, as they are here."""
    return {"HDF5_PLUGIN_PATH": plugins(), "HDF5_EXTFILE_PREFIX": "${ORIGIN}", "HDF5_VDS_PREFIX": "${ORIGIN}"}


def at(path):
    return lambda: {"PYTHONPATH": str(path)}


def at_hdf5_1_14():
    return {**of_hdf5(), "PYTHONPATH": str(HDF5_1_14)}


LIBRARIES = pathlib.Path("/usr/lib") / f"{os.uname().machine}-linux-gnu"
HDF5_1_10 = LIBRARIES / "libhdf5_serial.so.103"
NETCDF_4_9 = LIBRARIES / "libnetcdf.so.19"
NETCDF_4_10 = of_package("netcdf4.libs/libnetcdf-*")

READERS = {
    "netCDF-C 4.9": Reader("libnetcdf_read.py", argument=NETCDF_4_9, variable=of_hdf5, needs=NETCDF_4_9),
    "netCDF-C 4.10": Reader("libnetcdf_read.py", argument=NETCDF_4_10, variable=of_hdf5, needs=NETCDF_4_10),
    "netCDF-C 4.10 with NCZarr": Reader(
        "libnetcdf_read.py", argument=netcdf_c.LIBRARY, variable=lambda: netcdf_c.VARIABLES, needs=netcdf_c.LIBRARY
    ),
    "HDF5 1.10": Reader("libhdf5_read.py", argument=HDF5_1_10, variable=of_hdf5, needs=HDF5_1_10),
    "HDF5 1.14": Reader("python_read.py", ("h5py", "hdf5plugin"), "h5py", at_hdf5_1_14, HDF5_1_14),
    "HDF5 2": Reader("python_read.py", ("h5py", "hdf5plugin"), "h5py", of_hdf5),
    "zarr-python 2": Reader("python_read.py", ("zarr",), "zarr", at(zarr_reference.ZARR2), zarr_reference.ZARR2),
    "zarr-python 3": Reader("python_read.py", ("zarr",), "zarr"),
    "zarrs": Reader("python_read.py", ("zarr",), "zarrs", at(zarr_reference.ZARR3), zarr_reference.ZARR3),
    "tensorstore": Reader("python_read.py", ("zarr",), "tensorstore", at(zarr_reference.ZARR3), zarr_reference.ZARR3),
    "specification": Reader("python_read.py", ("zarr",), "metadata"),
    "xarray": Reader("python_read.py", ("xarray", "zarr", "netCDF4"), "xarray", of_hdf5),
}

# Of zarrs nothing is promised in version 2.
VERSION_2 = ["zarr-python 2", "zarr-python 3", "tensorstore", "specification"]

# The readers of each kind of output.
ASKED = {
    "classic": ["netCDF-C 4.9", "netCDF-C 4.10"],
    "nc4": ["netCDF-C 4.9", "netCDF-C 4.10", "HDF5 1.10", "HDF5 1.14", "HDF5 2"],
    "h5": ["HDF5 1.10", "HDF5 1.14", "HDF5 2"],
    "nczarr": ["netCDF-C 4.10 with NCZarr", *VERSION_2],
    "zarr": ["netCDF-C 4.10 with NCZarr", *VERSION_2],
    "v3": ["zarr-python 3", "zarrs", "tensorstore", "specification"],
}


def asks(reader, kind, path):
    """True if a reader of the page is asked for an output: it has the format."""
    if kind == "classic":
        return not reader.startswith("HDF5")
    # The wheel of zarrs leaves zips to zarr-python.
    return reader != "zarrs" or path.is_dir()


# The readers of the programs that `--for` names. Others are not asked, and no warning tells of them.
FOR = {
    "netcdf-c": "netCDF-C 4.10", "h5py": ("HDF5 1.14", "HDF5 2"), "xarray": "zarr-python 3", "zarr-python": "zarr-python 3",
    "any": "", "matlab": "", "julia": "",
}


def is_for(reader, arguments):
    """False for a reader that an output is not for."""
    if "--for" not in arguments:
        return True
    programs = arguments[arguments.index("--for") + 1].split(",")
    return any(reader.startswith(FOR.get(program, "netCDF-C 4.9")) for program in programs)


def is_there(reader):
    """False where a reader is not installed."""
    needs = READERS[reader].needs
    return needs is None or pathlib.Path(needs).exists()


def kind_of(path, arguments=()):
    """The kind of an output, or none of what only our programs read."""
    if path.is_file():
        with open(path, "rb") as file:
            begin = file.read(4)
        if begin[:3] == b"CDF":
            return "classic"
        if begin == b"\x89HDF":
            return "h5" if "h5" in arguments or "hdf5" in arguments else "nc4"
        if begin != b"PK\3\4":
            return None
        try:
            zipfile.ZipFile(path)
        except zipfile.BadZipFile:
            return None
    names = keys(path)
    if "zarr.json" in names:
        return "v3"
    if not any(name.rpartition("/")[2] in (".zgroup", ".zarray") for name in names):
        return None
    root = prefix(path, names)
    root += "/" * bool(root)
    if f"{root}.zattrs" in names and "_nczarr_superblock" in json.loads(value_of(path, f"{root}.zattrs")):
        return "nczarr"
    return "zarr"


def name_for(reader, path):
    """The name by which a reader opens an output."""
    if reader != "netCDF-C 4.10 with NCZarr":
        return str(path)
    kind = kind_of(path)
    return netcdf_c.url(path, f"{kind},{'file' if path.is_dir() else 'zip'}") if kind in ("nczarr", "zarr") else str(path)


@dataclasses.dataclass(frozen=True)
class Failure:
    """What a reader cannot read: an item of an output, why, what our program printed, and what other readers could not read of the output."""

    reader: str
    kind: str
    path: pathlib.Path
    item: str
    message: str
    printed: str = ""
    others: dict = dataclasses.field(default_factory=dict)

    def is_of(self, *readers):
        return any(self.reader.startswith(reader) for reader in readers)

    def other(self, reader):
        """What another reader says of the item."""
        return next((message for item, message in self.others.get(reader, ()) if item == self.item), "")

    def filters(self):
        """The filters of a dataset in HDF5: parameters by id."""
        with contextlib.suppress(Exception), h5py.File(self.path) as file:
            properties = file[self.item].id.get_create_plist()
            filters = [properties.get_filter(n) for n in range(properties.get_nfilters())]
            return {id: parameters for id, _, parameters, _ in filters}
        return {}

    def document(self, name):
        """The metadata of an array in Zarr."""
        names = keys(self.path)
        start = prefix(self.path, names) if name == ".zarray" else ""
        key = f"{start}/{self.item.strip('/')}/{name}".strip("/").replace("//", "/")
        return json.loads(value_of(self.path, key)) if key in names else {}


# The words of our warnings that name a reader.
WORDS = {"netCDF-C": ("netCDF-C",), "zarr-python": ("zarr-python", "numcodecs"), "tensorstore": ("tensorstore",), "zarrs": ("zarrs",)}


def is_warned_of(failure):
    """Our program said that this reader cannot read this item."""
    words = next((words for name, words in WORDS.items() if failure.is_of(name)), ())
    name = failure.item.lstrip("/")
    return any(
        "warning" in line and any(word in line for word in words) and (name in line or "opens no dataset" in line)
        for line in failure.printed.splitlines()
    )


# HDF5 files.

# What hdf5plugin brings, and what is in libhdf5.
WITH_PLUGINS = {1, 2, 3, 4, 5, 6, 307, 32001, 32004, 32008, 32013, 32015, 32026}
LZF = 32000


def lacks_filter(failure):
    """No plugin of this filter exists for the reader. h5py alone has LZF."""
    had = WITH_PLUGINS | ({LZF} if failure.is_of("HDF5 1.14", "HDF5 2") else set())
    return not had.issuperset(failure.filters())


def is_scale_offset_of_all_bits(failure):
    """HDF5 1.14.6 refuses chunks of scale-offset in which every bit of a number is kept, also its own."""
    return failure.is_of("HDF5 1.14") and 6 in failure.filters() and "filter returned failure" in failure.message


def is_blosc_with_snappy(failure):
    """netCDF-C 4.10 with HDF5 2.2 fails on Blosc with snappy, also of hdf5plugin itself."""
    return failure.is_of("netCDF-C 4.10") and failure.filters().get(32001, ())[6:7] == (3,)


def was_never_written(failure):
    """HDF5 reads nothing where nothing was written and the fill value is undefined, as in the input."""
    return any("no data can be read" in text for text in (failure.message, failure.other("HDF5 2")))


def is_elsewhere(failure):
    """`-k h5` leaves external data where they are, and the test has moved the file."""
    return failure.kind == "h5" and "unable to open external raw data file" in failure.message


def is_no_name_of_netcdf(failure):
    """netCDF-C refuses names that are not UTF-8."""
    return failure.is_of("netCDF-C") and "Name contains illegal characters" in failure.message


def is_not_classic(failure):
    """An archive gives back the bytes that went in, even if they are a file that netCDF-C refuses."""
    return failure.kind == "classic" and "Unknown file format" in failure.message


def is_beyond_h5py(failure):
    """What h5py cannot return, of a copy of an HDF5 file."""
    texts = "No NumPy equivalent", "no appropriate function for conversion path"
    return failure.kind == "h5" and failure.is_of("HDF5 1.14", "HDF5 2") and any(text in failure.message for text in texts)


def is_sequence_of_compounds(failure):
    """HDF5 does not convert sequences of compounds with an enum to those in memory, also not in netCDF-C's own file."""
    return "invalid background buffer pointer" in failure.message


def is_of_newer_hdf5(failure):
    """`-k h5` keeps structures of the input that an older HDF5 does not know."""
    return failure.kind == "h5" and not failure.other("HDF5 2") and ("bad version" in failure.message or "not found" in failure.message)


# Zarr version 2.

NETCDF_C_CODECS = {"zlib", "shuffle", "fletcher32", "bz2", "zstd", "blosc", "szip"}
TENSORSTORE_CODECS = {"zlib", "gzip", "bz2", "blosc", "zstd"}


def codecs_of(document):
    return [codec["id"] for codec in [*(document.get("filters") or []), document.get("compressor")] if codec]


def lacks_codec_of_version_2(failure):
    """The reader has no such codec; no filters at all in tensorstore."""
    if failure.kind not in ("nczarr", "zarr"):
        return False
    document = failure.document(".zarray")
    codecs = set(codecs_of(document))
    if failure.is_of("netCDF-C"):
        return not codecs <= NETCDF_C_CODECS
    if failure.is_of("tensorstore"):
        return bool(document.get("filters")) or not codecs <= TENSORSTORE_CODECS
    # The numcodecs that goes with zarr-python 2 has crc32c only with another package.
    return "szip" in codecs or failure.is_of("zarr-python 2") and "crc32c" in codecs


def lacks_text_of_version_2(failure):
    """tensorstore reads no text of version 2, and zarr-python 3 none of NCZarr's characters."""
    kind = str(failure.document(".zarray").get("dtype", "")) if failure.kind in ("nczarr", "zarr") else ""
    return failure.is_of("tensorstore") and kind[1:2] in ("S", "U", "O") or failure.is_of("zarr-python 3") and kind == ">S1"


# Zarr version 3.

CORE = {"bytes", "gzip", "zstd", "blosc", "crc32c", "transpose", "sharding_indexed"}
OF_VERSION_3 = {"tensorstore": CORE, "zarrs": CORE | {"numcodecs.zlib", "numcodecs.shuffle", "numcodecs.bz2"}}


def names_of(codecs):
    for codec in codecs:
        yield codec["name"]
        yield from names_of(codec.get("configuration", {}).get("codecs", []))


def lacks_part_of_version_3(failure):
    """The reader has no such data type or codec. tensorstore refuses two dimensions of one name."""
    if failure.kind != "v3":
        return False
    document = failure.document("zarr.json")
    kind = document.get("data_type", "")
    kind = kind["name"] if isinstance(kind, dict) else kind
    if failure.is_of("zarr-python"):
        return kind == "struct"
    had = OF_VERSION_3.get(failure.reader)
    if had is None:
        return False
    names = [name for name in document.get("dimension_names") or [] if name]
    twice = failure.is_of("tensorstore") and len(set(names)) < len(names)
    return twice or kind in ("string", "variable_length_bytes", "null_terminated_bytes", "raw_bytes", "struct") or not had.issuperset(names_of(document.get("codecs", [])))


def is_of_an_array(failure):
    """zarr-python 3 opens no group whose consolidated metadata have an array that it cannot open. The array needs an excuse of its own."""
    same = [item for item, message in failure.others.get(failure.reader, ()) if item != "/" and message == failure.message]
    return failure.is_of("zarr-python 3", "zarrs") and failure.item == "/" and bool(same)


EXCUSES = [
    is_of_an_array, is_warned_of, lacks_filter, is_scale_offset_of_all_bits, is_blosc_with_snappy, was_never_written, is_elsewhere, is_no_name_of_netcdf, is_not_classic,
    is_beyond_h5py, is_sequence_of_compounds, is_of_newer_hdf5,
    lacks_codec_of_version_2, lacks_text_of_version_2, lacks_part_of_version_3,
]


def excuse(failure):
    """The first excuse that holds, or none: then the output is wrong, or the page is."""
    return next((excuse for excuse in EXCUSES if excuse(failure)), None)
