"""What our ncgen makes of a CDL text is what the installed one makes of it: structure, types, values and storage."""

import re
import subprocess

import pytest
from conftest import CORPUS, compare_pairs, installed, ncgen, needs_corpus

from samples.cdl import CLASSIC, SAMPLES

# Where the installed ncgen makes another file of a text of the corpus, and why ours is right.
OURS_IS_RIGHT = {
    "ref_const_test": "it cuts constants of 64 bits to 32 bits",
    "ref_tst_unlim2": "it moves characters behind a short row forward",
}

# Without values: the first two have variables of 4 GB, the others some that neither have values nor are filled, of which the
# installed ncdump prints what its memory holds.
HEADERS = {"bigf3", "bigr3", "ref_tst_special_atts", "ref_tst_special_atts3"}


def dumped(path, *flags):
    """What the installed ncdump prints, but for what tells which program wrote the file; None where it fails."""
    done = subprocess.run([installed("ncdump"), *flags, "-n", "x", str(path)], capture_output=True, timeout=60)
    if done.returncode != 0:
        return None
    return re.sub(rb"\t\t:_(NCProperties|SuperblockVersion) = .*\n", b"", done.stdout).decode(errors="backslashreplace")


def generate(text, kind, folder):
    """The two files, theirs first."""
    source, theirs, ours = folder / "x.cdl", folder / "theirs.nc", folder / "ours.nc"
    source.write_bytes(text)
    done = subprocess.run([installed("ncgen"), "-b", "-k", kind, "-o", str(theirs), str(source)], capture_output=True, timeout=60)
    assert done.returncode == 0, f"the installed ncgen: {done.stderr.decode(errors='replace')}"
    ncgen("-b", "-k", kind, "-o", ours, source)
    return theirs, ours


def check(texts, folder):
    """Pairs of (name, text, kind)."""
    failures, pairs, names = [], [], {}
    for number, (name, text, kind) in enumerate(texts):
        own = folder / str(number)
        own.mkdir()
        try:
            theirs, ours = generate(text, kind, own)
            flags = "-hs" if name in HEADERS else "-s"
            assert dumped(ours, flags) == dumped(theirs, flags), f"the installed ncdump {flags}"
        except AssertionError as error:
            failures.append(f"{name}: {str(error)[:2000]}")
            continue
        if name in HEADERS:
            continue
        names[str(theirs)] = name
        pairs.append((theirs, ours))
    for theirs, different in compare_pairs(pairs, "--layout", "--kind", "--attribute-types", "--any-allocation").items():
        failures += [f"{names[theirs]}: {line}" for line in different or []]
    assert not failures, f"{kind}:\n" + "\n".join(failures)


@pytest.mark.parametrize("kind", CLASSIC)
def test_samples(kind, some, tmp_path):
    check(some([(s.name, s.text, kind) for s in SAMPLES if kind in s.kinds and s.right is None]), tmp_path)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.right], ids=lambda s: s.name)
def test_where_ours_is_right(sample, tmp_path):
    """The lines that the installed ncdump prints of our file, white space aside."""
    for kind in sample.kinds:
        source, target = tmp_path / "x.cdl", tmp_path / "x.nc"
        source.write_bytes(sample.text)
        ncgen("-b", "-k", kind, "-o", target, source)
        text = " ".join(dumped(target).split())
        for line in sample.right:
            assert " ".join(line.split()) in text, (kind, sample.why)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.right], ids=lambda s: s.name)
def test_that_theirs_is_not(sample, tmp_path):
    """A row of the table above that can go, as the installed ncgen is right now, is found here."""
    source, target = tmp_path / "x.cdl", tmp_path / "x.nc"
    source.write_bytes(sample.text)
    kind = sample.kinds[-1]
    command = [installed("ncgen"), "-b", "-k", kind, "-o", str(target), str(source)]
    if subprocess.run(command, capture_output=True, timeout=60).returncode == 0:
        text = " ".join((dumped(target) or "").split())
        assert not all(" ".join(line.split()) in text for line in sample.right)


@needs_corpus
@pytest.mark.parametrize("kind", ["nc4", "nc3"])
def test_corpus(kind, some, tmp_path):
    texts = []
    for path in sorted(CORPUS.glob("cdl/*.cdl")):
        if path.stem in OURS_IS_RIGHT:
            continue
        target = tmp_path / "x.nc"
        target.unlink(missing_ok=True)
        command = [installed("ncgen"), "-b", "-k", kind, "-o", str(target), str(path)]
        # Where the kind cannot hold it, theirs says so and succeeds.
        if subprocess.run(command, capture_output=True, timeout=60).returncode == 0 and target.exists():
            texts.append((path.stem, path.read_bytes(), kind))
    assert len(texts) > 20
    check(some(texts), tmp_path)


# What a text without -k becomes: the least kind that holds it. The installed ncgen gets these wrong.
KINDS = {
    "variables: int v ; :a = 1b, 2b ;": "classic",
    "dimensions: t = UNLIMITED ; x = 2 ; variables: float v(t, x) ; char c ; double d ;": "classic",
    "variables: ubyte v ;": "cdf5",
    "variables: int64 v ;": "cdf5",
    "variables: int v ; :a = 1u ;": "cdf5",
    "variables: int v ; :a = 5000000000 ;": "cdf5",
    "variables: string v ;": "netCDF-4",
    'variables: int v ; string v:a = "x" ;': "netCDF-4",
    'string :a = "x", "y" ;': "netCDF-4",
    "types: int enum e { a = 1 } ;": "netCDF-4",
    "group: g { }": "netCDF-4",
    "dimensions: t = UNLIMITED ; u = UNLIMITED ; variables: int v(t) ; int w(u) ;": "netCDF-4",
    "dimensions: x = 2 ; t = UNLIMITED ; variables: int v(x, t) ;": "netCDF-4",
    "dimensions: x = 2 ; variables: int v(x) ; v:_DeflateLevel = 4 ;": "netCDF-4",
    'variables: int v ; :_Format = "64-bit offset" ;': "64-bit offset",
    'variables: ubyte v ; :_Format = "cdf5" ;': "cdf5",
    'variables: int v ; :_Format = "netCDF-4 classic model" ;': "netCDF-4 classic model",
    'variables: int v ; :_Format = "netCDF-4" ;': "netCDF-4",
}


@pytest.mark.parametrize("text", KINDS)
def test_kind_without_option(text, tmp_path):
    source, target = tmp_path / "x.cdl", tmp_path / "x.nc"
    source.write_text(f"netcdf x {{ {text} }}")
    ncgen("-b", "-o", target, source)
    done = subprocess.run([installed("ncdump"), "-k", str(target)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == KINDS[text]
    # What the kind was inferred from is there.
    declared = text.split(":")[1].split(";")[0] if text.startswith("variables") else ""
    assert " ".join(declared.split()) in " ".join(dumped(target).split())


KIND_OPTIONS = {
    "classic": ["-3", "-k1", "-k classic", "-k nc3"],
    "64-bit offset": ["-6", "-k2", "-k nc6", "-k 64-bit-offset", "-k 64-bit offset"],
    "cdf5": ["-5", "-k5", "-k nc5", "-k cdf5", "-k 64-bit-data"],
    "netCDF-4": ["-4", "-k3", "-k nc4", "-k netCDF-4", "-k netcdf4", "-k hdf5", "-k enhanced"],
    "netCDF-4 classic model": ["-7", "-k4", "-k nc7", "-k netCDF-4 classic model", "-k netCDF-4-classic"],
}


@pytest.mark.parametrize("kind", KIND_OPTIONS)
def test_kind_options(kind, tmp_path):
    source, target = tmp_path / "x.cdl", tmp_path / "x.nc"
    source.write_text('netcdf x { variables: int v ; :_Format = "netCDF-4 classic model" ; data: v = 1 ; }')
    for option in KIND_OPTIONS[kind]:
        flags = option.split(" ", 1)
        ncgen("-b", *flags, "-o", target, source)
        done = subprocess.run([installed("ncdump"), "-k", str(target)], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == kind, option
