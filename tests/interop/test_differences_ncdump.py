"""Differences between our ncdump and Debian's, as docs/reference/differences-ncdump.md lists them."""

import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN, installed, ncdump, ncgen
from differences import both, check, make, outcome

TIME = "variables: double t; t:units = "
ENUM = "types: byte enum e {NAMES}; variables: e v; data: v = A;"

# The beginning of a row, the body of a text, options, and what is found in our outcome and in theirs.
CASES = [
    ("`-F`", "dimensions: d = 2; variables: int v(d); v:_DeflateLevel = 1;", ["-hF"], "_Filter", "!_Filter"),
    ("`C_format`", 'variables: int v; v:C_format = "%s"; data: v = 17;', [], "v = 17", "status -11"),
    ("`C_format` whose output", 'variables: int v; v:C_format = "%x"; data: v = 17;', [], "v = 17", "v = 11"),
    ("`C_format` whose output", 'variables: int v; v:C_format = "%05d"; data: v = 17;', [], "v = 17", "v = 00017"),
    ("index of a scalar", "variables: int v; data: v = 1;", ["-f", "f"], r"v\(1\)", r"!v\(1\)"),
    ("`-Xp`", "variables: int v;", ["-hsXp"], "!_NCProperties", "_NCProperties"),
    ("`-p ,17`", "variables: double v; data: v = 0.1;", ["-p", ",17"], "0.10000000000000001", "0.1 "),
    ("`-g` with a classic file", "variables: int v;", ["-g", "a"], "No such group", "status 1\n\n$"),
    ("`-g` with a classic file", "variables: int v;", ["-hg", "/"], "int v", "status 1"),
    ("`-g a/b`", "group: a { group: b { variables: int v; } }", ["-hg", "a/b"], "int v", "No such group"),
    ("a date that is millions", TIME + '"days since 1970-1-1"; data: t = 1e12;', ["-t"], "t = 1000000000000", "CDMS error"),
    ("`seconds since launch`", TIME + '"seconds since launch"; data: t = 1;', ["-t"], "t = 1 ;", "CDMS error"),
    ("calendar `none`", TIME + '"hours since 0000-01-01"; t:calendar = "none"; data: t = 1;', ["-t"], '"01-01 01"', "CDMS error"),
    ("midnight before 1582-10-15", TIME + '"days since 1582-10-15"; data: t = 0;', ["-t"], '"1582-10-15"', '!"1582-10-15"'),
    ("`-x` of netCDF-4", "group: g { variables: int v; }", ["-x"], "<group", "status 1"),
    ("long options", "variables: int v;", ["--help"], "status 0", "invalid option"),
    ("member of an enum, in data", ENUM.replace("NAMES", r"a\ b = 0").replace("= A", r"= a\ b"), [], r"v = a\\ b", "v = a b"),
    ("a member called", ENUM.replace("NAMES", "_x = 1, NIL = 0").replace("= A", "= NIL"), [], "v = 0", "v = NIL"),
    ("`%` in a name", r"dimensions: a\% = 2;", [], r"a\\% = 2", "a% = 2"),
    ("vertical tab", r':a = "a\013b";', [], r"a\\013b", r"a\\vb"),
    ("members of an enum of `uint64`", "types: uint64 enum e {a = 9223372036854775808};", [], "a = 9223372036854775808", "a = -9223372036854775808"),
    ("attribute of length 0", "string :a = ;", [], "string :a = ;", 'string :a = ""'),
]
CLASSIC = {"`-g` with a classic file"}
# Texts that Debian's ncgen refuses.
MADE_BY_OURS = {"members of an enum of `uint64`", "a member called", "attribute of length 0"}


@pytest.mark.parametrize("row, text, flags, ours, theirs", CASES, ids=[f"{n}-{c[0][:30]}" for n, c in enumerate(CASES)])
def test_rows(tmp_path, row, text, flags, ours, theirs):
    if row in MADE_BY_OURS:
        (tmp_path / "in.cdl").write_text(f"netcdf x {{ {text} }}")
        ncgen("-4", "-o", "in.nc", "in.cdl", cwd=tmp_path)
    else:
        make(tmp_path, text, "-3" if row in CLASSIC else "-4")
    for told, pattern in zip(both("ncdump", *flags, "in.nc", folder=tmp_path), (ours, theirs), strict=True):
        check(pattern, told)


def test_standard_output_that_cannot_be_written(tmp_path):
    make(tmp_path, "variables: int v; data: v = 1;")
    found = []
    for program in BIN / "ncdump", installed("ncdump"):
        with open("/dev/full", "w") as full:
            done = subprocess.run([program, "in.nc"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE)
        found.append((done.returncode, b"cannot write" in done.stderr))
    assert found == [(1, True), (0, False)]


def test_control_characters_on_a_terminal(tmp_path):
    """`script` gives the programs a terminal."""
    make(tmp_path, ':a = "x\u202ey";')
    for program, raw in (BIN / "ncdump", False), (installed("ncdump"), True):
        told = outcome([installed("script"), "-qec", f"{program} in.nc", "/dev/null"], tmp_path)
        assert ("\u202e" in told) is raw, told


def test_two_equal_types(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w", track_order=True) as f:
        for name in "a", "b":
            f[name] = np.dtype([("i", "i4")])
            f.create_dataset(f"of_{name}", (), dtype=f[name])
    assert b"a of_b" in ncdump("-h", path) and b"b of_b" in ncdump("-h", "--exact", path)
    check("a of_b", outcome([installed("ncdump"), "-h", path], tmp_path))


def enum(members, value=None):
    """Makes a file with a scalar `v` of an enum."""
    def write(f):
        kind = h5py.enum_dtype(members, basetype="i1")
        f["e"] = kind
        f.create_dataset("v", (), dtype=f["e"])[()] = next(iter(members.values())) if value is None else value
    return write


def attribute_with_slashes(f):
    f.create_dataset("v", data=1).attrs["a//b"] = 1


def characters_in_a_compound(f):
    kind = np.dtype([("c", "S1", (3,))])
    f["k"] = kind
    f.create_dataset("v", (), dtype=f["k"])[()] = np.array(([b"a", b"\n", b"b"],), kind)


def fixed_strings(f):
    f["v"] = np.array([b"ab", b"cd", b"ef"], "S2")


def variable_called_data(f):
    f["data"] = np.int32(1)


def type_called_as_a_variable(f):
    f["t"] = np.dtype([("i", "i4")])
    f.attrs.create("a", np.array((1,), f["t"].dtype), dtype=f["t"])
    group = f.create_group("g", track_order=True)
    group.create_dataset("t", data=1)
    group.attrs.create("a", np.array((1,), f["t"].dtype), dtype=f["t"])


def type_called_string(f):
    f["string"] = np.dtype([("i", "i4")])
    f.create_dataset("v", (), dtype=f["string"])


# The beginning of a row, what makes an HDF5 file, options, and what is found in our outcome and in theirs.
FILES = [
    ("a value of an enum that no member has", enum({"a": 1}, value=7), [], "v = 7", "!v = 7"),
    ("a value of an enum that no member has", enum({"a": 1}, value=0), [], "v = _UNDEFINED", "!v = _UNDEFINED"),
    ("It ends at a value", enum({"a": 1}, value=7), [], "status 0", "!status 0"),
    ("`//` in the name", attribute_with_slashes, ["-h"], r"v:a\\//b", "v:a//b"),
    ("`/` in the name of an enum's", enum({"a/b": 0}), [], r"v = a\\/b", "v = a/b"),
    ("a name (of an enum's member", enum({"-1": 0}), [], r"v = \\-1", "v = -1"),
    ("line breaks, tabs", characters_in_a_compound, [], r"a\\nb", r"!a\\nb"),
    ("In an array of strings of fixed length", fixed_strings, [], '"ab", "cd", "ef"', '!"ab", "cd", "ef"'),
    ("special attribute of a variable that is called", variable_called_data, ["-s"], "data :_Storage", "data:_Storage"),
    ("global attribute of a type", type_called_as_a_variable, ["-h"], "/t :a", "!/t :a"),
    ("a user type called", type_called_string, ["-h"], "/string v", r"\sstring v"),
]


@pytest.mark.parametrize("row, write, flags, ours, theirs", FILES, ids=[f"{n}-{c[0][:30]}" for n, c in enumerate(FILES)])
def test_rows_of_files(tmp_path, row, write, flags, ours, theirs):
    with h5py.File(tmp_path / "in.h5", "w", track_order=True) as f:
        write(f)
    for told, pattern in zip(both("ncdump", *flags, "in.h5", folder=tmp_path), (ours, theirs), strict=True):
        check(pattern, told)
