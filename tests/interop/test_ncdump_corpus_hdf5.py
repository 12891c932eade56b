"""With every display flag our ncdump prints what the installed one prints of the HDF5 and netCDF files of other programs.

    file ─┬─► installed ncdump ─► without what only it shows ─┬─► the same
          ├─► our ncdump ───────► without what only it shows ─┘
          └─► nccopy, where not all was compared ─► installed ncdump, our ncdump ─► the same
"""

import difflib
import re
import subprocess

import pytest
from allowed_differences import as_4_10, scalars, sections_as_names, vertical_tabs, without_ordered_filters
from cdl_parts import parts, renumbered, without
from conftest import BIN, CORPUS, installed, ncdump, needs_corpus, unfinished
from test_cdl import DATA
from test_corpus_hdf5 import FILES as HDF5_FILES
from test_corpus_hdf5 import size_of
from test_ncdump_corpus import FLAGS as ALL_FLAGS

FILES = [*HDF5_FILES, *sorted(CORPUS.glob("netcdf/*.nc"))]
PARTS = 8

FLAGS = ["-h", "", *(f for f in ALL_FLAGS if f != "-h" and not f.startswith("-v ")), "-g /", "-d 3,5"]
HEADER_FLAGS = ["-h", "-hs", "-k", "-hs -t", "-hs -n y -g /"]
COPY_FLAGS = ["-h", "", "-c", "-s", "-t", "-b c", "-f c", "-f f", "-l 40", "-p 5,9", "-b f -l 60 -n y"]

# What netCDF cannot hold, or this program does not read: variables that only the installed one prints, as our warnings say.
LEFT_OUT_HERE = re.compile(
    r"warning: (/.*) is left out: (?:virtual layout is not supported|data in external files is not supported|"
    r"netCDF has no null dataspace)$",
    re.MULTILINE,
)

# What ours reads as double. 4.9.0 takes the variables for strings, and leaves the attributes out.
ROUNDED = re.compile(r"warning: (?:the attribute )?(/.*) has floating-point numbers that a double does not hold: they are rounded$", re.MULTILINE)

# What 4.9.0 leaves out without a word, besides all that is of a type without a name.
LEFT_OUT_THERE = {
    # Bit fields.
    "h5diff_dset1.h5": {"/g1/bitfield", "/g1/bitfield2D", "/g1/bitfield3D"},
    "h5diff_dset2.h5": {"/g1/bitfield", "/g1/bitfield2D", "/g1/bitfield3D"},
    "bitfield_datasets.hdf5": {
        f"/{name}"
        for name in (
            *("bitfield", "chunked_bitfield", "compressed_chunked_2d_bitfield", "compressed_chunked_bitfield"),
            *("scalar_bitfield", "phony_dim_0", "phony_dim_1", "phony_dim_2"),
        )
    },
    "tbitfields.h5": {f"/typetests/{name}" for name in ("bitfield_1", "bitfield_2", "phony_dim_0", "phony_dim_1")},
    # Its type comes after it in the file.
    "tcompound.h5": {"/group1/dset4"},
    # Attributes whose one element is an array.
    "tscalarattrintsize.h5": {f"/:D{sign}{bits:02}BITS" for sign in "US" for bits in (8, 16, 32, 64)} | {"/:DummyDBL"},
}

# Strings of fixed length, of which 4.9.0 reads every other one, or what lies behind them in its memory.
VALUES_NOT_READ_THERE = {
    "h5diff_dset1.h5": {"/g1/string", "/g1/string2D", "/g1/string3D"},
    "h5diff_dset2.h5": {"/g1/string", "/g1/string2D", "/g1/string3D"},
    "multidim_string_datasest.hdf5": {"/test"},
    "tscalarstring.h5": {"/the_str"},
}


# Text that ours says in another way.
IN_OTHER_WORDS = {
    # Dates of millions of years, of which netCDF-C prints what its memory holds, which may even be a new line.
    "ref_null_byte_padding_test.nc": (rb"(?s)(\t\t\w+:_FillValue = 1\.e\+20 ; // )\".*?(?=\n\t)", rb"\g<1>1e+20"),
    # A line break in a char field of a compound.
    "tstr3.h5": (rb"\\\n", rb"\\n"),
    # An attribute of no strings.
    "test_attribute_latest.hdf5": (rb'(?m)^(\s*string \S* ?:empty_string =) "" ;$', rb"\1 ;"),
    # A fixed dimension of length 0, which to netCDF-C is an unlimited one.
    "h5stat_threshold.h5": (rb"(\tphony_dim_\d+ =) UNLIMITED ; // \(0 currently\)", rb"\1 0 ;"),
    "zerodim.h5": (rb"(\tphony_dim_\d+ =) UNLIMITED ; // \(0 currently\)", rb"\1 0 ;"),
}


def theirs(path, flags):
    """The installed program's text, or None where it fails, crashes or does not come to an end."""
    command = ["prlimit", "--cpu=2", installed("ncdump"), *flags, str(path)]
    done = subprocess.run(command, capture_output=True, timeout=200)
    if done.returncode != 0 and flags == ["-g", "/"]:
        # To netCDF-C a classic file has no group, not even this one.
        return theirs(path, [])
    return done.stdout if done.returncode == 0 else None


def anonymous(part):
    """Whether a part is of a type without a name, which is what 4.9.0 leaves out."""
    return b"_Anonymous" in (part.text if part.kind == "type" else part.type)


class Difference:
    """What is known to differ between the texts of one file."""

    def __init__(self, path, warnings, copied):
        self.copied = copied
        """Whether the file is a copy, in which all that is left in has a name."""
        self.here = set(LEFT_OUT_HERE.findall(warnings))
        self.rounded = set(ROUNDED.findall(warnings))
        self.there = LEFT_OUT_THERE.get(path.name, set())
        self.not_read = VALUES_NOT_READ_THERE.get(path.name, set())
        self.words = IN_OTHER_WORDS.get(path.name)
        self.all_compared = True
        """False as soon as a part of our text was compared with nothing."""

    def only_here(self, part):
        """Whether a part is in our text only, or has other values there."""
        out = anonymous(part) or part.path in self.there | self.rounded or self.other_values(part)
        self.all_compared &= not out
        return out

    def other_values(self, part):
        return part.kind == "data" and part.path in self.not_read

    def of(self, wanted, found, flags):
        """The difference of two texts that is left, for a message; empty where there is none."""
        wanted = sections_as_names(vertical_tabs(as_4_10(wanted)))
        # netCDF-C has no word for virtual datasets.
        wanted = wanted.replace(b'_Storage = "unknown"', b'_Storage = "virtual"')
        if flags == ["-f", "f"]:
            wanted, found = scalars(wanted), scalars(found)
        found, wanted = without_ordered_filters(found, wanted)
        if wanted != found and self.words:
            wanted = re.sub(*self.words, wanted)
        if wanted == found:
            return []
        if not self.copied:
            found = without(found, self.only_here)
        if not self.copied and (self.here or self.rounded or self.not_read):
            wanted = without(wanted, lambda part: part.path in self.here | self.rounded or self.other_values(part))
        if not self.copied and self.here:
            wanted, found = renumbered(wanted), renumbered(found)
        wanted, found = (text.decode(errors="backslashreplace").split("\n") for text in (wanted, found))
        return list(difflib.unified_diff(wanted, found, "installed", "ours", lineterm="", n=1))[:40]


def flags_for(path, header, flags):
    """Of the flags those that a file can be printed with, first of all -h, and -v with one of its variables."""
    if size_of(path) >= DATA:
        return list(HEADER_FLAGS)
    variables = [part.path for part in parts(header) if part.kind == "variable" and not anonymous(part)]
    # A variable of the root group goes by its name, others by their path.
    names = [path[1:] if path.count("/") == 1 else path for path in variables]
    return [*flags, *(f"-v {name}" for name in names[-1:] if re.fullmatch(r"[\w/]+", name))]


def compare_texts(path, copies=None):
    """Prints a file with all flags; the number of texts that were the same, and the differences.

    Where the installed program does not print what ours does, our nccopy makes a file of it that it should print.
    """
    header = subprocess.run([BIN / "ncdump", "-h", path], capture_output=True, timeout=60)
    difference = Difference(path, header.stderr.decode(errors="replace"), copied=copies is None)
    same, failures = 0, []
    left = flags_for(path, header.stdout, FLAGS if copies else COPY_FLAGS)
    while left:
        text = left.pop(0)
        wanted = theirs(path, text.split())
        if wanted is None:
            difference.all_compared = False
            # What fails without flags fails with those that change how values look, but the header may still be read.
            left = {"-h": [], "": list(HEADER_FLAGS[1:])}.get(text, left)
        elif found := difference.of(wanted, ncdump(*text.split(), path), text.split()):
            failures.append("\n".join([f"{path.name} {text}", *found]))
        else:
            same += 1
    if copies and not difference.all_compared and header.returncode == 0:
        copy = copies / path.name
        done = subprocess.run([BIN / "nccopy", *unfinished(path), path, copy], capture_output=True, text=True, timeout=60)
        # Raw data of some files lies in others, which the corpus does not have.
        if re.search("external file .* does not exist", done.stderr):
            assert done.returncode == 1 and not copy.exists()
            return same, failures
        assert done.returncode == 0, done.stderr
        again = compare_texts(copy)
        same, failures = same + again[0], failures + [f"copy of {failure}" for failure in again[1]]
    return same, failures


@needs_corpus
@pytest.mark.parametrize("part", range(PARTS))
def test_all_flags(part, some, tmp_path):
    files = some(FILES[part::PARTS])
    texts, failures = 0, []
    for path in files:
        same, different = compare_texts(path, tmp_path)
        texts += same
        failures += different
    assert not failures, "\n".join(failures)
    assert texts > len(files) * len(FLAGS) // 2, "the installed program prints next to nothing"
