"""What the installed ncdump 4.9.0 prints, with what netCDF-C 4.10 and ours print instead; all of it stands in docs/reference/differences-ncdump.md.

A test that compares our text with the installed program's changes it by these functions and in no other way.
"""

import re

# Files of generate.py with types that are not committed; what is of such a type 4.9.0 leaves out without a word.
ANONYMOUS_TYPES = ("h5py_earliest", "h5py_ordered", "h5py_userblock")


def as_4_10(text):
    """4.9.0 does not know files of the classic model, and empty ones, for its own."""
    return text.replace(b"_IsNetcdf4 = 0", b"_IsNetcdf4 = 1") if b"\t:_NCProperties = " in text else text


def sections_as_names(text):
    """An attribute of a variable that is called as a section, which would begin that section."""
    return re.sub(rb"(?m)^(\s*\t\t)(data|types|dimensions|variables|group):(?=_)", rb"\1\2 :", text)


def vertical_tabs(text):
    """`\\v`, which ncgen does not know, and the strings that netCDF-C begins after a line break in a row of `char`."""
    return re.sub(rb"\\(.)", lambda escape: b"\\013" if escape[1] == b"v" else escape[0], text.replace(b'\\n",\n    "', b"\\n"))


def scalars(text):
    """Fortran's index of a scalar is uninitialised memory in netCDF-C; here it is 1."""
    return re.sub(rb"(?m)^( +\S+ = .*;  // \S+)\(\d+\)$", rb"\1(1)", text)


def without_ordered_filters(ours, theirs):
    """Both texts without the filters of variables of which ours gives all filters in one attribute, to tell their order."""
    names = re.findall(rb'^\t*(\S+):_Filter = "(?:[^"]*\|)?[123][,|"]', ours, re.M)
    for name in names:
        line = rb"^\t*" + re.escape(name) + rb":_(Filter|Fletcher32|Shuffle|DeflateLevel) = .*\n"
        ours, theirs = re.sub(line, b"", ours, flags=re.M), re.sub(line, b"", theirs, flags=re.M)
    return ours, theirs
