"""Says in what two files differ, as netCDF4-python and h5py see them.

    python compare.py [--layout] [--kind] [--attribute-types] [--subset] A B
    python compare.py [--layout] [--kind] [--attribute-types] [--subset] --pairs < A TAB B LINES

Prints one line for each difference and exits with 1 where there is any. With --layout, storage (chunk shapes, filters
with their parameters, fill values, allocation) must be equal, too, with --kind the kind of file; without them only structure
and values. With --attribute-types, what h5py says of the types of attributes must be equal. With --subset, what counts is that each variable that netCDF4-python reads of A is in B, equal. Runs in a
process of its own wherever a file may crash a C library. With --model, only netCDF4-python is asked, with --any-byte-order the byte
order of numbers does not count, with --any-allocation it does not count whether chunks that hold only fill values are there. With --pairs, the lines of each pair follow a line that has its A.
"""

import resource
import sys

import h5py
import hdf5plugin  # registers filters
import netCDF4
import numpy as np

SAMPLE_BYTES = 200_000_000

# The netCDF library reads a cycle of groups until all memory is gone.
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))


# Whether numbers of another byte order are the same.
ANY_ORDER = "--any-byte-order" in sys.argv


def native(dtype):
    return dtype.newbyteorder("=") if ANY_ORDER else dtype


def same(a, b):
    """Equal values, NaN being NaN, at any depth."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        if native(a.dtype) != native(b.dtype) or a.shape != b.shape:
            return False
        if a.dtype.names:
            return all(same(a[n], b[n]) for n in a.dtype.names)
        if a.dtype.kind == "O":
            return all(same(x, y) for x, y in zip(a.ravel(), b.ravel()))
        if a.dtype.kind in "fc":
            return np.array_equal(a, b, equal_nan=True)
        return np.array_equal(a, b)
    if isinstance(a, np.void) or isinstance(b, np.void):
        return same(np.asarray(a), np.asarray(b))
    if isinstance(a, (float, np.floating)) and isinstance(b, (float, np.floating)):
        return type(a) is type(b) and (a == b or (np.isnan(a) and np.isnan(b)))
    return type(a) is type(b) and a == b


class Differences(list):
    def check(self, what, a, b):
        if not same(a, b):
            self.append(f"{what}: {str(a)[:300]!r} is not {str(b)[:300]!r}")


def attributes(d, what, a, b):
    d.check(f"{what}: attribute names", list(a.ncattrs()), list(b.ncattrs()))
    for name in a.ncattrs():
        if name in b.ncattrs():
            try:
                value = a.getncattr(name)
            except (KeyError, RuntimeError) as error:
                print(f"compare: {what}:{name}: cannot be read by netCDF4-python: {error}", file=sys.stderr)
                continue
            d.check(f"{what}:{name}", value, b.getncattr(name))


def types(d, what, a, b):
    for kind in "cmptypes", "vltypes", "enumtypes":
        x, y = getattr(a, kind), getattr(b, kind)
        d.check(f"{what} {kind}", list(x), list(y))
        for name in set(x) & set(y):
            d.check(f"{what} {kind} {name}", str(x[name].dtype), str(y[name].dtype))
            if kind == "enumtypes":
                d.check(f"{what} {kind} {name}", x[name].enum_dict, y[name].enum_dict)


def samples(shape, size):
    """The whole, or for a large variable its ends and something of the middle."""
    if int(np.prod(shape, dtype="f8")) * size <= SAMPLE_BYTES or not shape:
        yield ...
        return
    for start in (0, shape[0] // 2, max(shape[0] - 1, 0)):
        yield slice(start, start + 1)


def own_extent(file, path):
    """The lengths that the dataset itself has; netCDF-C may read rubbish past them where there are several dimensions."""
    if not h5py.is_hdf5(file):
        return None
    with h5py.File(file) as f:
        item = f.get(path) or f.get(path.rpartition("/")[0] + "/_nc4_non_coord_" + path.rpartition("/")[2])
        return item.shape if isinstance(item, h5py.Dataset) else None


def unlimited(variable, name):
    """Whether a dimension of a variable, which may be defined in a group above, is unlimited."""
    group = variable.group()
    while name not in group.dimensions:
        group = group.parent
    return group.dimensions[name].isunlimited()


def netcdf_variable(d, what, a, b, layout):
    name = lambda v: str(native(v.dtype) if isinstance(v.dtype, np.dtype) else v.dtype)
    d.check(f"{what} type", name(a), name(b))
    d.check(f"{what} dimensions", a.dimensions, b.dimensions)
    d.check(f"{what} shape", tuple(map(int, a.shape)), tuple(map(int, b.shape)))
    attributes(d, what, a, b)
    if layout:
        d.check(f"{what} chunking", a.chunking(), b.chunking())
        d.check(f"{what} endian", a.endian(), b.endian())
        try:
            d.check(f"{what} filters", a.filters(), b.filters())
        except RuntimeError as error:
            print(f"compare: {what}: filters(): {error}", file=sys.stderr)
    if a.shape != b.shape:
        return
    size = getattr(a.dtype, "itemsize", 16)
    parts = samples(a.shape, size)
    own = own_extent(a.group().filepath(), what)
    if own and own != a.shape and sum(unlimited(a, n) for n in a.dimensions) > 1:
        parts = [tuple(slice(0, n) for n in own)]
    for part in parts:
        try:
            x = a[part]
        except (RuntimeError, ValueError, IndexError, TypeError) as error:
            print(f"compare: {what}: cannot be read by netCDF4-python: {error}", file=sys.stderr)
            return
        d.check(f"{what} values", x, b[part])


def netcdf_group(d, what, a, b, layout):
    dims = lambda g: [(n, len(x), x.isunlimited()) for n, x in g.dimensions.items()]
    d.check(f"{what} dimensions", dims(a), dims(b))
    d.check(f"{what} variables", list(a.variables), list(b.variables))
    d.check(f"{what} groups", list(a.groups), list(b.groups))
    attributes(d, what, a, b)
    types(d, what, a, b)
    for name in a.variables:
        if name in b.variables:
            netcdf_variable(d, f"{what}{name}", a.variables[name], b.variables[name], layout)
    for name in a.groups:
        if name in b.groups:
            netcdf_group(d, f"{what}{name}/", a.groups[name], b.groups[name], layout)


def netcdf(d, a, b, layout, model):
    try:
        netCDF4.Dataset(a).close()
    except (OSError, RuntimeError, AttributeError) as error:
        print(f"compare: netCDF4-python does not open {a}: {error}", file=sys.stderr)
        netCDF4.Dataset(b).close()
        return
    with netCDF4.Dataset(a) as x, netCDF4.Dataset(b) as y:
        for file in x, y:
            file.set_auto_maskandscale(False)
            file.set_auto_chartostring(False)
        if model:
            d.check("kind", x.data_model, y.data_model)
        netcdf_group(d, "/", x, y, layout)


def readable(what, group):
    """The variables below a group that netCDF4-python reads, with what it reads of them."""
    for name, variable in group.variables.items():
        size = getattr(variable.dtype, "itemsize", 16)
        if size == 0:
            continue  # a compound none of whose fields it can hold
        try:
            yield what + name, [(part, variable[part]) for part in samples(variable.shape, size)]
        except Exception as error:
            print(f"compare: {what}{name}: cannot be read by netCDF4-python: {error}", file=sys.stderr)
    for name, child in group.groups.items():
        yield from readable(f"{what}{name}/", child)


def opened(path):
    file = netCDF4.Dataset(path)
    file.set_auto_maskandscale(False)
    file.set_auto_chartostring(False)
    return file


def subset(d, a, b):
    """Each variable that can be read of `a` is in `b`, with the same type, shape and values."""
    try:
        x = opened(a)
    except Exception as error:
        print(f"compare: netCDF4-python does not open {a}: {error}", file=sys.stderr)
        return
    y = None
    for path, parts in readable("/", x):
        y = y or opened(b)
        try:
            q = y[path]
        except (IndexError, KeyError):
            d.append(f"{path} is missing")
            continue
        d.check(f"{path} shape", tuple(map(int, x[path].shape)), tuple(map(int, q.shape)))
        if x[path].shape == q.shape:
            for part, values in parts:
                d.check(f"{path} values", values, q[part])


def pipeline(dataset):
    plist = dataset.id.get_create_plist()
    return [tuple(plist.get_filter(i)[:3]) for i in range(plist.get_nfilters())]


def storage(dataset):
    plist = dataset.id.get_create_plist()
    layout = plist.get_layout()
    chunks = dataset.chunks
    counted = "--any-allocation" not in sys.argv
    written = counted and dataset.id.get_storage_size() > 0
    count = dataset.id.get_num_chunks() if counted and layout == h5py.h5d.CHUNKED else None
    return {"layout": layout, "chunks": chunks, "filters": pipeline(dataset), "written": written, "count": count}


def fill(dataset):
    plist = dataset.id.get_create_plist()
    defined = plist.fill_value_defined()
    if defined == h5py.h5d.FILL_VALUE_UNDEFINED or dataset.dtype.kind in "OV":
        return None
    value = np.zeros((1,), dataset.dtype)
    plist.get_fill_value(value)
    return value[0]


def hdf5(d, a, b, layout):
    """Whatever both files call a dataset by the same path."""
    with h5py.File(a) as x, h5py.File(b) as y:
        names = []
        x.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        for name in names:
            if name not in y or not isinstance(y[name], h5py.Dataset):
                continue  # what netCDF cannot hold is left out; netcdf() has compared the rest
            p, q = x[name], y[name]
            if p.attrs.get("NAME", b"")[:22] == b"This is a netCDF dimen":
                continue  # a dimension without a variable: its length is compared, its storage says nothing
            d.check(f"h5py {name} shape", p.shape, q.shape)
            if layout:
                d.check(f"h5py {name} storage", storage(p), storage(q))
                if p.dtype == q.dtype:
                    d.check(f"h5py {name} fill value", fill(p), fill(q))
            if p.dtype == q.dtype and p.shape == q.shape and p.shape is not None and p.dtype.kind != "O":
                if p.size * p.dtype.itemsize <= SAMPLE_BYTES:
                    d.check(f"h5py {name} values", p[()], q[()])


OF_DIMENSIONS = {
    "CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties", "_nc3_strict"
}


def attribute_types(d, a, b):
    """Text and strings, of which netCDF4-python makes the same, are different types to h5py."""

    def types(file):
        found = {}

        def take(name, item):
            for key in item.attrs:
                if key not in OF_DIMENSIONS:
                    attribute = item.attrs.get_id(key)
                    string = attribute.get_type().get_class() == h5py.h5t.STRING
                    kind = ("string", attribute.get_type().is_variable_str()) if string else str(attribute.dtype)
                    found[name, key] = (kind, attribute.shape)

        take("/", file)
        file.visititems(take)
        return found

    with h5py.File(a) as x, h5py.File(b) as y:
        p, q = types(x), types(y)
        for key in p.keys() & q.keys():
            d.check(f"h5py {key[0]}:{key[1]} type", p[key], q[key])


def differences(a, b, flags):
    d = Differences()
    if "--subset" in flags:
        subset(d, a, b)
        return d
    layout = "--layout" in flags
    netcdf(d, a, b, layout, "--kind" in flags)
    if "--model" not in flags and h5py.is_hdf5(a) and h5py.is_hdf5(b):
        hdf5(d, a, b, layout)
        if "--attribute-types" in flags:
            attribute_types(d, a, b)
    return d


def main(arguments):
    flags = {x for x in arguments if x.startswith("--")}
    if "--pairs" in flags:
        for line in sys.stdin:
            a, b = line.rstrip("\n").split("\t")
            print(a, flush=True)
            try:
                d = differences(a, b, flags)
            except Exception as error:
                d = [f"{type(error).__name__}: {error}"]
            for line in d:
                print("\t" + line.replace("\n", " "), flush=True)
        print("END")
        return 0
    d = differences(*(x for x in arguments if not x.startswith("--")), flags)
    for line in d:
        print(line)
    return 1 if d else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
