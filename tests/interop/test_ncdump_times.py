"""Times as dates: our `ncdump -t` and `-i` print what the installed one prints."""

import random
import re
import subprocess

import netCDF4
import numpy
import pytest
from allowed_differences import vertical_tabs
from conftest import CORPUS, each_in_corpus, installed, ncdump, needs_corpus

UNITS = ["seconds", "sec", "s", "S", "minutes", "mn", "hours", "Hr", "days", "day", "DAYS", "dy", "weeks", "wk", "months", "mo",
         "seasons", "years", "yr", "microfortnights", "h", "d", "msec", "yrs"]
CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day", "all_leap", "366_day", "360_day",
             "NoLeap", "360", "tai", None]
BASES = ["1990-01-01", "1990-1-1 12:30", "2000-02-29 23:59:59.5", "1970-01-01T00:00:00Z", "1858-11-17 00:00:00 UTC", "0001-01-01",
         "0000-01-01", "0000-00-00", "1582-10-14", "1582-10-15 06", "1583", "1600-02", "-0044-03-15", "1900-01-01 24:00",
         "1900-13-01", "2024-12-31T23", "1800-1-1 0:0:0.25", "1492-10-12 10:00 +5"]
NO_DATES = ["0000-00-00", "1900-13-01"]
TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
# How far from the base: in seconds, days and so on the numbers differ by as much.
REACH = [3, 400, 40_000, 1_000_000]


def theirs(path, flags):
    done = subprocess.run([installed("ncdump"), *flags, "-n", "x", str(path)], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def same(path, *flags):
    wanted = theirs(path, flags).decode(errors="replace").splitlines()
    got = ncdump(*flags, "-n", "x", path).decode(errors="replace").splitlines()
    assert got == wanted


def values(rng, dtype, count):
    reach = rng.choice(REACH)
    if dtype[0] == "f":
        made = [rng.choice([rng.uniform(-reach, reach), rng.randint(-reach, reach), rng.randint(-reach, reach) + rng.choice([0.25, 0.1])])
                for _ in range(count)]
    else:
        limits = numpy.iinfo(dtype)
        made = [rng.randint(max(-reach, limits.min + 1), min(reach, limits.max - 1)) for _ in range(count)]
    return numpy.array(made, dtype)


def random_file(path, seed, kind):
    """Forty variables of random unit, base, calendar, type and shape, with attributes. Bounds only for the last, as netCDF-C
    sees those only."""
    rng = random.Random(seed)
    types = TYPES if kind == "NETCDF4" else ["i1", "i2", "i4", "f4", "f8"]
    with netCDF4.Dataset(path, "w", format=kind) as out:
        out.createDimension("t", rng.randint(1, 9))
        out.createDimension("two", 2)
        for at in range(40):
            group = out.createGroup(f"g{at}") if kind == "NETCDF4" and at % 10 == 3 else out
            dtype = rng.choice(types)
            var = group.createVariable(f"time{at}", dtype, rng.choice([(), ("t",), ("t", "two")]),
                                       fill_value=rng.choice([None, 1]))
            unit = rng.choice(UNITS)
            # 0 months from a date that is none is not one either, and netCDF-C shows what is in its memory.
            bases = [base for base in BASES if unit[0] not in "msy" or base not in NO_DATES]
            var.units = f"{unit} since {rng.choice(bases)}"
            calendar = rng.choice(CALENDARS)
            if calendar:
                var.calendar = calendar
            var[...] = values(rng, dtype, max(1, var.size)).reshape(var.shape)
            for length in 1, 2, 3, 17:
                other = rng.choice(types)
                var.setncattr(f"a{length}", values(rng, other, length))
            if at == 39:
                var.bounds = f"bounds{at}"
                bounds = group.createVariable(f"bounds{at}", "f8", ("t", "two"))
                bounds.valid_min = 3.5
                bounds[...] = values(rng, "f8", bounds.size).reshape(bounds.shape)


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF4"])
@pytest.mark.parametrize("seed", range(15))
def test_random(tmp_path, seed, kind):
    path = tmp_path / "x.nc"
    random_file(path, seed, kind)
    same(path, "-t")
    same(path, "-i")
    same(path, "-ht")


@pytest.mark.parametrize("flag", ["-t", "-i"])
@each_in_corpus("netcdf/*.nc")
def test_corpus(path, flag):
    done = subprocess.run([installed("ncdump"), flag, "-n", "x", str(path)], capture_output=True, timeout=60)
    if done.returncode != 0:
        pytest.skip("the installed ncdump cannot print this file")
    got, wanted = ncdump(flag, "-n", "x", path), vertical_tabs(done.stdout)
    if b"CDMS error" in done.stderr:
        # A fill value that is no date: what is in its memory may even be a new line.
        got, wanted = (re.sub(rb":_FillValue = .*?\n\t", b"", text, flags=re.DOTALL) for text in (got, wanted))
    assert got.decode(errors="replace") == wanted.decode(errors="replace")


def generated(tmp_path, cdl, flag="-t", sections=2):
    """Our text of what the installed ncgen makes of a CDL text, and theirs: from the first data section to the second."""
    (tmp_path / "x.cdl").write_text(cdl)
    subprocess.run([installed("ncgen"), "-4", "-o", tmp_path / "x.nc", tmp_path / "x.cdl"], check=True)
    texts = ncdump(flag, tmp_path / "x.nc").decode(), theirs(tmp_path / "x.nc", [flag]).decode(errors="replace")
    return ["".join(text.split("data:\n")[1:sections]) for text in texts]


@needs_corpus
@pytest.mark.parametrize("flag", ["-t", "-i"])
def test_corpus_of_all_units(tmp_path, flag):
    ours, theirs = generated(tmp_path, (CORPUS / "cdl" / "n3time.cdl").read_text(), flag)
    assert ours == theirs


def test_nothing_stops_at_a_value(tmp_path):
    """Where the installed ncdump prints what happens to be in its memory, the number stands."""
    ours, _ = generated(tmp_path, """netcdf x { dimensions: n = 7 ; variables:
        double time(n) ; time:units = "days since 1990-01-01" ;
        int64 big(n) ; big:units = "weeks since 1990-01-01" ;
        data: time = NaN, Infinity, -Infinity, 1e10, -1e300, _, 1.5 ;
        big = 9223372036854775807, -9223372036854775807, 0, 1, 2, 3, 1000000000 ; }""")
    assert 'time = NaN, Infinity, -Infinity, 10000000000, -1e+300, _, "1990-01-02 12" ;' in ours
    assert "big = 9223372036854775807, -9223372036854775807, \"1990-01-01\"" in ours and "1000000000 ;" in ours


def test_where_theirs_is_no_date_of_the_calendar(tmp_path):
    ours, theirs = generated(tmp_path, """netcdf x { variables:
        int a ; a:units = "days since 1582-10-16" ;
        double b ; b:units = "hours since 1990-01-01" ;
        int c ; c:units = "days since 1990-03-05 06:00" ; c:calendar = "none" ;
        int d ; d:units = "days since 3-5 06:00" ; d:calendar = "none" ;
        int e ; e:units = "seconds since launch" ;
        data: a = -1 ; b = 23.9999999999 ; c = 1 ; d = 1 ; e = 1 ; }""")
    for name, wanted, got in [("a", '"1582-10-15"', '"1582-10-05"'), ("b", '"1990-01-02"', '"1990-01-01 24"'),
                              ("c", '"03-06 06"', '"01-04"'), ("d", '"03-06 06"', '"03-06 06"'),
                              ("e", "1", '"0000-01-01 00:00:0.999995"')]:
        assert f" {name} = {wanted} ;" in ours
        assert f" {name} = {got} ;" in theirs


def test_attributes_that_are_strings(tmp_path):
    """netCDF-C 4.9 reads attributes of characters only; 4.10 both."""
    ours, _ = generated(tmp_path, """netcdf x { dimensions: n = 1 ; two = 2 ; variables:
        int t(n) ; string t:units = "days since 2000-02-28" ; string t:calendar = "noleap" ; string t:bounds = "b" ;
        int b(n, two) ; int c(n, two) ;
        data: t = 1 ; b = 1, 2 ; c = 1, 2 ; }""")
    assert 't = "2000-03-01" ;' in ours and '"2000-03-01", "2000-03-02" ;' in ours and "  1, 2 ;" in ours


def test_bounds_belong_to_the_variable_that_names_them(tmp_path):
    """netCDF-C knows only the last, and takes any later variable of that name, in whatever group, and none that comes before."""
    ours, _ = generated(tmp_path, """netcdf x { dimensions: n = 1 ; two = 2 ; variables: int b(n, two) ;
        int u(n) ; u:units = "days since 2000-02-28" ; u:bounds = "c" ; int c(n, two) ;
        int v(n) ; v:bounds = "d" ;
        data: b = 1, 2 ; c = 1, 2 ;
        group: g { variables: int t(n) ; t:units = "days since 2000-02-28" ; t:bounds = "b" ; data: t = 1 ; }
        group: h { variables: int b(n, two) ; data: b = 3, 4 ; } }""", sections=None)
    assert ours.count('"2000-02-29", "2000-03-01" ;') == 2 and "3, 4 ;" in ours
