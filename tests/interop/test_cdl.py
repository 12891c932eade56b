"""Text to file and back: what other programs' CDL becomes, and that nothing is lost on the way round."""

import re
import subprocess

import netCDF4
import numpy as np
import pytest
from conftest import BIN, CORPUS, compare_pairs, installed, nccopy, ncdump, ncgen, needs_corpus

import generate
from test_corpus_hdf5 import FILES as HDF5_FILES
from test_corpus_hdf5 import size_of

EXPECTED = sorted(CORPUS.glob("cdl/expected/*.dmp"))
CDL = sorted(p for p in CORPUS.glob("cdl/*.cdl"))

# Data that is read for a round trip, in bytes. The corpus has variables of several GB that hold only fill values.
DATA = 20_000_000


def lines(text):
    """The lines of a text, white space and leading zeros of exponents aside."""
    text = re.sub(rb"([eE][+-])0+(?=\d)", rb"\1", text)
    return [b"".join(line.split()) for line in text.splitlines()]


# Where a .dmp of the corpus does not describe what its .cdl says, what is right is in one of these two tables.

# The .dmp is the dump of another schema. What counts is the .cdl: strings fill rows of a char array, or, on an
# unlimited dimension, follow each other; each row that is short is padded with NUL, each variable to the longest.
VALUES = {
    "ref_tst_chardata": {
        "c": (), "c1": (1,), "c2": (2,), "c2a": (2,), "c3": (3,), "c13": (1, 3), "c31": (3, 1), "c111": (1, 1, 1),
        "c123": (1, 2, 3), "c213": (2, 1, 3), "c231": (2, 3, 1), "cr": (6,), "cra": (6,), "cr1": (6, 1), "cr2": (6, 2),
        "cr21": (6, 2, 1), "cr33": (6, 3, 3),
    },
    "ref_tst_unlim2": {"cuu": (1, 2, 4), "cuuu": (2, 2, 6)},
}
CHARACTERS = {
    "c": b"2", "c1": b"\0", "c2": b"ab", "c2a": b"ab", "c3": b"\1\300.", "c13": b"\tb\177", "c31": b"+- ", "c111": b"@",
    "c123": b"one2\0\0", "c213": b"1\0\0two", "c231": b"@DHHLP", "cr": b"ab\0\0\0\0", "cra": b"ab\0\0\0\0", "cr1": b"x1zzzz",
    "cr2": b"@\0D\0H\0L\0\0\0\0\0", "cr21": b"@DHL" + 8 * b"\0",
    "cr33": b"1\0\0two3\0\0" b"4\0\0" b"5\0\0six" + 36 * b"\0",
    "cuu": b"adefxy\0\0", "cuuu": b"1two\0\0" + 6 * b"\0" + b"three\0fourxy",
}

# The .dmp is a .cdl in the words of its author. What ncdump -hs prints instead of some of its lines: it spells flags as
# "true", has no line for a filter that is not there, and tells the kind that -k asked for.
SPECIAL = {
    "ref_tst_special_atts": (
        [b'var4:_Shuffle=0;', b'var5:_Shuffle="1";', b"data:"],
        [b'var5:_Shuffle="true";'],
    ),
    "ref_tst_special_atts3": (
        [b':_Format="netCDF-4classicmodel";', b"data:", b"netcdfref_tst_special_atts3{"],
        [b':_Format="netCDF-4";', b"netcdftst_special_atts{", b'slp:_Endianness="little";',
         b"intvar5(dim1,dim2,dim3);", b'var5:_Storage="compact";', b'var5:_Endianness="little";',
         b"intvar6;", b'var6:_Storage="compact";', b'var6:_Endianness="little";'],
    ),
}
OF_THE_FILE = (b":_NCProperties", b":_SuperblockVersion", b":_IsNetcdf4")


def check_characters(name, path):
    with netCDF4.Dataset(path) as d:
        assert sorted(d.variables) == sorted(VALUES[name])
        for variable, shape in VALUES[name].items():
            d[variable].set_auto_mask(False)
            d[variable].set_auto_chartostring(False)
            got = np.asarray(d[variable][...])
            assert got.shape == shape, variable
            assert got.tobytes() == CHARACTERS[variable], variable


@needs_corpus
@pytest.mark.parametrize("expected", EXPECTED, ids=lambda p: p.stem)
def test_what_other_ncgens_and_ncdumps_make_of_it(expected, tmp_path):
    name = expected.stem
    target = tmp_path / f"{name}.nc"
    ncgen("-b", "-k", "nc4", "-o", target, expected.parent.parent / f"{name}.cdl")
    wanted = lines(expected.read_bytes())
    if name in VALUES:
        check_characters(name, target)
        theirs = subprocess.run([installed("ncdump"), "-n", name, str(target)], capture_output=True, check=True)
        # Ours shows NULs that a reader would not put back.
        assert ncdump("-n", name, target).replace(rb"\000", b"") == theirs.stdout
    elif name in SPECIAL:
        gone, come = SPECIAL[name]
        got = [x for x in lines(ncdump("-hs", "-n", "tst_special_atts", target)) if not x.startswith(OF_THE_FILE)]
        assert sorted(got) == sorted([x for x in wanted if x not in gone] + come)
    else:
        assert lines(ncdump("-n", name, target)) == wanted


def kind_of(path):
    return ncdump("-k", path).decode().strip()


def round_trip(source, folder):
    """Dumps a file, generates it again from that, with and without its kind, and dumps that; then the same through --exact, whose
    file is returned.

    Of what is large, only the header; that does not tell how many records there are.
    """
    large = size_of(source) >= DATA

    def dumped(path, *flags):
        text = ncdump(*flags, *(["-h"] if large else []), "-n", "x", path)
        for dimension in EMPTY_DIMENSIONS.get(source.name, []):
            text = text.replace(b"%s = 0 ;" % dimension, b"%s = UNLIMITED ; // (0 currently)" % dimension)
        return re.sub(rb"// \(\d+ currently\)", b"", text) if large else text

    text, target = folder / "first.cdl", folder / "first.nc"
    text.write_bytes(dumped(source))
    ncgen("-b", "-k", kind_of(source), "-o", target, text)
    assert dumped(target).decode(errors="backslashreplace") == text.read_text(errors="backslashreplace")
    if not large:
        # A classic file has room for all that the header promises.
        least = folder / "least.nc"
        ncgen("-b", "-o", least, text)
        # Lines of text are printed otherwise for classic files.
        same = kind_of(least) == kind_of(source)
        assert not same or dumped(least).decode(errors="backslashreplace") == text.read_text(errors="backslashreplace")
    text, target = folder / "exact.cdl", folder / "exact.nc"
    text.write_bytes(dumped(source, "--exact"))
    ncgen("-b", "-o", target, text)
    assert dumped(target, "--exact").decode(errors="backslashreplace") == text.read_text(errors="backslashreplace")
    return None if large else target


# Of their variables that neither have values nor are filled, netCDF-C reads what its memory holds.
UNINITIALISED = {"ref_tst_special_atts", "ref_tst_special_atts3"}

# What netCDF4-python cannot read of what other programs write.
NOT_READ = "TypeError: nested structured dtype arrays not supported"

# What CDL cannot say: a fixed dimension of length 0, which it calls unlimited. All else of these files must come round.
EMPTY_DIMENSIONS = {"h5stat_threshold.h5": [b"phony_dim_4"], "zerodim.h5": [b"phony_dim_0", b"phony_dim_1"]}


def check_round_trips(sources, folder):
    """All round trips at once, as starting Python is what takes long."""
    failures, pairs, names = [], [], {}
    for number, source in enumerate(sources):
        own = folder / str(number)
        own.mkdir()
        try:
            target = round_trip(source, own)
        except AssertionError as error:
            failures.append(f"{source.name}: {str(error)[:3000]}")
            continue
        if target is not None and source.stem not in UNINITIALISED and source.name not in EMPTY_DIMENSIONS:
            # A copy leaves out what netCDF cannot hold, as a dump does.
            copy = own / "copy.nc"
            nccopy(source, copy)
            names[str(copy)] = source.name
            pairs.append((copy, target))
    for copy, different in compare_pairs(pairs, "--kind", "--model", "--any-byte-order").items():
        source = names[copy]
        failures += [f"{source}: {line}" for line in different or [] if line != NOT_READ]
    assert not failures, "\n".join(failures)


@needs_corpus
@pytest.mark.parametrize("part", range(4))
def test_cdl_round_trips(part, some, tmp_path):
    sources = []
    for path in some(CDL[part::4]):
        sources.append(tmp_path / f"{path.stem}.nc")
        ncgen("-b", "-k", "nc4", "-o", sources[-1], path)
    check_round_trips(sources, tmp_path)


@needs_corpus
def test_netcdf_round_trips(tmp_path):
    check_round_trips(sorted(CORPUS.glob("netcdf/*.nc")), tmp_path)


def readable(path):
    """Whether our ncdump prints it; the tests of the corpus say which files it must print."""
    done = subprocess.run([str(BIN / "ncdump"), "-h", str(path)], capture_output=True, timeout=60)
    if done.returncode != 0:
        return False
    flags = ["-h"] if size_of(path) >= DATA else []
    return subprocess.run([str(BIN / "ncdump"), *flags, str(path)], capture_output=True, timeout=60).returncode == 0


@needs_corpus
@pytest.mark.parametrize("part", range(4))
def test_hdf5_round_trips(part, some, tmp_path):
    files = some(HDF5_FILES[part::4])
    sources = [path for path in files if readable(path)]
    assert len(sources) > len(files) // 2
    check_round_trips(sources, tmp_path)


@pytest.mark.parametrize("part", range(2))
def test_generated_round_trips(generated, part, some, tmp_path):
    check_round_trips([generated / f"{name}.nc" for name in some(list(generate.MAKERS)[part::2])], tmp_path)
