"""Through `ncdump --exact` and ncgen a file comes out with the values, types and kind that it had."""

import subprocess

import pytest
from conftest import BIN, CORPUS, installed, ncdump, needs_corpus

import generate

# Files of more text than a test should read.
LARGE = {"bigf1", "bigf2", "bigf3", "bigr1", "bigr2", "bigr3"}


def ncgen(text, output):
    """Makes a file of CDL with our ncgen."""
    source = output.with_suffix(".cdl")
    source.write_bytes(text)
    done = subprocess.run([BIN / "ncgen", "-o", output, source], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()


def check(path, folder):
    text = ncdump("--exact", "-n", "x", path)
    made = folder / "made.nc"
    ncgen(text, made)
    again = ncdump("--exact", "-n", "x", made)
    assert again.decode(errors="replace") == text.decode(errors="replace")
    assert ncdump("-k", made) == ncdump("-k", path)


@pytest.mark.parametrize("name", generate.MAKERS)
def test_generated(generated, tmp_path, name):
    check(generated / f"{name}.nc", tmp_path)


@needs_corpus
@pytest.mark.parametrize("path", sorted(CORPUS.glob("netcdf/*.nc")), ids=lambda p: p.name)
def test_corpus(tmp_path, path):
    check(path, tmp_path)


@needs_corpus
@pytest.mark.parametrize(
    "path", sorted(p for p in CORPUS.glob("cdl/*.cdl") if p.stem not in LARGE), ids=lambda p: p.name)
def test_corpus_from_text(tmp_path, path):
    made = tmp_path / "installed.nc"
    done = subprocess.run([installed("ncgen"), "-k", "nc4", "-o", made, path], capture_output=True, timeout=60)
    if done.returncode != 0:
        pytest.skip("the installed ncgen cannot read this text")
    check(made, tmp_path)
