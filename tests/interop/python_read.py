"""Reads datasets whole through libraries of Python: every group, array and attribute, and the values.

    python python_read.py h5py|xarray|zarr|zarrs|tensorstore|metadata PATH…

`metadata` is no program: it refuses JSON of Zarr that a specification does not know. The versions of the libraries are those of
`PYTHONPATH`. `read_whole.py` says what is printed.
"""

import contextlib
import json
import pathlib
import sys
import warnings

import numpy as np
import read_whole
from zarr_python_read import keys, plain, prefix, value_of

warnings.simplefilter("ignore")


def tell_values(found, name, values):
    """Tells values of numbers and text; of others, only that they were read."""
    values = np.asarray(values)
    told = None
    if values.size <= read_whole.TOLD and not (values.dtype.names or values.dtype.kind == "V"):
        told = ["" if x is None else x for x in plain(values)]
        if not all(isinstance(x, (str, int, bool)) for x in told):
            told = None
    found.values[name] = told


def read_array(found, name, array, shape, chunks, size):
    """All of a small array, or its first and its last chunk."""
    for start, counts in read_whole.boxes(shape, chunks, size):
        values = array[tuple(slice(at, at + n) for at, n in zip(start, counts))] if shape else array[()]
        if counts == list(shape):
            tell_values(found, name, values)


def by_h5py(path, found):
    import h5py

    def attributes(item, name):
        for n in read_whole.some(range(h5py.h5a.get_num_attrs(item.id))):
            with found.item(f"{name}@{n}"):
                own = h5py.h5a.open(item.id, index=n).name
                item.attrs[own]

    def visit(item, name, seen):
        address = h5py.h5o.get_info(item.id).addr
        if address in seen:
            return
        seen.add(address)
        attributes(item, name)
        if isinstance(item, h5py.Dataset):
            with found.item(name):
                if item.shape is not None:
                    read_array(found, name, item, item.shape, item.chunks, item.dtype.itemsize)
        if not isinstance(item, h5py.Group):
            return
        for own in read_whole.some(list(item.id)):
            child = f"{name.rstrip('/')}/{own.decode(errors='surrogateescape')}"
            with found.item(child):
                if item.id.links.get_info(own).type == h5py.h5l.TYPE_HARD:
                    opened = h5py.h5o.open(item.id, own)
                    kinds = {h5py.h5g.GroupID: h5py.Group, h5py.h5d.DatasetID: h5py.Dataset}
                    visit(kinds.get(type(opened), h5py.Datatype)(opened), child, seen)

    with h5py.File(path) as file:
        visit(file, "/", set())


def nodes(path):
    """The paths of groups and of arrays of a hierarchy below its root, and the folder of the root."""
    path = pathlib.Path(path)
    names = keys(path)
    root = prefix(path, names) if "zarr.json" not in names else ""
    groups, arrays = [], []
    for name in names:
        folder, _, last = name.rpartition("/")
        own = folder[len(root):].strip("/")
        if last == ".zgroup":
            groups.append((own, 2))
        elif last == ".zarray":
            arrays.append((own, 2))
        elif last == "zarr.json":
            kind = json.loads(value_of(path, name))["node_type"]
            (groups if kind == "group" else arrays).append((own, 3))
    return groups, arrays, root


def store_of(path):
    import zarr

    if int(zarr.__version__.split(".")[0]) >= 3:
        if pathlib.Path(path).is_dir():
            return zarr.storage.LocalStore(path, read_only=True)
        return zarr.storage.ZipStore(path, mode="r")
    return zarr.DirectoryStore(path) if pathlib.Path(path).is_dir() else zarr.ZipStore(path, mode="r")


def by_zarr(path, found):
    import zarr

    groups, arrays, root = nodes(path)
    store = store_of(path)
    newer = int(zarr.__version__.split(".")[0]) >= 3

    def options(own, version):
        return {"store": store, "mode": "r", "path": f"{root}/{own}".strip("/"), **({"zarr_format": version} if newer else {})}

    with found.item("/"):
        # With consolidated metadata, if there are any, as a user opens it.
        zarr.open_group(store=store, mode="r", path=root)
    for own, version in read_whole.some(groups):
        with found.item("/" + own):
            dict(zarr.open_group(**options(own, version), **({"use_consolidated": False} if newer else {})).attrs)
    for own, version in read_whole.some(arrays):
        with found.item("/" + own):
            array = zarr.open_array(**options(own, version))
            dict(array.attrs)
            read_array(found, "/" + own, array, array.shape, array.chunks, array.dtype.itemsize)


def by_zarrs(path, found):
    """The wheel leaves zips to zarr-python, so that it is not asked for them."""
    import zarr

    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True})
    by_zarr(path, found)


def by_tensorstore(path, found):
    import tensorstore

    _, arrays, root = nodes(path)
    base = {"driver": "file", "path": path}
    for own, version in read_whole.some(arrays):
        with found.item("/" + own):
            inner = f"{root}/{own}".strip("/")
            if pathlib.Path(path).is_dir():
                store = {**base, "path": f"{path}/{inner}/"}
            else:
                store = {"driver": "zip", "base": base, "path": f"{inner}/"}
            driver = {2: "zarr", 3: "zarr3"}[version]
            array = tensorstore.open({"driver": driver, "kvstore": store}, read=True, open=True).result()
            chunks = list(array.chunk_layout.read_chunk.shape or [])
            size = array.dtype.numpy_dtype.itemsize
            for start, counts in read_whole.boxes(array.shape, chunks, size):
                values = array[tuple(slice(at, at + n) for at, n in zip(start, counts))].read().result()
                if counts == list(array.shape):
                    tell_values(found, "/" + own, values)


def by_xarray(path, found):
    import xarray

    # `open_groups` does not pass on `decode_cf`.
    options = dict.fromkeys(("concat_characters", "mask_and_scale", "decode_times", "decode_coords"), False)
    with open(path, "rb") if pathlib.Path(path).is_file() else contextlib.nullcontext() as file:
        begin = file.read(4) if file else b"PK\3\4"
    if begin == b"PK\3\4":
        _, _, root = nodes(path)
        options |= {"engine": "zarr", "chunks": None, "group": root or None}
        place = store_of(path)
    else:
        options |= {"engine": "netcdf4"}
        place = path
    for group, data in xarray.open_groups(place, **options).items():
        with found.item(group):
            dict(data.attrs)
            for own, variable in data.variables.items():
                name = f"{group.rstrip('/')}/{own}"
                with found.item(name):
                    dict(variable.attrs)
                    if variable.nbytes <= read_whole.WHOLE:
                        tell_values(found, name, variable.values)


# Members of the documents of nodes.
OF_ARRAY = {"zarr_format", "shape", "chunks", "dtype", "compressor", "fill_value", "order", "filters", "dimension_separator"}
OF_NODE = {
    "array": {"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"},
    "group": {"zarr_format", "node_type"},
}
OPTIONAL = {"array": {"attributes", "storage_transformers", "dimension_names"}, "group": {"attributes", "consolidated_metadata"}}


def refuse(word):
    raise ValueError(f"{word} is not JSON")


def by_metadata(path, found):
    path = pathlib.Path(path)
    for name in keys(path):
        last = name.rpartition("/")[2]
        if last not in (".zarray", ".zgroup", ".zattrs", ".zmetadata", "zarr.json"):
            continue
        with found.item("/" + name):
            document = json.loads(value_of(path, name).decode(), parse_constant=refuse if last == "zarr.json" else None)
            members = set(document)
            if last == ".zarray":
                needed = OF_ARRAY - {"dimension_separator"}
                assert needed <= members <= OF_ARRAY, members ^ needed
            elif last == ".zgroup":
                assert members == {"zarr_format"}, members
            elif last == "zarr.json":
                kind = document["node_type"]
                assert OF_NODE[kind] <= members <= OF_NODE[kind] | OPTIONAL[kind], members
                for codec in document.get("codecs", []):
                    assert set(codec) <= {"name", "configuration"}, codec


if __name__ == "__main__":
    readers = {"h5py": by_h5py, "xarray": by_xarray, "zarr": by_zarr, "zarrs": by_zarrs, "tensorstore": by_tensorstore, "metadata": by_metadata}
    read_whole.tell(readers[sys.argv[1]], sys.argv[2:])
