"""Makes the fixtures of NCZarr's older forms: `python3 testdata/zarr/make_older.py`.

No program that can be installed today writes them. Each is the same dataset, whose text is in `older.cdl`:

    upper_in_objects   `_NCZARR_*` in `.zgroup` and `.zarray`, types of attributes in `.zattrs` (netcdf-c 4.8.1 to 4.9.2)
    upper_in_attributes, lower_in_objects    the other places and letters that a reader has to look for
    version1           objects of their own: `.nczarr`, `.nczgroup`, `.nczarray`, `.nczattr` (netcdf-c 4.8.0)
"""

import json
import pathlib
import shutil
import struct

HERE = pathlib.Path(__file__).parent

GROUPS = {
    "": ({"time": 2, "x": 3, "len": 4}, ["field", "text", "scalar", "never"], ["inner"], {"title": ("older", "<U1"), "levels": ([1, 2], "<i2")}),
    "inner": ({"y": 2}, ["own"], [], {"depth": (7, "<i4")}),
}
# Path: dtype, shape, chunks, fill value, dimensions, attributes, values by chunk.
ARRAYS = {
    "field": ("<f4", [2, 3], [1, 3], -99, ["/time", "/x"],
              {"_FillValue": (-99, "<f4"), "units": ("K", "<U1"), "valid_range": ([0, 400], "<f4")},
              {"0.0": struct.pack("<3f", 1.5, 2.5, -99)}),
    "text": ("<U1", [2, 4], [2, 4], "", ["/time", "/len"], {}, {"0.0": b"abcdef\0\0"}),
    "scalar": ("<i4", [1], [1], -2147483647, [], {"note": ("one number", "<U1")}, {"0": struct.pack("<i", 42)}),
    "never": ("<i8", [3], [3], -9223372036854775806, ["/x"], {}, {}),
    "inner/own": (">i2", [2, 3], [2, 2], -32767, ["/inner/y", "/x"], {},
                  {"0.0": struct.pack(">4h", 1, 2, 4, 5), "0.1": struct.pack(">4h", 3, 0, 6, 0)}),
}


def put(folder, key, value):
    path = folder / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else (json.dumps(value) + "\n").encode())


def group_member(dims, arrays, groups):
    return {"dims": dims, "vars": arrays, "groups": groups}


def array_member(dims):
    return {"dimrefs": dims, "storage": "chunked" if dims else "scalar"}


def make(name, place, letters):
    """`place`: where netCDF's own members stand: "objects", "attributes", or "version1"."""
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    member = lambda text: getattr(f"_nczarr_{text}", letters)()
    for path, (dims, arrays, groups, attributes) in GROUPS.items():
        start = path + "/" if path else ""
        zgroup = {"zarr_format": 2}
        zattrs = {key: value for key, (value, _) in attributes.items()}
        types = {"types": {key: kind for key, (_, kind) in attributes.items()}}
        own = {"group": group_member(dims, arrays, groups)}
        if not path:
            own = {"superblock": {"version": "2.0.0"}, **own}
        if place == "version1":
            if not path:
                put(folder, ".nczarr", {"zarr_format": 2, "nczarr_version": "1.0.0"})
            put(folder, start + ".nczgroup", own["group"])
            put(folder, start + ".nczattr", types)
        else:
            (zgroup if place == "objects" else zattrs).update({member(key): value for key, value in own.items()})
            zattrs[member("attr")] = types
        put(folder, start + ".zgroup", zgroup)
        put(folder, start + ".zattrs", zattrs)
    for path, (dtype, shape, chunks, fill, dims, attributes, values) in ARRAYS.items():
        zarray = {"zarr_format": 2, "shape": shape, "dtype": dtype, "chunks": chunks, "fill_value": fill, "order": "C",
                  "compressor": None, "filters": None}
        zattrs = {key: value for key, (value, _) in attributes.items()}
        types = {"types": {key: kind for key, (_, kind) in attributes.items()}}
        if place == "version1":
            put(folder, path + "/.nczarray", array_member(dims))
            put(folder, path + "/.nczattr", types)
        else:
            (zarray if place == "objects" else zattrs)[member("array")] = array_member(dims)
            zattrs[member("attr")] = types
        put(folder, path + "/.zarray", zarray)
        put(folder, path + "/.zattrs", zattrs)
        for key, value in values.items():
            put(folder, f"{path}/{key}", value)


if __name__ == "__main__":
    make("upper_in_objects", "objects", "upper")
    make("lower_in_objects", "objects", "lower")
    make("upper_in_attributes", "attributes", "upper")
    make("version1", "version1", "lower")
