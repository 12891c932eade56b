"""`nccopy --salvage` of files that are cut, or have a page overwritten: what has its header and its chunks is there."""

import random
import subprocess

import h5py
import h5py
import numpy as np
import pytest
import salvage_files
from conftest import BIN
from salvage_files import PAGE, WRITERS, Map, values


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


def run(writer, files, tmp_path, count, options=()):
    path, shape, whole = files(writer)
    damaged = tmp_path / "damaged.nc"
    for name, (begin, end), cut in cases(writer, shape, count):
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


@pytest.mark.parametrize("writer", WRITERS)
def test_some_damages(writer, files, tmp_path):
    run(writer, files, tmp_path, 2)


@pytest.mark.long
@pytest.mark.parametrize("writer", WRITERS)
def test_all_damages(writer, files, tmp_path):
    run(writer, files, tmp_path, 16)
    run(writer, files, tmp_path, 6, ("-k", "h5"))
