"""The judges of NCZarr and Zarr datasets, and what each kind of dataset cannot hold.

A dataset is compared in one form, which `netcdf_c_read.py` writes of any kind of dataset:

    groups      path, ending with "/" ─► dims: [name, length, whether unlimited], attributes: [name, type, value]
    variables   path ─► type, dims (paths), shape, attributes, values, fill, storage, chunks, filters, endian

Numbers are integers, or `repr` of floats, so that NaN and every digit count. Text of characters is one string of a character
for each byte.
"""

import copy
import ctypes.util
import json
import os
import pathlib

import forked
import netcdf_c
import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
ZARR2 = pathlib.Path(os.environ.get("NCUTILS_ZARR2", HERE.parent.parent / "target" / "interop" / "zarr2")).resolve()

# zarr-python, tensorstore and the wheel of the crate zarrs.
ZARR3 = pathlib.Path(os.environ.get("NCUTILS_ZARR3", HERE.parent.parent / "target" / "interop" / "zarr3")).resolve()

needs_zarr3 = pytest.mark.skipif(not ZARR3.is_dir(), reason=f"tensorstore and zarrs are not installed: {ZARR3} is not there")

needs_zarr2 = pytest.mark.skipif(not ZARR2.is_dir(), reason=f"zarr-python 2 is not installed: {ZARR2} is not there")

WHOLE = {"byte": (-(2**7), 2**7 - 1), "ubyte": (0, 2**8 - 1), "short": (-(2**15), 2**15 - 1), "ushort": (0, 2**16 - 1),
         "int": (-(2**31), 2**31 - 1), "uint": (0, 2**32 - 1), "int64": (-(2**63), 2**63 - 1), "uint64": (0, 2**64 - 1)}


def by_script(libraries, script, *arguments, variables={}, timeout=120):
    """The JSON that a script writes in a process of its own, in whose environment `variables` stand."""
    code, output, error = forked.run(libraries, HERE / script, *arguments, variables=variables, timeout=timeout)
    assert code == 0, f"{arguments}: {code} {error[-2000:]}"
    return json.loads(output)


def by_libnetcdf(name, *flags):
    """A dataset as libnetcdf 4.10 reads it. `name` is a path, or a URL of NCZarr."""
    if not netcdf_c.BUILT:
        pytest.skip(f"libnetcdf 4.10 is not built: {netcdf_c.why_missing()}")
    return by_script(("numpy",), "netcdf_c_read.py", netcdf_c.LIBRARY, name, *flags, variables=netcdf_c.VARIABLES)


def by_netcdf(path):
    """A netCDF file as a libnetcdf reads it: 4.10 if it is built, else the installed one."""
    if netcdf_c.BUILT:
        return by_libnetcdf(path)
    library = ctypes.util.find_library("netcdf")
    if library is None:
        pytest.skip("no libnetcdf is installed")
    return by_script(("numpy",), "netcdf_c_read.py", library, path)


def by_zarr_python(path, version):
    """A hierarchy as zarr-python 2 or 3 reads it."""
    if version == 2 and not ZARR2.is_dir():
        pytest.skip(f"zarr-python 2 is not installed: {ZARR2} is not there")
    found = by_script(("zarr",), "zarr_python_read.py", "zarr", path, variables={"PYTHONPATH": str(ZARR2)} if version == 2 else {})
    assert found["version"].startswith(f"{version}.")
    return found


def by_readers_of_version_3(reader, *paths):
    """Hierarchies of version 3 as `zarr`, `zarrs` or `tensorstore` reads them."""
    if not ZARR3.is_dir():
        pytest.skip(f"tensorstore and zarrs are not installed: {ZARR3} is not there")
    return by_script(("zarr",), "zarr3_read.py", reader, *paths, variables={"PYTHONPATH": str(ZARR3)})


def by_xarray(path):
    """A hierarchy as xarray reads it, without decoding."""
    return by_script(("xarray", "zarr"), "zarr_python_read.py", "xarray", path)


# What a kind cannot hold. Each entry changes what went in to what comes out, and its text stands in docs/formats/zarr.md.


def each_variable(function):
    def change(dataset):
        for path, variable in dataset["variables"].items():
            function(path, variable)

    return change


def each_attribute(function):
    def change(dataset):
        for holder in [*dataset["groups"].values(), *dataset["variables"].values()]:
            holder["attributes"] = [function(holder, *attribute) for attribute in holder["attributes"]]

    return change


@each_variable
def absent_strings(_, variable):
    if variable["type"] == "string":
        variable["values"] = ["" if value is None else value for value in variable["values"]]


@each_attribute
def absent_strings_of_attributes(_, name, kind, value):
    return [name, kind, ["" if x is None else x for x in value] if kind == "string" else value]


@each_variable
def one_piece(_, variable):
    if variable.get("storage") in ("contiguous", "compact") and variable["dims"]:
        variable["storage"], variable["chunks"] = "chunked", None


def unlimited(dataset):
    for group in dataset["groups"].values():
        # netCDF has no fixed dimension of length 0.
        group["dims"] = [[name, length, length == 0] for name, length, _ in group["dims"]]


@each_variable
def long_chunks(_, variable):
    if variable.get("chunks"):
        variable["chunks"] = [min(chunk, max(length, 1)) for chunk, length in zip(variable["chunks"], variable["shape"])]


def parent(path):
    return path.rsplit("/", 1)[0] + "/"


def dimensions(dataset):
    """Dimensions of the groups above are made in the array's own group; those of no array go."""
    lengths = {path + name: length for path, group in dataset["groups"].items() for name, length, _ in group["dims"]}
    for group in dataset["groups"].values():
        group["dims"] = []
    for path, variable in dataset["variables"].items():
        own = parent(path)
        names = []
        for dimension in variable["dims"]:
            name = dimension.rsplit("/", 1)[1]
            names.append(own + name)
            made = [name, lengths[dimension], lengths[dimension] == 0]
            if made not in dataset["groups"][own]["dims"]:
                dataset["groups"][own]["dims"].append(made)
        variable["dims"] = names


def order(dataset):
    dataset["groups"] = dict(sorted(dataset["groups"].items(), key=lambda item: item[0].encode()))
    dataset["variables"] = dict(sorted(dataset["variables"].items(), key=lambda item: (parent(item[0]).encode(), item[0].encode())))


@each_variable
def characters(_, variable):
    if variable["type"] == "char":
        variable["type"] = "string"
        variable["values"] = [c.replace("\0", "") for c in variable["values"]]


def narrowest(values):
    return next(kind for kind in ("int", "uint", "int64", "uint64") if all(WHOLE[kind][0] <= v <= WHOLE[kind][1] for v in values))


def shortest(value):
    """The double of the shortest digits of a float."""
    return repr(float(str(np.float32(value))))


@each_attribute
def attribute_types(holder, name, kind, value):
    if name == "_FillValue" and "type" in holder:
        return [name, holder["type"], [value] if kind == "char" and holder["type"] == "string" else value]
    if kind == "string":
        if len(value) == 1:
            return [name, "char", value[0]]
        return [name, "char", "[" + ",".join(json.dumps(v, ensure_ascii=False) for v in value) + "]" if value else ""]
    if kind == "char":
        return [name, "char", value.rstrip("\0")]
    if len(value) == 0:
        return [name, "char", ""]
    if kind in ("float", "double"):
        return [name, "double", [shortest(v) if kind == "float" else v for v in value]]
    return [name, narrowest(value), value]


@each_variable
def fill_modes(_, variable):
    if not any(name == "_FillValue" for name, *_ in variable["attributes"]):
        variable.pop("filled", None)
        variable.pop("fill", None)


@each_attribute
def nuls_behind_text(_, name, kind, value):
    """One NUL alone is how netCDF writes an empty text, and stays."""
    if kind != "char":
        return [name, kind, value]
    text = value.rstrip("\0")
    return [name, kind, text or value[:1]]


LOST_BY_BOTH = {
    "An absent string (NIL) and an empty one are the same.": [absent_strings, absent_strings_of_attributes],
    "A variable in one piece (contiguous or compact) gets chunks.": [one_piece],
    "NULs behind the text of an attribute are left out.": [nuls_behind_text],
}

LOST_BY_ZARR = {
    "Unlimited dimensions become fixed, but for one of length 0, and no chunk is longer than a dimension.": [unlimited, long_chunks],
    "The order of variables and of groups is that of their names.": [order],
    "Characters become strings of one byte.": [characters],
    "A dimension belongs to the group of each array that has it. A dimension that no array has is gone.": [dimensions],
    "Attributes have the types that are inferred from their values: int, uint, int64, uint64, double or text.": [attribute_types],
    "Whether a variable without `_FillValue` has a fill value is not kept where every chunk is written.": [fill_modes],
}


@each_attribute
def nuls_of_text(_, name, kind, value):
    return [name, kind, value.rstrip("\0") if kind == "char" else value]


def no_length(dataset):
    """netCDF has no fixed dimension of length 0."""
    for group in dataset["groups"].values():
        group["dims"] = [[name, length, unlimited or length == 0] for name, length, unlimited in group["dims"]]


LOST_BY_VERSION_3 = {
    "An absent string (NIL) and an empty one are the same.": [absent_strings, absent_strings_of_attributes],
    "A variable in one piece (contiguous or compact) gets chunks.": [one_piece],
    "NULs at the end of an attribute's text are left out, also where they are the whole text.": [nuls_of_text],
    "A fixed dimension of length 0 becomes unlimited.": [no_length],
    "Gaps between the fields of a compound are closed.": [],
}
LOST = {
    "classic": {},
    "netcdf4": {},
    "nczarr": LOST_BY_BOTH,
    "zarr": {**LOST_BY_BOTH, **LOST_BY_ZARR},
    "v3": LOST_BY_VERSION_3,
}


def without(dataset, *kinds):
    """A copy of a dataset as it is after it was in datasets of these kinds.

    libnetcdf itself returns NIL for some empty strings, so that they are one in every comparison.
    """
    dataset = copy.deepcopy(dataset)
    absent_strings(dataset)
    absent_strings_of_attributes(dataset)
    for kind in kinds:
        for changes in LOST[kind].values():
            for change in changes:
                change(dataset)
    return dataset


# Comparisons. Each returns lines that say what differs.


def shown(value):
    text = repr(value)
    return text if len(text) < 200 else text[:200] + " …"


STORED = ("storage", "chunks", "filters", "endian")


def differences(got, wanted, *, stored=True, but=()):
    """Between two datasets in full. `but` names members that do not count."""
    lines = []
    got = without(got)

    def check(what, a, b):
        if a != b:
            lines.append(f"{what}: got {shown(a)}, expected {shown(b)}")

    check("groups", list(got["groups"]), list(wanted["groups"]))
    check("variables", list(got["variables"]), list(wanted["variables"]))
    for path in wanted["groups"]:
        if path in got["groups"]:
            for member in "dims", "attributes":
                if member not in but:
                    by_name(lines, f"{path} {member}", got["groups"][path][member], wanted["groups"][path][member])
    for path, variable in wanted["variables"].items():
        other = got["variables"].get(path)
        if other is None:
            continue
        if "error" in other:
            lines.append(f"{path}: {other['error']}")
            continue
        for member in "type", "dims", "shape", "values", "filled", "fill", *(STORED if stored else ()):
            if member in but or member not in variable or (variable[member] is None and member in STORED):
                continue
            check(f"{path} {member}", other.get(member), variable[member])
        if "attributes" not in but:
            by_name(lines, f"{path} attributes", other["attributes"], variable["attributes"])
    return lines


def by_name(lines, what, got, wanted):
    """Named things, in order."""
    if got == wanted:
        return
    names = [x[0] for x in got], [x[0] for x in wanted]
    if names[0] != names[1]:
        lines.append(f"{what}: got {shown(names[0])}, expected {shown(names[1])}")
    have = {name: rest for name, *rest in got}
    for name, *rest in wanted:
        if name in have and have[name] != rest:
            lines.append(f"{what}: {name}: got {shown(have[name])}, expected {shown(rest)}")


OF_FORMAT = ("_ARRAY_DIMENSIONS", "_NCProperties", "_nczarr_superblock", "_nczarr_group", "_nczarr_array", "_nczarr_attr",
             "_nczarr_maxstrlen", "_nczarr_default_maxstrlen", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_nc3_strict")


def plain(value):
    """A value of JSON as it was before `json_safe` of `zarr_python_read.py`."""
    if isinstance(value, dict):
        return float(value["float"]) if list(value) == ["float"] else {k: plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, list) else value


def same_attribute(kind, value, got):
    """True if a value of JSON is an attribute of netCDF."""
    got = plain(got)
    if kind == "char":
        # One NUL is an empty text.
        value = value.rstrip("\0")
    if kind == "char":
        if got == value:
            return True
        # Text that is what our reader makes of JSON may stand as that JSON.
        try:
            return not isinstance(got, str) and json.loads(value) == got
        except ValueError:
            return False
    if kind == "string":
        value = ["" if v is None else v for v in value]
        return got == value or (len(value) == 1 and got == value[0]) or (not value and got == "")
    if not value:
        return got in ("", [])
    got = got if isinstance(got, list) else [got]
    if len(got) != len(value) or any(isinstance(x, (str, dict, list)) or x is None for x in got):
        return False
    if kind in ("float", "double"):
        if not all(isinstance(x, float) for x in got):
            return False
        dtype = "f4" if kind == "float" else "f8"
        return np.array_equal(np.array(got, dtype), np.array([float(v) for v in value], dtype), equal_nan=True)
    return all(isinstance(x, int) for x in got) and got == value


def zarr_differences(found, wanted, *, pure, but=(), xarray=False, long_chunks=False):
    """Between a hierarchy as another program reads it and a dataset in full."""
    lines = []
    if set(found["groups"]) != set(wanted["groups"]):
        lines.append(f"groups: got {sorted(found['groups'])}, expected {sorted(wanted['groups'])}")
    names = {path for path in wanted["variables"] if path not in but}
    if set(found["variables"]) - set(but) != names:
        lines.append(f"variables: {sorted(set(found['variables']).symmetric_difference(names))} are in one only")
    for path, group in wanted["groups"].items():
        if path in found["groups"]:
            attribute_differences(lines, path, found["groups"][path], group["attributes"], xarray)
    for path in sorted(names & set(found["variables"])):
        variable, got = wanted["variables"][path], found["variables"][path]
        if "error" in got:
            lines.append(f"{path}: {got['error']}")
            continue
        attribute_differences(lines, path, got["attributes"], variable["attributes"], xarray)
        bare, shape = [name.rsplit("/", 1)[1] for name in variable["dims"]], variable["shape"]
        if not pure and not bare:
            # NCZarr's form of a scalar, which is the only one that libnetcdf reads.
            bare, shape = ["_scalar_"], [1]
        dims = got["dims"] if "dims" in got else got["attributes"].get("_ARRAY_DIMENSIONS")
        if dims != bare:
            lines.append(f"{path} dimensions: got {dims}, expected {bare}")
        if got["shape"] != shape:
            lines.append(f"{path} shape: got {got['shape']}, expected {shape}")
        values = variable["values"]
        if variable["type"] == "char":
            values = [c.replace("\0", "") for c in values]
        elif variable["type"] == "string":
            values = ["" if v is None else v for v in values]
        if got["values"] != values:
            lines.append(f"{path} values: got {shown(got['values'])}, expected {shown(values)}")
        chunks = variable.get("chunks")
        if chunks and pure and not long_chunks:
            chunks = [min(chunk, max(length, 1)) for chunk, length in zip(chunks, shape)]
        if not xarray and chunks and got["chunks"] != chunks:
            lines.append(f"{path} chunks: got {got['chunks']}, expected {chunks}")
    return lines


def attribute_differences(lines, path, found, wanted, xarray):
    found = {name: value for name, value in found.items() if name not in OF_FORMAT}
    wanted = {name: (kind, value) for name, kind, value in wanted}
    if xarray:
        # It takes the fill value of an array for an attribute.
        found.pop("_FillValue", None)
        wanted.pop("_FillValue", None)
    if set(found) != set(wanted):
        lines.append(f"{path} attributes: got {sorted(found)}, expected {sorted(wanted)}")
    for name in set(found) & set(wanted):
        if not same_attribute(*wanted[name], found[name]):
            lines.append(f"{path}:{name}: got {shown(found[name])}, expected {shown(wanted[name])}")
