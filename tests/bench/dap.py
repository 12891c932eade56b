"""pydap's server with variables of 10, 100 and 400 MB: `mb10`, `mb100`, `mb400`.

    PYTHONPATH=target/interop/dap python dap.py LOG

Prints its port.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "interop"))

import dap_server

dap_server.DATASETS |= {f"mb{size}": dap_server.large(f"mb{size}", size * 5 // 2) for size in (10, 100, 400)}
dap_server.serve(sys.argv[1])
