"""Makes the files of the benchmark: a smooth float32 field with noise, 248 x 361 x 720 (258 MB), 40 steps
of it with full mantissas (10.4 M floats), smooth fields of full precision whose last 15 and 40 bits are noise (float32 and
float64, 100 x 361 x 720), the same shape as packed int16 and as rain (most of which is zero), the first field with coordinates, 5,000 variables, and of the last two the text that the installed ncdump prints.
Besides, a classic file of 1,000 variables of one number in each of 10,000 records (80 MB).

    python make.py FOLDER
"""

import pathlib
import subprocess
import sys

import netCDF4
import numpy as np


def field(folder, name, steps=248, grain=64, coordinates=False, **options):
    path = folder / name
    if path.exists():
        return
    part = path.with_suffix(".part")
    rng = np.random.default_rng(1)
    lat = np.linspace(-90, 90, 361, dtype="f4")[:, None]
    lon = np.linspace(0, 360, 720, dtype="f4")[None, :]
    with netCDF4.Dataset(part, "w") as d:
        for dim, n in ("time", steps), ("lat", 361), ("lon", 720):
            d.createDimension(dim, n)
        if coordinates:
            d.createVariable("time", "f8", ("time",))[:] = np.arange(steps)
            d["time"].units = "days since 2000-01-01"
            d.createVariable("lat", "f4", ("lat",))[:] = lat[:, 0]
            d["lat"].units = "degrees_north"
            d.createVariable("lon", "f4", ("lon",))[:] = np.arange(720) / 2
            d["lon"].units = "degrees_east"
        v = d.createVariable("t2m", "f4", ("time", "lat", "lon"), chunksizes=(1, 361, 720), **options)
        for t in range(steps):
            base = 288 - 40 * np.sin(np.radians(lat)) ** 2 + 5 * np.cos(np.radians(lon + 15 * t))
            values = base + rng.normal(0, 0.5, (361, 720))
            v[t] = np.round(values * grain) / grain if grain else values
    part.rename(path)


def noisy(folder, name, number, bits, steps=100):
    path = folder / name
    if path.exists():
        return
    part = path.with_suffix(".part")
    rng = np.random.default_rng(2)
    lat, lon = np.mgrid[0:361, 0:720]
    word = np.dtype(f"u{np.dtype(number).itemsize}")
    mask = word.type((1 << bits) - 1)
    with netCDF4.Dataset(part, "w") as d:
        for dim, n in ("time", steps), ("lat", 361), ("lon", 720):
            d.createDimension(dim, n)
        v = d.createVariable("t2m", number, ("time", "lat", "lon"), chunksizes=(1, 361, 720))
        for t in range(steps):
            smooth = 280 + 20 * np.sin(lat / 40 + t / 9) * np.cos(lon / 60 - t / 7) + 3 * np.sin(lat * lon / 5000)
            noise = rng.integers(0, 1 << bits, smooth.shape, dtype=word)
            v[t] = (smooth.astype(number).view(word) & ~mask | noise).view(number)
    part.rename(path)


def kinds(folder, name, number, make, steps=240):
    path = folder / name
    if path.exists():
        return
    part = path.with_suffix(".part")
    rng = np.random.default_rng(3)
    lat, lon = np.mgrid[0:361, 0:720]
    with netCDF4.Dataset(part, "w") as d:
        for dim, n in ("time", steps), ("lat", 361), ("lon", 720):
            d.createDimension(dim, n)
        v = d.createVariable("v", number, ("time", "lat", "lon"), chunksizes=(1, 361, 720))
        for t in range(steps):
            v[t] = make(rng, lat, lon, t)
    part.rename(path)


def packed(rng, lat, lon, t):
    """Temperatures in hundredths of a degree."""
    smooth = 20 * np.sin(lat / 40 + t / 9) * np.cos(lon / 60 - t / 7)
    return np.round((smooth + rng.normal(0, 0.5, smooth.shape)) * 100)


def rain(rng, lat, lon, t):
    """80 % zeros, the rest in 256ths of a millimetre."""
    wet = rng.random(lat.shape) < 0.2
    return np.where(wet, np.round(rng.gamma(0.6, 4, lat.shape) * 256) / 256, 0)


def many(folder, name):
    path = folder / name
    if path.exists():
        return
    part = path.with_suffix(".part")
    with netCDF4.Dataset(part, "w") as d:
        d.createDimension("x", 10)
        for i in range(5000):
            v = d.createVariable(f"variable_{i:04}", "f4", ("x",))
            v.units = "K"
            v.long_name = f"variable number {i}"
            v.scale_factor = 1.0
    part.rename(path)


def records(folder, name, count=10_000, variables=1_000):
    path = folder / name
    if path.exists():
        return
    part = path.with_suffix(".part")
    with netCDF4.Dataset(part, "w", format="NETCDF3_64BIT_OFFSET") as d:
        d.createDimension("time", None)
        made = [d.createVariable(f"v{i:03}", "f8", ("time",)) for i in range(variables)]
        d.set_fill_off()
        made[-1][count - 1] = 0.0
    rng = np.random.default_rng(1)
    walk = np.zeros((1, variables))
    # Records are at the end of the file, and have no padding; the library would write them number by number.
    with open(part, "r+b") as file:
        file.seek(-count * variables * 8, 2)
        for _ in range(0, count, 500):
            walk = walk[-1:] + rng.normal(0, 1, (500, variables)).cumsum(0)
            file.write((np.round(walk * 64) / 64).astype(">f8").tobytes())
    part.rename(path)


def text(folder, name):
    path = folder / f"{name}.cdl"
    if path.exists():
        return
    part = path.with_suffix(".part")
    with open(part, "wb") as file:
        subprocess.run(["/usr/bin/ncdump", str(folder / f"{name}.nc")], stdout=file, check=True)
    part.rename(path)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    field(folder, "raw.nc")
    field(folder, "deflated.nc", zlib=True, complevel=4, shuffle=True)
    field(folder, "grid.nc", coordinates=True, zlib=True, complevel=4, shuffle=True)
    noisy(folder, "noisy4.nc", "f4", 15)
    noisy(folder, "noisy8.nc", "f8", 40)
    kinds(folder, "packed.nc", "i2", packed)
    kinds(folder, "rain.nc", "f4", rain, steps=120)
    many(folder, "many.nc")
    records(folder, "records.nc")
    field(folder, "floats.nc", steps=40, grain=None)
    text(folder, "floats")
    text(folder, "many")
