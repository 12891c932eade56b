"""Virtual datasets: values as h5py reads them, dimensions as netCDF4-python does, chunks that pass into copies."""

import re
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, check_lines, nccopy, ncdump

UNLIMITED = h5py.h5s.UNLIMITED


def write(path, **datasets):
    with h5py.File(path, "a") as f:
        for name, (data, options) in datasets.items():
            f.create_dataset(name, data=data, **options)


def low_level(path, shape, maxshape, dtype, mappings, fill=None, libver=None, name="v"):
    """A virtual dataset of mappings (file, dataset, source space, virtual space)."""
    with h5py.File(path, "a", libver=libver) as f:
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        layout.set_layout(h5py.h5d.VIRTUAL)
        if fill is not None:
            layout.set_fill_value(np.array(fill, dtype))
        for file, dataset, source, target in mappings:
            layout.set_virtual(target, file.encode(), dataset.encode(), source)
        space = h5py.h5s.create_simple(shape, maxshape)
        h5py.h5d.create(f.id, name.encode(), h5py.h5t.py_create(np.dtype(dtype), logical=True), space, layout)


def space(shape, *slabs, maxshape=None):
    """A dataspace with the union of hyperslabs (start, count, stride, block) selected; all of it without one."""
    made = h5py.h5s.create_simple(shape, maxshape)
    for n, (start, count, stride, block) in enumerate(slabs):
        op = h5py.h5s.SELECT_OR if n else h5py.h5s.SELECT_SET
        made.select_hyperslab(start, count, stride, block, op)
    return made


def check(path, target, *arguments, names=("v",), says=None):
    """Compares a copy, and what ncdump prints, with what h5py reads. Returns the copy's datasets."""
    with h5py.File(path) as f:
        expected = {name: f[name][()] for name in names}
    text = nccopy(*arguments, path, target)
    if says is None:
        assert text == ""
    else:
        assert says in text, text
    with h5py.File(target) as f:
        for name in names:
            np.testing.assert_array_equal(f[name][()], expected[name])
            assert f[name].shape == expected[name].shape
    cdl = subprocess.run([BIN / "ncdump", "-n", "x", "-p9,17", path], capture_output=True, timeout=120)
    assert cdl.returncode == 0, cdl.stderr
    copy = subprocess.run([BIN / "ncdump", "-n", "x", "-p9,17", target], capture_output=True, timeout=120)
    assert cdl.stdout == copy.stdout
    subprocess.run(["h5dump", "-H", target], check=True, capture_output=True)
    with netCDF4.Dataset(target) as f:
        f.set_auto_mask(False)
        for name in names:
            np.testing.assert_array_equal(f[name][...], expected[name])
    return expected


def dimensions(path):
    with netCDF4.Dataset(path) as f:
        return [(len(dim), dim.isunlimited()) for dim in f.dimensions.values()]


@pytest.mark.parametrize("libver", [None, "latest"])
def test_a_stack_of_files(tmp_path, libver):
    rng = np.random.default_rng(1)
    for n in range(5):
        write(tmp_path / f"s{n}.h5", d=(rng.random((6, 7), "f4"), {}))
    layout = h5py.VirtualLayout((5, 6, 7), "f4")
    for n in range(5):
        layout[n] = h5py.VirtualSource(f"s{n}.h5", "d", (6, 7))
    with h5py.File(tmp_path / "v.h5", "w", libver=libver) as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
    check(tmp_path / "v.h5", tmp_path / "out.nc")
    assert b'_Storage = "virtual"' in ncdump("-hs", tmp_path / "v.h5")


@pytest.mark.parametrize("libver", [None, "latest", ("v114", "v114")])
def test_selections_of_all_kinds(tmp_path, libver):
    """Regular, irregular and reshaped, of one source in the file itself. Later mappings win."""
    path = tmp_path / "v.h5"
    data = np.arange(240, dtype="i4").reshape(12, 20)
    with h5py.File(path, "w", libver=libver) as f:
        f["d"] = data
        f["line"] = np.arange(1000, 1100)
    whole = (12, 20)
    mappings = [
        # Every second column to every third row of columns.
        (".", "d", space(whole, ((0, 0), (12, 10), (1, 2), (1, 1))), space((20, 30), ((0, 0), (12, 10), (1, 3), (1, 1)))),
        # Blocks.
        (".", "/d", space(whole, ((1, 1), (3, 2), (4, 9), (2, 5))), space((20, 30), ((2, 1), (3, 2), (6, 12), (2, 5)))),
        # Irregular to irregular: the elements follow each other in C order.
        (
            ".",
            "d",
            space(whole, ((0, 0), (1, 1), (1, 1), (3, 4)), ((2, 2), (1, 1), (1, 1), (4, 4))),
            space((20, 30), ((10, 5), (1, 1), (1, 1), (3, 4)), ((12, 7), (1, 1), (1, 1), (4, 4))),
        ),
        # A line to a box, and a box to a line.
        (".", "line", space((100,), ((3,), (24,), (4,), (1,))), space((20, 30), ((16, 20), (1, 1), (1, 1), (4, 6)))),
        (".", "d", space(whole, ((4, 4), (1, 1), (1, 1), (3, 5))), space((20, 30), ((19, 2), (1, 1), (1, 1), (1, 15)))),
    ]
    low_level(path, (20, 30), None, "i4", mappings, fill=-7, libver=libver)
    for arguments in [], ["-c", "v:7,8"], ["-c", "v:7,8", "-d1"], ["-m", "1M"]:
        check(path, tmp_path / "out.nc", *arguments)


def test_all_selections(tmp_path):
    path = tmp_path / "v.h5"
    write(tmp_path / "s.h5", d=(np.arange(12).reshape(3, 4), {}))
    low_level(path, (3, 4), None, "i8", [("s.h5", "d", space((3, 4)), space((3, 4)))])
    check(path, tmp_path / "out.nc")


def test_sources_of_unlimited_length_interleaved(tmp_path):
    """8 and 4 elements interleaved are 15, the last available."""
    write(tmp_path / "a.h5", d=(np.arange(8), {"maxshape": (None,), "chunks": (3,)}))
    write(tmp_path / "b.h5", d=(np.arange(100, 104), {"maxshape": (None,), "chunks": (3,)}))
    path = tmp_path / "v.h5"
    mappings = [
        (f, "d", space((8,), ((0,), (UNLIMITED,), None, None), maxshape=(UNLIMITED,)),
         space((15,), ((n,), (UNLIMITED,), (2,), None), maxshape=(UNLIMITED,)))
        for n, f in enumerate(["a.h5", "b.h5"])
    ]
    low_level(path, (1,), (UNLIMITED,), "i8", mappings, fill=-1)
    with h5py.File(path) as f:
        assert f["v"].shape == (15,)
    check(path, tmp_path / "out.nc")
    assert dimensions(path) == [(15, True)] == dimensions(tmp_path / "out.nc")
    assert b"(15 currently)" in ncdump("-h", path)


@pytest.mark.parametrize("blocks", [((0, 0), (UNLIMITED, 1), (5, 1), (2, 4)), ((1, 0), (1, 1), (1, 1), (UNLIMITED, 4))])
@pytest.mark.parametrize("length", [0, 1, 4, 7])
def test_endless_blocks(tmp_path, blocks, length):
    data = np.arange(4 * length).reshape(length, 4)
    write(tmp_path / "a.h5", d=(data, {"maxshape": (None, 4), "chunks": (2, 4)}))
    path = tmp_path / "v.h5"
    source = space((length, 4), ((0, 0), (1, 1), (1, 1), (UNLIMITED, 4)), maxshape=(UNLIMITED, 4))
    target = space((40, 4), blocks, maxshape=(UNLIMITED, 4))
    low_level(path, (3, 4), (UNLIMITED, 4), "i8", [("a.h5", "d", source, target)], fill=-1)
    with h5py.File(path) as f:
        shape = f["v"].shape
    text = ncdump("-h", path)
    assert f"({shape[0]} currently)".encode() in text, (shape, text)
    if shape[0]:
        check(path, tmp_path / "out.nc")


def test_numbered_files(tmp_path):
    """%b is the number of a block; the first file that is missing ends them. %% is a percent sign."""
    for n in range(4):
        if n != 3:
            write(tmp_path / f"s%{n}.h5", d=(np.arange(5.0) + 10 * n, {}))
    write(tmp_path / "s%4.h5", d=(np.arange(5.0), {}))
    path = tmp_path / "v.h5"
    target = space((4, 5), ((0, 0), (UNLIMITED, 1), (1, 1), (1, 5)), maxshape=(UNLIMITED, 5))
    low_level(path, (1, 5), (UNLIMITED, 5), "f8", [("s%%%b.h5", "d", space((5,)), target)], fill=9)
    with h5py.File(path) as f:
        assert f["v"].shape == (3, 5)
    check(path, tmp_path / "out.nc")
    (tmp_path / "s%0.h5").unlink()
    assert b"(0 currently)" in ncdump("-h", path)


def test_what_is_missing_reads_as_fill(tmp_path):
    layout = h5py.VirtualLayout((4, 3), "i4")
    for n in range(4):
        layout[n] = h5py.VirtualSource(f"s{n}.h5", "d", (3,))
    write(tmp_path / "s0.h5", d=([1, 2, 3], {}))
    write(tmp_path / "s2.h5", other=([1, 2, 3], {}))
    path = tmp_path / "v.h5"
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-5)
    says = "variable v: 3 of 4 sources are missing, the first d in s1.h5"
    check(path, tmp_path / "out.nc", says=says)
    compared = subprocess.run([BIN / "ncdump", "--diff", path, path], capture_output=True, text=True)
    assert compared.returncode == 0 and says in compared.stderr, compared
    checked = subprocess.run([BIN / "ncdump", "--check", path], capture_output=True, text=True)
    assert checked.returncode == 0 and not checked.stderr, checked
    line, last = check_lines(checked.stdout)
    assert re.match(r"variable v: 3 of 4 sources are missing, the first d in s[123]\.h5; ", line) and last.startswith("no fault ")
    checked = subprocess.run([BIN / "ncdump", "--check", "--require-sources", path], capture_output=True, text=True)
    assert checked.returncode == 1
    for n, line in zip([1, 2, 3], check_lines(checked.stdout)[:-1], strict=True):
        assert line == (
            f"variable v: elements [{n}, 0] to [{n}, 2] cannot be read: source d in s{n}.h5: it does not exist"
        )
    message = nccopy("--require-sources", path, tmp_path / "fail.nc", ok=False)
    # Threads look at the sources, so any of those that are missing may be the first.
    assert re.search(r"variable v: source d in s[123]\.h5: it ", message), message
    assert not (tmp_path / "fail.nc").exists()


@pytest.mark.parametrize("kind", ["nc4", "h5", "zarr"])
def test_what_has_no_source_is_not_written(tmp_path, kind):
    """70 GB of fill values."""
    layout = h5py.VirtualLayout((488, 4362, 4148), "i8")
    for n in range(488):
        layout[n] = h5py.VirtualSource(f"missing{n}.h5", "d", (4362, 4148))
    path = tmp_path / "v.h5"
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-5)
    target = tmp_path / f"out.{kind}"
    if kind == "zarr":
        assert "488 of 488 sources are missing" in nccopy(path, f"{target}#mode=nczarr,file", timeout=20)
        assert sorted(key.name for key in (target / "v").iterdir()) == [".zarray", ".zattrs"]
        return
    told = nccopy("-k", kind, path, target, timeout=20)
    assert kind == "h5" or "488 of 488 sources are missing" in told
    assert target.stat().st_size < 1 << 20
    with h5py.File(target) as f:
        assert f["v"].shape == (488, 4362, 4148) and (f["v"][487, 4361, 4140:] == -5).all()


@pytest.mark.parametrize("text", ["not HDF5", ""])
def test_what_is_not_hdf5_is_an_error(tmp_path, text):
    layout = h5py.VirtualLayout((3,), "i4")
    layout[:] = h5py.VirtualSource("s.h5", "d", (3,))
    (tmp_path / "s.h5").write_text(text)
    path = tmp_path / "v.h5"
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("v", layout)
    message = nccopy(path, tmp_path / "out.nc", ok=False)
    assert "variable v: source d in s.h5: not an HDF5 file" in message, message
    assert b"int v(" in ncdump("-h", path)


def test_elements_past_a_sources_lengths_are_fill(tmp_path):
    write(tmp_path / "s.h5", d=(np.arange(1, 7).reshape(2, 3), {}))
    path = tmp_path / "v.h5"
    box = ((0, 0), (1, 1), (1, 1), (4, 4))
    low_level(path, (4, 4), None, "i8", [("s.h5", "d", space((4, 4), box), space((4, 4), box))], fill=-1)
    nccopy(path, tmp_path / "out.nc")
    expected = np.full((4, 4), -1)
    expected[:2, :3] = np.arange(1, 7).reshape(2, 3)
    with h5py.File(tmp_path / "out.nc") as f:
        assert f["v"][()].tolist() == expected.tolist()


NUMBERS = ["i1", "u1", ">i2", "u2", "i4", ">u4", "i8", "u8", "f4", ">f8"]


@pytest.mark.parametrize("to", ["i1", "u1", ">i2", "u4", "i8", "f4", "f8"])
def test_numbers_are_converted(tmp_path, to):
    path = tmp_path / "v.h5"
    values = np.array([0, 1, 2.7, -2.7, 200, -200, 4e4, -4e4, 3e9, -3e9, 1e18, 9e18, 1.5e19])
    names = []
    with h5py.File(path, "w") as f:
        for number in NUMBERS:
            kind = np.dtype(number)
            with np.errstate(all="ignore"):
                fits = [v for v in values if kind.kind == "f" or np.iinfo(kind).min <= v <= float(np.iinfo(kind).max)]
            fits = [v for v in fits if kind.kind == "f" or int(v) <= np.iinfo(kind).max]
            if (number, to) == ("u2", ">i2"):
                # libhdf5 swaps the bytes alone, and makes a negative number of it.
                fits.remove(4e4)
            f.create_dataset(f"s{kind.str[1:]}", data=np.array(fits).astype(kind))
            layout = h5py.VirtualLayout((len(fits),), to)
            layout[:] = h5py.VirtualSource(".", f"s{kind.str[1:]}", (len(fits),))
            names.append(f"v{kind.str[1:]}")
            f.create_virtual_dataset(names[-1], layout)
    check(path, tmp_path / "out.nc", names=names)


def test_nan_becomes_fill_in_integers(tmp_path):
    path = tmp_path / "v.h5"
    with h5py.File(path, "w") as f:
        f["s"] = np.array([1, np.nan, np.inf])
        layout = h5py.VirtualLayout((3,), "i2")
        layout[:] = h5py.VirtualSource(".", "s", (3,))
        f.create_virtual_dataset("v", layout, fillvalue=-9)
    nccopy(path, tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as f:
        assert f["v"][()].tolist() == [1, -9, 32767]


def test_what_cannot_be_converted(tmp_path):
    path = tmp_path / "v.h5"
    with h5py.File(path, "w") as f:
        f["s"] = np.array([b"abc"])
        layout = h5py.VirtualLayout((1,), "i2")
        layout[:] = h5py.VirtualSource(".", "s", (1,))
        f.create_virtual_dataset("v", layout)
    message = nccopy(path, tmp_path / "out.nc", ok=False)
    assert "variable v: source s in .: its elements" in message and "cannot become" in message


def test_strings_compounds_and_enumerations(tmp_path):
    path = tmp_path / "v.h5"
    compound = np.dtype([("a", ">i2"), ("b", "f8")])
    enum = h5py.enum_dtype({"no": 0, "yes": 1}, "i1")
    sources = {
        "text": (np.array(["one", "", "three"], object), h5py.string_dtype()),
        "fixed": (np.array([b"ab", b"c", b"def"]), np.dtype("S3")),
        "pair": (np.array([(1, 2.5), (-3, 4)], compound), compound),
        "flag": (np.array([1, 0, 1], "i1"), enum),
        "list": (np.array([np.array([1, 2]), np.array([3])], object), h5py.vlen_dtype("i4")),
    }
    with h5py.File(path, "w") as f:
        for name, (data, dtype) in sources.items():
            f.create_dataset(f"s_{name}", data=data, dtype=dtype)
            layout = h5py.VirtualLayout((2, len(data)), dtype)
            layout[1] = h5py.VirtualSource(".", f"s_{name}", (len(data),))
            layout[0] = h5py.VirtualSource(".", f"s_{name}", (len(data),))
            f.create_virtual_dataset(f"v_{name}", layout)
    nccopy(path, tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as f:
        assert [[t.decode() for t in row] for row in f["v_text"][()].tolist()] == [["one", "", "three"]] * 2
        assert [[t.decode() for t in row] for row in f["v_fixed"][()].tolist()] == [["ab", "c", "def"]] * 2
        assert f["v_pair"][()].tolist() == [[(1, 2.5), (-3, 4)]] * 2
        assert f["v_flag"][()].tolist() == [[1, 0, 1]] * 2
        assert [[list(x) for x in row] for row in f["v_list"][()]] == [[[1, 2], [3]]] * 2
    text = ncdump("-v", "v_text,v_flag", path).decode()
    plain = ncdump("-v", "s_text", path).decode().split("s_text = ")[-1].split(" ;")[0]
    assert text.count(plain) == 2 and text.count("yes, no, yes") == 2


def test_sources_that_are_virtual_or_external(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.arange(10, dtype="<i4").tofile(tmp_path / "raw.bin")
    with h5py.File("e.h5", "w") as f:
        f.create_dataset("d", (10,), "<i4", external=[("raw.bin", 0, 40)])
    name = "e.h5"
    for n in range(4):
        layout = h5py.VirtualLayout((10,), "i4")
        layout[:5] = h5py.VirtualSource(name, "d", (10,))[5:]
        layout[5:] = h5py.VirtualSource(name, "d", (10,))[:5]
        name = f"v{n}.h5"
        with h5py.File(name, "w") as f:
            f.create_virtual_dataset("d", layout)
    check(tmp_path / "v3.h5", tmp_path / "out.nc", names=["d"])


def test_depth_and_cycles(tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as f:
        f["d0"] = np.arange(3)
        for n in range(20):
            layout = h5py.VirtualLayout((3,), "i8")
            layout[:] = h5py.VirtualSource(".", f"d{n}", (3,))
            f.create_virtual_dataset(f"d{n + 1}", layout)
        for a, b in ["ab", "bc", "ca", "xx"]:
            layout = h5py.VirtualLayout((3,), "i8")
            layout[:] = h5py.VirtualSource("v.h5" if a == "b" else ".", b, (3,))
            f.create_virtual_dataset(a, layout)
    nccopy("-V", "d0,d16", tmp_path / "v.h5", tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as f:
        assert f["d16"][()].tolist() == [0, 1, 2]
    for name, says in ("d18", "more than 16 deep"), ("a", "/a ─► b in . ─► c in v.h5 ─► a in ."), ("x", "/x ─► x in ."):
        message = nccopy("-V", name, tmp_path / "v.h5", tmp_path / "fail.nc", ok=False, timeout=20)
        assert says in message and "variable :" not in message, message
        # A circle is told once, by the names of all that are in it.
        assert message.count(" in . ─►") <= 1 and ("─►" not in message or "source" not in message), message


def deflated(path, data, chunks, level=4, **options):
    write(path, d=(data, {"chunks": chunks, "compression": "gzip", "compression_opts": level, "shuffle": True, **options}))


def raw_chunks(dataset):
    found = {}
    for n in range(dataset.id.get_num_chunks()):
        info = dataset.id.get_chunk_info(n)
        found[info.chunk_offset] = (info.filter_mask, dataset.id.read_direct_chunk(info.chunk_offset)[1])
    return found


@pytest.mark.parametrize("rank", [2, 3])
def test_chunks_of_equal_sources_pass(tmp_path, rank):
    """Files of one step each, mapped onto one grid: chunks are copied as they are."""
    rng = np.random.default_rng(3)
    layout = h5py.VirtualLayout((4, 10, 12), "f4", maxshape=(None, 10, 12))
    for n in range(4):
        data = rng.random((10, 12), "f4")
        if n == 2:
            data = np.zeros((10, 12), "f4")
        shape = (10, 12) if rank == 2 else (1, 10, 12)
        if n == 1:
            # Of this source, some chunks were never written.
            with h5py.File(tmp_path / "s1.h5", "w") as f:
                d = f.create_dataset("d", shape, "f4", chunks=(4, 5) if rank == 2 else (1, 4, 5), compression="gzip", shuffle=True)
                d[..., :4, :5] = 7
        else:
            deflated(tmp_path / f"s{n}.h5", data.reshape(shape), (4, 5) if rank == 2 else (1, 4, 5))
        layout[n] = h5py.VirtualSource(f"s{n}.h5", "d", shape)[...] if rank == 2 else h5py.VirtualSource(f"s{n}.h5", "d", shape)[0]
    path = tmp_path / "v.h5"
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("v", layout)
    check(path, tmp_path / "out.nc")
    with h5py.File(tmp_path / "out.nc") as f:
        assert f["v"].chunks == (1, 4, 5) and f["v"].compression == "gzip" and f["v"].shuffle
        found = raw_chunks(f["v"])
    expected = {}
    for n in range(4):
        with h5py.File(tmp_path / f"s{n}.h5") as f:
            expected |= {(n, *offset[-2:]): chunk for offset, chunk in raw_chunks(f["d"]).items()}
    assert found == expected


@pytest.mark.parametrize("shift", [0, 1])
def test_chunks_that_are_cut_are_encoded_with_the_common_filters(tmp_path, shift):
    rng = np.random.default_rng(3)
    layout = h5py.VirtualLayout((20, 9), ">i4")
    for n, (first, length) in enumerate([(shift, 8), (8 + shift, 11)]):
        deflated(tmp_path / f"s{n}.h5", rng.integers(0, 50, (length, 9)).astype(">i4"), (4, 3))
        layout[first : first + length] = h5py.VirtualSource(f"s{n}.h5", "d", (length, 9))
    path = tmp_path / "v.h5"
    with h5py.File(path, "w") as f:
        f.create_virtual_dataset("v", layout, fillvalue=3)
    for arguments in [], ["-m", "1M"], ["-d2"], ["-c", "v:5,9"], ["-F", "none"]:
        check(path, tmp_path / "out.nc", *arguments)
        with h5py.File(tmp_path / "out.nc") as f:
            if not arguments:
                assert f["v"].chunks == (4, 3) and f["v"].compression == "gzip"
                assert all(mask == 0 for mask, _ in raw_chunks(f["v"]).values())
    nccopy("-3", path, tmp_path / "classic.nc")
    with netCDF4.Dataset(tmp_path / "classic.nc") as a, netCDF4.Dataset(tmp_path / "out.nc") as b:
        np.testing.assert_array_equal(a["v"][:], b["v"][:])


def test_sources_that_are_stored_in_different_ways(tmp_path):
    deflated(tmp_path / "a.h5", np.arange(40).reshape(4, 10), (2, 5))
    write(tmp_path / "b.h5", d=(np.arange(100, 140).reshape(4, 10), {}))
    for name, maxshape in ("fixed", None), ("open", (None, 10)):
        layout = h5py.VirtualLayout((8, 10), "i8", maxshape=maxshape)
        layout[:4] = h5py.VirtualSource("a.h5", "d", (4, 10))
        layout[4:] = h5py.VirtualSource("b.h5", "d", (4, 10))
        path = tmp_path / f"{name}.h5"
        with h5py.File(path, "w") as f:
            f.create_virtual_dataset("v", layout)
        check(path, tmp_path / "out.nc")
        with h5py.File(tmp_path / "out.nc") as f:
            assert (f["v"].chunks is None) == (maxshape is None)


@pytest.mark.parametrize("libver", [None, "latest"])
@pytest.mark.long
def test_very_many_mappings(tmp_path, libver):
    """20,000 mappings, with few files open."""
    count = 20_000
    rng = np.random.default_rng(3)
    for n in range(200):
        write(tmp_path / f"s{n}.h5", d=(rng.integers(0, 99, (100, 3)).astype("i2"), {}))
    path = tmp_path / "v.h5"
    with h5py.File(path, "w", libver=libver) as f:
        layout = h5py.VirtualLayout((count, 3), "i2")
        for n in range(count):
            layout[n] = h5py.VirtualSource(f"s{n % 200}.h5", "d", (100, 3))[n // 200]
        f.create_virtual_dataset("v", layout)
    expected = np.empty((count, 3), "i2")
    for n in range(200):
        with h5py.File(tmp_path / f"s{n}.h5") as f:
            expected[n::200] = f["d"][()]
    command = f"ulimit -n 128; {BIN / 'nccopy'} {path} {tmp_path / 'out.nc'}"
    subprocess.run(["bash", "-c", command], check=True, timeout=60)
    with h5py.File(tmp_path / "out.nc") as f:
        np.testing.assert_array_equal(f["v"][()], expected)


@pytest.mark.long
def test_many_mappings_over_one_box(tmp_path):
    """Only what the last one leaves open is read of the others."""
    count = 100_000
    path = tmp_path / "v.h5"
    write(path, d=(np.arange(2000.0).reshape(20, 100), {}), last=(np.ones((20, 100)), {}))
    with h5py.File(path, "a", libver="latest") as f:
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        layout.set_layout(h5py.h5d.VIRTUAL)
        whole = space((20, 100), ((0, 0), (1, 1), (1, 1), (20, 100)))
        half = space((20, 100), ((0, 0), (1, 1), (1, 1), (10, 100)))
        for n in range(count):
            layout.set_virtual(whole, b".", b"d", whole)
        layout.set_virtual(half, b".", b"last", half)
        h5py.h5d.create(f.id, b"v", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((20, 100)), layout)
    nccopy(path, tmp_path / "out.nc", timeout=30)
    ncdump("-v", "v", path, timeout=30)
    expected = np.arange(2000.0).reshape(20, 100)
    expected[:10] = 1
    with h5py.File(tmp_path / "out.nc") as f:
        np.testing.assert_array_equal(f["v"][()], expected)
