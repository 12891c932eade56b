"""Reads a Zarr version 2 hierarchy through zarr-python (2 or 3) or xarray, and writes it as JSON.

    python zarr_python_read.py zarr|xarray STORE

The version of zarr-python is that of `PYTHONPATH`. Each array is opened by its own path, so that one that cannot be read does not
hide the others. A key prefix above the root (netcdf-c's zips have one) is found and passed on. For xarray, which opens a group as a
whole, arrays that zarr-python 3 cannot open (`>S1`) are left out.
"""

import json
import pathlib
import sys
import tempfile
import warnings
import zipfile

import numpy as np

warnings.simplefilter("ignore")

FORMAT = {"zarr_format": 2}


def keys(path):
    if path.is_dir():
        return sorted(str(pathlib.PurePosixPath(p.relative_to(path))) for p in path.rglob("*") if p.is_file())
    with zipfile.ZipFile(path) as file:
        return sorted(set(name for name in file.namelist() if not name.endswith("/")))


def value_of(path, key):
    if path.is_dir():
        return (path / key).read_bytes()
    with zipfile.ZipFile(path) as file:
        return file.read(key)


def prefix(path, names):
    """The folder of the root: in a zip whose keys all lie in one folder, that folder."""
    if path.is_dir() or any(n in (".zgroup", ".zarray") for n in names):
        return ""
    top = {n.split("/")[0] for n in names}
    return top.pop() if len(top) == 1 else ""


def number(value):
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    return int(value) if isinstance(value, (int, np.integer)) else repr(float(value))


def plain(array):
    """Values as a flat list: integers, `repr` of floats, text."""
    array = np.asarray(array)
    if array.dtype.kind in "SUO" or array.dtype.kind == "T":
        flat = array.ravel().tolist()
        return [x.rstrip(b"\0").decode(errors="surrogateescape") if isinstance(x, bytes) else x for x in flat]
    if array.dtype.kind in "iufb":
        return [number(x) for x in array.ravel()]
    return [repr(x) for x in array.ravel().tolist()]


def json_safe(value):
    """JSON that any reader takes: floats as `repr`, in a list of their own."""
    if isinstance(value, (float, np.floating)):
        return {"float": repr(float(value))}
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, dict):
        return {k: json_safe(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [json_safe(v) for v in value]
    if isinstance(value, bytes):
        return value.decode(errors="surrogateescape")
    if isinstance(value, np.generic):
        return json_safe(value.item())
    return value


def by_zarr(path):
    import zarr

    names = keys(path)
    root = prefix(path, names)
    start = root + "/" if root else ""
    three = int(zarr.__version__.split(".")[0]) >= 3
    if three:
        store = zarr.storage.LocalStore(path, read_only=True) if path.is_dir() else zarr.storage.ZipStore(path, mode="r")
        options = {"store": store, "mode": "r", **FORMAT}
    else:
        store = zarr.DirectoryStore(str(path)) if path.is_dir() else zarr.ZipStore(str(path), mode="r")
        options = {"store": store, "mode": "r"}
    found = {"version": zarr.__version__, "groups": {}, "variables": {}}
    for name in names:
        folder, _, last = name.rpartition("/")
        own = folder[len(start):] if folder != root else ""
        if last == ".zgroup":
            try:
                group = zarr.open_group(path=folder, **options, **({"use_consolidated": False} if three else {}))
                found["groups"]["/" + own + "/" * bool(own)] = json_safe(dict(group.attrs))
            except Exception as error:
                found["groups"]["/" + own] = {"error": f"{type(error).__name__}: {error}"}
        elif last == ".zarray":
            try:
                array = zarr.open_array(path=folder, **options)
                found["variables"]["/" + own] = {
                    "dtype": str(array.dtype),
                    "shape": list(array.shape),
                    "chunks": list(array.chunks),
                    "fill": json_safe(plain(array.fill_value)[0]) if array.fill_value is not None else None,
                    "attributes": json_safe(dict(array.attrs)),
                    "values": plain(array[...]),
                }
            except Exception as error:
                found["variables"]["/" + own] = {"error": f"{type(error).__name__}: {error}"}
    return found


def without_characters(path, folder):
    """A copy of a hierarchy, as a folder, without the arrays of `>S1`."""
    names = keys(path)
    root = prefix(path, names)
    start = root + "/" if root else ""
    left_out = []
    for name in names:
        if name.endswith("/.zarray") and json.loads(value_of(path, name))["dtype"] == ">S1":
            left_out.append(name[:-len(".zarray")])
    for name in names:
        if not any(name.startswith(array) for array in left_out):
            target = pathlib.Path(folder) / name[len(start):]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(value_of(path, name))
    if left_out:
        (pathlib.Path(folder) / ".zmetadata").unlink(missing_ok=True)
    return pathlib.Path(folder)


def by_xarray(path):
    import xarray
    import zarr

    found = {"version": xarray.__version__, "groups": {}, "variables": {}}
    with tempfile.TemporaryDirectory() as folder:
        names = keys(path)
        if prefix(path, names) or any(json.loads(value_of(path, n))["dtype"] == ">S1" for n in names if n.endswith(".zarray")):
            path = without_characters(path, folder)
            names = keys(path)
        store = str(path) if path.is_dir() else zarr.storage.ZipStore(path, mode="r")
        for name in names:
            group, _, last = name.rpartition("/")
            if last != ".zgroup":
                continue
            start = "/" + group + "/" * bool(group)
            with xarray.open_zarr(store, group=group or None, decode_cf=False, chunks=None, consolidated=False if group else None) as data:
                found["groups"][start] = json_safe(dict(data.attrs))
                for own, variable in data.variables.items():
                    try:
                        found["variables"][start + own] = {
                            "dtype": str(variable.dtype),
                            "shape": list(variable.shape),
                            "dims": list(variable.dims),
                            "attributes": json_safe(dict(variable.attrs)),
                            "values": plain(variable.values),
                        }
                    except Exception as error:
                        found["variables"][start + own] = {"error": f"{type(error).__name__}: {error}"}
    return found


if __name__ == "__main__":
    reader = {"zarr": by_zarr, "xarray": by_xarray}[sys.argv[1]]
    json.dump(reader(pathlib.Path(sys.argv[2]).resolve()), sys.stdout)
