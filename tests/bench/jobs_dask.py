"""Rechunking on a cluster of Dask, for `cargo xtask bench jobs`.

    jobs_dask.py ncutils|xarray|slabs|rechunker INPUT OUTPUT RUNS     prints the seconds of each run
    jobs_dask.py check INPUT OUTPUT                                   fails if the values are not those of INPUT

INPUT is a netCDF-4 file with t2m(time, lat, lon), chunked by times. OUTPUT is Zarr version 2, in chunks of all times, filtered by
shuffle and deflate. Each program works on a LocalCluster of the same shape, whose start is not counted. `xarray` reads by chunks
of the file. `slabs` is xarray too, but reads by whole rows of chunks of the output, for which a user must know both. `rechunker`
needs zarr-python 2. Exit status 3 says that a package is not installed.
"""

import pathlib
import shutil
import sys
import time

WORKERS = 4
CHUNKS = {"time": 248, "lat": 19, "lon": 36}
LEVEL = 5

# Memory of each worker, in bytes.
MEMORY = 2_000_000_000


def by_ncutils(client, source, target):
    import ncutils.dask

    ncutils.dask.copy(client, source, target, kind="zarr2", chunk=CHUNKS, deflate=LEVEL, shuffle=True)


def filters():
    import numcodecs

    return numcodecs.Shuffle(4), numcodecs.Zlib(LEVEL)


def written(data, target):
    """Writes a dataset whose pieces are chunks of the output, or several of them."""
    shuffle, deflate = filters()
    coding = {"chunks": tuple(CHUNKS.values()), "filters": [shuffle], "compressors": [deflate]}
    data.to_zarr(target, encoding={"t2m": coding}, zarr_format=2, consolidated=False)


def by_xarray(client, source, target):
    import xarray

    with xarray.open_dataset(source, chunks={}) as data:
        written(data.chunk(CHUNKS), target)


def by_slabs(client, source, target):
    import xarray

    with xarray.open_dataset(source, chunks=CHUNKS | {"lon": 720}) as data:
        written(data, target)


def by_rechunker(client, source, target):
    import rechunker
    import xarray

    shuffle, deflate = filters()
    between = pathlib.Path(f"{target}.between")
    # Room for the program beside its data.
    room = MEMORY // 2
    with xarray.open_dataset(source, chunks={}) as data:
        plan = rechunker.rechunk(
            data["t2m"].data, tuple(CHUNKS.values()), room, str(target),
            temp_store=str(between), target_options={"filters": [shuffle], "compressor": deflate},
        )
        plan.execute()
    shutil.rmtree(between, ignore_errors=True)


PROGRAMS = {"ncutils": by_ncutils, "xarray": by_xarray, "slabs": by_slabs, "rechunker": by_rechunker}


def measure(program, source, target, runs):
    from distributed import Client, LocalCluster

    shape = {"n_workers": WORKERS, "threads_per_worker": 1, "memory_limit": MEMORY}
    with LocalCluster(**shape, dashboard_address=":0") as cluster, Client(cluster) as client:
        for _ in range(runs):
            shutil.rmtree(target, ignore_errors=True)
            begun = time.perf_counter()
            PROGRAMS[program](client, source, target)
            print(time.perf_counter() - begun, flush=True)


def check(source, target):
    import netCDF4
    import numpy as np
    import zarr

    made = zarr.open(target, mode="r")
    # rechunker writes the array alone.
    made = made if hasattr(made, "chunks") else made["t2m"]
    if made.chunks != tuple(CHUNKS.values()):
        sys.exit(f"{target} has chunks of {made.chunks}")
    with netCDF4.Dataset(source) as data:
        for at in range(0, CHUNKS["time"], 62):
            steps = slice(at, at + 62)
            if not np.array_equal(made[steps], data["t2m"][steps].filled()):
                sys.exit(f"{target} has other values in times {at} to {at + 61}")


if __name__ == "__main__":
    name, source, target, *runs = sys.argv[1:]
    try:
        check(source, target) if name == "check" else measure(name, source, target, int(runs[0]))
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
