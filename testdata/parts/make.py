"""Makes coordinates.nc: coordinates of several types, for the fuzzer of parts."""

import pathlib

import netCDF4
import numpy as np

with netCDF4.Dataset(pathlib.Path(__file__).parent / "coordinates.nc", "w", format="NETCDF3_CLASSIC") as d:
    for name, length in ("time", None), ("lat", 19), ("lon", 36), ("packed", 8), ("letter", 4), ("nv", 2):
        d.createDimension(name, length)
    time = d.createVariable("time", "f8", ("time",))
    time.units = "days since 2000-01-01"
    d.createVariable("lat", "f4", ("lat",))[:] = np.arange(-90, 91, 10)
    lon = d.createVariable("lon", "i2", ("lon",))
    lon.units, lon.bounds = "degrees_east", "lon_bounds"
    lon[:] = np.arange(0, 360, 10)
    d.createVariable("lon_bounds", "i1", ("lon", "nv"))[:] = 0
    packed = d.createVariable("packed", "i2", ("packed",), fill_value=-99)
    packed.set_auto_maskandscale(False)
    packed.scale_factor = 0.1
    packed[:] = [5, 3, 1, -99, 2, 4, 0, 6]
    d.createVariable("letter", "S1", ("letter",))[:] = np.array([b"a", b"b", b"c", b"d"])
    d.createVariable("field", "i2", ("time", "lat", "lon"))[:] = np.zeros((12, 19, 36))
    time[:] = np.arange(12) * 6.5
