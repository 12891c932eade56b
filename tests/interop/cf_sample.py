"""A netCDF-4 file with what CF and xarray know: packed numbers, masks, times of several calendars, text, coordinates, parts never written."""

import netCDF4
import numpy as np

ROWS = b"Z\xc3\xbcrich\0x\0\0\0\0\0\0\0gr\xc3\xb6\xc3\x9fe\0"


def make(path):
    with netCDF4.Dataset(path, "w") as file:
        file.set_auto_maskandscale(False)
        for name, length in ("time", None), ("lat", 4), ("lon", 6), ("len", 8), ("station", 3), ("bnds", 2):
            file.createDimension(name, length)

        def add(name, kind, dims, values, fill=None, chunks=None, **attributes):
            made = file.createVariable(name, kind, dims, fill_value=fill, chunksizes=chunks, zlib=bool(dims) and kind is not str)
            made.set_auto_maskandscale(False)
            made.setncatts(attributes)
            if values is not None:
                made[...] = values

        time = "time", "lat", "lon"
        add("time", "f8", time[:1], np.arange(7) * 0.25, units="days since 2001-02-28 06:00", calendar="noleap", bounds="time_bnds")
        add("time_bnds", "f8", ("time", "bnds"), np.arange(14).reshape(7, 2) * 0.25)
        add("lat", "f4", ("lat",), np.linspace(-90, 90, 4), units="degrees_north")
        add("lon", "f8", ("lon",), np.linspace(0, 300, 6), units="degrees_east")
        add("area", "f8", ("lat", "lon"), np.ones((4, 6)))
        times(add)
        packed(add)
        masked(add)
        unwritten(file, add)
        text(add)
        file.title, file.history, file.numbers = "title", "x\ny", np.array([1, 2], "i2")


def times(add):
    add("forecast", "i4", ("time",), np.arange(7), units="hours since 1990-01-01")
    add("lead", "i4", ("time",), np.arange(7), units="hours")
    add("lead_time", "i4", ("time",), [1, 2, 3, -1, 5, 6, 7], fill=np.int32(-1), units="days", dtype="timedelta64[ns]")
    add("epoch", "i8", ("time",), [10, 20, 30, -1, 50, 60, 70], fill=np.int64(-1), units="seconds since 1970-01-01", calendar="proleptic_gregorian")
    add("days360", "f4", ("time",), np.arange(7) * 30.0, units="days since 2000-02-30", calendar="360_day")


def packed(add):
    values = np.arange(7 * 24, dtype="i2").reshape(7, 4, 6)
    values[0, 0, 0] = -32768
    scale = {"scale_factor": 0.01, "add_offset": 273.15}
    add("packed", "i2", ("time", "lat", "lon"), values, fill=np.int16(-32768), chunks=(2, 2, 3), units="K", coordinates="area", **scale)
    add("packed_to_float", "u1", ("time", "lat"), np.arange(28).reshape(7, 4), fill=np.uint8(255), scale_factor=np.float32(0.5))
    add("unsigned", "i1", ("lat",), np.array([-1, 1, -128, 3]), fill=np.int8(-1), _Unsigned="true", scale_factor=2.0)


def masked(add):
    values = np.where(np.arange(24) % 5 == 0, -999, np.arange(24)).reshape(4, 6)
    add("missing", "f4", ("lat", "lon"), values, missing_value=np.float32(-999))
    add("both", "f4", ("lat",), [1e20, 2, 3, -999], fill=np.float32(1e20), missing_value=np.float32(1e20))
    add("nan_fill", "f8", ("lat",), [1, np.nan, 3, 4], fill=np.nan)
    nan = np.frombuffer(b"\x01\0\xc0\x7f", "<f4")[0]
    add("nan_with_payload", "f4", ("lat",), [1, nan, 3, 4], fill=nan)
    add("infinite_fill", "f8", ("lat",), [1, np.inf, 3, 4], fill=np.inf)
    add("flag", "i1", ("lat",), [0, 1, 2, 3], flag_values=np.array([0, 1, 2, 3], "i1"), flag_meanings="a b c d")
    add("int_fill", "i4", ("lat",), [1, 2, 3, -9], fill=np.int32(-9))
    add("large", "i8", ("lat",), [2**62, 1, 2, 3], fill=np.int64(-(2**63)))
    add("scalar", "f4", (), 3.5, units="m")
    add("scalar_missing", "i2", (), -1, fill=np.int16(-1))


def unwritten(file, add):
    add("never", "f4", ("time", "lon"), None, fill=np.float32(-1), chunks=(2, 2))
    add("never_default", "f4", ("lat", "lon"), None, chunks=(2, 2))
    add("never_int", "i4", ("lat", "lon"), None, chunks=(2, 2))
    partly = file.createVariable("partly", "i4", ("time", "lon"), fill_value=-7, chunksizes=(2, 3))
    partly.set_auto_maskandscale(False)
    partly[2:4, 0:2] = 5


def text(add):
    names = netCDF4.stringtochar(np.array(["Zurich", "Bern", "x"], "S8"))
    add("names", "S1", ("station", "len"), names)
    add("names_encoded", "S1", ("station", "len"), np.frombuffer(ROWS, "S1").reshape(3, 8), _Encoding="utf-8")
    add("names_filled", "S1", ("station", "len"), names, fill=b"-")
    add("characters", "S1", ("len",), np.frombuffer(b"abcdefgh", "S1"))
    add("strings", str, ("station",), np.array(["Zürich", "", "x"], object), comment="x")
    add("one_string", str, (), np.array("only", object))
    add("one_character", "S1", (), np.array(b"q"))
