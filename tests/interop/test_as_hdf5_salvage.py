"""`nccopy -k h5 --salvage`: what can be read of damaged HDF5, as it is."""

import random
import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN

TEXTS = [f"text {n}" * 20 for n in range(40)]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", userblock_size=512) as f:
        f.create_dataset("field", data=np.arange(600, dtype="f2").reshape(6, 100), chunks=(1, 100), compression="gzip", fletcher32=True)
        f.create_dataset("texts", data=TEXTS, dtype=h5py.string_dtype(), chunks=(10,))
        f["g/record"] = np.array([(1, 2.5), (3, 4.5)], dtype=[("n", "u1"), ("x", ">f8")])
        f["g/other"] = np.arange(50)
        f["type"] = np.dtype("f4")
        f.create_dataset("typed", (3,), f["type"])[...] = 7
        f["field"].attrs["to other"] = f["g/other"].ref
        f["field"].attrs["note"] = "a note of the field"
        f["soft"] = h5py.SoftLink("/g/record")
    return path


def salvaged(source, *options):
    target = source.parent / "out.h5"
    target.unlink(missing_ok=True)
    command = [BIN / "nccopy", "-k", "h5", "--salvage", *options, source, target]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode in (0, 3):
        check = subprocess.run([BIN / "ncdump", "--check", target], capture_output=True, text=True)
        assert check.returncode == 0, check.stdout
        subprocess.run(["h5dump", "-o", "/dev/null", target], capture_output=True, check=True)
    lines = done.stderr.splitlines(keepends=True)
    told = [line for line in lines if not line.startswith(f"nccopy: {target}: compared ")]
    assert len(lines) - len(told) == ("--verify" in options and done.returncode in (0, 3)), lines
    return done.returncode, "".join(told)


def damage(path, at, length=1):
    data = bytearray(path.read_bytes())
    for n in range(at, at + length):
        data[n] ^= 0x5A
    path.write_bytes(data)


def test_of_a_sound_file_it_is_the_copy_as_it_is(source, tmp_path):
    assert salvaged(source, "--verify") == (0, "")
    subprocess.run([BIN / "nccopy", "-k", "h5", source, tmp_path / "plain.h5"], check=True)
    dumps = [subprocess.run(["h5dump", "-p", path], capture_output=True, text=True, check=True).stdout for path in (tmp_path / "out.h5", tmp_path / "plain.h5")]
    lines = [[line for line in dump.splitlines() if "OFFSET" not in line and not line.startswith("HDF5")] for dump in dumps]
    assert lines[0] == lines[1]


def test_a_damaged_chunk_stays_unwritten(source, tmp_path):
    data = source.read_bytes()
    with h5py.File(source) as f:
        chunks = [f["field"].id.get_chunk_info(n) for n in range(6)]
        whole = f["field"][...]
    for chunk in chunks:
        source.write_bytes(data)
        damage(source, chunk.byte_offset + chunk.size // 2)
        status, told = salvaged(source, "--verify")
        assert status == 3 and f"variable field: chunk [{chunk.chunk_offset[0]}, 0]: " in told
        assert told.count("\n") == 2 and "of 5 variables, 4 are whole, 1 in part, 0 lost" in told
        with h5py.File(tmp_path / "out.h5") as f:
            left = f["field"]
            assert left.dtype == "f2" and left.id.get_num_chunks() == 5
            kept = [n for n in range(6) if n != chunk.chunk_offset[0]]
            assert np.array_equal(left[...][kept], whole[kept]) and not left[chunk.chunk_offset[0]].any()
            assert f[left.attrs["to other"]] == f["g/other"]
    chosen = salvaged(source, "--isel", "phony_dim_2=4:")
    assert chosen[0] == 3
    with h5py.File(tmp_path / "out.h5") as f:
        assert np.array_equal(f["field"][0], whole[4]) and not f["field"][1].any()


def test_a_dataset_without_a_header_is_left_out(source, tmp_path):
    with h5py.File(source) as f:
        at = h5py.h5o.get_info(f["g/other"].id).addr
    damage(source, 512 + at, 16)
    status, told = salvaged(source)
    assert status == 3 and "variable /g/other: " in told
    assert "1 reference leads to nothing that is copied" in told
    with h5py.File(tmp_path / "out.h5") as f:
        assert list(f["g"]) == ["record"] and sorted(f) == ["field", "g", "soft", "texts", "type", "typed"]
        assert not f["field"].attrs["to other"]
        assert f["typed"].id.get_type().committed() and f["soft"][0].item() == (1, 2.5)


def test_texts_that_a_heap_lost_are_null(source, tmp_path):
    data = source.read_bytes()
    at = data.index(b"GCOL")
    damage(source, at, 4)
    status, told = salvaged(source)
    assert status == 3 and "variable texts: " in told and "null in the copy" in told
    with h5py.File(tmp_path / "out.h5") as f:
        left = [text.decode() for text in f["texts"][...]]
        assert all(text in ("", whole) for text, whole in zip(left, TEXTS)) and "" in left
        assert f["g/record"][1].item() == (3, 4.5)


@pytest.mark.parametrize("part", [[], ["--isel", "phony_dim_0=5:35"]], ids=["all", "part"])
def test_what_heaps_lost_is_verified(tmp_path, part):
    """Heap objects that cannot be found: the other elements of their chunks are in the copy, and are compared."""
    path = tmp_path / "in.h5"
    sequence = h5py.vlen_dtype(np.dtype("i4"))
    both = np.dtype([("s", h5py.string_dtype()), ("n", "i4")])
    with h5py.File(path, "w") as f:
        f.create_dataset("texts", data=[f"text {n} " * 60 for n in range(40)], dtype=h5py.string_dtype(), chunks=(20,), compression="gzip")
        numbers = f.create_dataset("numbers", (40,), sequence, chunks=(20,))
        for n in range(40):
            numbers[n] = np.arange(150) + n
        f.create_dataset("both", data=np.array([(f"{n}" * 300, n) for n in range(40)], both), chunks=(20,))
    data = path.read_bytes()
    lost_somewhere = set()
    contents = [f"text {n} ".encode() * 60 for n in (2, 11, 38)]
    contents += [(np.arange(150, dtype="i4") + n).tobytes() for n in (7, 22)]
    contents += [f"{n}".encode() * 300 for n in (3, 30)]
    for content in contents:
        # The header of a heap object: its index in the collection comes first.
        at = data.index(content) - 16
        path.write_bytes(data)
        damage(path, at, 2)
        status, told = salvaged(path, "--verify", *part)
        if status == 0:
            assert part and not told
            continue
        assert status == 3 and "null in the copy" in told and "chunk [" not in told, told
        with h5py.File(path.parent / "out.h5") as f:
            first = 5 if part else 0
            for name, is_lost in ("texts", lambda v: v == b""), ("numbers", lambda v: len(v) == 0), ("both", lambda v: v["s"] == b""):
                if f"variable {name}: " in told:
                    lost = [n for n, value in enumerate(f[name][...]) if is_lost(value)]
                    assert 0 < len(lost) < 20, (name, lost)
                    lost_somewhere.add(name)
            assert f["both"]["n"].tolist() == list(range(40))[first : 35 if part else 40]
    assert len(lost_somewhere) == 3


def test_the_second_of_two_names_is_told(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f["g/first"], f["g/other"] = 1, 2
        f["g"].attrs["kept"], f["g"].attrs["next"] = 5, 6
    data = path.read_bytes()
    assert data.count(b"first\0") == 1 and data.count(b"next\0") == 1
    path.write_bytes(data.replace(b"first\0", b"other\0").replace(b"next\0", b"kept\0"))
    status, told = salvaged(path)
    assert status == 3
    assert "the links of group /g: a second link `other`, which is left out" in told
    assert "variable g: a second attribute kept, which is left out" in told
    with h5py.File(tmp_path / "out.h5") as f:
        assert list(f["g"]) == ["other"] and dict(f["g"].attrs) == {"kept": 5}


def test_a_lost_chunk_of_texts_stays_unwritten(source, tmp_path):
    with h5py.File(source, "r+") as f:
        f.create_dataset("last", data=TEXTS, dtype=h5py.string_dtype(), chunks=(10,), compression="gzip")
        f.flush()
        chunk = max((f["last"].id.get_chunk_info(n) for n in range(4)), key=lambda chunk: chunk.byte_offset)
    damage(source, chunk.byte_offset + 2, 20)
    status, told = salvaged(source, "--verify")
    assert status == 3 and f"variable last: chunk [{chunk.chunk_offset[0] // 10}]: " in told
    with h5py.File(tmp_path / "out.h5") as f:
        left = [text.decode() for text in f["last"][...]]
        assert f["last"].id.get_num_chunks() == 3
        lost = range(chunk.chunk_offset[0], chunk.chunk_offset[0] + 10)
        assert left == ["" if n in lost else text for n, text in enumerate(TEXTS)]


def test_an_attribute_that_cannot_be_read_is_left_out(source, tmp_path):
    with h5py.File(source, "r+") as f:
        f["g/other"].attrs["texts"] = TEXTS
        f["g/other"].attrs["kept"] = 5
    data = source.read_bytes()
    damage(source, data.rindex(b"GCOL"), 4)
    status, told = salvaged(source)
    assert status == 3 and "variable /g/other: attribute texts cannot be read" in told
    with h5py.File(tmp_path / "out.h5") as f:
        assert dict(f["g/other"].attrs) == {"kept": 5}


def test_a_cut_file(source, tmp_path):
    with h5py.File(source, "r+") as f:
        f.create_dataset("late", data=np.arange(40000), chunks=(1000,))
        chunks = [f["late"].id.get_chunk_info(n) for n in range(40)]
    ends = sorted(chunk.byte_offset + chunk.size for chunk in chunks)
    with open(source, "r+b") as file:
        file.truncate(ends[24] + 100)
    status, told = salvaged(source, "--verify")
    assert status == 3 and f"variable late: {40 - 25} of 40 chunks are lost, the first: chunk [" in told
    with h5py.File(tmp_path / "out.h5") as f:
        kept = [chunk.chunk_offset[0] for chunk in chunks if chunk.byte_offset + chunk.size <= ends[24] + 100]
        for at in kept:
            assert np.array_equal(f["late"][at : at + 1000], np.arange(at, at + 1000))
        assert f["late"].id.get_num_chunks() == len(kept) >= 25


def test_any_damage_gives_a_sound_file_or_an_error(source):
    data = source.read_bytes()
    at = random.Random(4)
    statuses = set()
    for _ in range(60):
        source.write_bytes(data)
        damage(source, at.randrange(512, len(data)), at.choice([1, 8, 200]))
        status, told = salvaged(source)
        assert status in (0, 1, 3) and "panicked" not in told
        assert status == 0 or told
        statuses.add(status)
    assert 3 in statuses


def test_data_of_other_files_is_not_looked_for(source, tmp_path):
    with h5py.File(source, "r+") as f:
        f.create_dataset("outside", (4,), "i4", external=[("none.raw", 0, 16)])
        layout = h5py.VirtualLayout(shape=(4,), dtype="i4")
        layout[...] = h5py.VirtualSource("none.h5", "x", shape=(4,))
        f.create_virtual_dataset("virtual", layout)
    command = [BIN / "nccopy", "-k", "h5", "--salvage", source, tmp_path / "out.h5"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    with h5py.File(tmp_path / "out.h5") as f:
        assert f["outside"].external == [("none.raw", 0, 16)] and f["virtual"].is_virtual


def replaced(path, old, new):
    """Replaces bytes that a file has once."""
    data = path.read_bytes()
    assert data.count(old) == 1 and len(old) == len(new)
    path.write_bytes(data.replace(old, new))


def numbers(*values):
    return b"".join(value.to_bytes(8, "little") for value in values)


def test_an_attribute_whose_type_cannot_be_is_left_out(source, tmp_path):
    """HDF5 reads no attribute of an object at all where one has such a type."""
    with h5py.File(source, "r+") as f:
        f["g/other"].attrs["number"] = np.int64(5)
        f["g/other"].attrs["kept"] = 5
    int64 = bytes([0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0])
    replaced(source, b"number\0\0" + int64, b"number\0\0" + int64[:10] + b"\x41\0")
    status, told = salvaged(source)
    assert status == 3 and "variable /g/other: an attribute cannot be read" in told
    assert "65 significant bits from bit 0 of a number of 8 bytes" in told
    with h5py.File(tmp_path / "out.h5") as f:
        assert dict(f["g/other"].attrs) == {"kept": 5}


def test_a_link_whose_name_cannot_be_is_left_out(source, tmp_path):
    data = source.read_bytes()
    at = data.index(b"record\0\0other\0")
    source.write_bytes(data[:at] + b"record\0\0ot/er\0" + data[at + 14 :])
    status, told = salvaged(source)
    assert status == 3 and "the links of group /g: `ot/er` cannot be the name of a link" in told
    with h5py.File(tmp_path / "out.h5") as f:
        assert list(f["g"]) == ["record"]


def test_a_committed_type_that_cannot_be_is_left_out(source, tmp_path):
    float32 = bytes([0x11, 0x20, 31, 0, 4, 0, 0, 0, 0, 0, 32, 0, 23, 8, 0, 23])
    replaced(source, float32, float32[:4] + b"\0" + float32[5:])
    status, told = salvaged(source)
    assert status == 3 and "variable type: " in told and "an element of no size" in told
    with h5py.File(tmp_path / "out.h5") as f:
        assert "type" not in f and f["g/record"][1].item() == (3, 4.5)


def test_a_shape_that_does_not_fit(source, tmp_path):
    data = source.read_bytes()
    replaced(source, numbers(6, 100, 6, 100), numbers(3, 100, 3, 100))
    status, told = salvaged(source)
    assert status == 3 and "number of chunks outside the extent: 3" in told
    check = subprocess.run([BIN / "ncdump", "--check", source], capture_output=True, text=True)
    assert check.returncode == 1 and "number of chunks outside the extent: 3" in check.stdout
    with h5py.File(tmp_path / "out.h5") as f:
        assert np.array_equal(f["field"][...], np.arange(300).reshape(3, 100))
    source.write_bytes(data)
    replaced(source, numbers(6, 100, 6, 100), numbers(7, 100, 6, 100))
    status, told = salvaged(source)
    assert status == 3 and "a dimension of size 7, which is at most 6" in told
    with h5py.File(tmp_path / "out.h5") as f:
        assert "field" not in f and f["typed"][0] == 7
