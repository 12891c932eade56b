"""A dataset whose parts the tests take: a field over time, latitude and longitude."""

import netCDF4
import numpy as np

LENGTHS = {"time": 25, "lat": 19, "lon": 36}


def make(path, kind="NETCDF4", strings=True):
    """Writes the dataset; returns its arrays and dimensions by variable."""
    with netCDF4.Dataset(path, "w", format=kind) as d:
        d.createDimension("time", None)
        d.createDimension("lat", 19)
        d.createDimension("lon", 36)
        d.createDimension("nv", 2)
        chunked = dict(zlib=True, shuffle=True, chunksizes=(4, 7, 9)) if kind == "NETCDF4" else {}
        time = d.createVariable("time", "f8", ("time",))
        time.units, time.calendar = "days since 2000-01-01", "standard"
        lat = d.createVariable("lat", "f4", ("lat",))
        lat.units = "degrees_north"
        lat[:] = np.arange(-90, 91, 10)
        lon = d.createVariable("lon", "f4", ("lon",))
        lon.units, lon.bounds = "degrees_east", "lon_bounds"
        lon[:] = np.arange(0, 360, 10)
        bounds = d.createVariable("lon_bounds", "f4", ("lon", "nv"))
        bounds[:] = np.stack([np.arange(0, 360, 10) - 5, np.arange(0, 360, 10) + 5], 1)
        d.createVariable("field", "f4", ("time", "lat", "lon"), **chunked)
        d["field"][:] = np.arange(25 * 19 * 36).reshape(25, 19, 36)
        time[:] = np.arange(25) * 3
        d.createVariable("series", "i2", ("time",))[:] = np.arange(25)
        d.createVariable("mask", "i4", ("lat", "lon"))[:] = np.arange(19 * 36).reshape(19, 36)
        d.createVariable("scalar", "f8", ())[...] = 4.5
        if strings and kind == "NETCDF4":
            d.createVariable("name", str, ("lat",))[:] = np.array([f"row {n}" for n in range(19)], dtype=object)
        return {name: (np.asarray(v[...]), v.dimensions) for name, v in d.variables.items()}
