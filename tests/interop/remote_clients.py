"""Reads and writes Zarr on remote stores through zarr-python or xarray, over s3fs or obstore.

    python remote_clients.py < JOBS > RESULTS

JOBS is a list in JSON. A job has `action` (`read`, `write`), `library` (`zarr`, `xarray`), `client` (`s3fs`, `obstore`), `url`
(`s3://`, `gs://`, `az://`, or the path of a local folder), `environment` (the variables by which our programs find the store), and
`version` (2, 3) if it writes. RESULTS has of each what was read, or `{"error": …}`. Runs in a process of its own, with the folder of
s3fs and obstore in `PYTHONPATH`.
"""

import json
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")


def by_s3fs(url, environment):
    import s3fs
    import zarr

    files = s3fs.S3FileSystem(
        endpoint_url=environment["AWS_ENDPOINT_URL"], key=environment["AWS_ACCESS_KEY_ID"],
        secret=environment["AWS_SECRET_ACCESS_KEY"], asynchronous=True,
    )
    return zarr.storage.FsspecStore(files, path=url.removeprefix("s3://"))


def by_obstore(url, environment):
    import obstore.store
    import zarr

    scheme, rest = url.split("://")
    bucket, _, prefix = rest.partition("/")
    options = {"prefix": prefix, "client_options": {"allow_http": True}}
    if scheme == "s3":
        store = obstore.store.S3Store(
            bucket, endpoint=environment["AWS_ENDPOINT_URL"], access_key_id=environment["AWS_ACCESS_KEY_ID"],
            secret_access_key=environment["AWS_SECRET_ACCESS_KEY"], region="us-east-1", **options,
        )
    elif scheme == "gs":
        key = {"gcs_base_url": environment["STORAGE_EMULATOR_HOST"], "disable_oauth": True}
        key |= {"client_email": "", "private_key": "", "private_key_id": ""}
        store = obstore.store.GCSStore(bucket, service_account_key=json.dumps(key), **options)
    else:
        store = obstore.store.AzureStore(
            bucket, endpoint=environment["AZURE_STORAGE_ENDPOINT"], account_name=environment["AZURE_STORAGE_ACCOUNT"],
            account_key=environment["AZURE_STORAGE_KEY"], **options,
        )
    return zarr.storage.ObjectStore(store)


def store_of(job):
    if "://" not in job["url"]:
        return job["url"]
    return {"s3fs": by_s3fs, "obstore": by_obstore}[job["client"]](job["url"], job["environment"])


def plain(array):
    array = np.asarray(array)
    if array.dtype.kind in "SUOT":
        return [x.decode(errors="replace") if isinstance(x, bytes) else str(x) for x in array.ravel().tolist()]
    return [repr(x) for x in array.ravel().tolist()]


def described(array, attributes):
    return {"shape": list(array.shape), "values": plain(array[...]), "attributes": sorted(attributes)}


def read(library, store):
    if library == "zarr":
        import zarr

        group = zarr.open_group(store, mode="r")
        return {name: described(array, dict(array.attrs)) for name, array in group.arrays()}
    import xarray

    with xarray.open_zarr(store, consolidated=False, decode_cf=False, chunks=None) as data:
        return {name: described(v.values, v.attrs) for name, v in data.variables.items()}


def sample():
    import xarray

    generator = np.random.default_rng(5)
    return xarray.Dataset(
        {
            "t": (("time", "y", "x"), generator.normal(280, 9, (4, 30, 20)).astype("f4"), {"units": "K"}),
            "n": (("y", "x"), generator.integers(-100, 100, (30, 20), dtype="i2")),
            "scalar": ((), np.float64(1.25)),
        },
        coords={"time": ("time", np.arange(4.0), {"long_name": "time"})},
        attrs={"title": "made by xarray"},
    )


def done(job):
    try:
        store = store_of(job)
        if job["action"] == "read":
            return read(job["library"], store)
        encoding = {"t": {"chunks": (1, 15, 20)}, "n": {"chunks": (10, 20)}}
        sample().to_zarr(store, mode="w", zarr_format=job["version"], consolidated=True, encoding=encoding)
        return {}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    json.dump([done(job) for job in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
