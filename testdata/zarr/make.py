"""Makes small hierarchies by hand, in the forms that no program writes any more.

    python make.py

`nczarr_v1.zarr` is NCZarr of version 1: keys of its own beside Zarr's. `nczarr_upper.zarr` is NCZarr 2.0.0 with members in
upper case in `.zgroup` and `.zarray`, as netCDF-C 4.9.0 wrote it. Both hold the same.
"""

import json
import pathlib
import shutil
import struct

HERE = pathlib.Path(__file__).parent


def put(folder, documents):
    shutil.rmtree(folder, ignore_errors=True)
    for key, value in documents.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())


def array(shape, chunks, dtype, fill, **more):
    return {
        "zarr_format": 2,
        "shape": shape,
        "dtype": dtype,
        "chunks": chunks,
        "fill_value": fill,
        "order": "C",
        "compressor": None,
        "filters": None,
        **more,
    }


CHUNKS = {
    "t/0.0": struct.pack("<4i", 1, 2, 3, 4),
    "name/0.0": b"abef\0\0",
    "g/s/0": struct.pack("<d", 1.5),
}
T = ([3, 2], [2, 2], "<i4", -1)
NAME = ([3, 2], [3, 2], "<U1", "")
S = ([1], [1], "<f8", 0)
ROOT = {"dims": {"y": 3, "x": 2}, "vars": ["t", "name"], "groups": ["g"]}
G = {"dims": {}, "vars": ["s"], "groups": []}
TYPES = {"types": {"units": "<U1", "_FillValue": "<i4"}}
T_ATTRIBUTES = {"units": "K", "_FillValue": -1}


def refs(*names, storage="chunked"):
    return {"dimrefs": list(names), "storage": storage}


put(
    HERE / "nczarr_v1.zarr",
    {
        ".nczarr": {"zarr_format": 2, "nczarr_version": "1.0.0"},
        ".zgroup": {"zarr_format": 2},
        ".nczgroup": ROOT,
        "t/.zarray": array(*T),
        "t/.nczarray": refs("/y", "/x"),
        "t/.zattrs": T_ATTRIBUTES,
        "t/.nczattr": TYPES,
        "name/.zarray": array(*NAME),
        "name/.nczarray": refs("/y", "/x"),
        "g/.zgroup": {"zarr_format": 2},
        "g/.nczgroup": G,
        "g/s/.zarray": array(*S),
        "g/s/.nczarray": refs(storage="scalar"),
        **CHUNKS,
    },
)
put(
    HERE / "nczarr_upper.zarr",
    {
        ".zgroup": {"zarr_format": 2, "_NCZARR_SUPERBLOCK": {"version": "2.0.0"}, "_NCZARR_GROUP": ROOT},
        "t/.zarray": array(*T, _NCZARR_ARRAY=refs("/y", "/x")),
        "t/.zattrs": {**T_ATTRIBUTES, "_NCZARR_ATTR": TYPES},
        "name/.zarray": array(*NAME, _NCZARR_ARRAY=refs("/y", "/x")),
        "g/.zgroup": {"zarr_format": 2, "_NCZARR_GROUP": G},
        "g/s/.zarray": array(*S, _NCZARR_ARRAY=refs(storage="scalar")),
        **CHUNKS,
    },
)
