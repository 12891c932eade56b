"""`ncdump --check` tells the bytes of an HDF5 file that nothing refers to: as many as h5stat counts, but for what h5stat leaves out."""

import ctypes
import json
import re
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, CORPUS, HERE, installed

pytestmark = pytest.mark.skipif(not installed("h5stat"), reason="h5stat is not installed")

NOTE = re.compile(r"the HDF5 file has (\d+) bytes that nothing refers to, which a copy does not have")
# libhdf5 allocates two blocks of 2048 bytes ahead. What they leave is told in JSON alone.
ALLOCATED_AHEAD = 4096
# h5stat of HDF5 1.10 does not open what later versions write.
LIBVERS = ["earliest", ("v108", "v108"), ("v110", "v110"), ("v112", "v112")]
# h5stat takes the index block of an extensible array for this much shorter than it is, in bytes: it forgets 29 super blocks.
MISSED_IN_INDEX_BLOCK = 8 * 29
# h5stat does not count the chunks that early allocation reserves beyond the extent, metadata cache images, the managers of persistent
# free space of this version, and committed types without a link; what it counts of virtual datasets is in other files.
BEYOND_H5STAT = {
    "chunk_indexes_v110.h5", "cache_image.h5", "h5clear_mdc_image.h5", "fsm_aggr_persist.h5", "tcompound.h5",
    "h5repack_named_dtypes.h5", "h5repack_nested_8bit_enum_deflated.h5", "superblock-extension.hdf5",
}


def unreferenced(path):
    """The number that `--check` tells, as a note if it is not usual, and whether it is without a fault."""
    done = subprocess.run([BIN / "ncdump", "--check", "--json", path], capture_output=True, text=True)
    report = json.loads(done.stdout)
    number = report["unreferenced"]
    notes = [int(note[1]) for told in report["notes"] if (note := NOTE.fullmatch(told))]
    assert notes == ([number] if number and number > ALLOCATED_AHEAD else []), (path, report)
    return number, not report["faults"]


def collections(path):
    """Sizes of the global heap collections, which h5stat does not count."""
    data = path.read_bytes()
    return [int.from_bytes(data[m.start() + 8 : m.start() + 16], "little") for m in re.finditer(rb"GCOL\x01\0\0\0", data)]


def unaccounted(path):
    """What h5stat finds, without global heap collections; `None` where its sums are larger than the file."""
    said = subprocess.run(["h5stat", "-S", path], capture_output=True, text=True).stdout
    found = re.search(r"Unaccounted space: (\d+) bytes", said)
    return found and int(found[1]) - sum(collections(path))


def agree(path, arrays=0):
    """Compares with h5stat the number of a file with this many extensible arrays, and returns it."""
    wanted = unaccounted(path) - arrays * MISSED_IN_INDEX_BLOCK
    assert unreferenced(path) == (wanted, True)
    return wanted


@pytest.mark.parametrize("libver", LIBVERS, ids=str)
def test_h5stat_counts_the_same(tmp_path, libver):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w", libver=libver, userblock_size=512) as f:
        f.create_dataset("contiguous", data=np.arange(1000))
        f.create_dataset("fixed", data=np.arange(5000), chunks=(3,), compression="gzip")
        f.create_dataset("grows", data=np.arange(4000), chunks=(2,), maxshape=(None,))
        f.create_dataset("shrunk", data=np.arange(400), chunks=(2,), maxshape=(None,)).resize((0,))
        f.create_dataset("grows2", data=np.arange(400).reshape(20, 20), chunks=(2, 2), maxshape=(None, None))
        f.create_dataset("one", data=np.arange(9), chunks=(9,), fletcher32=True)
        f.create_dataset("never", shape=(100,), chunks=(5,), dtype="f4")
        f.create_dataset("outside", shape=(10,), dtype="i4", external=[("x.bin", 0, 40)])
        f["type"] = np.dtype([("a", "i4"), ("b", "f8")])
        many = f.create_group("many", track_order=True)
        for n in range(300):
            many[f"a link with the number {n}"] = h5py.SoftLink("/contiguous")
            many.attrs[f"attribute {n}"] = np.arange(n)
        f["many"].attrs["large"] = "x" * 60000
        old = f.create_group("plain")
        for n in range(200):
            old.create_group(f"group {n}")
    (tmp_path / "x.bin").write_bytes(bytes(40))
    arrays = int(isinstance(libver, tuple) and libver[0] > "v108")
    before = agree(path, arrays)
    with h5py.File(path, "r+", libver=libver) as f:
        del f["contiguous"], f["fixed"], f["plain"]
        for n in range(0, 300, 3):
            del f["many"].attrs[f"attribute {n}"], f["many"][f"a link with the number {n}"]
    assert agree(path, arrays) > before + 5000


@pytest.mark.parametrize("libver", LIBVERS[:3], ids=str)
def test_heaps_that_elements_refer_to(tmp_path, libver):
    """Collections of a dataset that was deleted are lost: libhdf5 does not look for them."""
    path = tmp_path / "in.h5"
    nested = h5py.vlen_dtype(h5py.vlen_dtype(np.int32))
    with h5py.File(path, "w", libver=libver) as f:
        f.attrs["text"] = "words"
        f.attrs.create("texts", ["a", "b"], dtype=h5py.string_dtype())
        f.create_dataset("names", data=[f"name {n}" for n in range(2000)], chunks=(100,), compression="gzip")
        f.create_dataset("compound", (3,), dtype=[("n", "i4"), ("s", h5py.string_dtype(), (2,))])
        f["compound"][1] = (1, ["one", "two"])
        regions = f.create_dataset("regions", (2,), dtype=h5py.regionref_dtype)
        regions[0] = f["names"].regionref[3:9]
        f.create_dataset("nested", (2,), dtype=nested)
    agree(path)
    kept = sum(collections(path))
    with h5py.File(path, "r+", libver=libver) as f:
        f.create_dataset("more", data=["x" * 200 for _ in range(500)], dtype=h5py.string_dtype())
    agree(path)
    added = sum(collections(path)) - kept
    with h5py.File(path, "r+", libver=libver) as f:
        del f["more"]
    number, is_sound = unreferenced(path)
    assert is_sound and added > 90000
    assert unaccounted(path) + added - 4096 <= number <= unaccounted(path) + added


@pytest.mark.parametrize("libver", LIBVERS[:3], ids=str)
def test_objects_that_only_references_lead_to(tmp_path, libver):
    """h5stat follows links alone. What an element refers to is referred to, even a deleted object, as libhdf5 wipes none."""
    path = tmp_path / "in.h5"
    kept = h5py_library().H5Oincr_refcount

    def unlinked(f):
        """A group and a dataset in it, which have no way from the root, and stay in the file."""
        group = f.create_group(None)
        dataset = group.create_dataset("d", data=np.arange(5000.0), chunks=(500,))
        assert kept(group.id.id) == 0
        return group, dataset

    def by_attributes(f):
        group, _ = unlinked(f)
        f.attrs.create("groups", [h5py.Reference(), group.ref], dtype=h5py.ref_dtype)

    def by_elements(f):
        group, _ = unlinked(f)
        compound = f.create_dataset("compound", (3,), dtype=[("n", "i4"), ("to", h5py.ref_dtype, (2,))])
        compound[2] = (7, [group.ref, h5py.Reference()])

    def by_regions(f):
        dataset = f.create_dataset(None, data=np.arange(5000.0))
        assert kept(dataset.id.id) == 0
        regions = f.create_dataset("regions", (2,), dtype=h5py.regionref_dtype, chunks=(1,))
        regions[1] = dataset.regionref[2:9]

    for write, least, most in (by_attributes, 0, 4096), (by_elements, 0, 4096), (by_regions, 0, 4096), (unlinked, 40000, 50000):
        with h5py.File(path, "w", libver=libver) as f:
            write(f)
        number, is_sound = unreferenced(path)
        assert is_sound and least <= number <= most, write
        assert (unaccounted(path) > 40000) and (write is unlinked) == (number == unaccounted(path)), write
    with h5py.File(path, "w", libver=libver) as f:
        f["kept"], f["deleted"] = np.arange(5000.0), np.arange(6000.0)
        f.create_dataset("refs", data=[f["kept"].ref, f["deleted"].ref], dtype=h5py.ref_dtype)
    with h5py.File(path, "r+", libver=libver) as f:
        del f["deleted"]
    number, is_sound = unreferenced(path)
    assert is_sound and number < 4096 < 48000 < unaccounted(path)


def h5py_library():
    """The HDF5 of h5py, for what h5py does not call."""
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if re.search(r"h5py.*/libhdf5[-.]", line))
    library = ctypes.CDLL(path)
    library.H5Oincr_refcount.argtypes = [ctypes.c_int64]
    return library


def test_lists_of_free_space(tmp_path):
    for strategy in "fsm", "page":
        path = tmp_path / f"{strategy}.h5"
        with h5py.File(path, "w", libver="latest", fs_strategy=strategy, fs_persist=True, fs_threshold=1) as f:
            for n in range(20):
                f.create_dataset(f"v{n}", data=np.arange(1000))
        with h5py.File(path, "r+", libver="latest") as f:
            for n in range(0, 20, 2):
                del f[f"v{n}"]
        number, is_sound = unreferenced(path)
        assert is_sound and number < 5000, (strategy, number)


def test_files_of_netcdf(tmp_path):
    for unlimited in False, True:
        path = tmp_path / f"{unlimited}.nc"
        with netCDF4.Dataset(path, "w") as ds:
            ds.createDimension("t", None if unlimited else 50)
            ds.createDimension("x", 30)
            for n in range(20):
                v = ds.createVariable(f"v{n}", "f4", ("t", "x"), zlib=n % 2 == 0)
                v[:] = np.zeros((50, 30))
                v.units = "m"
            ds.createVariable("s", str, ("x",))[:] = np.array([f"s{n}" for n in range(30)], object)
            ds.createGroup("g").createVariable("t", "f8", ("t",))[:] = np.arange(50)
        agree(path)


def test_stored_files():
    """The files of the repository, and of the corpus where it is there."""
    folders = [HERE.parent.parent / "testdata/netcdf4", HERE.parent.parent / "crates/hdf5/tests/data"]
    folders += [folder for name in ("netcdf", "hdf5") if (folder := CORPUS / name).exists()]
    compared = 0
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if not path.is_file() or path.name in BEYOND_H5STAT or path.stat().st_size > 20_000_000:
            continue
        if not h5py.is_hdf5(path) or is_virtual(path):
            continue
        number, is_sound = unreferenced(path)
        wanted = unaccounted(path)
        if is_sound and None not in (number, wanted):
            arrays = path.read_bytes().count(b"EAIB")
            assert number in [wanted - n * MISSED_IN_INDEX_BLOCK for n in range(arrays + 1)], path
            compared += 1
    assert compared > 30


def is_virtual(path):
    found = []
    try:
        with h5py.File(path) as f:
            f.visititems(lambda _, item: found.append(isinstance(item, h5py.Dataset) and item.is_virtual))
    except (OSError, RuntimeError, KeyError, ValueError):
        return True
    return any(found)
