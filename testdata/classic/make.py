#!/usr/bin/env python3
"""Makes the files beside it by netCDF-C: the classic samples of tests/interop/samples, and what netCDF-C reads of them
(NAME.txt, lines of tests/interop/netcdf_c_dump.py).

Needs the Python package netCDF4 1.7.5.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INTEROP = os.path.join(HERE, "..", "..", "tests", "interop")
sys.path.insert(0, INTEROP)

from samples import SAMPLES  # noqa: E402

for name in ["cdf1", "cdf2", "cdf5", "single_odd_record", "no_records", "empty_classic"]:
    sample = SAMPLES[name]
    path = os.path.join(HERE, sample.file_name)
    sample.make(path)
    text = subprocess.run([sys.executable, os.path.join(INTEROP, "netcdf_c_dump.py"), path], check=True,
                          capture_output=True).stdout
    with open(os.path.splitext(path)[0] + ".txt", "wb") as out:
        out.write(text)
