"""Lists with more values than there is room for: netcdf-bin's ncgen takes the first ones, and says nothing."""

import subprocess

import pytest
from conftest import BIN, installed, ncdump

COMPOUND = "types: compound c { int a(2) ; int b ; } ;"
# Declarations, the list of `v`, the character of the list at which the warning points, and what it says.
LISTS = {
    "fixed": ("dimensions: x = 3 ;", "int v(x)", "1, 2, 3, 4, 5", 9, "3, and 2 are"),
    "rows": ("dimensions: x = 2 ; y = 2 ;", "int v(x, y)", "1,2,3,4,5,6", 8, "4, and 2 are"),
    "strings": ("dimensions: x = 2 ;", "string v(x)", '"a", "b", "c"', 10, "2, and 1 is"),
    "other kinds of values": ("dimensions: x = 1 ;", "int v(x)", '1, "abc", 1e400, 0x12', 3, "1, and 3 are"),
    "fill": ("dimensions: x = 2 ;", "double v(x)", "1.5, 2.5, _", 10, "2, and 1 is"),
    "lists": ("dimensions: x = 2 ; u = UNLIMITED ;", "int v(x, u)", "{1, 2}, {3}, {4, 5, 6}", 13, "2, and 1 is"),
    "enum": ("types: byte enum e { A = 1, B = 2 } ; dimensions: x = 2 ;", "e v(x)", "A, B, A", 6, "2, and 1 is"),
    "opaque": ("types: opaque(2) o ; dimensions: x = 1 ;", "o v(x)", "0xaabb, 0xccdd", 8, "1, and 1 is"),
    "vlen": ("types: int(*) t ; dimensions: x = 1 ;", "t v(x)", "{1, 2}, {3}", 8, "1, and 1 is"),
    "compound": (COMPOUND + " dimensions: x = 1 ;", "c v(x)", "{{1, 2}, 3}, {{4, 5}, 6}", 13, "1, and 1 is"),
    "field": (COMPOUND, "c v", "{{1, 2, 3, 4}, 5}", 8, "2, and 2 are"),
}
# Where netcdf-bin 4.9 crashes on its own warning.
TEXTS = {
    "row": ("x = 3", "(x)", '"abcdef"', '"abc"', 0),
    "strings": ("x = 3", "(x)", '"ab", "cd"', '"abc"', 6),
    "characters": ("x = 3", "(x)", "'a', 'b', 'c', 'd'", '"abc"', 15),
    "rows": ("x = 2 ; y = 3", "(x, y)", '"a", "bcd", "e"', '"a", "bcd"', 12),
}
ERRORS = {
    "one value": ("int v", "1, 2", "too many values: there is room for 1"),
    "compound": ("c v", "{{1, 2}, 3, 4}", "too many values: the compound has 2 fields"),
}


def text(head, variable, values):
    return f"netcdf n {{\n{head}\nvariables: {variable} ; int after ;\ndata:\n v = {values} ;\n after = 7 ;\n}}\n"


def ncgen(folder, content, ok=True):
    """Makes `ours.nc` of a text; returns the lines on standard error."""
    (folder / "n.cdl").write_text(content)
    command = [BIN / "ncgen", "-4", "-o", folder / "ours.nc", folder / "n.cdl"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == (0 if ok else 1), done.stderr
    return done.stderr.splitlines()


@pytest.mark.parametrize("name", LISTS)
def test_the_first_are_taken_as_by_netcdf_c(name, tmp_path):
    head, variable, values, at, said = LISTS[name]
    lines = ncgen(tmp_path, text(head, variable, values))
    place = f"{tmp_path}/n.cdl:5:{6 + at}"
    assert lines[0] == f"ncgen: warning: {place}: too many values: there is room for {said} left out"
    assert len(lines) == 3 and lines[2].index("^") == lines[1].index(values) + at
    subprocess.run([installed("ncgen"), "-4", "-o", tmp_path / "theirs.nc", tmp_path / "n.cdl"], check=True)
    ours, theirs = (ncdump("-n", "n", tmp_path / f"{whose}.nc") for whose in ("ours", "theirs"))
    assert ours == theirs and b"after = 7" in ours


@pytest.mark.parametrize("name", TEXTS)
def test_characters(name, tmp_path):
    lengths, shape, values, taken, at = TEXTS[name]
    lines = ncgen(tmp_path, text(f"dimensions: {lengths} ;", f"char v{shape}", values))
    assert f"n.cdl:5:{6 + at}: too many characters" in lines[0]
    ours = ncdump("-n", "n", tmp_path / "ours.nc")
    assert not ncgen(tmp_path, text(f"dimensions: {lengths} ;", f"char v{shape}", taken))
    assert ours == ncdump("-n", "n", tmp_path / "ours.nc")


@pytest.mark.parametrize("name", ERRORS)
def test_what_netcdf_c_does_not_take_is_an_error(name, tmp_path):
    variable, values, why = ERRORS[name]
    assert why in ncgen(tmp_path, text(COMPOUND, variable, values), ok=False)[0]


def test_a_check_warns_too(tmp_path):
    (tmp_path / "n.cdl").write_text(text("dimensions: x = 1 ;", "int v(x)", "1, 2"))
    done = subprocess.run([BIN / "ncgen", tmp_path / "n.cdl"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr.startswith("ncgen: warning:")
