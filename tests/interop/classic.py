#!/usr/bin/env python3
"""Copies classic files that netCDF4-python wrote, and compares: the copies must be equal byte for byte.

    classic.py [--small] COPIER [FILE...]

COPIER is a command that takes an input and an output, such as `target/release/classic_copy` or `nccopy`. Each FILE
(a classic file that any program wrote) is copied too, and compared by what netCDF4-python reads. `--small` leaves out
the files of 5 GiB.
"""

import os
import random
import shlex
import subprocess
import sys
import tempfile

import netCDF4
import numpy as np

FORMATS = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]
TYPES = ["i1", "S1", "i2", "i4", "f4", "f8"]
MORE_TYPES = ["u1", "u2", "u4", "i8", "u8"]
RANDOM_FILES = 60


def values(rng, dtype, shape):
    n = int(np.prod(shape))
    if dtype == "S1":
        return np.array([bytes([rng.randrange(97, 123)]) for _ in range(n)], "S1").reshape(shape)
    if dtype[0] == "f":
        return np.array([rng.uniform(-1e6, 1e6) for _ in range(n)], dtype).reshape(shape)
    info = np.iinfo(dtype)
    return np.array([rng.randrange(info.min, info.max) for _ in range(n)], dtype).reshape(shape)


def random_file(path, fmt, rng):
    """Any number of variables of any type, some records or elements never written, some with a fill value."""
    types = TYPES + (MORE_TYPES if fmt == "NETCDF3_64BIT_DATA" else [])
    with netCDF4.Dataset(path, "w", format=fmt) as ds:
        ds.set_auto_maskandscale(False)
        dims = [f"d{i}" for i in range(rng.randrange(1, 4))]
        for d in dims:
            ds.createDimension(d, rng.randrange(1, 8))
        record = rng.random() < 0.7
        if record:
            ds.createDimension("time", None)
        for i in range(rng.randrange(4)):
            t = rng.choice(types)
            text = "text" * rng.randrange(4)
            ds.setncattr(f"global{i}", text if t == "S1" else values(rng, t, (rng.randrange(1, 6),)))
        only = rng.random() < 0.3
        for i in range(rng.randrange(6)):
            t = rng.choice(types)
            shape = tuple(rng.choice(dims) for _ in range(rng.randrange(3)))
            if record and rng.random() < 0.6 and not (only and i):
                shape = ("time",) + shape
            fill = None
            if rng.random() < 0.3:
                fill = values(rng, t, ())[()]
            v = ds.createVariable(f"v{'x' * i}", t, shape, fill_value=fill)
            v.set_auto_maskandscale(False)
            if rng.random() < 0.5:
                v.units = "furlong"
        for v in ds.variables.values():
            if rng.random() < 0.2:
                continue
            if "time" in v.dimensions:
                at = rng.randrange(4)
                n = rng.randrange(1, 4)
                v[at : at + n] = values(rng, v.dtype.str.lstrip("|<>="), (n,) + v.shape[1:])
            elif v.ndim:
                n = rng.randrange(1, v.shape[0] + 1)
                v[:n] = values(rng, v.dtype.str.lstrip("|<>="), (n,) + v.shape[1:])
            else:
                v[...] = values(rng, v.dtype.str.lstrip("|<>="), ())[()]


def many_records(path, fmt, _rng):
    """More records than are collected in memory, of slabs that need padding."""
    with netCDF4.Dataset(path, "w", format=fmt) as ds:
        ds.createDimension("time", None)
        ds.createDimension("x", 1001)
        for name, t in [("a", "i1"), ("b", "i2"), ("c", "f4")]:
            ds.createVariable(name, t, ("time", "x"))
        ds.createVariable("t", "i2", ("time",))
        rng = np.random.default_rng(1)
        ds["t"][:4000] = np.arange(4000)
        ds["a"][:] = rng.integers(-100, 100, (4000, 1001))
        ds["b"][10:20] = 7
        ds["c"][:] = rng.random((4000, 1001), dtype="f4")


def small_records(path, fmt, _rng):
    """More small records than are collected in memory."""
    with netCDF4.Dataset(path, "w", format=fmt) as ds:
        ds.createDimension("time", None)
        ds.createDimension("x", 7)
        for name, t in [("a", "i1"), ("b", "i2"), ("c", "f4"), ("d", "f8")]:
            ds.createVariable(name, t, ("time", "x"))
        n = 200_000
        rng = np.random.default_rng(2)
        ds["b"][:] = rng.integers(-100, 100, (n, 7))
        ds["a"][:n - 1] = rng.integers(-100, 100, (n - 1, 7))
        ds["d"][5:7] = 3


def past_4_gib(path, fmt, _rng):
    """A variable that CDF-2 can hold only as the last one. Not filled, so the file is sparse."""
    if fmt == "NETCDF3_CLASSIC":
        return False
    with netCDF4.Dataset(path, "w", format=fmt) as ds:
        ds.set_fill_off()
        ds.createDimension("x", 5 << 20)
        ds.createDimension("y", 1 << 10)
        ds.createVariable("a", "S1", ("y",))
        ds.createVariable("b", "S1", ("x", "y"))
        ds["b"][(5 << 20) - 1] = b"z"
    return True


def run(copier, source, target):
    done = subprocess.run(copier + [source, target], capture_output=True, text=True)
    if done.returncode:
        return f"exit status {done.returncode}: {done.stderr.strip()}"
    return None


def compare_bytes(source, target):
    if subprocess.run(["cmp", "-s", source, target]).returncode == 0:
        return None
    a, b = open(source, "rb").read(1 << 24), open(target, "rb").read(1 << 24)
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"differs at byte {at} (sizes {os.path.getsize(source)} and {os.path.getsize(target)})"


def compare_content(source, target):
    with netCDF4.Dataset(source) as a, netCDF4.Dataset(target) as b:
        for ds in (a, b):
            ds.set_auto_maskandscale(False)
        if a.data_model != b.data_model:
            return f"{a.data_model} and {b.data_model}"
        shape = lambda ds: [(d.name, len(d), d.isunlimited()) for d in ds.dimensions.values()]
        if shape(a) != shape(b):
            return "dimensions differ"
        attributes = lambda x: [(n, repr(np.asarray(x.getncattr(n)).tolist())) for n in x.ncattrs()]
        if attributes(a) != attributes(b) or list(a.variables) != list(b.variables):
            return "global attributes or variables differ"
        for name, v in a.variables.items():
            w = b[name]
            if (v.dtype, v.dimensions, attributes(v)) != (w.dtype, w.dimensions, attributes(w)):
                return f"variable {name}: its definition differs"
            if v[...].tobytes() != w[...].tobytes():
                return f"variable {name}: its values differ"
    return None


def main():
    small = sys.argv[1:2] == ["--small"]
    arguments = sys.argv[1 + small:]
    if not arguments:
        sys.exit(__doc__)
    copier = shlex.split(arguments[0])
    failed = checked = 0

    def report(name, problem):
        nonlocal failed, checked
        checked += 1
        if problem:
            failed += 1
            print(f"FAILED {name}: {problem}")

    with tempfile.TemporaryDirectory() as scratch:
        source, target = os.path.join(scratch, "in.nc"), os.path.join(scratch, "out.nc")
        for fmt in FORMATS:
            makers = [(f"random {seed}", random_file, seed) for seed in range(RANDOM_FILES)]
            makers += [("many records", many_records, 0), ("small records", small_records, 0)]
            makers += [("past 4 GiB", past_4_gib, 0)] * (not small)
            for name, make, seed in makers:
                if make(source, fmt, random.Random(seed)) is False:
                    continue
                problem = run(copier, source, target) or compare_bytes(source, target)
                report(f"{fmt}, {name}", problem)
        for path in arguments[1:]:
            report(path, run(copier, path, target) or compare_content(path, target))
    print(f"classic: {checked - failed} of {checked} copies are equal")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
