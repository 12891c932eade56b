"""Files of days that are joined, and calls of `nccopy --join`."""

import subprocess

import netCDF4
import numpy as np
from conftest import BIN


def make(path, first, count, kind="NETCDF4", chunk=1, units="days since 2000-01-01", unlimited=True, **changes):
    """Writes a file of `count` days from `first` on. `changes`: `attributes` of tas, `grid` (values of lat), `type`, `extra`."""
    with netCDF4.Dataset(path, "w", format=kind) as out:
        out.createDimension("time", None if unlimited else count)
        out.createDimension("lat", 4)
        out.createDimension("lon", 5)
        out.createDimension("bnds", 2)
        time = out.createVariable("time", "f8", ("time",))
        time.units = units
        time.calendar = "standard"
        time.bounds = "time_bnds"
        time[:] = first + np.arange(count)
        bounds = out.createVariable("time_bnds", "f8", ("time", "bnds"))
        bounds[:] = np.stack([time[:] - 0.5, time[:] + 0.5], axis=-1)
        lat = out.createVariable("lat", "f4", ("lat",))
        lat[:] = changes.get("grid", np.arange(4))
        storage = dict(zlib=True, complevel=4, shuffle=True, chunksizes=(chunk, 4, 5)) if kind == "NETCDF4" else {}
        tas = out.createVariable("tas", changes.get("type", "f4"), ("time", "lat", "lon"), fill_value=changes.get("fill"), **storage)
        tas.units = "K"
        for name, value in changes.get("attributes", {}).items():
            setattr(tas, name, value)
        tas.set_auto_maskandscale(False)
        tas[:] = (first + np.arange(count))[:, None, None] + np.arange(20).reshape(4, 5) / 32
        if kind == "NETCDF4":
            names = out.createVariable("name", str, ("time",))
            for n in range(count):
                names[n] = f"day {first + n}"
        if "extra" in changes:
            out.createVariable(changes["extra"], "i4", ("time",))[:] = np.arange(count)
        out.history = f"made of {first}"
    return path


def join(*arguments):
    return subprocess.run([BIN / "nccopy", "--join", *map(str, arguments)], capture_output=True, text=True)


def joined(out, *arguments):
    done = join(*arguments, out)
    assert done.returncode == 0, done.stderr
    return done.stderr


def refused(*arguments):
    done = join(*arguments)
    assert done.returncode == 1, done.stderr
    return done.stderr


def days(tmp_path, *lengths, **made):
    paths, first = [], 0
    for n, length in enumerate(lengths):
        paths.append(make(tmp_path / f"{n}.nc", first, length, **made))
        first += length
    return paths


def check(out, wanted):
    with netCDF4.Dataset(out) as found:
        for name, values in wanted.items():
            np.testing.assert_array_equal(found[name][:], values, err_msg=name)
