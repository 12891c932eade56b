"""Attributes of millions of values: memory stays a small multiple of text and values, and netCDF-C reads them."""

import subprocess

import netCDF4
import numpy as np
import pytest

from conftest import BIN
from peak_memory import peak

# What the program takes for an empty text, and for buffers of fixed size, in bytes.
BASE = 32 << 20

# Header of the text, what stands before `=`, a value, how many, and the bytes of one in memory: its own, and what it refers to.
CASES = {
    "int": ("", ":a", "1", 2_000_000, 4),
    "double": ("", ":a", "1.5", 2_000_000, 8),
    "typed": ("", "short :a", "7", 2_000_000, 2),
    "string": ("", "string :a", '""', 1_000_000, 16),
    "text": ("", ":a", '"abcd"', 1_000_000, 4),
    "vlen": ("types: int(*) t ; variables: int v ;", "t v:a", "{1,2,3}", 500_000, 16 + 12),
    "compound": ("types: compound t { int a ; string s ; } ; variables: int v ;", "t v:a", '{1,"ab"}', 500_000, 24 + 2),
}


@pytest.mark.filterwarnings("ignore:.*unsupported Compound type")
@pytest.mark.parametrize("case", CASES)
def test_memory_is_in_proportion(tmp_path, case):
    header, attribute, value, count, size = CASES[case]
    text = f"netcdf a {{ {header}\n{attribute} = {','.join([value] * count)} ;\n}}\n"
    (tmp_path / "a.cdl").write_text(text)
    taken = peak(BIN / "ncgen", "-k", "nc4", "-o", "a.nc", "a.cdl", cwd=tmp_path)
    assert taken <= BASE + 6 * (len(text) + count * size), taken >> 20
    with netCDF4.Dataset(tmp_path / "a.nc") as d:
        if case in ("vlen", "compound"):
            return  # netCDF4-python reads attributes of neither.
        a = d.a
    if case == "text":
        assert a == "abcd" * count
    elif case == "string":
        assert len(a) == count and set(a) == {""}
    else:
        expected = {"int": np.int32(1), "double": np.float64(1.5), "typed": np.int16(7)}[case]
        assert a.shape == (count,) and a.dtype == expected.dtype and (a == expected).all()


def test_warnings_are_bounded(tmp_path):
    """One for an attribute, however many of its values it is about."""
    text = f"netcdf a {{ :a = {','.join(['5000000000l'] * 100_000)} ;\n}}\n"
    (tmp_path / "a.cdl").write_text(text)
    done = subprocess.run([BIN / "ncgen", "a.cdl"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr.count("warning:") == 1 and "64 bits" in done.stderr
