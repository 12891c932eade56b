"""The Python module, over the programs under test."""

import os

from conftest import BIN, HERE, PYTHON_MODULE

# Where `cargo xtask environment` installs distributed.
DASK = HERE.parent.parent / "target" / "interop" / "dask"

os.environ["NCUTILS_BIN"] = str(BIN)


def environment(*folders, **variables):
    """The environment of a process of Python that imports the module."""
    path = os.pathsep.join(map(str, [PYTHON_MODULE, *folders]))
    return {**os.environ, "PYTHONPATH": path, **variables}
