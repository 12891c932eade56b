"""`nccopy --salvage` of files that are cut, or have a page overwritten: what has its header and its chunks is there."""

import random
import re
import subprocess

import h5py
import numpy as np
import pytest
import salvage_files
from conftest import BIN
from salvage_files import PAGE, SIZES, WRITERS, Map, values


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file of each writer, its map and its values."""
    folder = tmp_path_factory.mktemp("writers")
    made = {}

    def file(writer):
        if writer not in made:
            path = folder / f"{writer.replace(' ', '-')}.nc"
            WRITERS[writer](path, np.random.default_rng(3))
            made[writer] = path, Map(path), values(path)
        return made[writer]

    return file


def salvaged(source, *options):
    target = source.parent / "out.nc"
    target.unlink(missing_ok=True)
    done = subprocess.run([BIN / "nccopy", *options, "--salvage", source, target], capture_output=True, text=True, timeout=100)
    assert "panicked" not in done.stderr, done.stderr
    is_hdf5 = done.returncode in (0, 3) and h5py.is_hdf5(target)
    return done, values(target) if is_hdf5 and "not checked" not in done.stderr else {}


def same(left, whole):
    """True if the elements of `left` are those of `whole`, where they are not fill values."""
    if left.shape != whole.shape or left.dtype != whole.dtype:
        return False
    fills = {0, np.float32(9.96920996838687e36), 9.969209968386869e36, -2147483647, -9223372036854775806}
    return bool(np.all((left == whole) | np.isin(left, list(fills))))


def judge(name, whole, found, expected):
    """Each variable that was found has the values of one of the file; those that are expected are whole."""
    by_name = {path.rsplit("/")[-1] for path in whole}
    for path, left in found.items():
        if path.rsplit("/")[-1].startswith("phony") or not left.size:
            continue
        matches = [other for other, data in whole.items() if same(left, data)]
        assert matches or left.dtype.kind == "f" and left.dtype.itemsize == 4 and path.rsplit("/")[-1] not in by_name, (name, path)
        if path in whole and path not in matches and not is_fill(left):
            raise AssertionError((name, path, matches))
    for path in expected:
        here = found.get(path)
        data = whole[path]
        if here is not None and here.shape == data.shape and np.array_equal(here, data):
            continue
        others = [other for other, left in found.items() if left.shape == data.shape and np.array_equal(left, data)]
        assert others, (name, path, sorted(found))


def is_fill(left):
    return np.all(left == left.reshape(-1)[0])


def cases(writer, shape, count):
    """The damages of a file: `count` cuts at 10 to 95 %, and as many pages, of headers and of trees."""
    at = random.Random(writer)
    size = len(shape.data)
    for n in range(count):
        percent = 10 + 85 * n / max(count - 1, 1)
        yield f"cut at {percent:.0f} %", (int(size * percent / 100), size), True
    pages = [(f"header of {name}", blocks[0]) for name, blocks in [*shape.headers.items(), *shape.groups.items()]]
    trees = [(f"tree of {name}", max(blocks)[1:]) for name, blocks in shape.trees.items() if blocks]
    chosen = at.sample(pages, min(len(pages), (count + 1) // 2)) + at.sample(trees, min(len(trees), count // 2))
    chosen.append(("header of the root", shape.groups["/"][0]))
    for name, (begin, end) in chosen:
        # Nothing covers plain data by a checksum, so what is overwritten ends with the structure.
        yield name, (begin, min(end, begin + PAGE)), False
    yield "superblock", (shape.base, shape.base + 32), False


def structures(shape, met=None):
    """The damages of structures with a signature: of three of each kind, or of one, if none of the kind was `met` before."""
    for signature, *place in shape.structures():
        if met is None or signature not in met:
            met is None or met.add(signature)
            yield f"{signature} at byte {place[0]}", tuple(place), False


def run(files, tmp_path, writer, damages, options=()):
    path, shape, whole = files(writer)
    damaged = tmp_path / "damaged.nc"
    met = 0
    for name, (begin, end), cut in damages(shape):
        met += 1
        data = bytearray(shape.data)
        if cut:
            del data[begin:]
        else:
            end = min(end, len(data))
            data[begin:end] = random.Random(name).randbytes(end - begin)
        damaged.write_bytes(data)
        done, found = salvaged(damaged, *options)
        expected = [name for name in shape.expected((begin, end), cut) if name in whole]
        if expected:
            assert done.returncode in (0, 3), (writer, name, done.stderr)
        judge(f"{writer}: {name}", whole, found, expected)
    return met


def test_chunks_of_an_unknown_filter_are_kept(tmp_path):
    """A chunk whose plugin is missing passes as it is; where the output cannot hold it so, it is lost."""
    path = tmp_path / "in.nc"
    with h5py.File(path, "w") as f:
        f.create_dataset("z", data=np.arange(80.0).reshape(4, 20), chunks=(1, 20), compression="lzf")
        f.create_dataset("v", data=np.arange(60.0).reshape(3, 20), chunks=(1, 20), compression="gzip")
        raw = [f["z"].id.read_direct_chunk((n, 0)) for n in range(4)]
        chunk = f["v"].id.get_chunk_info(1)
    data = bytearray(path.read_bytes())
    lzf = (32000).to_bytes(2, "little")
    assert data.count(lzf) == 1
    at = data.index(lzf)
    data[at : at + 2] = (48000).to_bytes(2, "little")
    path.write_bytes(data)
    done, _ = salvaged(path, "-k", "nc4")
    assert done.returncode == 0 and "variable z: 4 of 4 chunks are kept as they are, not checked" in done.stderr
    assert "of 2 variables, 1 are whole, 0 in part, 0 lost, 1 not checked" in done.stderr
    data[chunk.byte_offset + chunk.size // 2] ^= 0x5A
    path.write_bytes(data)
    for kind in ("nc4", "h5"):
        done, _ = salvaged(path, "-k", kind)
        assert done.returncode == 3 and "0 are whole, 1 in part, 0 lost, 1 not checked" in done.stderr, done.stderr
        with h5py.File(tmp_path / "out.nc") as f:
            assert [f["z"].id.read_direct_chunk((n, 0)) for n in range(4)] == raw
            assert f["v"].id.get_num_chunks() == 2
    done, found = salvaged(path, "-k", "nc5")
    assert done.returncode == 3 and "variable z: 4 of 4 chunks are lost" in done.stderr, done.stderr


def test_lost_headers_of_chunk_indexes(files, tmp_path):
    """Blocks name the header of their array, and nodes of trees fit one dataset: nothing is lost with a header alone."""
    path, shape, whole = files("h5py latest")
    damaged = tmp_path / "damaged.nc"
    kinds = set()
    for name in "fixed", "grows", "both", "paged":
        _, begin, end = shape.trees[name][0]
        kinds.add(shape.data[begin : begin + 4])
        data = bytearray(shape.data)
        data[begin:end] = bytes(end - begin)
        damaged.write_bytes(data)
        done, found = salvaged(damaged)
        assert done.returncode == 3 and f"variable {name}: " in done.stderr, done.stderr
        assert all(np.array_equal(found.get(path), whole[path]) for path in whole), name
    assert kinds == {b"FAHD", b"EAHD", b"BTHD"}


def test_a_page_over_the_first_blocks_of_an_array(tmp_path):
    """Where the index block is lost with the header, data blocks tell which chunks they have."""
    path = tmp_path / "in.h5"
    whole = np.arange(1, 1201.0)
    with h5py.File(path, "w", libver="latest") as f:
        f.create_dataset("v", data=whole, chunks=(2,), maxshape=(None,))
        f.create_dataset("w", data=whole + 7000, chunks=(2,), maxshape=(None,), compression="gzip")
    data = path.read_bytes()
    for name, values in ("v", whole), ("w", whole + 7000):
        at = Map(path).trees[name][0][1]
        assert data[at:].startswith(b"EAHD")
        damaged = bytearray(data)
        damaged[at : at + PAGE] = bytes(PAGE)
        path.write_bytes(damaged)
        done, found = salvaged(path)
        assert done.returncode == 3 and f"variable {name}: " in done.stderr, done.stderr
        left = found[name]
        is_there = left == values
        assert np.all(is_there | (left == 0)) and is_there.sum() > 1000, (name, is_there.sum())
        path.write_bytes(data)


@pytest.mark.parametrize("options", [{}, {"track_order": True}], ids=str)
def test_lost_indexes_of_attributes(tmp_path, options):
    """Attributes in dense storage are found without the header of their index, and without its nodes if another index has them."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", libver="latest", **options) as f:
        for name in "v", "w":
            v = f.create_dataset(name, data=np.arange(5.0), **options)
            for n in range(70):
                v.attrs[f"{name} {n}"] = n
    data = path.read_bytes()
    places = [(found.start(), size) for found in re.finditer(b"BTHD", data) for size in [38]]
    if options:
        # The leaves of an index by name.
        places += [(found.start(), 512) for found in re.finditer(b"BTLF\x00\x08", data)]
    assert len(places) >= 2
    for at, size in places:
        damaged = bytearray(data)
        damaged[at : at + size] = bytes(size)
        path.write_bytes(damaged)
        done, found = salvaged(path)
        with h5py.File(tmp_path / "out.nc") as f:
            for name in "v", "w":
                assert {key: int(np.ravel(value)[0]) for key, value in f[name].attrs.items() if key[:2] == f"{name} "} == {f"{name} {n}": n for n in range(70)}, at


@pytest.mark.parametrize("writer", WRITERS)
def test_some_damages(writer, files, tmp_path):
    run(files, tmp_path, writer, lambda shape: cases(writer, shape, 2))


def test_a_structure_of_each_kind(files, tmp_path):
    met = set()
    for writer in "h5py latest", "h5py earliest":
        run(files, tmp_path, writer, lambda shape: structures(shape, met))
    # Only other writers make these of so few objects.
    assert set(SIZES) - met <= {"FHIB", "OCHK"}


@pytest.mark.long
@pytest.mark.parametrize("writer", WRITERS)
def test_all_damages(writer, files, tmp_path):
    """More than 200 damaged files of all writers."""
    met = run(files, tmp_path, writer, lambda shape: cases(writer, shape, 16))
    met += run(files, tmp_path, writer, lambda shape: structures(shape))
    met += run(files, tmp_path, writer, lambda shape: cases(writer, shape, 6), ("-k", "h5"))
    met += run(files, tmp_path, writer, lambda shape: structures(shape, set()), ("-k", "h5"))
    assert met > 40


def test_references_as_paths(tmp_path):
    """A reference that cannot be read is left out alone, and told; one to a lost object is told."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        a, b = f.create_dataset("a", data=np.arange(20.0)), f.create_dataset("b", data=np.arange(10) + 1)
        a.attrs["to_b"] = b.ref
        a.attrs.create("both", [a.ref, b.ref], dtype=h5py.ref_dtype)
        a.attrs["part"] = b.regionref[2:5]
        refs = f.create_dataset("refs", (3,), dtype=h5py.ref_dtype)
        refs[0], refs[1] = a.ref, b.ref
        parts = f.create_dataset("parts", (2,), dtype=h5py.regionref_dtype)
        parts[0] = b.regionref[1:3]
        header = h5py.h5o.get_info(b.id).addr
    data = path.read_bytes()
    heap = data.index(b"GCOL")
    for damage, lost, left in [
        (None, [], ["a:both", "a:part", "a:to_b", "parts", "refs"]),
        ((heap, 16), ["attribute part: ", "variable parts: "], ["a:both", "a:to_b", "refs"]),
        ((header, 16), ["variable b: ", f"unknown@{header}"], ["a:both", "a:part", "a:to_b", "parts", "refs"]),
    ]:
        damaged = bytearray(data)
        if damage:
            damaged[damage[0] : sum(damage)] = b"\xa5" * damage[1]
        path.write_bytes(damaged)
        done, _ = salvaged(path, "-k", "nc4", "--references", "path")
        assert done.returncode == (3 if damage else 0), done.stderr
        assert all(told in done.stderr for told in lost), done.stderr
        with h5py.File(tmp_path / "out.nc") as f:
            assert np.array_equal(f["a"], np.arange(20.0))
            found = [f"a:{name}" for name in f["a"].attrs if name in ("to_b", "both", "part")]
            found += [name for name in ("parts", "refs") if name in f and f[name].asstr()[0]]
            assert sorted(found) == left, damage
            to_b = f"unknown@{header}" if damage and damage[0] == header else "/b"
            assert f["a"].attrs["to_b"] == to_b and list(f["a"].attrs["both"]) == ["/a", to_b]
            assert list(f["refs"].asstr()) == ["/a", to_b, ""]
