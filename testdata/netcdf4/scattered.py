#!/usr/bin/env python3
"""Makes scattered.nc beside it: many variables as netCDF-C writes them, with object headers, continuation blocks, heaps and
B-trees all over the file.

Needs netCDF-C's ncgen (4.9.0).
"""

import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

lines = ["netcdf scattered {", "dimensions:", " x = 3 ;", " y = 2 ;", "variables:"]
for i in range(60):
    name = f"variable_{i:02}"
    lines.append(f" short {name}(y, x) ;")
    # More than eight attributes are stored densely.
    for a in range(2 if i % 3 else 10):
        lines.append(f'  {name}:attribute_{a} = "of {name}" ;')
    lines.append(f'  string {name}:notes = "one", "of {name}" ;')
lines.append("}")
with tempfile.NamedTemporaryFile("w", suffix=".cdl") as cdl:
    cdl.write("\n".join(lines))
    cdl.flush()
    subprocess.run(["/usr/bin/ncgen", "-k", "nc4", "-o", os.path.join(HERE, "scattered.nc"), cdl.name], check=True)
