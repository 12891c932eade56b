"""Data and peers of `cargo xtask bench remote`.

    remote.py make FOLDER                    files in FOLDER/bucket, as s3s-fs has them
    remote.py note FOLDER KEY                the ETags of a file or a tree in FOLDER/bucket
    remote.py PEER WORK ADDRESS KEY OUTPUT   work by a peer: prints the seconds that it takes, without those of importing

PEER is `netCDF4`, `h5py` (over s3fs) or `zarr` (zarr-python over s3fs; `zarr64` with 64 requests at once). WORK is `header` (all names
and attributes), `read` (all values), or `write` (zarr only: all values of the local OUTPUT are written). ADDRESS is the server's
`http://host:port`. Exit status 3 says that a package is not installed.
"""

import base64
import json
import pathlib
import sys
import time

BUCKET = "bucket"


# Of `make`.


def note_etag(root, key):
    """Tells s3s-fs the ETag of a file, which it would compute from the whole file at each request."""
    coded = [base64.urlsafe_b64encode(text.encode()).decode().rstrip("=") for text in (BUCKET, key)]
    etag = base64.b16encode(key.encode()).decode().lower()[:32].ljust(32, "0")
    (root / f".bucket-{coded[0]}.object-{coded[1]}.internal.json").write_text(json.dumps({"e_tag": etag}))


def many(path):
    """5,000 variables, as netCDF4-python writes them."""
    import netCDF4

    with netCDF4.Dataset(path, "w") as data:
        data.createDimension("x", 4)
        for number in range(5000):
            v = data.createVariable(f"variable_{number:04}", "f4", ("x",))
            v.units, v.long_name = "K", f"the variable of number {number}"
            v.valid_max = 400.0


def chunks(path):
    """2,000 chunks of 57,600 bytes, one behind the other."""
    import netCDF4
    import numpy as np

    with netCDF4.Dataset(path, "w") as data:
        data.createDimension("t", 2000)
        data.createDimension("y", 120)
        data.createDimension("x", 120)
        v = data.createVariable("v", "f4", ("t", "y", "x"), chunksizes=(1, 120, 120))
        v[:] = np.random.default_rng(1).normal(0, 1, (2000, 120, 120)).astype("f4")


def records(path):
    """1,000 records of four variables of 4,000 bytes each."""
    import netCDF4
    import numpy as np

    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as data:
        data.createDimension("t", None)
        data.createDimension("x", 1000)
        values = np.random.default_rng(2).normal(0, 1, (1000, 1000)).astype("f4")
        for name in "abcd":
            data.createVariable(name, "f4", ("t", "x"))
        for name in "abcd":
            data[name][:] = values


def long(path):
    """A classic file of 100 records of 1 MB, each with a time."""
    import netCDF4
    import numpy as np

    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as data:
        for name, length in (("time", None), ("lat", 361), ("lon", 720)):
            data.createDimension(name, length)
        time = data.createVariable("time", "f8", ("time",))
        field = data.createVariable("field", "f4", ("time", "lat", "lon"))
        rng = np.random.default_rng(4)
        rows = np.cos(np.arange(361) / 20)[:, None] * np.sin(np.arange(720) / 30)[None, :]
        for n in range(100):
            time[n] = n
            field[n] = (rows * 10 + n * 0.1 + rng.normal(0, 0.1, rows.shape)).astype("f4")


def scattered(path):
    """1,000 variables of 8 MB without values, each behind the last one's: a sparse file."""
    import h5py

    with h5py.File(path, "w", libver="earliest") as data:
        for number in range(1000):
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_layout(h5py.h5d.CONTIGUOUS)
            plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            plist.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
            space = h5py.h5s.create_simple((2_000_000,))
            name = f"variable_{number:04}".encode()
            made = h5py.h5d.create(data.id, name, h5py.h5t.IEEE_F32LE, space, dcpl=plist)
            h5py.Dataset(made).attrs["units"] = "K"


def contiguous(path):
    """400 MB in one piece."""
    import netCDF4
    import numpy as np

    with netCDF4.Dataset(path, "w") as data:
        data.createDimension("t", 100)
        data.createDimension("x", 1_000_000)
        v = data.createVariable("v", "f4", ("t", "x"), contiguous=True)
        row = np.random.default_rng(3).normal(0, 1, 1_000_000).astype("f4")
        for t in range(100):
            v[t] = row + t


MADE = {
    "many.nc": many,
    "chunks.nc": chunks,
    "records.nc": records,
    "long.nc": long,
    "scattered.nc": scattered,
    "contiguous.nc": contiguous,
}


def make(root):
    folder = root / BUCKET
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in MADE.items():
        path = folder / name
        if not path.exists():
            part = path.with_suffix(".part")
            write(part)
            part.rename(path)
        note_etag(root, name)


def note_tree(root, prefix):
    """The ETag of a file of the bucket, or those of all files below a folder of it."""
    there = root / BUCKET / prefix
    for path in [there, *there.rglob("*")]:
        if path.is_file():
            note_etag(root, path.relative_to(root / BUCKET).as_posix())


# Peers.


def by_netcdf4(work, address, key, output):
    import netCDF4

    begun = time.perf_counter()
    with netCDF4.Dataset(f"{address}/{BUCKET}/{key}#mode=bytes") as data:
        for variable in data.variables.values():
            if work == "header":
                {name: variable.getncattr(name) for name in variable.ncattrs()}
            elif variable.chunking() == "contiguous" or data.data_model.startswith("NETCDF3"):
                variable[...]
            else:
                # As netcdf-c's nccopy does: chunk by chunk.
                for at in range(0, variable.shape[0], variable.chunking()[0]):
                    variable[at:at + variable.chunking()[0]]
    return time.perf_counter() - begun


def s3fs_of(address, **options):
    import s3fs

    return s3fs.S3FileSystem(endpoint_url=address, anon=True, **options)


def by_h5py(work, address, key, output):
    import h5py

    files = s3fs_of(address)
    begun = time.perf_counter()
    with files.open(f"{BUCKET}/{key}", "rb") as file, h5py.File(file) as data:
        for variable in data.values():
            dict(variable.attrs)
            if work == "read":
                variable[...]
    return time.perf_counter() - begun


def by_zarr(work, address, key, output):
    import zarr

    store = zarr.storage.FsspecStore(s3fs_of(address, asynchronous=True), path=f"{BUCKET}/{key}")
    begun = time.perf_counter()
    if work == "write":
        data = zarr.open_group(output, mode="r")
        made = zarr.open_group(store, mode="w", zarr_format=2)
        for name, array in data.arrays():
            made.create_array(name, data=array[...], chunks=array.chunks, compressors=array.compressors)
    else:
        for _, array in zarr.open_group(store, mode="r").arrays():
            array[...]
    return time.perf_counter() - begun


def main():
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]))
        return
    if sys.argv[1] == "note":
        note_tree(pathlib.Path(sys.argv[2]), sys.argv[3])
        return
    peer, *rest = sys.argv[1:]
    try:
        if peer == "zarr64":
            import zarr

            zarr.config.set({"async.concurrency": 64})
        seconds = {"netCDF4": by_netcdf4, "h5py": by_h5py, "zarr": by_zarr, "zarr64": by_zarr}[peer](*rest)
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
    print(seconds)


if __name__ == "__main__":
    main()
