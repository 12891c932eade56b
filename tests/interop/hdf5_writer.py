"""Checks the files of the harness program h5make with libhdf5, by way of h5py.

    hdf5_writer.py FOLDER [NAME]...

test_hdf5_writer.py runs the same under pytest.

Each file is read and compared, then changed in a copy (objects, links and attributes added and removed, datasets
extended), closed, and read again. h5dump and h5stat read them too where they are installed.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

def read_links(file, count):
    group = file["g"]
    names = list(group)  # by name: h5py asks for creation order only where it made the group
    assert sorted(names) == sorted(f"variable_{i}" for i in range(count)), len(names)
    order = []
    group.id.links.iterate(lambda name: order.append(name) and None, idx_type=h5py.h5.INDEX_CRT_ORDER)
    assert [name.decode() for name in order] == [f"variable_{i}" for i in range(count)]
    step = max(1, count // 500)
    for i in range(0, count, step):
        assert group[f"variable_{i}"][0] == i
    assert group.id.get_create_plist().get_link_creation_order() == 3
    assert "no such name" not in group


def change_links(path, count):
    with h5py.File(path, "a") as file:
        group = file["g"]
        for i in range(0, count, 2 if count <= 10_000 else 7):
            del group[f"variable_{i}"]
        for i in range(1000 if count > 8 else 20):
            group.create_dataset(f"new_{i}", data=np.int32(i))
    with h5py.File(path, "r") as file:
        group = file["g"]
        step = 2 if count <= 10_000 else 7
        kept = [i for i in range(count) if i % step]
        added = 1000 if count > 8 else 20
        assert sorted(group) == sorted([f"variable_{i}" for i in kept] + [f"new_{i}" for i in range(added)])
        for i in kept[:: max(1, len(kept) // 200)]:
            assert group[f"variable_{i}"][0] == i
        assert all(group[f"new_{i}"][()] == i for i in range(added))
    with h5py.File(path, "a") as file:
        for name in list(file["g"]):
            del file["g"][name]
    with h5py.File(path, "r") as file:
        assert len(file["g"]) == 0


def read_attributes(file, count):
    attributes = file["d"].attrs
    assert len(attributes) == count
    step = max(1, count // 1000)
    for i in range(0, count, step):
        assert attributes[f"attribute_{i}"] == [i]
    if count:
        order = []
        h5py.h5a.iterate(file["d"].id, lambda name, *_: order.append(name) and None, index_type=h5py.h5.INDEX_CRT_ORDER)
        assert order == [f"attribute_{i}".encode() for i in range(count)]
    info = file["d"].id.get_create_plist().get_attr_creation_order()
    assert info == 3, info


def change_attributes(path, count):
    with h5py.File(path, "a") as file:
        attributes = file["d"].attrs
        for i in range(0, count, 3):
            del attributes[f"attribute_{i}"]
        added = 0 if count >= 65_000 else 30
        for i in range(added):
            attributes[f"new_{i}"] = np.arange(i * 100)
        if count > 1:
            attributes.modify("attribute_1", np.array([-1], "i4"))
    with h5py.File(path, "r") as file:
        attributes = file["d"].attrs
        kept = [i for i in range(count) if i % 3]
        assert len(attributes) == len(kept) + added
        for i in kept[:: max(1, len(kept) // 500)]:
            assert attributes[f"attribute_{i}"] == [-1 if i == 1 else i]
        assert all(len(attributes[f"new_{i}"]) == i * 100 for i in range(added))
    with h5py.File(path, "a") as file:
        for name in list(file["d"].attrs):
            del file["d"].attrs[name]
    with h5py.File(path, "r") as file:
        assert len(file["d"].attrs) == 0


def read_names(file):
    for i in range(60):
        name = f"{i}" + ("n" if i % 2 == 0 else "ν") * (i * 50)
        assert file["g"][name] == file["d"], i
    assert len(file["g"]) == 60
    assert h5py.h5o.get_info(file["d"].id).rc == 61


def change_names(path):
    with h5py.File(path, "a") as file:
        for name in list(file["g"]):
            del file["g"][name]
        assert h5py.h5o.get_info(file["d"].id).rc == 1
        file["g/again"] = file["d"]


LARGE = {
    "/": [25_000, 250_000, 5_000_000],
    "g": [16_385],
    "d": [0, 1, 100, 1_000, 1_010, 1_020, 1_030, 3_000, 10_000, 15_000, 20_000],
    "t": [10_000, 3],
}


def read_large_attributes(file):
    for name, lengths in LARGE.items():
        for length in lengths:
            assert (file[name].attrs[f"of{length}"] == np.arange(length)).all()
        assert len(file[name].attrs) == len(lengths)


def change_large_attributes(path):
    with h5py.File(path, "a") as file:
        for name, lengths in LARGE.items():
            del file[name].attrs[f"of{lengths[0]}"]
            for i in range(20):
                file[name].attrs[f"new{i}"] = np.arange(i * 5000)
    with h5py.File(path, "r") as file:
        for name, lengths in LARGE.items():
            for length in lengths[1:]:
                assert (file[name].attrs[f"of{length}"] == np.arange(length)).all()
            for i in range(20):
                assert len(file[name].attrs[f"new{i}"]) == i * 5000
    with h5py.File(path, "a") as file:
        for name in LARGE:
            for attribute in list(file[name].attrs):
                del file[name].attrs[attribute]


def read_chunks(file, count):
    assert (file["one"][:] == np.arange(count)).all()
    two = file["two"]
    assert (two[:].ravel() == np.arange(two.size)).all()
    half = np.arange(count)
    half[1::2] = -9
    assert (file["half"][:] == half).all()
    for name, chunks in (("one", count), ("two", two.shape[0] // 2 * 3), ("half", (count + 1) // 2)):
        if count <= 100_000:
            assert file[name].id.get_num_chunks() == chunks, name


def change_chunks(path, count):
    with h5py.File(path, "a") as file:
        one, two, half = (file[name] for name in ("one", "two", "half"))
        rows = two.shape[0]
        one.resize((count + 300,))
        one[count:] = np.arange(count, count + 300)
        two.resize((rows + 101, 7))
        two[rows:] = np.arange(two.size)[rows * 7 :].reshape(101, 7)
        if count:
            limit = min(count, 3000)
            half[:limit] = np.arange(limit)
    with h5py.File(path, "r") as file:
        one, two, half = (file[name][:] for name in ("one", "two", "half"))
        assert (one == np.arange(count + 300)).all()
        assert (two.ravel() == np.arange(two.size)).all()
        assert (half[: min(count, 3000)] == np.arange(min(count, 3000))).all()
        assert (half[3001::2] == -9).all() and (half[3000::2] == np.arange(3000, max(count, 3000), 2)).all()
    with h5py.File(path, "a") as file:
        file["one"].resize((count // 2,))
        del file["two"]
    with h5py.File(path, "r") as file:
        assert (file["one"][:] == np.arange(count // 2)).all()


def read_storage(file):
    assert (file["compact"][:] == np.arange(10_000)).all()
    assert file["compact"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT
    assert (file["contiguous"][:].ravel() == np.arange(100_000)).all()
    assert (file["unallocated"][:] == 7).all() and file["unallocated"].id.get_offset() is None
    assert file["unallocated"].id.get_storage_size() == 0
    assert file["never"].id.get_create_plist().get_fill_time() == h5py.h5d.FILL_TIME_NEVER
    assert file["undefined"].id.get_create_plist().fill_value_defined() == h5py.h5d.FILL_VALUE_UNDEFINED
    assert file["compact"].id.get_create_plist().fill_value_defined() == h5py.h5d.FILL_VALUE_DEFAULT
    assert file["empty"].shape == (0,) and file["scalar"][()] == 42 and file["null"].shape is None
    filters = file["filtered"].id.get_create_plist()
    assert [filters.get_filter(i)[0] for i in range(filters.get_nfilters())] == [2, 1, 40_000]
    assert filters.get_filter(2)[1:] == (1, (1, 2, 3), b"an own filter")
    for i in range(10):
        mask, raw = file["filtered"].id.read_direct_chunk((i * 10,))
        assert mask == 7 and (np.frombuffer(raw, "i4") == np.arange(i * 10, i * 10 + 10)).all()


def change_storage(path):
    with h5py.File(path, "a") as file:
        for name in ("compact", "contiguous", "unallocated", "never", "undefined", "scalar"):
            file[name][...] = 3
        for name in ("compact", "filtered", "contiguous"):
            for i in range(12):
                file[name].attrs[f"a{i}"] = i
    with h5py.File(path, "r") as file:
        for name in ("compact", "contiguous", "unallocated", "never", "undefined", "scalar"):
            assert (file[name][...] == 3).all()
        assert file["filtered"].attrs["a11"] == 11


def read_types(file):
    user = file["user"]
    attributes = user.attrs
    assert user == file["also_user"] and h5py.h5o.get_info(user.id).rc == 2
    assert h5py.h5o.get_info(file["compound_t"].id).rc == 3
    assert user.id.get_type().committed() and user.dtype == file["compound_t"].dtype
    assert user[:].tolist() == [(1, 1.5), (2, 2.5)]
    assert attributes["shared"].tolist() == (5, 2.5)
    assert h5py.h5a.open(user.id, b"shared").get_type().committed()
    assert h5py.check_enum_dtype(file["enum_t"].dtype) == {"ZERO": 0, "LARGE": 255}
    assert attributes["enum"].tolist() == [255, 0]
    assert h5py.h5a.open(user.id, b"opaque").get_type().get_tag() == b"five bytes"
    raw, opaque = np.zeros(1, "V5"), h5py.h5a.open(user.id, b"opaque")
    opaque.read(raw, mtype=opaque.get_type())
    assert raw.tobytes() == b"bytes"
    outer = file["outer_t"].dtype
    assert outer.itemsize == 300 and outer.fields["tail"][1] == 290 and outer["matrix"].shape == (3, 4)
    assert attributes["strings"].tolist() == ["", "short", "a longer one with an ä"]
    assert attributes["many"].tolist() == [f"string {i}" for i in range(5000)]
    assert [v.tolist() for v in attributes["vlen"]] == [[0, 1, 2], [7]]
    assert [[w.tolist() for w in v] for v in attributes["vlen_of_vlen"]] == [[[0, 1, 2], [7]]]
    first, second = attributes["reference"]
    assert file[first] == user and file[second] == file["compound_t"]
    listed = attributes["reference_list"]
    assert listed["dimension"].tolist() == list(range(6000))
    assert file[listed["dataset"][0]] == user and file[listed["dataset"][5999]] == user
    assert file[attributes["dimension_list"][0][0]] == user
    texts = file["texts"]
    assert texts.fillvalue == b"fill"
    # Filling in variable-length data needs a file open for writing: see change_types.
    for start in (0, 2000):
        assert texts[start : start + 1000].tolist() == [b"x" * (i % 200) for i in range(start, start + 1000)]


def change_types(path):
    with h5py.File(path, "a") as file:
        assert file["texts"][1000] == b"fill" and file["texts"][1999] == b"fill"
        file["texts"][500:1500] = [f"new {i}" for i in range(1000)]
        file["user"].attrs["strings"] = ["other", "strings"]
        del file["also_user"]
        del file["user"]
        assert h5py.h5o.get_info(file["compound_t"].id).rc == 1
        file.create_dataset("again", 3, dtype=file["compound_t"])
    with h5py.File(path, "r") as file:
        texts = file["texts"]
        assert texts[499] == b"x" * 99 and texts[500] == b"new 0" and texts[1499] == b"new 999"
        assert texts[1500] == b"fill" and texts[2999] == b"x" * 199


def read_groups(file):
    group = file
    for depth in range(20):
        group = group[f"depth{depth}"]
        assert len(group["empty"]) == 0
    assert group["up"] == file["/"]


def change_groups(path):
    with h5py.File(path, "a") as file:
        for depth in range(5):
            group = file["/".join(f"depth{d}" for d in range(depth + 1))]
            for i in range(12):
                group["empty"].create_group(f"g{i}", track_order=True)
        del file["depth0/depth1/depth2"]


def change_at_random(path, holder, rounds=8, seed=5):
    """Adds and removes links of `g`, or attributes of `d`, in random order, and follows what must be there."""
    pick = random.Random(seed)
    with h5py.File(path, "r") as file:
        model = dict.fromkeys(file["g"] if holder == "g" else file["d"].attrs)
    for turn in range(rounds):
        with h5py.File(path, "a") as file:
            held = file["g"] if holder == "g" else file["d"].attrs
            names = list(model)
            for step in range(pick.choice([5, 200, 1000])):
                if names and pick.random() < 0.4 + 0.1 * (turn % 3):
                    at = pick.randrange(len(names))
                    names[at], names[-1] = names[-1], names[at]
                    name = names.pop()
                    del held[name], model[name]
                else:
                    name = f"{turn}.{step}" + "z" * pick.choice([1, 10, 300, 5000])
                    if holder == "g":
                        held.create_group(name)
                        model[name] = None
                    else:
                        name = name[:200]
                        model[name] = held[name] = np.arange(pick.choice([1, 10, 300, 3000, 20000]))
                    names.append(name)
        with h5py.File(path, "r") as file:
            held = file["g"] if holder == "g" else file["d"].attrs
            assert set(held) == set(model), f"round {turn}"
            for name, value in list(model.items())[:300]:
                found = held[name]
                assert value is None or np.array_equal(found, value), name


def append_with_netcdf(path, group):
    """netcdf-c opens the file for writing and adds dimensions, variables and attributes."""
    import netCDF4

    with netCDF4.Dataset(path, "a") as file:
        at = file if group == "/" else file[group]
        at.createDimension("added", None)
        for i in range(12):
            variable = at.createVariable(f"added_{i}", "f8", ("added",))
            variable[:5] = range(5)
            variable.units = "m"
        at.note = "added"
    with netCDF4.Dataset(path) as file:
        at = file if group == "/" else file[group]
        assert at.note == "added" and at["added_11"][:].tolist() == [0, 1, 2, 3, 4]


def tool(command, path):
    """Runs a program on a file, if it is installed."""
    if not shutil.which(command[0]):
        return
    run = subprocess.run([*command, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
    assert run.returncode == 0 and not run.stderr, f"{command}: {run.stderr.decode()[:500]}"


def check(path):
    name = os.path.basename(path)[: -len(".h5")]
    stem, _, number = name.rpartition("_")
    kind, arguments = (stem, [int(number)]) if number.isdigit() else (name, [])
    read, change = globals()[f"read_{kind}"], globals()[f"change_{kind}"]
    assert h5py.File(path, "r").id.get_filesize() == os.path.getsize(path)
    with h5py.File(path, "r") as file:
        read(file, *arguments)
    if not arguments or arguments[0] <= 10_000:
        # What stops h5dump at the data: a filter that nobody has, even where no chunk went through it, and
        # variable-length fill values of a file that is open for reading only.
        tool(["h5dump", "-p", *(["-A"] if name in ("storage", "types") else [])], path)
    tool(["h5stat"], path)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, name + ".h5")
        shutil.copy(path, copy)
        change(copy, *arguments)
        tool(["h5stat"], copy)


def main():
    folder, *only = sys.argv[1:]
    failed = []
    for entry in sorted(os.listdir(folder)):
        if not entry.endswith(".h5") or (only and entry[:-3] not in only):
            continue
        start = time.time()
        try:
            check(os.path.join(folder, entry))
            print(f"ok      {entry} ({time.time() - start:.1f} s)", flush=True)
        except Exception as error:  # every file gets its turn
            failed.append(entry)
            line = error.__traceback__
            while line.tb_next and line.tb_next.tb_frame.f_code.co_filename == __file__:
                line = line.tb_next
            print(f"FAILED  {entry} line {line.tb_lineno}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
