"""`nccopy -k h5`: HDF5 as it is, judged by h5py, h5diff and h5dump."""

import json
import re
import shutil
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, CORPUS, nccopy, needs_corpus, unfinished


def dumped(path, folder=None):
    """What `h5dump -p` prints in a folder, but for addresses, sizes in the file and the file's name."""
    command = ["h5dump", "-p", path]
    text = subprocess.run(command, check=True, capture_output=True, cwd=folder or path.parent, timeout=5).stdout
    text = re.sub(rb"OFFSET \d+", b"OFFSET", text)
    text = re.sub(rb"SIZE \d+( \([\d.]+:1 COMPRESSION\))?", b"SIZE", text)
    text = re.sub(rb"(DATASET|GROUP|DATATYPE) \d+ ", rb"\1 N ", text)
    text = re.sub(rb"\b\d+:\d{3,}", b"ADDRESS", text)
    return re.sub(rb'^HDF5 ".*?" \{', b"", re.sub(rb"#\d+", b"#N", text))


def copied(path, *arguments):
    target = path.with_name("copy.h5")
    told = nccopy("-k", "h5", *arguments, path, target)
    if not arguments:
        assert dumped(path) == dumped(target)
    # h5diff does not know all types: then it fails for a byte-for-byte copy, too.
    same = shutil.copy(path, path.with_name("same.h5"))
    of_bytes, of_ours = (subprocess.run(["h5diff", path, other], capture_output=True) for other in (same, target))
    assert of_bytes.returncode == of_ours.returncode != 1, of_ours
    return target, told


def types(f):
    padded = h5py.h5t.STD_I32LE.copy()
    padded.set_precision(19)
    padded.set_offset(5)
    text = h5py.h5t.C_S1.copy()
    text.set_size(7)
    text.set_strpad(h5py.h5t.STR_SPACEPAD)
    text.set_cset(h5py.h5t.CSET_UTF8)
    opaque = h5py.h5t.create(h5py.h5t.OPAQUE, 5)
    opaque.set_tag(b"a tag")
    space = h5py.h5s.create_simple((3,))
    named = {
        "padded": padded,
        "half": h5py.h5t.IEEE_F16LE,
        "bits": h5py.h5t.STD_B16BE,
        "time": h5py.h5t.UNIX_D32BE,
        "text": text,
        "opaque": opaque,
        "array": h5py.h5t.array_create(h5py.h5t.STD_I16BE, (2, 3)),
    }
    for name, datatype in named.items():
        h5py.h5d.create(f.id, name.encode(), datatype, space)
        h5py.h5a.create(f.id, name.encode(), datatype, space)
        datatype.copy().commit(f.id, f"{name}_t".encode())
    f["committed"] = np.dtype([("a", "<i2"), ("b", ">f8")])
    f.create_dataset("user", (2,), f["committed"])
    f["user"].attrs.create("same type", np.zeros((), f["committed"].dtype), dtype=f["committed"])


def spaces(f):
    f.create_dataset("null", data=h5py.Empty("f4"))
    f.attrs["null"] = h5py.Empty("i2")
    f["scalar"] = 3.5
    f.create_dataset("finite", (3, 4), "i4", maxshape=(10, 4), chunks=(2, 4))[...] = 7
    f.create_dataset("none", (0, 4), "i4", maxshape=(None, 4), chunks=(2, 4))


def links(f):
    g = f.create_group("g")
    g["d"] = np.arange(4)
    f["hard"] = g["d"]
    f["loop"] = g
    f["soft"] = h5py.SoftLink("/g/d")
    f["dangling"] = h5py.SoftLink("/nowhere")
    f["external"] = h5py.ExternalLink("other.h5", "/x")
    many = f.create_group("many", track_order=True)
    for n in reversed(range(40)):
        many.create_group(f"g{n:02}")
        many.attrs[f"a{n:02}"] = n
        f.attrs[f"b{n:02}"] = n
    many["soft"] = h5py.SoftLink("g01")


def references(f):
    f["target"] = np.arange(20).reshape(4, 5)
    f["other"] = np.arange(3)
    f.create_dataset("objects", data=[f["target"].ref, f.ref, h5py.Reference()], dtype=h5py.ref_dtype)
    region = f["target"].regionref[1:3, 2:4]
    f.create_dataset("regions", (2,), h5py.regionref_dtype)
    f["regions"][0] = region
    f["target"].attrs["region"] = region
    both = np.dtype([("n", "<i4"), ("r", h5py.ref_dtype), ("s", h5py.string_dtype())])
    f.create_dataset("compound", (3,), both, chunks=(2,), compression="gzip")
    f["compound"][0] = (5, f["target"].ref, "some text")
    f.create_dataset("lists", (2,), h5py.vlen_dtype(h5py.ref_dtype))
    f["lists"][0] = np.array([f["target"].ref, f["other"].ref], h5py.ref_dtype)
    f.attrs.create("text", ["", "ä", "long " * 100], dtype=h5py.string_dtype())
    f.create_dataset("texts", data=["a", "", "b" * 9000], dtype=h5py.string_dtype(), chunks=(2,), shuffle=True)
    f.create_dataset("numbers", (3,), h5py.vlen_dtype("f4"))
    f["numbers"][1] = [1, 2, 3]
    scale = f.create_dataset("x", data=np.arange(5.0))
    scale.make_scale("x")
    f["target"].dims[1].attach_scale(scale)


OPTIONS = [{}, {"libver": ("v110", "v110")}, {"userblock_size": 1024}, {"track_order": True}]


@pytest.mark.parametrize("make", [types, spaces, links, references])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: next(iter(options), "plain"))
def test_everything_is_kept(tmp_path, make, options):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", **options) as f:
        make(f)
    start = options.get("userblock_size", 0)
    if start:
        with open(path, "r+b") as raw:
            raw.write(b"a user block" * 50)
    target, told = copied(path)
    assert not told
    assert target.read_bytes()[:start] == path.read_bytes()[:start]
    with h5py.File(path) as a, h5py.File(target) as b:
        assert list(a) == list(b) and list(a.attrs) == list(b.attrs)
        assert a.userblock_size == b.userblock_size
        if make is types:
            datasets = [name for name in a if isinstance(a[name], h5py.Dataset)]
            assert len(datasets) == 8
            assert all(a[name].id.get_type() == b[name].id.get_type() for name in datasets)
        if make is links:
            assert list(a["many"]) == list(b["many"]) and list(a["many"].attrs) == list(b["many"].attrs)
            assert b["hard"] == b["g/d"] and b["loop"] == b["g"]
        if make is references:
            assert b[b["objects"][0]] == b["target"] and not b["objects"][2]
            region = b["regions"][0]
            assert b[region] == b["target"]
            np.testing.assert_array_equal(b["target"][region], a["target"][1:3, 2:4])
            assert b[b["compound"][0]["r"]] == b["target"] and b["compound"][0]["s"] == b"some text"
            assert b[b["lists"][0][1]] == b["other"]
            assert b["target"].dims[1][0] == b["x"]
    with h5py.File(target, "r+") as b:
        b["added"] = 1
        b.attrs["added"] = 1


@pytest.mark.parametrize("make", [types, spaces, links, references])
def test_a_copy_is_compared_before_it_appears(tmp_path, make):
    path, target = tmp_path / "in.h5", tmp_path / "copy.h5"
    with h5py.File(path, "w") as f:
        make(f)
    nccopy("-k", "h5", "--verify", path, target)
    assert dumped(path) == dumped(target)


def test_a_copy_of_a_damaged_chunk_does_not_appear(tmp_path):
    path, target = tmp_path / "in.h5", tmp_path / "copy.h5"
    with h5py.File(path, "w") as f:
        numbers = np.random.default_rng(5).normal(size=(4, 1000)).astype("f4")
        f.create_dataset("g/d", data=numbers, chunks=(1, 1000), compression=4, fletcher32=True)
        chunk = f["g/d"].id.get_chunk_info(2)
    data = bytearray(path.read_bytes())
    data[chunk.byte_offset + chunk.size // 2] ^= 1
    path.write_bytes(data)
    done = subprocess.run([BIN / "nccopy", "-k", "h5", "--verify", *unfinished(path), path, target], capture_output=True, text=True)
    assert done.returncode == 1 and "/g/d" in done.stderr and "[2, 0]" in done.stderr
    assert [path] == list(tmp_path.iterdir())


def test_references_to_what_is_gone_become_null(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f["gone"] = 1
        f["kept"] = 1
        f.create_dataset("refs", data=[f["gone"].ref, f["kept"].ref], dtype=h5py.ref_dtype)
        f.attrs["ref"] = f["gone"].ref
        del f["gone"]
    target = tmp_path / "out.h5"
    told = nccopy("-k", "h5", path, target)
    assert "2 references lead to nothing that is copied" in told
    with h5py.File(target) as f:
        assert not f["refs"][0] and f[f["refs"][1]] == f["kept"] and not f.attrs["ref"]


def test_options_for_storage_apply(tmp_path):
    path = tmp_path / "in.h5"
    rng = np.random.default_rng(3)
    with h5py.File(path, "w") as f:
        f["g/plain"] = rng.integers(0, 9, (60, 70)).astype(">i4")
        f["half"] = rng.integers(0, 9, 500).astype("f2")
        f.create_dataset("chunked", data=rng.integers(0, 9, (60, 70)), chunks=(10, 70), compression=4)
        f.create_dataset("texts", data=["a", "b"], dtype=h5py.string_dtype())
    for arguments in ["-d1", "-s"], ["-F", "none"], ["-c", "/g/plain:7,9"], ["-F", "half,2|1,5", "-m", "1M"]:
        target, _ = copied(path, *arguments)
        with h5py.File(target) as f:
            if arguments[0] == "-d1":
                assert f["chunked"].compression_opts == 1 and f["chunked"].shuffle
                assert f["texts"].chunks is None
            if arguments == ["-F", "none"]:
                assert f["chunked"].compression is None and f["chunked"].chunks == (10, 70)
            if arguments[0] == "-c":
                assert f["g/plain"].chunks == (7, 9)
            if "half" in arguments[1]:
                assert f["half"].compression == "gzip" and f["half"].dtype == "f2"


def test_chunk_lengths_of_dimensions_apply(tmp_path):
    """A dimension is that of netCDF: all datasets on its scale, or on a length that stands for one."""
    path, target = tmp_path / "in.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(path, "w") as f:
        for name, length in (("time", None), ("lat", 6)):
            f.createDimension(name, length)
        f.createVariable("lat", "f4", "lat")[:] = range(6)
        inner = f.createGroup("g").createVariable("v", "i4", ("time", "lat"), chunksizes=(1, 6))
        inner[:] = np.arange(24).reshape(4, 6)
    with h5py.File(path, "a") as f:
        f["plain"] = np.arange(35).reshape(5, 7)

    def chunks(name, *options):
        nccopy("-k", "h5", *options, path, target)
        with h5py.File(target) as f:
            assert f["g/v"][...].tolist() == np.arange(24).reshape(4, 6).tolist()
            return f[name].chunks

    assert chunks("g/v", "-c", "time/2,lat/3") == (2, 3)
    assert chunks("lat", "-c", "lat/3", "-d", "1") == (3,)
    # A rule of several dimensions leaves variables of one dimension alone.
    assert chunks("lat", "-c", "time/2,lat/3", "-d", "1") == (6,)
    assert chunks("g/v", "-c", "/lat/5") == (1, 5)
    with netCDF4.Dataset(path) as f:
        y, x = f["plain"].dimensions
    assert chunks("plain", "-c", f"{y}/3,{x}/4") == (3, 4)
    assert "no dimension named 'x'" in nccopy("-k", "h5", "-c", "x/1", path, target, ok=False)


def test_storage_elsewhere_stays_there(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(tmp_path / "source.h5", "w") as f:
        f["d"] = np.arange(6)
    layout = h5py.VirtualLayout((6,), "i8")
    layout[...] = h5py.VirtualSource("source.h5", "d", (6,))
    segments = [("raw.bin", 3, 8), ("raw.bin", 0, h5py.h5f.UNLIMITED)]
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("virtual", layout)
        f.create_dataset("external", (4,), "i4", external=segments)
    target = tmp_path / "out.h5"
    nccopy("-k", "h5", path, target)
    with h5py.File(target) as f:
        assert f["virtual"].is_virtual and f["virtual"][()].tolist() == list(range(6))
        assert f["external"].external == segments


def test_links_of_other_programs_are_kept(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f["user"] = h5py.ExternalLink("content", "/\x01\x02")
        f["d"] = 1
    # The type of the link, before its character set and name: from external to one that no library knows.
    raw, count = re.subn(rb"\x40((?:\x00|\x01)?\x04user)", b"\xbb\\1", path.read_bytes())
    assert count == 1
    path.write_bytes(raw)
    target, told = copied(path)
    assert not told and b'USERDEFINED_LINK "user"' in dumped(target)
    with h5py.File(path) as a, h5py.File(target) as b:
        first, second = (f.id.links.get_info(b"user") for f in (a, b))
        assert (first.type, first.u) == (second.type, second.u) and first.type == 187
    assert b"content\0/\x01\x02\0" in target.read_bytes()


@pytest.mark.parametrize("arguments", [["--block", "4096"], ["--shard", "x/2"]])
def test_what_is_not_as_it_is_is_refused(tmp_path, arguments):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f["d"] = 1
    command = [BIN / "nccopy", "-k", "h5", *arguments, path, tmp_path / "o.h5"]
    done = subprocess.run(command, capture_output=True)
    assert done.returncode == 1 and b"-k h5 copies everything as it is" in done.stderr
    assert not (tmp_path / "o.h5").exists()


def test_names_of_other_bytes_than_utf8_are_kept(tmp_path):
    source = tmp_path / "in.h5"
    with h5py.File(source, "w", track_order=True) as f:
        for name in [b"t\xe9mp", b"t\xe8mp", "t\xe9mp".encode(), "\uefe9".encode()]:
            f[b"many/" + name] = np.arange(3)
        f[b"gr\xfc/x"] = 1.0
        f[b"\xff"] = h5py.SoftLink("/many")
        # More than eight links are found by a hash of their names.
        for n in range(20):
            f[b"many/\xa0%d" % n] = n
        f["many"].attrs.create(b"\xe9", 5)
    for target, _ in [copied(source), copied(source, "-d", "1")]:
        with h5py.File(source) as before, h5py.File(target) as after:
            for group in [b"/", b"many", b"gr\xfc"]:
                names = list(before[group].id)
                assert names == list(after[group].id) and names
                assert all(after[group + b"/" + name] is not None for name in names)
            assert after["many"].attrs[b"\xe9"] == 5
    again = tmp_path / "again.nc"
    nccopy(source, again)
    with h5py.File(again) as f:
        assert b"t\xe9mp" in list(f["many"].id) and f[b"many/t\xe8mp"][2] == 2


def test_only_hdf5_is_copied_as_it_is(tmp_path):
    path = tmp_path / "in.nc"
    path.write_bytes(b"CDF\x01" + bytes(28))
    done = subprocess.run([BIN / "nccopy", "-k", "h5", path, tmp_path / "o.h5"], capture_output=True)
    assert done.returncode == 1 and b"this is not HDF5" in done.stderr


# h5dump follows the first two's external links, which lead back by the file's name. The others have links that only the
# program which made them knows.
OTHERWISE = ["textlinksrc.h5", "textlinktar.h5", "tmany.h5", "tudlink.h5"]


@needs_corpus
def test_the_corpus(some, tmp_path):
    wrong, right = [], 0
    target = tmp_path / "copy.h5"
    paths = some(sorted(path for path in CORPUS.rglob("*.h5") if path.name not in OTHERWISE))
    for path in paths:
        if path.stat().st_size > 1 << 18:
            continue
        try:
            before = dumped(path)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            # h5dump 1.10 cannot read all of them, and hangs on some.
            continue
        nccopy("-k", "h5", path, target)
        # Names of other files also lead from the working directory.
        if before != dumped(target, path.parent):
            wrong.append(path.name)
        right += 1
    assert not wrong and right > len(paths) // 4


def every_storage(path):
    """Datasets of each kind: for the engine, with addresses, and without elements of their own."""
    with h5py.File(path, "w", libver="latest") as f:
        f["g/x"] = np.arange(3.0)
        f["first"] = f["g/x"]
        f["second"] = f["g"]
        f["soft"] = h5py.SoftLink("/second/x")
        f.create_dataset("text", data=["a", "b"], dtype=h5py.string_dtype(), chunks=(1,), compression="gzip")
        f["null"] = h5py.Empty("f4")
        layout = h5py.VirtualLayout((3,), "f8")
        layout[:] = h5py.VirtualSource(path, "g/x", shape=(3,))
        f.create_virtual_dataset("virtual", layout)
        f.create_dataset("external", (4,), "i4", external=[("raw.bin", 0, 16)])


@pytest.mark.parametrize("name", ["/g/x", "g/x", "/first", "first", "/second/x", "soft"])
def test_each_path_names_a_dataset(name, tmp_path):
    path, target = tmp_path / "in.h5", tmp_path / "out.h5"
    every_storage(path)
    nccopy("-k", "h5", "-F", f"{name},1,5", "-c", f"{name}:2", path, target)
    with h5py.File(target) as f:
        assert f["g/x"] == f["first"] == f["second/x"]
        assert (f["g/x"].compression, f["g/x"].compression_opts, f["g/x"].chunks) == ("gzip", 5, (2,))
    nccopy("-k", "h5", "--quantize", f"{name},bitround,3", path, target)
    with h5py.File(target) as f:
        assert f["first"][:].tolist() == [0, 1, 2]
    assert "no variable named 'none'" in nccopy("-k", "h5", "-F", "none,1,5", path, target, ok=False)


def test_plan_and_summary_list_every_dataset(tmp_path):
    path, target = tmp_path / "in.h5", tmp_path / "out.h5"
    every_storage(path)

    def listed(*options):
        command = [BIN / "nccopy", "-k", "h5", *options, path, target]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    plan = listed("--dry-run")
    assert plan.startswith("kind: HDF5\n") and not target.exists()
    rows = {line.split()[0]: line.split()[1:3] for line in plan.splitlines()[2:-1]}
    assert rows.pop("first", None) or rows.pop("g/x")
    others = {
        "text": ["values", "chunked"],
        "null": ["nothing", "null"],
        "virtual": ["nothing", "virtual"],
        "external": ["nothing", "external"],
    }
    assert rows == others
    parsed = json.loads(listed("--dry-run", "--json"))
    assert parsed["kind"] == "HDF5" and len(parsed["variables"]) == 5
    text = next(row for row in parsed["variables"] if row["name"] == "text")
    assert text["shape"] == [1] and text["filters"][0]["name"] == "deflate"
    for name in others:
        assert f"\n{name} " in listed("--summary")
    assert len(json.loads(listed("--summary", "--json"))["variables"]) == 5
    # Data that is not copied is not listed as copied.
    assert "\ntext" in (plan := listed("--dry-run", "-v", "null")) and "values" not in plan
