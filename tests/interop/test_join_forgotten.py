"""`nccopy --join` and `--merge` where an operand was forgotten: no file is replaced by what was meant for an input."""

import subprocess

import numpy as np
import pytest
from conftest import BIN
from join_files import check, days


@pytest.mark.parametrize("option", [["--join", "time"], ["--merge"]])
def test_an_output_that_was_forgotten_stays_an_input(tmp_path, option):
    one, other = days(tmp_path, 2, 3)
    before = other.read_bytes()
    done = subprocess.run([BIN / "nccopy", *option, one, other], capture_output=True, text=True)
    assert done.returncode == 1 and "the last name is the output, and this exists" in done.stderr, done.stderr
    assert other.read_bytes() == before
    # A list of one names its output by itself.
    (tmp_path / "list").write_text(f"{one}\n")
    for output in tmp_path / "new.nc", other:
        subprocess.run([BIN / "nccopy", *option, "--files-from", tmp_path / "list", output], check=True)
    subprocess.run([BIN / "nccopy", *option, one, tmp_path / "newer.nc"], check=True)
    check(tmp_path / "newer.nc", {"time": np.arange(2)})


def test_a_dimension_that_was_forgotten_is_told(tmp_path):
    one, other = days(tmp_path, 2, 3)
    done = subprocess.run([BIN / "nccopy", "--join", one, other, tmp_path / "out.nc"], capture_output=True, text=True)
    assert done.returncode == 1 and "--join takes a dimension first" in done.stderr and not (tmp_path / "out.nc").exists()
