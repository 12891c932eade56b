"""Makes testdata/sample.nc with netCDF4-python: a small grid of temperatures, uncompressed.

    python testdata/sample.py testdata/sample.nc
"""

import sys

import netCDF4
import numpy as np

with netCDF4.Dataset(sys.argv[1], "w") as dataset:
    dataset.title = "Two days of surface air temperature, made up"
    dataset.Conventions = "CF-1.11"
    for name, length in [("time", None), ("lat", 37), ("lon", 72)]:
        dataset.createDimension(name, length)
    time = dataset.createVariable("time", "i4", ("time",))
    time.units = "hours since 2026-01-01 00:00"
    lat = dataset.createVariable("lat", "f4", ("lat",))
    lat.units = "degrees_north"
    lon = dataset.createVariable("lon", "f4", ("lon",))
    lon.units = "degrees_east"
    temp = dataset.createVariable("temp", "f4", ("time", "lat", "lon"), fill_value=-999.0, chunksizes=(1, 37, 72))
    temp.units = "K"
    temp.standard_name = "air_temperature"
    time[:] = np.arange(0, 48, 12)
    lat[:] = np.linspace(-90, 90, 37)
    lon[:] = np.arange(0, 360, 5)
    hour, north, east = np.meshgrid(time[:], np.radians(lat[:]), np.radians(lon[:]), indexing="ij")
    field = 288 - 45 * np.sin(north) ** 2 + 6 * np.cos(north) * np.cos(east + hour * np.pi / 12)
    temp[:] = np.round(field * 100) / 100
