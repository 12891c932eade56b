"""With every display flag our ncdump prints what the installed one prints, of files that the installed ncgen made of the corpus.

What may differ is in allowed_differences.py, or named below; all of it stands in docs/reference/differences-ncdump.md.
"""

import subprocess

import pytest
from allowed_differences import as_4_10, scalars, sections_as_names
from conftest import CORPUS, installed, ncdump, needs_corpus

FLAGS = [
    "-h", "-c", "-s", "-hs", "-k", "-t", "-i", "-b c", "-b f", "-f c", "-f f", "-l 40", "-l 120", "-p 5,9", "-p 3", "-n name",
    "-v d,v1,i,cr,time,P", "-w", "-b f -l 60 -n y", "-b c -p 9,17 -s", "-hs -t",
]

# Large, or with variables of which netCDF-C prints what its memory holds.
LEFT_OUT = {"bigf1", "bigf2", "bigf3", "bigr1", "bigr2", "bigr3", "ref_tst_special_atts", "ref_tst_special_atts3"}

# Rows of characters whose NULs ours shows where a reader would not put them back.
SHOWS_NULS = {"ref_tst_chardata", "ref_tst_unlim2"}


@needs_corpus
@pytest.mark.parametrize("source", [p for p in sorted(CORPUS.glob("cdl/*.cdl")) if p.stem not in LEFT_OUT], ids=lambda p: p.stem)
def test_all_flags(source, tmp_path):
    path = tmp_path / f"{source.stem}.nc"
    subprocess.run([installed("ncgen"), "-b", "-k", "nc4", "-o", str(path), str(source)], check=True, capture_output=True)
    for flags in FLAGS:
        theirs = subprocess.run([installed("ncdump"), *flags.split(), str(path)], capture_output=True, timeout=60)
        if theirs.returncode != 0:
            continue  # a variable that is not there
        ours = ncdump(*flags.split(), path)
        wanted = sections_as_names(as_4_10(theirs.stdout))
        if flags == "-f f":
            ours, wanted = scalars(ours), scalars(wanted)
        if source.stem in SHOWS_NULS:
            # Where a line breaks depends on its length.
            ours, wanted = (b"".join(x.replace(rb"\000", b"").split()) for x in (ours, wanted))
        assert ours.decode(errors="replace") == wanted.decode(errors="replace"), flags
