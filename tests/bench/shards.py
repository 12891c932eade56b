"""The work of `cargo xtask bench shards` by other programs: prints the seconds that it takes, without those of importing.

    shards.py xarray INPUT OUTPUT CHUNK SHARD       a netCDF file into shards
    shards.py tensorstore INPUT OUTPUT CHUNK SHARD  an array of Zarr version 3 into another

CHUNK and SHARD are lengths joined with commas. Exit status 3 says that the program is not installed.
"""

import sys
import time

VARIABLE = "t2m"


def by_xarray(source, target, chunk, shard):
    import xarray

    begun = time.perf_counter()
    data = xarray.open_dataset(source)
    encoding = {VARIABLE: {"chunks": chunk, "shards": shard}}
    data.to_zarr(target, zarr_format=3, mode="w", encoding=encoding)
    return time.perf_counter() - begun


def by_tensorstore(source, target, chunk, shard):
    import tensorstore

    def spec(path):
        return {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{path}/{VARIABLE}"}}

    begun = time.perf_counter()
    data = tensorstore.open(spec(source)).result()
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": 3}}]
    metadata = {
        "shape": list(data.shape),
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shard}},
        "codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": chunk, "codecs": codecs}}],
    }
    out = tensorstore.open({**spec(target), "metadata": metadata, "create": True, "delete_existing": True}).result()
    out.write(data).result()
    return time.perf_counter() - begun


def main():
    program, source, target, chunk, shard = sys.argv[1:]
    lengths = [[int(n) for n in text.split(",")] for text in (chunk, shard)]
    try:
        seconds = {"xarray": by_xarray, "tensorstore": by_tensorstore}[program](source, target, *lengths)
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
    print(seconds)


if __name__ == "__main__":
    main()
