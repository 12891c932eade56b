"""The files that the commands of the guide name."""

import subprocess

import h5py
import netCDF4
import numpy as np
from conftest import BIN

CDL = """netcdf points {
dimensions:
\ttime = UNLIMITED ;
\tx = 3 ;
variables:
\tint time(time) ;
\t\ttime:units = "hours since 2026-01-01" ;
\tfloat temp(time, x) ;
\t\ttemp:units = "K" ;
data:
 time = 0, 12 ;
 temp = 288.5, 289.25, _, 287, 288, 289 ;
}
"""


def field(times, lat, lon):
    """A temperature that a season and a day could have."""
    day, north, east = np.meshgrid(times, np.radians(lat), np.radians(lon), indexing="ij")
    value = 288 - 45 * np.sin(north) ** 2 + 12 * np.sin(north) * np.cos(day / 58) + 3 * np.cos(east + day)
    return np.round(value * 20) / 20


def grid(path, **storage):
    """A year of days on a grid of ten degrees."""
    times, lat, lon = np.arange(366.0), np.arange(-85.0, 90, 10), np.arange(0.0, 360, 10)
    with netCDF4.Dataset(path, "w") as nc:
        nc.title = "A year of surface air temperature, made up"
        nc.Conventions = "CF-1.11"
        for name, values, units in ("time", times, "days since 2000-01-01"), ("lat", lat, "degrees_north"), ("lon", lon, "degrees_east"):
            nc.createDimension(name, None if name == "time" else len(values))
            variable = nc.createVariable(name, "f8", (name,), chunksizes=(512,) if name == "time" else None)
            variable.units = units
            variable[:] = values
        for name, units, long_name in ("tas", "K", "air temperature"), ("pr", "mm", "precipitation"):
            variable = nc.createVariable(name, "f4", ("time", "lat", "lon"), chunksizes=(1, 18, 36), fill_value=-999.0, **storage)
            variable.units, variable.long_name = units, long_name
            values = field(times, lat, lon)
            variable[:] = values if name == "tas" else np.round(np.maximum(values - 280, 0))


def months(folder):
    """Three months in files of their own, and variables in files of their own."""
    for number, name in enumerate(["jan", "feb", "mar"], 1):
        copy("--sel", f"time=2000-{number:02}", "in.nc", f"{name}.nc", cwd=folder)
    for name in "tas", "pr":
        copy("-V", name, "--with-coordinates", "in.nc", f"{name}.nc", cwd=folder)
    for number in 1, 2:
        copy("--isel", "time=0", "-V", "lat,lon,tas", "--fixed", "time", "in.nc", f"run{number}.nc", cwd=folder)
    copy("--sel", "time=2000-01..2000-02", "in.nc", "all.nc", cwd=folder)


def groups(path):
    """Groups and strings, which classic files lack."""
    with netCDF4.Dataset(path, "w") as nc:
        ocean = nc.createGroup("ocean")
        ocean.createDimension("station", 3)
        names = ocean.createVariable("name", str, ("station",))
        for n, name in enumerate(["Ny", "Oslo", "Bergen"]):
            names[n] = name
        ocean.createVariable("salt", "f4", ("station",))[:] = [34.9, 33.1, 34.2]


def hdf5(path):
    """HDF5 with what netCDF lacks: references, and links of two names."""
    with h5py.File(path, "w") as f:
        f.create_dataset("group/data", data=np.arange(4000.0).reshape(40, 100), chunks=(10, 100), compression=4)
        f["again"] = f["group/data"]
        f.create_dataset("refs", data=[f["group/data"].ref, f["group"].ref], dtype=h5py.ref_dtype)


def damaged(folder):
    """A copy with one damaged chunk, and one that is cut."""
    copy("-F", "*,fletcher32|shuffle|deflate,5", "in.nc", "sound.nc", cwd=folder)
    with h5py.File(folder / "sound.nc") as f:
        at = f["tas"].id.get_chunk_info(14).byte_offset
    bytes_ = bytearray((folder / "sound.nc").read_bytes())
    bytes_[at + 100] ^= 1
    (folder / "broken.nc").write_bytes(bytes_)
    (folder / "cut.h5").write_bytes(bytes_[: len(bytes_) * 3 // 4])
    (folder / "sound.nc").unlink()


def copy(*arguments, cwd):
    subprocess.run([BIN / "nccopy", "--quiet", *arguments], cwd=cwd, check=True, capture_output=True)


def make(folder):
    """Makes all files in a folder."""
    grid(folder / "in.nc")
    months(folder)
    groups(folder / "groups.nc")
    hdf5(folder / "in.h5")
    damaged(folder)
    copy("-k", "nc3", "in.nc", "classic.nc", cwd=folder)
    copy("-k", "zarr3", "in.nc", "in.zarr", cwd=folder)
    with netCDF4.Dataset(folder / "in.nc") as nc, netCDF4.Dataset(folder / "old.nc", "w", format="NETCDF3_CLASSIC") as old:
        for name in nc.dimensions:
            old.createDimension(name, len(nc.dimensions[name]))
            old.createVariable(name, "f8", (name,))[:] = nc[name][:]
            old[name].units = nc[name].units
        tas = old.createVariable("tas", "f4", ("time", "lat", "lon"), fill_value=-999.0)
        tas.units, tas.long_name = "K", "temperature"
        values = nc["tas"][:]
        values[3, 4, 5:8] -= 0.5
        tas[:] = values
        old.title, old.Conventions = nc.title, nc.Conventions
    (folder / "points.cdl").write_text(CDL)
    (folder / "model" / "run1").mkdir(parents=True)
    for name in "a.nc", "run1/b.nc":
        copy("-V", "lat,lon", "in.nc", f"model/{name}", cwd=folder)
