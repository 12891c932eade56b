#!/usr/bin/env python3
"""Makes the chunks of BitGroom (32022) and Granular BitRound (32023) beside this script. Run it after make.py, which writes
index.txt anew: this script adds its own lines.

Needs netCDF4. A chunk of these filters holds ordinary floats, of which netCDF-C's quantization has rounded the last bits as the
filters do.
"""

import pathlib

import netCDF4
import numpy as np

HERE = pathlib.Path(__file__).parent
lines = []
for name, number, mode in ("bitgroom", 32022, "BitGroom"), ("granularbr", 32023, "GranularBitRound"):
    with netCDF4.Dataset("memory", "w", diskless=True) as file:
        file.createDimension("x", 100)
        v = file.createVariable("v", "f4", ("x",), zlib=True, significant_digits=3, quantize_mode=mode)
        v.set_auto_mask(False)
        v[:] = (280 + 15 * np.sin(np.arange(100) / 7)).astype("f4")
        file.sync()
        values = v[:].astype("<f4")
    (HERE / f"{name}.raw").write_bytes(values.tobytes())
    (HERE / f"{name}.encoded").write_bytes(values.tobytes())
    lines.append(f"{name} {name}.raw {number},3,4,0,0,0 0 exact\n")
index = HERE / "index.txt"
others = [line for line in index.read_text().splitlines(keepends=True) if not line.startswith(("bitgroom", "granularbr"))]
index.write_text("".join(others + lines))
