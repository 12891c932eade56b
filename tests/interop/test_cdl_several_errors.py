"""All errors of a text are listed, and no output is made."""

import subprocess

import netCDF4
import numpy as np
import pytest
from conftest import BIN, installed, ncgen

TEXT = """netcdf several {
dimensions: x = 2 ; y = two ;
variables: int v(x) ; flaot w(x) ; int u(x, y) ; int a(z) ;
  v:units = m ;
data: v = 1, , 2 ; w = 1 ; missing = 3 ;
}
"""
VALUES = """netcdf values {
dimensions: x = 2 ;
variables: byte v(x) ; int w(x) ; double f ;
data: v = 300, 1 ; w = 1, 09 ; f = "a" ;
}
"""


def refused(folder, text, *flags):
    (folder / "a.cdl").write_text(text)
    command = [BIN / "ncgen", *flags, "a.cdl"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=60)
    assert done.returncode == 1 and [p.name for p in folder.iterdir()] == ["a.cdl"]
    lines = done.stderr.splitlines()
    heads, carets = lines[::3], lines[2::3]
    assert all(head.startswith("ncgen: a.cdl:") for head in heads), lines
    assert all(caret.strip() == "^" for caret in carets)
    return [tuple(map(int, head.split(":")[2:4])) for head in heads]


@pytest.mark.parametrize("flags", [[], ["-b"], ["-4", "-H"]])
def test_declarations(tmp_path, flags):
    assert refused(tmp_path, TEXT, *flags) == [(2, 25), (3, 23), (3, 56), (4, 13), (5, 14), (5, 28)]


@pytest.mark.parametrize("flags", [[], ["-b"], ["-l", "c"]])
def test_values(tmp_path, flags):
    assert refused(tmp_path, VALUES, *flags) == [(4, 11), (4, 27), (4, 36)]


def test_twenty_of_many_values(tmp_path):
    names = [f"v{n}" for n in range(100)]
    text = "netcdf a { variables: byte " + ", ".join(names) + " ;\ndata:\n" + "".join(f"{n} = 300 ;\n" for n in names) + "}"
    assert [line for line, _ in refused(tmp_path, text, "-b")] == list(range(3, 23))


def test_values_that_are_missing_are_told(tmp_path):
    """Not of text shorter than its row, nor of records that another variable has, nor of a variable without any values."""
    (tmp_path / "a.cdl").write_text(
        """netcdf a {
types: compound c { int a(2) ; int b ; } ;
dimensions: x = 3 ; t = unlimited ; n = 4 ;
variables: int v(x), r(t), s(t), q(t, x) ; c p(x) ; char text(x, n), word(n) ; int none(x) ; string z(x) ;
data:
 v = 1, 2 ;
 r = 1, 2, 3 ;
 s = 1, 2 ;
 q = 1, 2, 3, 4 ;
 p = {{1}, 2}, {{1, 2}} ;
 text = "ab", "c" ;
 word = "a" ;
 z = "a" ;
}
""")
    told = ncgen("-o", tmp_path / "a.nc", tmp_path / "a.cdl").splitlines()
    told = sorted(line.split("a.cdl:")[1] for line in told if "warning" in line)
    assert told == [
        "10:23: too few values: there is room for 2, and 1 is missing",
        "10:25: too few values: there is room for 3, and 1 is missing",
        "10:9: too few values: there is room for 2, and 1 is missing",
        "11:19: too few characters: there is room for 12, and 7 are missing",
        "13:10: too few values: there is room for 3, and 2 are missing",
        "6:11: too few values: there is room for 3, and 1 is missing",
        "9:17: too few values: there is room for 6, and 2 are missing",
    ], told


def test_what_netcdf_c_prints_of_names_with_signs_is_read(tmp_path):
    """Without a kind, as a classic file again. netcdf-bin's ncdump escapes all of these but the '%', which its ncgen refuses."""
    names = [f"a{chr(sign)}b" for sign in range(0x20, 0x7F) if chr(sign) != "/"]
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_CLASSIC") as made:
        for name in names:
            made.createDimension(name, 1)
            made.createVariable(name, "i1", (name,)).setncattr(name, np.int8(1))
    (tmp_path / "a.cdl").write_bytes(subprocess.check_output([installed("ncdump"), tmp_path / "a.nc"]))
    assert ncgen("-o", tmp_path / "b.nc", tmp_path / "a.cdl") == ""
    assert (tmp_path / "a.nc").read_bytes() == (tmp_path / "b.nc").read_bytes()


def test_names_that_classic_files_lack_make_netcdf4(tmp_path):
    """Without a kind, what ncdump prints of another program's file is read."""
    text = r"netcdf a { dimensions: \+y = 2 ; variables: int \.v(\+y) ; \.v:a\/b = 1 ; int a\ \  ; int c\%0ad ; data: \.v = 1, 2 ; }"
    (tmp_path / "a.cdl").write_text(text)
    told = ncgen("-o", tmp_path / "a.nc", tmp_path / "a.cdl")
    assert told.count("netCDF-C cannot create the name") == 5
    kind = subprocess.run([BIN / "ncdump", "-k", tmp_path / "a.nc"], capture_output=True, text=True, check=True)
    assert kind.stdout == "netCDF-4\n"
