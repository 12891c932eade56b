"""Inputs of jobs: all that a copy does in its own way, in chunks enough for many parts."""

import h5py
import netCDF4
import numpy as np
from conftest import nccopy
from zarr_samples import field


def types(path):
    """netCDF-4: strings, sequences, compounds, contiguous and chunked data, holes, groups."""
    with netCDF4.Dataset(path, "w") as nc:
        for name, length in ("t", 24), ("y", 12), ("x", 10), ("n", 40):
            nc.createDimension(name, length)
        pair = nc.createCompoundType(np.dtype([("a", "i4"), ("b", "f8")]), "pair")
        several = nc.createVLType(np.int16, "several")
        deflated = nc.createVariable("deflated", "f4", ("t", "y", "x"), chunksizes=(2, 5, 10), compression="zlib", shuffle=True)
        deflated[:] = field("f4", 24, 12, 10)
        plain = nc.createVariable("plain", "i2", ("t", "y"), chunksizes=(5, 12), fill_value=-1)
        plain[3:8] = field("i2", 5, 12)
        nc.createVariable("contiguous", "f8", ("t", "x"), contiguous=True)[:] = field("f8", 24, 10)
        nc.createVariable("never", "i4", ("t", "x"), chunksizes=(4, 5), compression="zlib")
        nc.createVariable("no_fill", "i4", ("t", "x"), chunksizes=(4, 5), fill_value=False)[0:4, 0:5] = 7
        for name in "t", "x":
            nc.createVariable(name, "f8", (name,))[:] = np.arange(len(nc.dimensions[name]))
            nc[name].units = "days since 2000-01-01" if name == "t" else "m"
        nc.createVariable("scalar", "i8", ())[...] = 5
        names = nc.createVariable("names", str, ("n",), chunksizes=(7,))
        names[:] = np.array([f"name {n}" * (n % 3) for n in range(40)], object)
        pairs = nc.createVariable("pairs", pair, ("n",), chunksizes=(9,), zlib=True)
        pairs[:] = np.array([(n, n / 2) for n in range(40)], pair.dtype)
        rows = nc.createVariable("rows", several, ("n",), chunksizes=(11,))
        for n in range(40):
            rows[n] = np.arange(n % 5, dtype="i2")
        ocean = nc.createGroup("ocean")
        ocean.createDimension("depth", 6)
        salt = ocean.createVariable("salt", "f4", ("t", "depth", "x"), chunksizes=(3, 6, 10), compression="zlib", complevel=1)
        salt[:] = field("f4", 24, 6, 10)
        salt.units = "1"
    return path


def compact(path):
    """HDF5 of h5py: compact data and an early form of chunks."""
    with h5py.File(path, "w", libver="latest") as f:
        for name, values in ("t", np.arange(30.0)), ("x", np.arange(8.0)):
            f[name] = values
            f[name].make_scale(name)
        create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        create.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((8,))
        made = h5py.h5d.create(f.id, b"compact", h5py.h5t.NATIVE_INT32, space, create)
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(8, dtype="i4"))
        f["compact"].dims[0].attach_scale(f["x"])
        data = f.create_dataset("data", data=field("i4", 30, 8), chunks=(4, 8), compression=4, shuffle=True, fletcher32=True)
        data.dims[0].attach_scale(f["t"])
        data.dims[1].attach_scale(f["x"])
    return path


def plain(path, format="NETCDF4"):
    """What every kind holds: numbers and characters; in classic files, interleaved records."""
    with netCDF4.Dataset(path, "w", format=format) as nc:
        nc.createDimension("time", None)
        for name, length in ("y", 12), ("x", 10), ("len", 6):
            nc.createDimension(name, length)
        is_chunked = format.startswith("NETCDF4")
        for n, dtype in enumerate(["f4", "i2", "f8", "i1"]):
            options = {"chunksizes": (3, 6, 10), "compression": "zlib"} if is_chunked else {}
            made = nc.createVariable(f"v{n}", dtype, ("time", "y", "x"), fill_value=99, **options)
            made[:] = field(dtype, 20, 12, 10)
            made.units = "K"
        nc.createVariable("fixed", "f4", ("y", "x"))[:] = field("f4", 12, 10)
        nc.createVariable("word", "S1", ("y", "len"))[:] = np.full((12, 6), b"w", "S1")
        times = nc.createVariable("time", "f8", ("time",))
        times.units = "days since 2000-01-01"
        times[:] = np.arange(20)
        nc.createVariable("x", "f8", ("x",))[:] = np.arange(10)
        nc.title = "plain"
    return path


def make(folder):
    """All inputs, by name."""
    made = {"types": types(folder / "types.nc"), "compact": compact(folder / "compact.h5"), "plain": plain(folder / "plain.nc"),
            "records": plain(folder / "records.nc", "NETCDF3_64BIT_OFFSET"), "cdf5": plain(folder / "cdf5.nc", "NETCDF3_64BIT_DATA")}
    kinds = {"zarr2": (), "zarr3": ("--shard", "2K"), "nczarr": ()}
    for kind, options in kinds.items():
        made[kind] = folder / f"{kind}.zarr"
        nccopy("--quiet", "-k", kind, *options, made["plain"], made[kind])
    made["shards of types"] = folder / "types.zarr"
    nccopy("--quiet", "-k", "zarr3", "--shard", "2K", "-V", "deflated,plain,names,t,x,never", made["types"], made["shards of types"])
    return made
