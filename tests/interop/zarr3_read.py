"""Reads Zarr version 3 hierarchies through zarr-python, the crate zarrs (its Python wheel) or tensorstore, and writes them as JSON.

    python zarr3_read.py zarr|zarrs|tensorstore STORE…

The versions are those of `PYTHONPATH`. Each array is opened by its own path, so that one that cannot be read does not hide the others.
"""

import json
import pathlib
import sys
import warnings

import numpy as np
from zarr_python_read import json_safe, keys, plain, value_of

warnings.simplefilter("ignore")


def opener_of_zarr(path):
    import zarr

    store = zarr.storage.LocalStore(path, read_only=True) if path.is_dir() else zarr.storage.ZipStore(path, mode="r")

    def open_array(name):
        array = zarr.open_array(store, path=name, mode="r", zarr_format=3)
        return {
            "dims": [] if array.metadata.dimension_names is None else list(array.metadata.dimension_names),
            "chunks": list(array.chunks),
            "attributes": json_safe(dict(array.attrs)),
        }, array[...]

    return open_array


def opener_of_zarrs(path):
    import zarr

    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})
    return opener_of_zarr(path)


def opener_of_tensorstore(path):
    import tensorstore

    base = {"driver": "file", "path": f"{path}/" if path.is_dir() else str(path)}

    def open_array(name):
        store = {**base, "path": f"{path}/{name}/"} if path.is_dir() else {"driver": "zip", "base": base, "path": f"{name}/"}
        array = tensorstore.open({"driver": "zarr3", "kvstore": store}, read=True, open=True).result()
        return {
            "dims": list(array.domain.labels),
            "chunks": list(array.chunk_layout.read_chunk.shape or []),
            "attributes": json_safe(array.spec().to_json()["metadata"].get("attributes", {})),
        }, array.read().result()

    return open_array


def read(reader, path):
    open_array = {"zarr": opener_of_zarr, "zarrs": opener_of_zarrs, "tensorstore": opener_of_tensorstore}[reader](path)
    found = {"groups": {}, "variables": {}}
    for name in keys(path):
        own, _, last = name.rpartition("/")
        if last != "zarr.json":
            continue
        document = json.loads(value_of(path, name))
        if document["node_type"] == "group":
            found["groups"]["/" + own + "/" * bool(own)] = json_safe(document.get("attributes", {}))
            continue
        try:
            about, values = open_array(own)
            values = np.asarray(values)
            about |= {"dtype": str(values.dtype), "shape": list(values.shape), "values": plain(values)}
        except Exception as error:
            about = {"error": f"{type(error).__name__}: {error}"[:500]}
        about["chain"] = chain(document)
        found["variables"]["/" + own] = about
    return found


def chain(document):
    """The names of all codecs of an array."""
    names, left = [], list(document["codecs"])
    while left:
        codec = left.pop(0)
        names.append(codec["name"])
        left += codec.get("configuration", {}).get("codecs", [])
    return names


if __name__ == "__main__":
    json.dump([read(sys.argv[1], pathlib.Path(path).resolve()) for path in sys.argv[2:]], sys.stdout)
