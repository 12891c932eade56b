"""Makes the classic files that archives are measured on.

    python archives.py FOLDER

f.nc: CDF-1, a smooth float32 field with noise, 248 x 361 x 720 (258 MB).
m.nc: CDF-2, 40 records of what models write (274 MB): smooth floats, masked sea surface temperatures, sparse rain, packed
shorts, doubles, ints, and text.
s.nc: CDF-2, 31 record variables of one number, in 200,000 records (50 MB).
"""

import pathlib
import sys

import netCDF4
import numpy as np

LAT = np.linspace(-90, 90, 361, dtype="f4")[:, None]
LON = np.linspace(0, 360, 720, dtype="f4")[None, :]


def made(make):
    def unless_there(folder, name):
        path = folder / name
        if path.exists():
            return
        part = path.with_suffix(".part")
        make(part, np.random.default_rng(1))
        part.rename(path)

    return unless_there


def temperature(t, rng):
    base = 288 - 40 * np.sin(np.radians(LAT)) ** 2 + 5 * np.cos(np.radians(LON + 15 * t))
    return base + rng.normal(0, 0.5, (361, 720))


@made
def field(path, rng):
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as d:
        for dim, n in ("time", 248), ("lat", 361), ("lon", 720):
            d.createDimension(dim, n)
        v = d.createVariable("t2m", "f4", ("time", "lat", "lon"))
        for t in range(248):
            v[t] = np.round(temperature(t, rng) * 64) / 64


@made
def model(path, rng):
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as d:
        d.set_fill_off()
        for dim, n in ("time", None), ("lat", 361), ("lon", 720), ("letters", 20):
            d.createDimension(dim, n)
        full = ("time", "lat", "lon")
        names = {"pressure": "f4", "sst": "f4", "rain": "f4", "packed": "i2", "height": "f8", "class": "i4"}
        v = {name: d.createVariable(name, ty, full) for name, ty in names.items()}
        date = d.createVariable("date", "S1", ("time", "letters"))
        land = np.sin(LAT / 17) * np.cos(LON / 40) + np.sin(LAT * LON / 3000) > 0.4
        for t in range(40):
            smooth = 1013 + 20 * np.sin(LAT / 20 + t / 9) * np.cos(LON / 30 - t / 7)
            v["pressure"][t] = smooth + rng.normal(0, 0.01, smooth.shape)
            v["sst"][t] = np.where(land, 9.96921e36, np.round(temperature(t, rng) * 100) / 100)
            wet = rng.random((361, 720)) < 0.05
            v["rain"][t] = np.where(wet, rng.gamma(0.8, 3, wet.shape), 0)
            v["packed"][t] = np.round((temperature(t, rng) - 270) * 200).astype("i2")
            v["height"][t] = np.round((5500 + 300 * np.cos(np.radians(LAT)) + 50 * np.sin(LON / 25 + t / 5)) * 16) / 16
            v["class"][t] = (np.abs(LAT) / 12).astype("i4") + (np.sin(LON / 15 + t / 20) * 3).astype("i4")
            text = f"2020-01-{1 + t // 4:02} {6 * (t % 4):02}:00:00".ljust(20)
            date[t] = np.array(list(text), "S1")


@made
def series(path, rng):
    count = 200_000
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as d:
        d.createDimension("time", None)
        variables = [d.createVariable(f"v{n:02}", "f8", ("time",)) for n in range(31)]
        d.set_fill_off()
        variables[-1][count - 1] = 0.0
    walk = np.zeros((1, 31))
    # Records are at the end of the file, and have no padding; the library would write them number by number.
    with open(path, "r+b") as file:
        file.seek(-count * 31 * 8, 2)
        for _ in range(0, count, 5000):
            walk = walk[-1:] + rng.normal(0, 1, (5000, 31)).cumsum(0)
            file.write((np.round(walk * 64) / 64).astype(">f8").tobytes())


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    field(folder, "f.nc")
    model(folder, "m.nc")
    series(folder, "s.nc")
