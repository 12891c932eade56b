#!/usr/bin/env python3
"""Makes the files beside it: samples of tests/interop/samples, and for those that netCDF-C reads without fault what
it reads (NAME.txt, lines of tests/interop/netcdf_c_dump.py).

Needs the Python packages netCDF4 1.7.5 and h5py 3.16. Files made by other versions differ in their bytes, not in what they
hold.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INTEROP = os.path.join(HERE, "..", "..", "tests", "interop")
sys.path.insert(0, INTEROP)

from samples import SAMPLES  # noqa: E402

JUDGED = """nc_groups nc_fill nc_user_types nc_dimension_names nc_vlen_of_compound h5_plain h5_scales h5_strings h5_orders
h5_numbers h5_layouts h5_links h5_user_block h5_filtered_groups h5netcdf_basic""".split()
OTHERS = """h5_anonymous_types h5_cycles h5_not_netcdf h5_partly_attached h5_nested_types h5_half
h5_matrix_attribute""".split()

for sample in SAMPLES.values():
    if sample.name in JUDGED + OTHERS:
        path = os.path.join(HERE, sample.file_name)
        sample.make(path)
        if sample.name in JUDGED:
            text = subprocess.run([sys.executable, os.path.join(INTEROP, "netcdf_c_dump.py"), path], check=True,
                                  capture_output=True).stdout
            with open(os.path.splitext(path)[0] + ".txt", "wb") as out:
                out.write(text)
