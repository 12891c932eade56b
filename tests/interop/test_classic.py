"""What we write of classic files is what netCDF-C writes, byte for byte."""

import subprocess
import sys

from conftest import BIN, HERE


def test_copies_are_equal_byte_for_byte():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "classic.py"), str(BIN / "nccopy")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
