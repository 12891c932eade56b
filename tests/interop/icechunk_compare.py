"""Compares a repository of Icechunk with netCDF files: what xarray reads of the branch main with what netCDF4-python reads.

    python icechunk_compare.py REPOSITORY CONTAINER SOURCE [--along DIM SOURCE…]

`CONTAINER` is the URL of the folder that virtual chunks may lie in. Values are compared as they are stored. Prints JSON: the
differences, the messages and times of all snapshots, and how many chunks of each kind there are.
"""

import json
import sys
import warnings

import icechunk
import netCDF4
import numpy as np
import zarr

warnings.simplefilter("ignore")


def groups(file):
    yield file
    for group in file.groups.values():
        yield from groups(group)


def stored(value):
    value = np.asarray(value)
    return np.array(value.tolist(), dtype=str) if value.dtype.kind in "OTU" else value


repository, container, *sources = sys.argv[1:]
along = None
if "--along" in sources:
    place = sources.index("--along")
    along = sources[place + 1]
    sources = sources[:place] + sources[place + 2 :]
access = None if icechunk.__version__.startswith("1.") else icechunk.credentials.LocalFileSystemAccess
repo = icechunk.Repository.open(
    icechunk.local_filesystem_storage(repository), authorize_virtual_chunk_access={container: access}
)
store = repo.readonly_session("main").store
root = zarr.open_group(store, mode="r")
files = [netCDF4.Dataset(source) for source in sources]
differences = []
for group in groups(files[0]):
    for name, variable in group.variables.items():
        path = f"{group.path}/{name}".strip("/")
        parts = []
        for file in files:
            own = file[f"/{path}"]
            own.set_auto_maskandscale(False)
            parts.append(own[...])
        axis = variable.dimensions.index(along) if along in variable.dimensions else None
        wanted = stored(parts[0] if axis is None else np.concatenate(parts, axis=axis))
        array = root[path]
        found = stored(array[...])
        if tuple(array.metadata.dimension_names or ()) != variable.dimensions:
            differences.append(f"{path}: dimensions {array.metadata.dimension_names}")
        if found.shape != wanted.shape or not np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f"):
            differences.append(f"{path}: values")
titles = {key: value for key, value in root.attrs.items() if key == "title"}
print(json.dumps({
    "differences": differences,
    "title": titles.get("title"),
    "snapshots": [snapshot.message for snapshot in repo.ancestry(branch="main")],
    "times": [round(snapshot.written_at.timestamp()) for snapshot in repo.ancestry(branch="main")],
}))
