"""How much memory nccopy takes for each variable of a file that has very many."""

import subprocess

import pytest

from conftest import BIN
from peak_memory import peak

VARIABLES = 20_000


def text(count, *storage):
    """A CDL text of variables with three attributes each."""
    lines = ["netcdf many { dimensions: x = 4; variables:"]
    for n in range(count):
        lines.append(f'float v{n:06}(x); v{n:06}:units = "K"; v{n:06}:long_name = "variable {n}"; v{n:06}:scale = 1.f;')
        lines += [f"v{n:06}:{attribute};" for attribute in storage]
    lines.append("data:")
    lines += [f"v{n:06} = 1, 2, 3, {n};" for n in range(count)]
    return "\n".join([*lines, "}"])


def peak_of_a_copy(folder, count, *storage):
    """Copies a file of so many variables; returns the most memory that took, in bytes."""
    cdl, file, out = folder / "in.cdl", folder / "in.nc", folder / "out.nc"
    cdl.write_text(text(count, *storage))
    subprocess.run([BIN / "ncgen", "-k", "nc4", "-o", file, cdl], check=True)
    # The arenas of more threads take some megabytes more in some runs.
    return peak(BIN / "nccopy", "--threads", "1", file, out)


@pytest.mark.parametrize(
    "storage, limit", [([], 3700), (["_ChunkSizes = 4", "_DeflateLevel = 1"], 6100)], ids=["contiguous", "chunked"]
)
@pytest.mark.long
def test_memory_of_a_variable(tmp_path, storage, limit):
    few, many = peak_of_a_copy(tmp_path, 10, *storage), peak_of_a_copy(tmp_path, VARIABLES, *storage)
    assert (many - few) / VARIABLES < limit
