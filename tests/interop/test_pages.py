"""`nccopy --page`: files whose space is managed in pages, judged by libhdf5 with a page buffer, h5stat, h5dump and netCDF4."""

import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy

PAGES = [512, 513, 4096, 65536, 1 << 20]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A file with all structures that the writer places: dense links and attributes, huge ones, indexes, heaps."""
    path = tmp_path_factory.mktemp("pages") / "in.h5"
    with h5py.File(path, "w") as f:
        f["small"] = np.arange(5)
        f["large"] = np.arange(100_000.0)
        f.create_dataset("chunks", data=np.arange(50_000.0), chunks=(1000,))
        f.create_dataset("deflated", data=np.arange(50_000.0).reshape(50, 1000), chunks=(3, 7), compression=1)
        f.create_dataset("compact_chunks", data=np.arange(40.0).reshape(2, 2, 2, 5), chunks=(1, 1, 1, 5))
        f.create_dataset("texts", data=["x" * n for n in range(300)], dtype=h5py.string_dtype(), chunks=(7,))
        for n in range(30):
            f.attrs[f"text{n}"] = "text" * 100 * (n + 1)
        for n in range(20):
            f.attrs[f"huge{n}"] = np.arange(1000 + n)
        group = f.create_group("g", track_order=True)
        for n in range(400):
            group[f"d{n}"] = np.full(n, n, "i2")
    return path


def space(path):
    """The strategy and the page size that h5stat tells."""
    told = subprocess.run(["h5stat", "-S", path], check=True, capture_output=True, text=True).stdout
    lines = dict(line.split(": ", 1) for line in told.splitlines() if line.startswith("File space"))
    strategy = lines["File space management strategy"].removeprefix("H5F_FSPACE_STRATEGY_")
    return strategy, int(lines["File space page size"].split()[0])


def values(path, **options):
    """All datasets and attributes."""
    found = {}

    def visit(name, item):
        for key, value in item.attrs.items():
            if key.startswith(("text", "huge")):
                found[name, key] = np.ravel(value).tolist()
        if isinstance(item, h5py.Dataset) and not name.rpartition("/")[2].startswith("phony"):
            found[name] = item[()].tolist()

    with h5py.File(path, **options) as f:
        visit("/", f)
        f.visititems(visit)
    return found


def blocks(path):
    """Addresses and sizes of raw data, and addresses of object headers."""
    raw, headers = [], []
    with h5py.File(path) as f:
        headers.append(h5py.h5o.get_info(f.id).addr)

        def visit(name, item):
            headers.append(h5py.h5o.get_info(item.id).addr)
            if not isinstance(item, h5py.Dataset):
                return
            if item.chunks is None:
                if item.id.get_offset() is not None:
                    raw.append((item.id.get_offset(), item.id.get_storage_size()))
            else:
                infos = [item.id.get_chunk_info(n) for n in range(item.id.get_num_chunks())]
                raw.extend((info.byte_offset, info.size) for info in infos)

        f.visititems(visit)
        base = f.userblock_size
    return [(at - base, size) for at, size in raw], headers


@pytest.mark.parametrize("kind", ["nc4", "h5"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_buffer_reads_the_same(tmp_path, source, page, kind):
    target = tmp_path / "out.h5"
    nccopy("-k", kind, "--page", page, source, target)
    assert space(target) == ("PAGE", page)
    assert target.stat().st_size % page == 0
    expected = values(source)
    assert values(target) == expected
    assert values(target, page_buf_size=page) == expected
    shares = {"min_meta_keep": 50, "min_raw_keep": 50}
    assert values(target, page_buf_size=16 * page, **shares) == expected
    subprocess.run(["h5dump", "-pB", target], check=True, capture_output=True)
    if kind == "nc4":
        with netCDF4.Dataset(target) as f:
            assert f["deflated"][49, 999] == 49_999 and f["g"]["d399"][0] == 399


@pytest.mark.parametrize("page", PAGES)
def test_raw_data_and_metadata_have_pages_of_their_own(tmp_path, source, page):
    target = tmp_path / "out.h5"
    nccopy("-k", "h5", "--page", page, source, target)
    raw, headers = blocks(target)
    assert len(raw) > 2000 and len(headers) > 400
    taken = set()
    for at, size in raw:
        pages = range(at // page, (at + size - 1) // page + 1)
        assert len(pages) == 1 or at % page == 0, (at, size)
        taken.update(pages)
    assert taken.isdisjoint(at // page for at in [0, *headers])
    # Nothing else is in the pages of data that is larger than a page.
    large = [n for at, size in raw if size >= page for n in range(at // page, (at + size - 1) // page + 1)]
    small = [at // page for at, size in raw if size < page]
    assert len(large) == len(set(large)) and set(large).isdisjoint(small)


def test_libhdf5_changes_such_a_file(tmp_path, source):
    target = tmp_path / "out.h5"
    nccopy("-k", "h5", "--page", 4096, source, target)
    with h5py.File(target, "r+", page_buf_size=1 << 16) as f:
        f["added"] = np.arange(10_000)
        f["chunks"][:] = 1
        f.attrs["added"] = 1
        del f["g/d17"]
    with h5py.File(target) as f:
        assert f["added"][9999] == 9999 and (f["chunks"][:] == 1).all() and len(f["g"]) == 399
        assert f.attrs["huge3"][7] == 7 and f["deflated"][49, 999] == 49_999


@pytest.mark.parametrize("options", [{}, {"userblock_size": 16384}, {"libver": "latest"}, {"fs_persist": True}])
def test_a_paged_input_stays_paged(tmp_path, options):
    path, target = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(path, "w", fs_strategy="page", fs_page_size=8192, **options) as f:
        f["d"] = np.arange(9000, dtype="i4")
        f["t"] = ["a", "b"]
    for arguments in ["-k", "h5"], ["-k", "nc4"], []:
        nccopy(*arguments, path, target)
        assert space(target) == ("PAGE", 8192)
        with h5py.File(target, page_buf_size=8192) as f:
            assert f["d"][8999] == 8999 and f["t"].asstr()[1] == "b"
            assert f.userblock_size == (options.get("userblock_size", 0) if arguments == ["-k", "h5"] else 0)
        nccopy(*arguments, "--page", 0, path, target)
        assert space(target)[0] == "FSM_AGGR"
        nccopy(*arguments, "--page", 1024, path, target)
        assert space(target) == ("PAGE", 1024)
    nccopy("-k", "nc3", "-V", "d", path, tmp_path / "out.nc")


@pytest.mark.parametrize("strategy", ["fsm", "aggregate", "none"])
def test_other_strategies_are_kept_as_they_are(tmp_path, strategy):
    path, target = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(path, "w", fs_strategy=strategy, fs_threshold=100) as f:
        f["d"] = np.arange(9000)
    nccopy("-k", "h5", path, target)
    assert space(target) == space(path)
    with h5py.File(target) as f:
        assert f["d"][8999] == 8999


def test_what_has_no_pages_is_an_error(tmp_path, source):
    for arguments, says in [
        (["--page", "511", source, "o.nc"], b"512 bytes to 1 GiB"),
        (["--page", "1073741825", source, "o.nc"], b"512 bytes to 1 GiB"),
        (["--page", "4096", "-V", "small", "-k", "nc3", source, "o.nc"], b"--page: netCDF-4 and HDF5 have pages"),
        (["--page", "4096", source, "o.zarr#mode=nczarr,file"], b"--page: netCDF-4 and HDF5 have pages"),
    ]:
        done = subprocess.run([BIN / "nccopy", *arguments], capture_output=True, cwd=tmp_path)
        assert done.returncode == 1 and says in done.stderr, done
        assert not list(tmp_path.iterdir())


def test_a_user_block_may_be_smaller_than_a_page(tmp_path):
    path, target = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(path, "w", userblock_size=1024) as f:
        f["d"] = np.arange(9000)
        f["t"] = ["a", "b"]
    nccopy("-k", "h5", "--page", 8192, path, target)
    assert space(target) == ("PAGE", 8192) and target.stat().st_size % 8192 == 1024
    assert values(target, page_buf_size=8192) == values(path)
    with h5py.File(target, "r+", page_buf_size=8192) as f:
        f["added"] = np.arange(10_000)
    assert values(target)["added"][-1] == 9999


def test_a_run_with_other_threads_gives_the_same_bytes(tmp_path, source):
    first, second = tmp_path / "one.nc", tmp_path / "two.nc"
    nccopy("--page", 4096, "-d1", "--threads", 1, source, first)
    nccopy("--page", 4096, "-d1", "--threads", 7, "-m", "5M", source, second)
    assert first.read_bytes() == second.read_bytes()


def test_hdf5_as_it_is_keeps_that_free_space_is_persistent(tmp_path):
    source, out = tmp_path / "in.h5", tmp_path / "out.h5"
    with h5py.File(source, "w", fs_strategy="fsm", fs_persist=True, fs_threshold=4) as f:
        f["a"] = np.arange(1000)
    nccopy("-k", "h5", source, out)
    with h5py.File(out, "r+") as f:
        assert f.id.get_create_plist().get_file_space_strategy() == (0, True, 4)
        f["b"] = np.arange(1000)
        del f["a"]
    with h5py.File(out, "r+") as f:
        assert f.id.get_freespace() > 0
        assert list(f["b"]) == list(range(1000))
