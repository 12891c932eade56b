"""Where the packages of references are, and what they read.

`NCUTILS_REFERENCES` names another folder of packages, or an environment with a Python of its own.
"""

import os
import pathlib

import pytest
from zarr_reference import HERE, by_script

REFERENCES = pathlib.Path(os.environ.get("NCUTILS_REFERENCES", HERE.parent.parent / "target" / "interop" / "references")).resolve()

needs_references = pytest.mark.skipif(not REFERENCES.is_dir(), reason=f"kerchunk is not installed: {REFERENCES} is not there")

PYTHON = REFERENCES / "bin" / "python"

VARIABLES = {"NCUTILS_PYTHON": str(PYTHON)} if PYTHON.exists() else {"PYTHONPATH": str(REFERENCES)}


def check(references, *sources, along=None, cwd=None):
    """Checks that what xarray reads by references is what netCDF4-python reads of the files that they lead to."""
    options = [] if along is None else ["--along", along]
    before = os.getcwd()
    os.chdir(cwd or before)
    try:
        found = by_script(("xarray", "fsspec", "netCDF4"), "references_compare.py", references, *sources, *options, variables=VARIABLES)
    finally:
        os.chdir(before)
    assert found == [], f"{references}: {found}"
