"""The programs that `ncgen -l` prints: built, run, and what they make compared with what ncgen itself makes."""

import subprocess

import pytest

from conftest import BIN, CORPUS, compare, installed, needs_corpus

WHOLE_MODEL = r"""netcdf whole {
types:
  byte enum weather { clear = 0, cloudy\ sky = 1, storm = -1 } ;
  opaque(3) rgb ;
  int(*) list ;
  string(*) words ;
  compound inner { short a ; double b(2) ; char tag(4) ; } ;
  compound outer { byte flag ; inner in ; weather w(2) ; rgb colour ; list values ; string name ; int64 big ; } ;
dimensions:
  x = 3 ; t = unlimited ; n = 4 ; u = unlimited ;
variables:
  byte b(x) ; ubyte ub(x) ; short s(x) ; ushort us(x) ; int i(x) ; uint ui(x) ; int64 l(x) ; uint64 ul(x) ;
  float f(x) ; double d(x) ; char c(x, n) ; string str(x) ;
  weather w(x) ; rgb o(x) ; list v(x) ; words ws(x) ; outer k(x) ;
  float record(t, x) ; int ragged(t, u) ; double scalar ; float never(x) ;
    record:_ChunkSizes = 2, 3 ; record:_DeflateLevel = 4 ; record:_Shuffle = "true" ;
    i:_Storage = "chunked" ; i:_ChunkSizes = 2 ; i:_Fletcher32 = "true" ;
    s:_Endianness = "big" ;
    ub:_Storage = "compact" ;
    f:_FillValue = -9.f ;
    d:text = "a \"quoted\" ?? \\ text\nof two lines" ;
    d:nothing = "" ;
    d:numbers = 1b, 2b ;
    d:limits = -2147483648 ;
    d:reals = 1.5f, NaNf, Infinityf ;
    string d:strings = "one", "two", "" ;
    weather d:state = storm, clear ;
// global attributes:
  :title = "whole" ;
  :long = -9223372036854775808ll ;
data:
  b = -128, 0, 127 ; ub = 0, 128, 255 ; s = -32768, 0, 32767 ; us = 0, 1, 65535 ;
  i = -2147483648, 0, 2147483647 ; ui = 0, 1, 4294967295 ;
  l = -9223372036854775808, 0, 9223372036854775807 ; ul = 0, 1, 18446744073709551615 ;
  f = 1.5, NaN, -Infinity ; d = 1e-320, 0.1, Infinity ;
  c = "ab", "c\n?", "\"\\" ; str = "one", NIL, "three\001" ;
  w = clear, storm, clear ; o = 0x010203, 0xffffff, 0x000000 ;
  v = {1, 2, 3}, {}, {4} ; ws = {"a", "b"}, {}, {"c"} ;
  k = {1, {2, {3, 4}, "abcd"}, {clear, storm}, 0x0a0b0c, {5, 6}, "name", 7},
      {1, {2, {3, 4}, "ef"}, {clear, storm}, 0x0a0b0c, {}, "", -7},
      {-1, {2, {3, 4}, ""}, {storm, storm}, 0x000000, {9}, "z", 0} ;
  record = 1, 2, 3, 4, 5, 6, 7, 8, 9 ;
  ragged = {1, 2, 3}, {4}, {5, 6} ;
  scalar = -0.0 ;
group: g { group: h {
  dimensions: x = 2 ;
  variables: int i(x) ; i:units = "m" ;
  :in = "h" ;
  data: i = 1, 2 ;
} }
}
"""

CLASSIC_MODEL = r"""netcdf classic {
dimensions:
  x = 3 ; t = unlimited ; n = 45 ;
variables:
  byte b(x) ; short s(x) ; int i(x) ; float f(x) ; double d(x) ; char c(x, n) ; char letter ;
  float record(t, x) ; int scalar ; float never(x) ;
    f:_FillValue = -9.f ;
    d:text = "it's a text\nthat has to be cut, because it is longer than what fits into the seventy-two columns" ;
    d:nothing = "" ;
    d:reals = 1.5f, NaNf, Infinityf ;
    d:doubles = 1e-320, 0.1, -Infinity ;
    d:bytes = -128b, 127b ;
    d:limits = -2147483648, 2147483647 ;
  :title = "classic" ;
data:
  b = -128, 0, 127 ; s = -32768, 0, 32767 ; i = -2147483648, 0, 2147483647 ;
  f = 1.5, NaN, -Infinity ; d = 1e-320, 0.1, Infinity ;
  c = "it's", "a text of forty-five characters, and no less.", "\"\\" ; letter = "q" ;
  record = 1, 2, 3, 4, 5, 6, 7, 8, 9 ;
  scalar = 42 ;
}
"""


def ncgen(*arguments):
    command = [str(BIN / "ncgen"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.returncode == 0, f"{command}: {done.stderr.decode()}"
    return done.stdout


def flags(tool, *which):
    return subprocess.run([installed(tool), *which], capture_output=True, text=True, check=True).stdout.split()


def made_by_program(folder, language, cdl, *kind):
    """The file that the program for `cdl` makes, and the one that ncgen makes."""
    program, direct, made = folder / f"program.{language}", folder / "direct.nc", folder / "made.nc"
    ncgen(*kind, "-o", direct, cdl)
    program.write_bytes(ncgen(*kind, "-l", language if language == "c" else "f77", "-o", made, cdl))
    binary = folder / "program"
    if language == "c":
        build = ["cc", "-std=c99", "-Wall", "-Werror", "-Wno-unused"]
        libraries = [*flags("nc-config", "--cflags", "--libs"), "-lm"]
    else:
        installed("gfortran")
        build, libraries = ["gfortran"], flags("nf-config", "--fflags", "--flibs")
    done = subprocess.run([*build, "-o", binary, program, *libraries], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([binary], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return direct, made


def assert_same(direct, made):
    status, differences = compare("--layout", "--kind", direct, made)
    assert status == 0, differences


def test_c_makes_the_whole_model(tmp_path):
    cdl = tmp_path / "whole.cdl"
    cdl.write_text(WHOLE_MODEL)
    assert_same(*made_by_program(tmp_path, "c", cdl, "-k", "nc4"))


@pytest.mark.parametrize("kind", ["classic", "64-bit offset", "cdf5", "nc7"])
@pytest.mark.parametrize("language", ["c", "f"])
def test_the_classic_model_in_each_kind(tmp_path, language, kind):
    cdl = tmp_path / "classic.cdl"
    cdl.write_text(CLASSIC_MODEL)
    assert_same(*made_by_program(tmp_path, language, cdl, "-k", kind))


@needs_corpus
@pytest.mark.parametrize("name", ["ref_tst_comp2", "ref_tst_vlen_data2", "ref_tst_opaque_data", "ref_tst_econst2", "ref_solar"])
def test_c_makes_what_others_describe(tmp_path, name):
    assert_same(*made_by_program(tmp_path, "c", CORPUS / "cdl" / f"{name}.cdl", "-k", "nc4"))


def test_c_makes_types_in_the_order_of_the_file(tmp_path):
    cdl = tmp_path / "types.cdl"
    cdl.write_text("netcdf a { types: opaque(2) a ; a(*) b ; opaque(3) c ; group: g { types: b(*) d ; int(*) e ; } }")
    direct, made = (
        subprocess.run([installed("ncdump"), "-n", "a", path], capture_output=True, check=True).stdout
        for path in made_by_program(tmp_path, "c", cdl, "-k", "nc4")
    )
    assert made == direct and direct.index(b"c ;") < direct.index(b"b ;")


def test_fortran_refuses_what_it_cannot_say(tmp_path):
    cdl = tmp_path / "whole.cdl"
    cdl.write_text("netcdf a { variables: string s ; }")
    done = subprocess.run([BIN / "ncgen", "-k", "nc4", "-l", "f77", cdl], capture_output=True, text=True)
    assert done.returncode == 1 and "use -l c" in done.stderr, done.stderr


@pytest.mark.parametrize("language", ["c", "f77"])
def test_an_output_that_takes_no_more(tmp_path, language):
    """A reader that has enough is no error; a disk that is full is."""
    cdl = tmp_path / "large.cdl"
    cdl.write_text("netcdf a { dimensions: x = 50000 ; variables: int v(x) ; data: v = " + ", ".join(["1"] * 50000) + " ; }")
    command = f"'{BIN / 'ncgen'}' -l{language} '{cdl}'"
    done = subprocess.run(f"{command} | head -c 100 | wc -c ; echo ${{PIPESTATUS[0]}}",
                          shell=True, executable="/bin/bash", capture_output=True, text=True)
    assert (done.stdout.split(), done.stderr) == (["100", "0"], "")
    done = subprocess.run(f"{command} > /dev/full", shell=True, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("ncgen: cannot write: No space left"), done.stderr


def test_java_is_declined(tmp_path):
    cdl = tmp_path / "a.cdl"
    cdl.write_text("netcdf a { variables: int s ; }")
    done = subprocess.run([BIN / "ncgen", "-l", "java", cdl], capture_output=True, text=True)
    assert done.returncode == 1 and "-l c" in done.stderr and not done.stdout, done.stderr


