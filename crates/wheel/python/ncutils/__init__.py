"""Copies, checks and compares netCDF, HDF5 and Zarr datasets, by the programs nccopy and ncdump.

    import ncutils
    ncutils.copy("in.nc", "out.zarr", kind="zarr3", filter={"*": "zstd,3"}, chunk={"time": 100})
    ncutils.header("s3://bucket/x.nc")["dimensions"]

Each function runs a program and takes its options as keywords. What the program refuses raises `ncutils.Error`; its
warnings are Python warnings of the class `ncutils.Warning`.
"""

from ._errors import Error
from ._errors import Warning as Warning
from ._functions import check, copy, diff, digest, header

__all__ = ["Error", "check", "copy", "diff", "digest", "header"]


def __getattr__(name):
    if name == "__version__":
        # It takes long to load, and few programs need it.
        from importlib.metadata import version

        return version("ncutils-rs")
    raise AttributeError(f"module 'ncutils' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), "__version__"])
