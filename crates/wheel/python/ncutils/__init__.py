"""Copies, checks and compares netCDF, HDF5 and Zarr datasets, by the programs nccopy and ncdump.

    import ncutils
    ncutils.copy("in.nc", "out.zarr", kind="zarr3", filter={"*": "zstd,3"}, chunk={"time": 100})
    ncutils.header("s3://bucket/x.nc")["dimensions"]

Each function runs a program and takes its options as keywords. What the program refuses raises `ncutils.Error`; its
warnings are Python warnings of the class `ncutils.Warning`. `ncutils.Job` copies in parts, `ncutils.dask` on a cluster.
"""

from ._errors import Error, InputChanged, PartsMissing
from ._errors import Warning as Warning
from ._functions import check, copy, diff, digest, header

__all__ = [
    "Error", "InputChanged", "Job", "PartsMissing", "check", "copy", "diff", "digest", "header",
]


def __getattr__(name):
    # What few programs need is loaded when it is used.
    if name == "Job":
        from .job import Job

        return Job
    if name == "dask":
        import importlib

        return importlib.import_module("ncutils.dask")
    if name == "__version__":
        from importlib.metadata import version

        return version("ncutils-rs")
    raise AttributeError(f"module 'ncutils' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), "Job", "dask", "__version__"])
