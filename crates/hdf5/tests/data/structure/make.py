"""Makes the files that tests/all/structure.rs reads, and beside each, as NAME.tree, what libhdf5 says of it.

Run with h5py 3.16 or later (HDF5 2.0) on Linux: python make.py
A line of a .tree file is: path, kind of line, and what tests/all/tree/mod.rs prints for that kind. `attribute~` marks attributes
of an object that does not track their order: libhdf5 lists them by name.
"""

import ctypes
import glob
import os
import re
import sys

import h5py
import numpy as np
from h5py import h5, h5a, h5d, h5f, h5g, h5l, h5o, h5p, h5s, h5t

HERE = os.path.dirname(os.path.abspath(__file__))
ID = ctypes.c_int64

# What h5py does not offer is called in the library that it brings along.
LIB = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(h5py.__file__), "..", "h5py.libs", "libhdf5-*.so*"))[0])
for name in ("H5Tget_order", "H5Tget_precision", "H5Tget_offset", "H5Tcomplex_create"):
    getattr(LIB, name).argtypes = [ID]
LIB.H5Tcomplex_create.restype = ID
LIB.H5Dcreate2.argtypes = [ID, ctypes.c_char_p, ID, ID, ID, ID, ID]
LIB.H5Dcreate2.restype = ID
LIB.H5Aread.argtypes = [ID, ID, ctypes.c_void_p]
LIB.H5Dread.argtypes = [ID] * 5 + [ctypes.c_void_p]
LIB.H5Pget_fill_value.argtypes = [ID, ID, ctypes.c_void_p]
LIB.H5Pset_istore_k.argtypes = [ID, ctypes.c_uint]
LIB.H5Pset_sym_k.argtypes = [ID, ctypes.c_uint, ctypes.c_uint]
LIB.H5Pset_shared_mesg_nindexes.argtypes = [ID, ctypes.c_uint]
LIB.H5Pset_shared_mesg_index.argtypes = [ID] + [ctypes.c_uint] * 3
LIB.H5Pset_shared_mesg_phase_change.argtypes = [ID, ctypes.c_uint, ctypes.c_uint]
LIB.H5Pset_mdc_image_config.argtypes = [ID, ctypes.c_void_p]


# ---- What libhdf5 says ----

MAX_DATA = 1 << 20


def fnv(data):
    value = 0x811C9DC5
    for byte in data:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def holds_addresses(t):
    c = t.get_class()
    if c in (h5t.VLEN, h5t.REFERENCE):
        return True
    if c == h5t.STRING:
        return t.is_variable_str()
    if c == h5t.ARRAY:
        return holds_addresses(t.get_super())
    if c == h5t.COMPOUND:
        return any(holds_addresses(t.get_member_type(i)) for i in range(t.get_nmembers()))
    return False


def bits(t):
    order = ["le", "be", "vax"][LIB.H5Tget_order(t.id)]
    return f"{t.get_size()}{order}:{LIB.H5Tget_precision(t.id)}@{LIB.H5Tget_offset(t.id)}"


def describe(t):
    c, size = t.get_class(), t.get_size()
    if c == h5t.INTEGER:
        return ("i" if t.get_sign() == h5t.SGN_2 else "u") + bits(t)
    if c == h5t.FLOAT:
        norm = {0: 2, 1: 1, 2: 0}[t.get_norm()]
        return f"f{bits(t)}:{','.join(map(str, t.get_fields()))},{t.get_ebias()},{norm}"
    if c == h5t.TIME:
        return f"time{size}"
    if c == h5t.STRING:
        length = "V" if t.is_variable_str() else ""
        return f"{length}S{'' if length else size}({t.get_strpad()},{t.get_cset()})"
    if c == h5t.BITFIELD:
        return "b" + bits(t)
    if c == h5t.OPAQUE:
        return f"O{size}:{text(t.get_tag())}"
    if c == h5t.COMPOUND:
        members = [
            f"{text(t.get_member_name(i))}@{t.get_member_offset(i)}:{describe(t.get_member_type(i))}"
            for i in range(t.get_nmembers())
        ]
        if holds_addresses(t):
            return "{" + ";".join(re.sub("[0-9]", "", member) for member in members) + "}"
        return "{" + ";".join(members) + "}" + str(size)
    if c == h5t.REFERENCE:
        if t.equal(h5t.STD_REF_OBJ):
            return "Robject"
        return "Rregion" if t.equal(h5t.STD_REF_DSETREG) else "Rstandard"
    if c == h5t.ENUM:
        base = t.get_super()
        order = "little" if base.get_order() == h5t.ORDER_LE else "big"
        signed = base.get_sign() == h5t.SGN_2
        members = []
        for i in range(t.get_nmembers()):
            value = int(t.get_member_value(i)).to_bytes(size, order, signed=signed)
            members.append(f"{text(t.get_member_name(i))}=[{', '.join('%02x' % byte for byte in value)}]")
        return f"E({describe(base)})" + ";".join(members)
    if c == h5t.VLEN:
        return f"V({describe(t.get_super())})"
    if c == h5t.ARRAY:
        return f"A{list(t.get_array_dims())}({describe(t.get_super())})"
    if c == 11:
        return f"C({describe(t.get_super())})"
    return f"class {c}"


def shape(space):
    kind = space.get_simple_extent_type()
    if kind == h5s.NULL:
        return "null"
    if kind == h5s.SCALAR or space.get_simple_extent_ndims() == 0:
        return "scalar"
    most = ["*" if n in (h5s.UNLIMITED, -1, 2**64 - 1) else str(n) for n in space.get_simple_extent_dims(True)]
    return f"{list(space.get_simple_extent_dims())}/[{', '.join(most)}]"


def digest(t, data):
    return "-" if holds_addresses(t) else f"{len(data)}:{fnv(data):08x}"


def elements(t, space, read):
    if holds_addresses(t):
        return "-"
    count = 0 if space.get_simple_extent_type() == h5s.NULL else space.get_simple_extent_npoints()
    data = np.zeros(count * t.get_size(), dtype="u1")
    if data.size and read(data.ctypes.data) < 0:
        raise RuntimeError("cannot read")
    return digest(t, data.tobytes()[:MAX_DATA])


class Tree:
    """The listing of an open file."""

    def __init__(self, file):
        self.lines, self.seen = [], set()
        self.base = file.get_create_plist().get_userblock()
        root = h5g.open(file, b"/")
        address = h5o.get_info(root).addr
        self.seen.add(address)
        self.object(root, "/", address)

    def write(self, name):
        with open(os.path.join(HERE, name + ".tree"), "w") as out:
            out.write("\n".join(self.lines) + "\n")

    def line(self, *parts):
        self.lines.append("\t".join(parts))

    def object(self, o, path, address):
        kind = {h5g.GroupID: "Group", h5d.DatasetID: "Dataset"}.get(type(o), "NamedDatatype")
        self.line(path, "object", str(address), kind)
        properties = o.get_create_plist() if kind != "NamedDatatype" else None
        self.attributes(o, path, properties)
        if kind == "Dataset":
            self.dataset(o, path)
        elif kind == "Group":
            self.group(o, path, properties)
        else:
            self.line(path, "type", describe(o))

    def attributes(self, o, path, properties):
        tracked = properties is not None and properties.get_attr_creation_order() & 1
        index = h5.INDEX_CRT_ORDER if tracked else h5.INDEX_NAME
        for i in range(h5a.get_num_attrs(o)):
            a = h5a.open(o, index=i, index_type=index, order=h5.ITER_INC)
            t, space = a.get_type(), a.get_space()
            data = elements(t, space, lambda buffer: LIB.H5Aread(a.id, t.id, buffer))
            self.line(path, "attribute" if tracked else "attribute~", text(a.name), describe(t), shape(space), data)

    def group(self, o, path, properties):
        tracked = properties.get_link_creation_order() & 1
        index = h5.INDEX_CRT_ORDER if tracked else h5.INDEX_NAME
        names, children = [], []
        o.links.iterate(lambda name: names.append(name), idx_type=index, order=h5.ITER_INC)
        for name in names:
            info = o.links.get_info(name)
            if info.type == h5l.TYPE_HARD:
                target = f"hard {info.u}"
                if info.u not in self.seen:
                    self.seen.add(info.u)
                    children.append((name, info.u))
            elif info.type == h5l.TYPE_SOFT:
                target = "soft " + text(o.links.get_val(name))
            elif info.type == h5l.TYPE_EXTERNAL:
                target = "external " + " ".join(map(text, o.links.get_val(name)))
            else:
                target = f"user {info.type}"
            self.line(path, "link", text(name), target)
        for name, address in children:
            self.object(h5o.open(o, name), path.rstrip("/") + "/" + text(name), address)

    def dataset(self, d, path):
        t, space, properties = d.get_type(), d.get_space(), d.get_create_plist()
        filters = [properties.get_filter(i) for i in range(properties.get_nfilters())]
        filters = " ".join(f"{f[0]}:{f[1] & 1}:{list(f[2])}" for f in filters)
        data = lambda: elements(t, space, lambda buffer: LIB.H5Dread(d.id, t.id, 0, 0, 0, buffer))
        layout = properties.get_layout()
        if layout == h5d.COMPACT:
            layout = "compact " + data()
        elif layout == h5d.CONTIGUOUS and properties.get_external_count() > 0:
            layout = "external"
        elif layout == h5d.CONTIGUOUS and d.get_offset() is None:
            layout = "contiguous -"
        elif layout == h5d.CONTIGUOUS:
            layout = f"contiguous {d.get_offset() - self.base} {data()}"
        elif layout == h5d.CHUNKED:
            chunks = [d.get_chunk_info(i) for i in range(d.get_num_chunks())]
            chunks.sort(key=lambda chunk: chunk.chunk_offset)
            records = [(c.byte_offset, c.size, c.filter_mask) for c in chunks]
            records = b"".join(n.to_bytes(8, "little") for record in records for n in record)
            layout = f"chunked {list(properties.get_chunk())} {len(chunks)} {fnv(records):08x}"
        else:
            layout = "virtual"
        fill = {0: "undefined", 1: "default"}.get(properties.fill_value_defined())
        if fill is None:
            value = np.zeros(t.get_size(), dtype="u1")
            if not holds_addresses(t):
                LIB.H5Pget_fill_value(properties.id, t.id, value.ctypes.data)
            fill = digest(t, value.tobytes())
        times = {1: "Early", 2: "Late", 3: "Incremental"}[properties.get_alloc_time()]
        times += " " + {0: "Alloc", 1: "Never", 2: "IfSet"}[properties.get_fill_time()]
        self.line(path, "dataset", describe(t), shape(space), layout, f"[{filters}]", f"{times} {fill}")


# ---- The files ----


def path(name):
    return os.path.join(HERE, name + ".h5")


MADE = "earliest v18 v200 userblock sizes24 sizes44 sizes84 superblock1 shared_list shared_btree".split()


def create(name, fcpl=None, fapl=None):
    fcpl = fcpl or h5p.create(h5p.FILE_CREATE)
    fapl = fapl or h5p.create(h5p.FILE_ACCESS)
    return h5py.File(h5f.create(path(name).encode(), h5f.ACC_TRUNC, fcpl, fapl))


def everything(file):
    """One of each."""
    file["scalar"] = np.float32(3)
    file["int16be"] = np.arange(10, dtype=">i2")
    file["uint64"] = np.arange(12, dtype="u8").reshape(3, 4)
    file["float16"] = np.arange(4, dtype="f2")
    file["longdouble"] = np.arange(3, dtype="g")
    file["string"] = np.array([b"ab", b"c"], dtype="S5")
    file["vstring"] = np.array(["x", "yy"], dtype=h5py.string_dtype())
    file["bool"] = np.array([True, False])
    kinds = h5py.enum_dtype({"a": 1, "bb": 2, "c c": -5}, basetype="i2")
    file["enum"] = np.array([1, 2], dtype=kinds)
    file["compound"] = np.zeros(3, dtype=[("a", "i4"), ("b", "f8", (2, 3)), ("c", [("x", "u1"), ("y", "S3")])])
    file.create_dataset("vlen", (3,), dtype=h5py.vlen_dtype("i4"))[0] = [1, 2]
    file["opaque"] = np.array([np.datetime64("2020-01-01")]).astype(h5py.opaque_dtype("M8[D]"))
    file.create_dataset("reference", (2,), dtype=h5py.ref_dtype)[0] = file["scalar"].ref
    file.create_dataset("region", (2,), dtype=h5py.regionref_dtype)
    file.create_dataset("null", data=h5py.Empty("f4"))
    file.create_dataset("unallocated", (5, 5), dtype="i4")
    file.create_dataset("empty", (0, 3), dtype="i4")
    ramp = np.arange(40, dtype="i4").reshape(10, 4)
    file.create_dataset("chunked", data=ramp, chunks=(3, 3), compression="gzip", shuffle=True, fletcher32=True)
    file.create_dataset("unlimited", data=ramp, maxshape=(None, 4), chunks=(3, 4))
    file.create_dataset("unlimited2", data=ramp, maxshape=(None, None), chunks=(3, 2), compression="gzip")
    file.create_dataset("single", data=ramp, chunks=(10, 4), compression="gzip")
    file.create_dataset("fill", (10,), dtype="i4", fillvalue=-7)
    file.create_dataset("fillstring", (2,), dtype=h5py.string_dtype(), fillvalue="hi")
    file.create_dataset("neverfill", (10,), dtype="i4", fill_time="never")

    def raw(name, **settings):
        properties = h5p.create(h5p.DATASET_CREATE)
        for setting, value in settings.items():
            getattr(properties, setting)(*value)
        h5d.create(file.id, name, h5t.STD_I32LE, h5s.create_simple((10,)), properties)

    raw(b"compact", set_layout=(h5d.COMPACT,))
    raw(b"external", set_external=(b"x.bin", 0, 40))
    raw(b"early", set_chunk=((4,),), set_alloc_time=(h5d.ALLOC_TIME_EARLY,))
    h5d.create(file.id, b"bitfield", h5t.STD_B16BE, h5s.create_simple((3,)))

    group = file.create_group("group/inner")
    group["soft"] = h5py.SoftLink("/scalar")
    group["external"] = h5py.ExternalLink("other.h5", "/q")
    group["hard"] = file["scalar"]
    group["loop"] = file["group"]
    named = np.dtype([("q", "i4"), ("é", "f8")])
    group["type"] = named
    file.create_dataset("committed", (2,), dtype=group["type"])
    file["committed"].attrs.create("a", np.zeros(2, dtype=named), dtype=group["type"])
    for i in range(20):
        file.create_group(f"many/{i * 7 % 20:02}")
    file.attrs["é"] = "ü"
    file.attrs["array"] = np.arange(6).reshape(2, 3)
    file.attrs["null"] = h5py.Empty("f8")
    file.attrs["strings"] = ["a", "b"]
    ordered = file.create_group("ordered", track_order=True)
    for i in range(12):
        ordered.create_group(f"g{i * 5 % 12}")
        ordered.attrs[f"a{i * 7 % 12}"] = np.arange(i)
    few = file.create_group("few", track_order=True)
    for name in ("z", "a", "m"):
        few.create_group(name)
        few.attrs[name] = 1


def superblock1():
    # Version 1 of the superblock is only written where nodes of chunks' B-trees are of another size than usual.
    fcpl = h5p.create(h5p.FILE_CREATE)
    assert LIB.H5Pset_istore_k(fcpl.id, 3) >= 0 and LIB.H5Pset_sym_k(fcpl.id, 2, 3) >= 0
    fapl = h5p.create(h5p.FILE_ACCESS)
    fapl.set_libver_bounds(h5f.LIBVER_EARLIEST, h5f.LIBVER_LATEST)
    with create("superblock1", fcpl, fapl) as file:
        for i in range(30):
            file[f"x{i * 7 % 30}"] = np.arange(i % 3)
        file.create_dataset("chunked", data=np.arange(200), chunks=(3,))
        file.attrs["a"] = 1


def make():
    with h5py.File(path("earliest"), "w", libver=("earliest", "latest")) as file:
        everything(file)
    with h5py.File(path("v18"), "w", libver=("v108", "v108")) as file:
        everything(file)
    with h5py.File(path("v200"), "w", libver=("v200", "v200")) as file:
        everything(file)
        for name, part in (("c4", h5t.IEEE_F16LE), ("c8", h5t.IEEE_F32BE)):
            space = h5s.create_simple((3,))
            LIB.H5Dcreate2(file.id.id, name.encode(), LIB.H5Tcomplex_create(part.id), space.id, 0, 0, 0)
        layout = h5py.VirtualLayout((10,), dtype="i4")
        layout[:5] = h5py.VirtualSource("a.h5", "q", (5,))
        file.create_virtual_dataset("virtual", layout)
    with h5py.File(path("userblock"), "w", userblock_size=1024) as file:
        file["x"] = np.arange(5)
        file.create_dataset("chunked", data=np.arange(20), chunks=(3,))
    for offsets, lengths in ((2, 4), (4, 4), (8, 4)):
        fcpl = h5p.create(h5p.FILE_CREATE)
        fcpl.set_sizes(offsets, lengths)
        with create(f"sizes{offsets}{lengths}", fcpl) as file:
            file["x"] = np.arange(5)
            file.create_dataset("chunked", data=np.arange(20), chunks=(3,))
            file["group/soft"] = h5py.SoftLink("/x")
            file.attrs["a"] = 1
    superblock1()
    # All kinds of messages shared: in one list, and in B-trees.
    dataspace, datatype, fill, pipeline, attribute = 1 << 1, 1 << 3, 1 << 5, 1 << 11, 1 << 12
    for name, indexes, most in (
        ("shared_list", [dataspace | datatype | fill | pipeline | attribute], 50),
        ("shared_btree", [dataspace | datatype, fill | pipeline, attribute], 0),
    ):
        fcpl = h5p.create(h5p.FILE_CREATE)
        assert LIB.H5Pset_shared_mesg_nindexes(fcpl.id, len(indexes)) >= 0
        for i, kinds in enumerate(indexes):
            assert LIB.H5Pset_shared_mesg_index(fcpl.id, i, kinds, 8) >= 0
        assert LIB.H5Pset_shared_mesg_phase_change(fcpl.id, most, most) >= 0
        fapl = h5p.create(h5p.FILE_ACCESS)
        fapl.set_libver_bounds(h5f.LIBVER_EARLIEST, h5f.LIBVER_LATEST)
        with create(name, fcpl, fapl) as file:
            for i in range(4):
                kind = np.dtype([("a", "i4"), ("b", "f8", (i % 2 + 1,))])
                made = file.create_dataset(
                    f"d{i}", (10, i % 3 + 1), chunks=(5, 1), dtype=kind, compression="gzip", fillvalue=np.ones((), kind)[()]
                )
                for j in range(10 if i == 3 else 4):
                    made.attrs[f"attribute{j}"] = np.arange(j % 4 + 3)

    class ImageConfig(ctypes.Structure):
        _fields_ = [
            ("version", ctypes.c_int),
            ("generate", ctypes.c_bool),
            ("save_resize_status", ctypes.c_bool),
            ("entry_ageout", ctypes.c_int),
        ]

    fapl = h5p.create(h5p.FILE_ACCESS)
    fapl.set_libver_bounds(h5f.LIBVER_LATEST, h5f.LIBVER_LATEST)
    assert LIB.H5Pset_mdc_image_config(fapl.id, ctypes.byref(ImageConfig(1, True, False, -1))) >= 0
    with create("cache_image", None, fapl) as file:
        for i in range(3):
            made = file.create_dataset(f"d{i}", data=np.arange(10), maxshape=(None,), chunks=(5,))
            made.attrs["a"] = np.arange(i)
            file.create_group(f"group/{i}")
        # libhdf5 2.0 does not open the file that it closes here: "non-parent entry has children".
        file.flush()
        Tree(file.id).write("cache_image")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print("\n".join(Tree(h5f.open(sys.argv[1].encode(), h5f.ACC_RDONLY)).lines))
        sys.exit()
    make()
    for made in MADE:
        Tree(h5f.open(path(made).encode(), h5f.ACC_RDONLY)).write(made)
