"""Flags that change how our ncdump lays values out: the same bytes as the installed one prints."""

import os
import random
import re
import struct
import subprocess

import netCDF4
import numpy as np
import pytest
from allowed_differences import scalars, vertical_tabs
from conftest import BIN, each_in_corpus, installed, ncdump, ncgen

import generate

FLAGS = [
    ["-b", "c"],
    ["-bF"],
    ["-f", "c"],
    ["-ff"],
    ["-b", "f", "-f", "c"],
    ["-l", "30"],
    ["-l0310"],
    ["-p", "4"],
    ["-p9,17"],
    ["-p", "20,20"],
    ["-d", "3,5"],
    ["-d3,5", "-p4"],
    ["-g", "/"],
    ["-K"],
    ["-wL", "1", "-X", "m"],
]


def theirs(path, *flags):
    done = subprocess.run([installed("ncdump"), *flags, str(path)], capture_output=True, timeout=60)
    if done.returncode != 0 and flags[:2] == ("-g", "/"):
        # To netCDF-C a classic file has no group, not even this one.
        return theirs(path, *flags[2:])
    if done.returncode != 0:
        pytest.skip("the installed ncdump cannot print this file")
    return done.stdout


def same(path, flags):
    wanted, found = vertical_tabs(scalars(theirs(path, *flags, "-n", "x"))), scalars(ncdump(*flags, "-n", "x", path))
    assert found.decode(errors="replace") == wanted.decode(errors="replace")


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@pytest.mark.parametrize("name", sorted(generate.MAKERS))
def test_generated(printable, name, flags):
    same(printable(name), flags)


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
@each_in_corpus("netcdf/*.nc")
def test_corpus(path, flags):
    same(path, flags)


CDL = """netcdf x {
types:
  int enum colours {red = 1, green = 2} ;
dimensions: x = 3 ; y = 2 ; one = 1 ; r = UNLIMITED ; s = UNLIMITED ;
variables:
  float f(y, x) ; f:C_format = "%8.3f" ; f:a = 1.23456789f ;
  double d(y, x) ; d:C_format = "%-12.3e" ; d:a = 1.2345678901234567 ;
  double sci(x) ; sci:C_format = "%+.9G" ;
  double alternate(x) ; alternate:C_format = "%#.4g" ;
  int i(y, one) ; i:C_format = "%-6d" ;
  int64 big(x) ; big:C_format = " %'+22lld" ;
  byte b(x) ; b:C_format = "%5.1d" ;
  ubyte ub(x) ; ub:C_format = "%#o" ;
  short sh(x) ; sh:C_format = "% i" ;
  uint u(x) ; u:C_format = "%#12o" ;
  int scalar ; string text ; string texts(r, s) ;
  int records(r, s, x) ; int inner(s, x) ;
  float near(x) ; near:_FillValue = 1.f ;
  double infinite(x) ; infinite:_FillValue = NaN ; infinite:C_format = "%.2f" ;
  colours c(x) ;
data:
  f = 1.5, 2.25, 3.0625, -4, 5e7, 6 ; d = 1, 2, 3, 4, -5, 1e100 ; sci = 1, 1e-7, 123456789.25 ;
  alternate = 1, 12345, 0.00001 ;
  i = 15, -1 ; big = 1, -2, 3000000000000 ; b = 1, 2, -3 ; ub = 0, 8, 255 ; sh = 1, -1, 0 ; u = 0, 4294967294, 16 ;
  scalar = 5 ; text = "a" ;
  texts = {"LONG", "b"}, {"c", "d"} ;
  records = {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12} ; inner = 1, 2, 3, 4, 5, 6 ;
  near = 1, 1.0000001, 1.0000002 ; infinite = NaN, Infinity, 0.005 ; c = red, green, red ;
group: g { dimensions: x = 2 ; variables: int v(x) ; int w(y, x) ; data: v = 1, 2 ; w = 1, 2, 3, 4 ;
group: h { variables: int v(y) ; data: v = 5, 6 ; } }
group: h { variables: int v(y) ; data: v = 7, 8 ; }
}
""".replace("LONG", "a string that is longer than a line may be, so that it stands in a line of its own, alone")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    (folder / "made.cdl").write_text(CDL)
    subprocess.run([installed("ncgen"), "-k", "nc4", "-o", folder / "made.nc", folder / "made.cdl"], check=True)
    return folder / "made.nc"


@pytest.mark.parametrize("flags", [[], *FLAGS, *(["-g", g] for g in ("g", "/h", "/g/h", "h,g", "/g/", "h"))], ids=" ".join)
def test_made(made, flags):
    same(made, flags)


LISTS = """netcdf w {
types:
  int enum colours {red = 1, green = 2, blue = 3, yellow = 4, violet = 5, black = 6, white = 7} ;
  compound pair { int a; int b; } ;
  int enum shades {red = 1, green = 2, blue = 3, yellow = 4, violet = 5, black = 6, white = 7} ;
  int(*) list ;
variables:
  int v ;
  pair v:a = {1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}, {15, 16}, {17, 18} ;
  list v:l = {1, 2}, {3, 4, 5}, {6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}, {15, 16}, {17, 18} ;
  pair :a = {1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}, {15, 16}, {17, 18} ;
data: v = 1;
group: g {
types:
  int enum tints {red = 1, green = 2, blue = 3, yellow = 4, violet = 5, black = 6, white = 7} ;
variables:
  int v ;
  pair v:a = {1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}, {13, 14}, {15, 16}, {17, 18} ;
data: v = 1;
}
}
"""


@pytest.mark.parametrize("enums", [True, False])
@pytest.mark.long
def test_any_line_length(tmp_path, enums):
    """Columns are counted on from list to list: enums, and attributes of compounds and sequences."""
    lines = LISTS.splitlines(keepends=True)
    (tmp_path / "a.cdl").write_text("".join(line for line in lines if enums or "enum" not in line))
    subprocess.run([installed("ncgen"), "-k", "nc4", "-o", tmp_path / "a.nc", tmp_path / "a.cdl"], check=True)
    for length in range(10, 130):
        same(tmp_path / "a.nc", ["-l", str(length)])


def test_formats_that_do_not_fit_the_type_do_not_count(tmp_path):
    formats = ["%s", "%n", "%d", "%f%f", "%*f", "%.200f", "%300f", "x%f", "%f m", "%", "", "%.", "%1$f", "%hhn", "%a"]
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as d:
        d.createDimension("x", 2)
        for n, text in enumerate(formats):
            v = d.createVariable(f"v{n}", "f4", ("x",))
            v.setncattr("C_format", text)
            v[:] = 1.5, 2.5
        v = d.createVariable("i", "i4", ("x",))
        v.C_format = "%f"
        v[:] = 1, 2
        v = d.createVariable("c", "S1", ("x",))
        v.C_format = "%c"
        v[:] = "a", "b"
    text = ncdump(tmp_path / "a.nc").decode()
    for n in range(len(formats)):
        assert f"\n v{n} = 1.5, 2.5 ;\n" in text
    assert "\n i = 1, 2 ;\n" in text
    assert '\n c = "ab" ;\n' in text


def test_errors(generated):
    path = generated / "cdf1.nc"
    for flags in ["-p0"], ["-p21"], ["-p3,"], ["-l9"], ["-bx"], ["-Xq"], ["-g", "nowhere"], ["-v", "nowhere"], ["-h", "-v", "nowhere"]:
        assert subprocess.run([installed("ncdump"), *flags, path], capture_output=True).returncode == 1
        done = subprocess.run([BIN / "ncdump", *flags, path], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("ncdump: ") and len(done.stderr.splitlines()) == 1


def test_provenance_can_be_left_out(made):
    assert b":_NCProperties = " in ncdump("-hs", made)
    assert b":_NCProperties = " not in ncdump("-hsXp", made)


@pytest.mark.parametrize("digits", [1, 2, 3, 5, 6, 7, 8, 9, 10, 13, 15, 16, 17, 18, 20])
def test_digits_are_those_of_the_c_library(tmp_path, digits):
    rng = random.Random(digits)
    doubles = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(200_000)]
    doubles += [rng.choice((-1, 1)) * rng.randrange(10**9) / 2 ** rng.randrange(30) for _ in range(50_000)]
    doubles += [round(rng.gauss(0, 1), rng.randrange(8)) * 10.0 ** rng.randrange(-20, 20) for _ in range(50_000)]
    doubles = np.array(doubles)
    floats = np.frombuffer(rng.randbytes(4 * 200_000), "<f4")
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format="NETCDF3_64BIT_OFFSET") as d:
        for name, kind, values in ("f", "f4", floats), ("d", "f8", doubles):
            values = values[np.isfinite(values)]
            d.createDimension(name, len(values))
            d.createVariable(name, kind, (name,), fill_value=np.nan)[:] = np.ma.masked_array(values, mask=False)
    text = ncdump("-p", f"{digits},{digits}", "-l", "10", tmp_path / "a.nc").decode()
    for name, values in ("f", floats), ("d", doubles):
        data = text.split(f"\n {name} = ")[1].split(" ;")[0]
        found = [item.strip() for item in data.split(",")]
        wanted = [f"%.{digits}g" % value for value in values[np.isfinite(values)].tolist()]
        assert found == wanted


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Chunks that lie across the order of values, long rows, and rows of characters."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(1)
    with netCDF4.Dataset(folder / "large.nc", "w") as d:
        for name, length in ("t", 64), ("y", 300), ("x", 500), ("n", 2_000_000), ("u", None):
            d.createDimension(name, length)
        d.createVariable("across", "f4", ("t", "y", "x"), chunksizes=(64, 20, 30), zlib=True)[:] = rng.normal(size=(64, 300, 500))
        d.createVariable("layers", "f4", ("u", "y", "x"), chunksizes=(60, 50, 500))[:] = rng.normal(size=(130, 300, 500))
        d.createVariable("row", "i4", ("n",), chunksizes=(300_000,))[:] = rng.integers(-(2**31), 2**31, 2_000_000) >> rng.integers(0, 32, 2_000_000)
        letters = rng.integers(0, 90, 2_000_000).clip(35).astype("u1")
        letters[letters == 35] = 0
        letters[-100_000:] = 0
        d.createVariable("letters", "S1", ("n",))[:] = letters.view("S1")
        d.createVariable("words", str, ("y", "x"))[:] = np.array([["w" * (n % 7)] * 500 for n in range(300)], object)
        d["words"][5] = np.array([f"{n}" for n in range(500)], object)
    return folder / "large.nc"


@pytest.mark.long
def test_large_variables(large):
    assert ncdump("-n", "x", large) == theirs(large, "-n", "x")
    assert ncdump("-n", "x", "-b", "c", "-l", "50", large) == theirs(large, "-n", "x", "-b", "c", "-l", "50")


@pytest.mark.long
def test_without_room_for_temporary_files(large):
    flags = ["-n", "x", "-v", "across"]
    done = subprocess.run([BIN / "ncdump", *flags, large], capture_output=True, env={**os.environ, "TMPDIR": "/nowhere"})
    assert done.returncode == 0 and done.stderr == b""
    assert done.stdout == theirs(large, *flags)


def test_a_reader_that_has_enough(large):
    done = subprocess.run(f"'{BIN / 'ncdump'}' '{large}' | head -c 3000000 | wc -c; echo ${{PIPESTATUS[0]}}",
                          shell=True, executable="/bin/bash", capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == (["3000000", "0"], "")


@pytest.mark.parametrize("flags", ["", "-h", "-k", "-K", "-x", "--json", "--exact", "--help", "--version"])
def test_an_output_that_is_full(flags, tmp_path):
    netCDF4.Dataset(tmp_path / "a.nc", "w").close()
    with open("/dev/full", "w") as full:
        done = subprocess.run([BIN / "ncdump", *flags.split(), tmp_path / "a.nc"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and re.fullmatch(r"ncdump: cannot write: No space left.*\n", done.stderr), done.stderr


@pytest.mark.parametrize("digits", ["5x", "5,9x", "5,9,3", " +5", "5x,9"])
def test_what_stands_behind_a_number_is_ignored(digits, tmp_path):
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as d:
        d.createVariable("f", "f4")[:] = 1.23456789
        d.createVariable("g", "f8")[:] = 1.23456789012345678
    assert ncdump("-p", digits, tmp_path / "a.nc") == theirs(tmp_path / "a.nc", "-p", digits)


def test_what_comes_before_damage_is_printed(large, tmp_path):
    """A chunk in the middle cannot be decoded: text up to there, one line on standard error, status 1."""
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as d:
        d.createDimension("x", 1_000_000)
        d.createVariable("v", "i4", ("x",), chunksizes=(100_000,), zlib=True, fletcher32=True)[:] = np.arange(1_000_000)
    whole = ncdump("-n", "x", tmp_path / "a.nc")
    bytes = bytearray((tmp_path / "a.nc").read_bytes())
    bytes[len(bytes) * 6 // 10] ^= 1
    (tmp_path / "a.nc").write_bytes(bytes)
    done = subprocess.run([BIN / "ncdump", "-n", "x", tmp_path / "a.nc"], capture_output=True)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1 and b"variable v" in done.stderr
    assert whole.startswith(done.stdout.rstrip(b"\n")) and 2_000_000 < len(done.stdout) < len(whole)


@pytest.mark.parametrize("ty, values", [
    ("byte", [1, 8, 9, 16, 127, -1, -128]),
    ("ubyte", [1, 8, 9, 16, 255]),
    ("short", [1, 8, 10, 256, -1, -32768]),
    ("ushort", [1, 8, 10, 256, 65535]),
    ("int", [1, 8, 10, 65536, -1, -2**31]),
    ("uint", [1, 8, 10, 65536, 2**32 - 1]),
    ("int64", [1, 8, 10, 65536, -1, 3 * 10**12]),
    ("uint64", [1, 8, 10, 65536, 2**64 - 1]),
    ("float", [1, 8, 10, 65536, -1, float(np.float32(1e20))]),
    ("double", [1, 8, 10, 65536, -1, 1e30]),
])
def test_what_a_format_gives_is_read_back(tmp_path, ty, values):
    """Hexadecimal numbers would be read as bytes, those behind zeros as octal, and there are integers of 64 bits at most."""
    integers = ["%d", "%5d", "%-5i", "%+d", "% d", "%u", "%x", "%X", "%#x", "%#X", "%o", "%#o", "%#8o", "%05d", "%.5d", "%.0d", "%-05d", "%08x",
                "%.3u", "%8.2d", "%+06d"]
    reals = ["%.0f", "%f", "%08.0f", "%#08.0f", "%08.2f", "%010.9g", "%#010.9g", "%.40g", "%012.7e", "%.9g", "%-08.0f"]
    formats = reals if ty in ("float", "double") else integers
    text = "".join(f'  {ty} v{n}(x) ; v{n}:C_format = "{text}" ;\n' for n, text in enumerate(formats))
    data = "".join(f"  v{n} = {', '.join(map(str, values))} ;\n" for n in range(len(formats)))
    cdl = tmp_path / "a.cdl"
    cdl.write_text(f"netcdf a {{ dimensions: x = {len(values)} ; variables:\n{text}data:\n{data}}}\n")
    ncgen("-k", "nc4", "-o", tmp_path / "a.nc", cdl)
    cdl.write_bytes(ncdump(tmp_path / "a.nc"))
    ncgen("-k", "nc4", "-o", tmp_path / "b.nc", cdl)
    with netCDF4.Dataset(tmp_path / "a.nc") as a, netCDF4.Dataset(tmp_path / "b.nc") as b:
        a.set_auto_mask(False)
        b.set_auto_mask(False)
        for n, text in enumerate(formats):
            assert a[f"v{n}"][:].tolist() == values
            assert b[f"v{n}"][:].tolist() == values, (text, cdl.read_text())


@pytest.mark.parametrize("flags", [["-c", "-v", "v"], ["-v", "x,v", "-c"], ["-c"], ["-h", "-c", "-v", "x"]], ids=" ".join)
def test_coordinate_variables_that_are_listed(tmp_path, flags):
    cdl, path = tmp_path / "a.cdl", tmp_path / "a.nc"
    cdl.write_text("netcdf a { dimensions: x = 2 ; y = 2 ; variables: int x(x), v(x), y(y) ; data: x = 1, 2 ; v = 3, 4 ; y = 5, 6 ; }")
    subprocess.run([installed("ncgen"), "-o", path, cdl], check=True)
    same(path, flags)
