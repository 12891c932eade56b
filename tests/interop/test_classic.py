"""What we write of classic files is what netCDF-C writes, byte for byte."""

import subprocess
import sys

from conftest import BIN, HERE


def test_copies_are_equal_byte_for_byte(request):
    small = ["--small"] * request.config.getoption("--sample")
    command = [sys.executable, "-W", "ignore", str(HERE / "classic.py"), *small, str(BIN / "nccopy")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
