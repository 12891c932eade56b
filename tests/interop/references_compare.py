"""Compares a dataset with references to it: what xarray reads by them with what netCDF4-python reads of the files.

    python references_compare.py REFERENCES SOURCE [--along DIM SOURCE…]

The versions of the libraries are those of `PYTHONPATH`. Values are compared as they are stored, and as xarray decodes them. Prints the
differences as a list of JSON.
"""

import json
import sys
import warnings

import fsspec
import netCDF4
import numpy as np
import xarray as xr

warnings.simplefilter("ignore")


def mapper(references, group):
    """The keys of a group."""
    compression = {"target_options": {"compression": "zstd"}} if references.endswith(".zst") else {}
    fs = fsspec.filesystem("reference", fo=references, remote_protocol="file", skip_instance_cache=True, **compression)
    return fs.get_mapper(group)


def opened(references, group, **options):
    return xr.open_zarr(mapper(references, group), consolidated=False, zarr_format=2, chunks=None, decode_times=False, **options)


def groups(file):
    yield file
    for group in file.groups.values():
        yield from groups(group)


def text(values):
    """Strings without the zeros that make all of one length."""
    values = np.asarray(values)
    if values.dtype.kind in "SO":
        values = np.array([v.rstrip(b"\0").decode() if isinstance(v, bytes) else str(v) for v in values.ravel()]).reshape(values.shape)
    return values


def same(one, other):
    if one.shape != other.shape:
        return f"shape {one.shape}, not {other.shape}"
    if one.dtype.names:
        equal = all(same(one[name], other[name]) is None for name in one.dtype.names)
    else:
        equal = np.array_equal(one, other, equal_nan=one.dtype.kind in "fc" and other.dtype.kind in "fc")
    return None if equal else f"{one.ravel()[:4]}, not {other.ravel()[:4]}"


def cells(shape):
    """All cells, or some of very many chunks."""
    return (slice(None, None, 97 if shape[0] > 10_000 else 1), ...) if shape else ...


def stored(variable):
    variable.set_auto_maskandscale(False)
    variable.set_auto_chartostring(False)
    return text(variable[cells(variable.shape)])


def differences(references, paths, along):
    files = [netCDF4.Dataset(path) for path in paths]
    found = []
    for members in zip(*map(groups, files)):
        group = members[0].path.strip("/")
        raw = opened(references, group, mask_and_scale=False)
        decoded = opened(references, group)
        for name, variable in members[0].variables.items():
            path = f"{group}/{name}"
            if name not in raw.variables:
                found.append(f"{path} is missing")
                continue
            axis = variable.dimensions.index(along) if along in variable.dimensions else None
            parts = [stored(member.variables[name]) for member in members]
            expected = parts[0] if axis is None else np.concatenate(parts, axis)
            wrong = same(text(raw[name][cells(raw[name].shape)].values), expected)
            if wrong:
                found.append(f"{path}: {wrong}")
            # Values of packed variables, as users see them.
            if hasattr(variable, "scale_factor") and not wrong:
                unpacked = expected * variable.scale_factor + getattr(variable, "add_offset", 0)
                missing = getattr(variable, "_FillValue", None)
                if missing is not None:
                    unpacked = np.where(expected == missing, np.nan, unpacked)
                if not np.allclose(decoded[name].values, unpacked, equal_nan=True):
                    found.append(f"{path} is unpacked otherwise")
    return found


if __name__ == "__main__":
    references, *rest = sys.argv[1:]
    along = None
    if "--along" in rest:
        at = rest.index("--along")
        along = rest[at + 1]
        rest[at:at + 2] = []
    print(json.dumps(differences(references, rest, along)))
