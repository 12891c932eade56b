"""Proof: checks name exactly the damaged chunk, salvage gives all else, digests are hashlib's in every format."""

import hashlib
import json
import re
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy, ncdump

LENGTHS = {"time": 6, "lat": 20, "lon": 30}


def field():
    steps = np.random.default_rng(7).normal(size=tuple(LENGTHS.values())).astype("f4")
    return (steps.cumsum(axis=2) + 280).round(1)


def make(path, kind="NETCDF4", **storage):
    with netCDF4.Dataset(path, "w", format=kind) as dataset:
        for name, length in LENGTHS.items():
            dataset.createDimension(name, None if name == "time" else length)
        variable = dataset.createVariable("temp", "f4", tuple(LENGTHS), **storage)
        variable.units = "K"
        variable[:] = field()
        dataset.createVariable("time", "f8", ("time",))[:] = np.arange(LENGTHS["time"])
        dataset.title = "proof"
    return path


def run(program, *arguments):
    command = [str(BIN / program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def values(path):
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_mask(False)
        return dataset["temp"][:]


STORAGE = {
    "deflate": dict(zlib=True, shuffle=True, chunksizes=(1, 20, 30)),
    "fletcher32": dict(fletcher32=True, chunksizes=(1, 20, 30)),
}


@pytest.mark.parametrize("storage", STORAGE)
def test_a_bit_flipped_in_each_chunk_in_turn(storage, tmp_path):
    whole = make(tmp_path / "in.nc", **STORAGE[storage])
    data = whole.read_bytes()
    assert run("ncdump", "--check", whole)[0] == 0
    with h5py.File(whole) as file:
        chunks = [file["temp"].id.get_chunk_info(n) for n in range(LENGTHS["time"])]
    for n, chunk in enumerate(chunks):
        damaged = bytearray(data)
        damaged[chunk.byte_offset + chunk.size // 2] ^= 1
        broken = tmp_path / f"broken{n}.nc"
        broken.write_bytes(damaged)
        status, text, _ = run("ncdump", "--check", "--json", broken)
        found = json.loads(text)["faults"]
        assert status == 1
        assert [(f["variable"], f["chunk"], f["byte"]) for f in found] == [("temp", [n, 0, 0], chunk.byte_offset)]

        saved = tmp_path / f"saved{n}.nc"
        status, _, told = run("nccopy", "--salvage", broken, saved)
        assert status == 3 and f"chunk [{n}, 0, 0]" in told
        expected = field()
        expected[n] = netCDF4.default_fillvals["f4"]
        assert values(saved).tobytes() == expected.tobytes()
        with h5py.File(saved) as file:
            assert file["temp"].id.get_num_chunks() == LENGTHS["time"] - 1

        status, _, told = run("nccopy", "--verify", broken, tmp_path / "verified.nc")
        assert status == 1 and told.startswith(f"nccopy: {broken}: variable temp: chunk [{n}, 0, 0]: "), told
        assert not (tmp_path / "verified.nc").exists()


def test_suspect_chunks_are_kept_where_asked(tmp_path):
    whole = make(tmp_path / "in.nc", **STORAGE["fletcher32"])
    with h5py.File(whole) as file:
        chunk = file["temp"].id.get_chunk_info(2)
    data = bytearray(whole.read_bytes())
    data[chunk.byte_offset + 5] ^= 1
    (tmp_path / "broken.nc").write_bytes(data)
    status, _, told = run("nccopy", "--salvage", "--keep-suspect", tmp_path / "broken.nc", tmp_path / "out.nc")
    assert status == 0 and "(kept)" in told
    found = values(tmp_path / "out.nc")
    assert (found != field()).sum() == 1 and found[2].tobytes() != field()[2].tobytes()
    assert run("ncdump", "--check", tmp_path / "out.nc")[0] == 0


def test_what_is_left_out_is_not_lost(tmp_path):
    path = make(tmp_path / "a.nc", zlib=True, chunksizes=(1, 20, 30))
    with h5py.File(path, "a") as file:
        file["other"] = np.arange(5)
        chunk = file["temp"].id.get_chunk_info(0)
    data = bytearray(path.read_bytes())
    data[chunk.byte_offset + chunk.size // 2] ^= 1
    path.write_bytes(data)
    for options, status in (["-V", "other"], 0), (["-v", "other"], 0), (["-V", "temp"], 3), ([], 3):
        done = run("nccopy", "--salvage", *options, path, tmp_path / "out.nc")
        assert done[0] == status and ("temp" in done[2]) == (status == 3), done


def damaged_chunk(path, name, number):
    with h5py.File(path) as file:
        chunk = file[name].id.get_chunk_info(number)
    data = bytearray(path.read_bytes())
    data[chunk.byte_offset + chunk.size // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("kind", [[], ["-k", "h5"]], ids=["values", "as-it-is"])
def test_what_lies_outside_of_a_part_is_not_lost(kind, tmp_path):
    path, out = make(tmp_path / "a.nc", zlib=True, chunksizes=(2, 10, 30)), tmp_path / "out.nc"
    damaged_chunk(path, "temp", 2)
    for part, status in (["time=0:2"], 0), (["time=3:"], 3), (["lat=10:"], 0), (["lat=5:", "time=2"], 3), (["time=0,1,4"], 0), (["lon=1:3"], 3):
        options = [option for dim in part for option in ("--isel", dim)]
        done = run("nccopy", *kind, "--salvage", *options, path, out)
        assert done[0] == status and ("chunk [1, 0, 0]" in done[2]) == (status == 3), (part, done)
        with netCDF4.Dataset(out) as dataset:
            assert np.ma.count_masked(dataset["temp"][:]) > 0 if status else not np.ma.is_masked(dataset["temp"][:])


@pytest.mark.parametrize("kind", [[], ["-k", "h5"]], ids=["values", "as-it-is"])
def test_a_damaged_coordinate_that_chooses_cells_is_lost(kind, tmp_path):
    path, out = tmp_path / "a.nc", tmp_path / "out.nc"
    with netCDF4.Dataset(path, "w") as dataset:
        dataset.createDimension("x", 10)
        dataset.createVariable("x", "f8", ("x",), zlib=True, chunksizes=(2,))[:] = np.arange(10.0)
        dataset.createVariable("v", "f8", ("x",))[:] = np.arange(10.0)
    damaged_chunk(path, "x", 3)
    assert run("nccopy", *kind, "--salvage", "--isel", "x=0:4", path, out) == (0, "", "")
    status, _, told = run("nccopy", *kind, "--salvage", "--sel", "x=0..3", path, out)
    assert status == 3 and "variable x: chunk [3]" in told


def test_parts_of_truncated_classic_files(tmp_path):
    path, out = make(tmp_path / "a.nc", "NETCDF3_64BIT_OFFSET"), tmp_path / "out.nc"
    path.write_bytes(path.read_bytes()[:-3000])
    assert run("nccopy", "--salvage", "--isel", "time=:-2", path, out) == (0, "", "")
    assert values(out).tobytes() == field()[:-2].tobytes()
    status, _, told = run("nccopy", "--salvage", "--isel", "time=-2:", path, out)
    assert status == 3 and "the file is truncated" in told


def test_chunks_that_are_not_there_are_told(tmp_path):
    whole = make(tmp_path / "in.nc", **STORAGE["deflate"])
    for fragment in "#mode=zarr,v2", "#mode=zarr,v3":
        place = tmp_path / f"{fragment[-2:]}.zarr"
        nccopy("--shard", "none", whole, f"{place}{fragment}") if "v3" in fragment else nccopy(whole, f"{place}{fragment}")
        told = "chunks that are not there, which read as fill values"
        assert told not in ncdump("--check", place).decode()
        next(path for path in (place / "temp").rglob("*") if path.is_file() and not path.name.startswith((".z", "zarr"))).unlink()
        lines = ncdump("--check", place).decode().splitlines()
        assert told in lines[-1]
        assert [line for line in lines if re.fullmatch(r"variable temp: 1 of \d+ chunks are not there, and read as fill values", line)]


HINT = "; 'nccopy --salvage' copies what can still be read"


def test_the_hint_at_salvage_is_true(tmp_path):
    """Where it stands, --salvage gives something; where it does not, nothing."""
    whole = make(tmp_path / "in.nc", **STORAGE["deflate"])
    classic = make(tmp_path / "classic.nc", "NETCDF3_64BIT_OFFSET")
    nccopy("-k", "archive", classic, tmp_path / "a.nc3z")
    nccopy("-k", "zst", classic, tmp_path / "a.nc.zst")
    for fragment in "zarr,v2,zip", "zarr,v3,zip":
        nccopy(whole, f"{tmp_path / fragment[5:7]}.zip#mode={fragment}")
    seen = set()
    for place in [whole, classic, *sorted(tmp_path.glob("a.nc*")), *sorted(tmp_path.glob("*.zip"))]:
        data = place.read_bytes()
        size = len(data)
        for end in 20, 60, 120, 400, size // 3, size // 2, size * 3 // 4, size - 200, size - 2:
            cut = tmp_path / f"cut{place.suffix}"
            cut.write_bytes(data[:end])
            out = tmp_path / "out.nc"
            out.unlink(missing_ok=True)
            kinds = [["-k", "h5"], []] if place is whole else [[]]
            for kind in kinds:
                status, _, told = run("nccopy", *kind, cut, out)
                if status == 0:
                    continue
                # A part of an archive is restored as it was.
                saved = run("nccopy", "--salvage", *kind, *([] if "nc3z" in cut.name else kind or ["-k", "nc4"]), cut, out)
                assert told.endswith(HINT + "\n") == (saved[0] in (0, 3)), (place, end, kind, told, saved)
                seen.add((place.suffix, saved[0] == 1))
    assert len(seen) > 7, seen


@pytest.mark.parametrize("fragment", ["#mode=zarr,v3,zip", "#mode=zarr,zip", "#mode=zarr,v3"])
def test_chunks_of_zarr(fragment, tmp_path):
    whole = make(tmp_path / "in.nc", **STORAGE["deflate"])
    place = tmp_path / ("z.zip" if "zip" in fragment else "z.zarr")
    nccopy("--shard", "none", whole, f"{place}{fragment}") if "v3" in fragment else nccopy(whole, f"{place}{fragment}")
    assert run("ncdump", "--check", place)[0] == 0
    with h5py.File(whole) as file:
        stored = [file["temp"].id.read_direct_chunk((n, 0, 0))[1] for n in range(LENGTHS["time"])]
    files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    for n, chunk in enumerate(stored):
        holder = next(path for path in files if chunk in path.read_bytes())
        data = holder.read_bytes()
        at = data.index(chunk) + len(chunk) // 2
        holder.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        status, text, _ = run("ncdump", "--check", "--json", place)
        assert status == 1
        assert [(f["variable"], f["chunk"]) for f in json.loads(text)["faults"]] == [("temp", [n, 0, 0])]
        # Plain Zarr has no fill value here, so what is lost reads as zero.
        fill = 0 if fragment == "#mode=zarr,zip" else netCDF4.default_fillvals["f4"]
        saved = tmp_path / f"saved{n}.nc"
        status, _, told = run("nccopy", "-k", "netCDF-4", "--salvage", place, saved)
        assert status == 3 and f"chunk [{n}, 0, 0]" in told
        expected = field()
        expected[n] = fill
        assert values(saved).tobytes() == expected.tobytes()
        status, _, told = run("nccopy", "-k", "netCDF-4", "--verify", place, tmp_path / "verified.nc")
        assert status == 1 and not (tmp_path / "verified.nc").exists(), told
        holder.write_bytes(data)


def test_files_that_were_cut(tmp_path):
    whole = make(tmp_path / "in.nc", **STORAGE["deflate"])
    with h5py.File(whole) as file:
        chunks = [file["temp"].id.get_chunk_info(n) for n in range(LENGTHS["time"])]
    (tmp_path / "cut.nc").write_bytes(whole.read_bytes()[: chunks[4].byte_offset + 10])
    hint = "; 'nccopy --salvage' copies what can still be read\n"
    for command in ["ncdump", "-h", tmp_path / "cut.nc"], ["nccopy", tmp_path / "cut.nc", tmp_path / "out.nc"]:
        status, _, told = run(*command)
        assert status == 1 and "the file is truncated" in told and told.endswith(hint)
    assert run("nccopy", "--salvage", tmp_path / "cut.nc", tmp_path / "out.nc")[0] == 3
    (tmp_path / "stub.nc").write_bytes(whole.read_bytes()[:60])
    status, _, told = run("nccopy", "--salvage", tmp_path / "stub.nc", tmp_path / "none.nc")
    assert status == 1 and hint not in told
    assert (values(tmp_path / "out.nc")[:4] == field()[:4]).all()

    whole = make(tmp_path / "in5.nc", "NETCDF3_64BIT_DATA")
    data = whole.read_bytes()
    (tmp_path / "cut5.nc").write_bytes(data[: len(data) // 2])
    status, text, _ = run("ncdump", "--check", tmp_path / "cut5.nc")
    assert status == 1 and "the file is truncated" in text
    assert run("ncdump", tmp_path / "cut5.nc")[2].endswith(hint)
    assert run("nccopy", "--salvage", tmp_path / "cut5.nc", tmp_path / "out5.nc")[0] == 3
    found = values(tmp_path / "out5.nc")
    good = found == field()
    assert 0.4 < good.mean() < 0.6
    assert (found[~good] == netCDF4.default_fillvals["f4"]).all()


def test_all_steps_that_are_left_of_a_cut_file(tmp_path):
    """A deflated field of 248 steps is cut. Nodes of its B-tree lie among its chunks. At these places, those are lost that
    only have the addresses of lost chunks."""
    steps = (np.random.default_rng(3).normal(280, 5, (248, 20, 30)) * 64).round().astype("f4") / 64
    whole = tmp_path / "in.nc"
    with netCDF4.Dataset(whole, "w") as dataset:
        for name, length in zip(LENGTHS, steps.shape, strict=True):
            dataset.createDimension(name, length)
        options = dict(zlib=True, complevel=5, shuffle=True, chunksizes=(1, 20, 30))
        variable = dataset.createVariable("temp", "f4", tuple(LENGTHS), **options)
        for n, step in enumerate(steps):
            variable[n] = step
    data = whole.read_bytes()
    with h5py.File(whole) as file:
        chunks = [file["temp"].id.get_chunk_info(n) for n in range(len(steps))]
    for part in 40 / 69, 0.75, 0.9:
        end = int(len(data) * part)
        (tmp_path / "cut.nc").write_bytes(data[:end])
        left = [n for n, chunk in enumerate(chunks) if chunk.byte_offset + chunk.size <= end]
        assert 130 < len(left) < 248
        with pytest.raises(OSError):
            h5py.File(tmp_path / "cut.nc")
        status, _, told = run("nccopy", "--salvage", tmp_path / "cut.nc", tmp_path / "out.nc")
        assert status == 3 and "the file is truncated" in told
        with h5py.File(tmp_path / "out.nc") as file:
            out = file["temp"].id
            saved = [out.get_chunk_info(n).chunk_offset[0] for n in range(out.get_num_chunks())]
        assert saved == left
        assert values(tmp_path / "out.nc")[left].tobytes() == steps[left].tobytes()


def header(path, name):
    """The position of the object header of a dataset."""
    with h5py.File(path) as file:
        return h5py.h5o.get_info(file[name].id).addr


def test_other_objects_are_left_of_a_file_with_a_damaged_header(tmp_path):
    whole = make(tmp_path / "in.nc", **STORAGE["deflate"])
    data = bytearray(whole.read_bytes())
    data[header(whole, "time") + 20] ^= 1
    broken = tmp_path / "broken.nc"
    broken.write_bytes(data)
    assert run("nccopy", broken, tmp_path / "out.nc")[0] == 1
    status, text, told = run("ncdump", "--check", "--json", broken)
    assert status == 1, told
    faults = json.loads(text)["faults"]
    assert "time" in [fault["variable"] for fault in faults]
    assert all("checksum" in fault["cause"] or "attribute" in fault["cause"] for fault in faults), faults
    status, _, told = run("nccopy", "--salvage", broken, tmp_path / "out.nc")
    assert status == 3 and "variable time" in told
    assert values(tmp_path / "out.nc").tobytes() == field().tobytes()
    with netCDF4.Dataset(tmp_path / "out.nc") as dataset:
        assert list(dataset.variables) == ["temp"] and dataset["temp"].units == "K" and dataset.title == "proof"


def test_what_a_lost_part_of_a_header_does_not_hold_is_left(tmp_path):
    """A header that goes on behind the cut: what its first block holds is there, and other objects."""
    whole = tmp_path / "in.h5"
    with h5py.File(whole, "w") as file:
        for name in "ab":
            file[name] = np.arange(5)
        for n in range(6):
            # The attributes do not fit into the first block.
            file["a"].attrs[f"attribute{n}"] = np.arange(20) + n
    data = whole.read_bytes()
    with h5py.File(whole) as file:
        info = h5py.h5o.get_info(file["a"].id)
        assert info.hdr.nchunks > 1
        # Version 1: the continuation message is 16 bytes of an address and a length, in the first block.
        at = next(
            at
            for at in range(info.addr, info.addr + 400, 8)
            if data[at : at + 4] == b"\x10\x00\x10\x00"
        )
    damaged = bytearray(data)
    damaged[at + 8 : at + 16] = (1 << 40).to_bytes(8, "little")
    (tmp_path / "broken.h5").write_bytes(damaged)
    status, text, _ = run("ncdump", "--check", tmp_path / "broken.h5")
    assert status == 1 and "object header continuation block" in text or "object header" in text
    assert run("nccopy", "--salvage", tmp_path / "broken.h5", tmp_path / "out.nc")[0] == 3
    with netCDF4.Dataset(tmp_path / "out.nc") as dataset:
        assert dataset["a"][:].tolist() == dataset["b"][:].tolist() == [0, 1, 2, 3, 4]


def test_data_over_structures(tmp_path):
    whole = tmp_path / "in.h5"
    with h5py.File(whole, "w", libver="earliest") as file:
        for name in "ab":
            file[name] = np.arange(100)
        place = file["b"].id.get_offset()
    data = whole.read_bytes()
    stored = place.to_bytes(8, "little")
    assert data.count(stored) == 1 and run("ncdump", "--check", whole)[0] == 0
    over = header(whole, "a")
    (tmp_path / "broken.h5").write_bytes(data.replace(stored, over.to_bytes(8, "little")))
    status, text, _ = run("ncdump", "--check", tmp_path / "broken.h5")
    assert status == 1 and "overlap those of" in text and "object header" in text


@pytest.mark.parametrize("fragment", ["#mode=nczarr,file", "#mode=zarr,v2", "#mode=zarr,v3"])
def test_other_arrays_are_left_of_a_hierarchy_with_a_damaged_document(fragment, tmp_path):
    """Consolidated metadata has a copy of version 2's documents."""
    whole = make(tmp_path / "in.nc", **STORAGE["deflate"])
    place = tmp_path / "z.zarr"
    nccopy(whole, f"{place}{fragment}")
    damaged = place / "time" / ("zarr.json" if "v3" in fragment else ".zarray")
    damaged.write_bytes(damaged.read_bytes()[:20])
    assert run("nccopy", "-k", "netCDF-4", place, tmp_path / "out.nc")[0] == 1
    status, text, _ = run("ncdump", "--check", place)
    assert status == 1 and f"time/{damaged.name}" in text
    status, _, told = run("nccopy", "-k", "netCDF-4", "--salvage", place, tmp_path / "out.nc")
    has_copy = (place / ".zmetadata").exists()
    assert status == (0 if has_copy else 3) and f"time/{damaged.name}" in told
    assert ("another copy of it was read" in told) == has_copy
    assert values(tmp_path / "out.nc").tobytes() == field().tobytes()
    with netCDF4.Dataset(tmp_path / "out.nc") as dataset:
        assert ("time" in dataset.variables) == has_copy
        assert dataset["temp"].dimensions == tuple(LENGTHS)


@pytest.mark.parametrize("broken", [b'{"zarr_format": 3,', b'{"zarr_format": 3, "node_type": "gruop"}'])
def test_a_hierarchy_of_version_3_without_its_root_is_salvaged(broken, tmp_path):
    place = tmp_path / "z.zarr"
    nccopy(make(tmp_path / "in.nc", **STORAGE["deflate"]), f"{place}#mode=zarr,v3")
    (place / "zarr.json").write_bytes(broken)
    status, text, _ = run("ncdump", "--check", place)
    assert status == 1 and text.startswith("zarr.json ")
    status, _, told = run("nccopy", "-k", "netCDF-4", "--salvage", place, tmp_path / "out.nc")
    assert status == 3 and "zarr.json " in told
    assert values(tmp_path / "out.nc").tobytes() == field().tobytes()


def test_nothing_is_lost_with_damaged_consolidated_metadata(tmp_path):
    place = tmp_path / "z.zarr"
    nccopy(make(tmp_path / "in.nc", **STORAGE["deflate"]), f"{place}#mode=zarr,v2")
    (place / ".zmetadata").write_bytes(b"{")
    assert run("ncdump", "--check", place)[0] == 1
    status, _, told = run("nccopy", "-k", "netCDF-4", "--salvage", place, tmp_path / "out.nc")
    assert status == 0 and ".zmetadata" in told
    assert values(tmp_path / "out.nc").tobytes() == field().tobytes()


def test_digests_agree_over_formats(tmp_path):
    digests = set()
    make(tmp_path / "n5.nc", "NETCDF3_64BIT_DATA")
    make(tmp_path / "n4.nc", **STORAGE["deflate"])
    for fragment in ["#mode=nczarr,file", "#mode=zarr,v2", "#mode=zarr,v3"]:
        nccopy(tmp_path / "n4.nc", f"{tmp_path / fragment[6:].replace(',', '-')}.zarr{fragment}")
    for place in sorted(tmp_path.iterdir()):
        text = ncdump("--digest", place).decode()
        digests.add(text)
        digest = hashlib.sha256(field().astype("<f4").tobytes()).hexdigest()
        assert f"sha256:{digest} /temp float time=6 lat=20 lon=30" in text.splitlines()
    assert len(digests) == 1


def test_digests_of_strings(tmp_path):
    with netCDF4.Dataset(tmp_path / "s.nc", "w") as dataset:
        dataset.createDimension("x", 2)
        dataset.createVariable("s", str, ("x",))[:] = np.array(["Oslo", ""], object)
    digest = hashlib.sha256((4).to_bytes(8, "little") + b"Oslo" + bytes(8)).hexdigest()
    assert f"sha256:{digest} /s string x=2" in ncdump("--digest", tmp_path / "s.nc").decode().splitlines()


def test_differences(tmp_path):
    a = make(tmp_path / "a.nc", **STORAGE["deflate"])
    b = make(tmp_path / "b.nc", "NETCDF3_64BIT_DATA")
    assert run("ncdump", "--diff", b, a) == (0, "", "")
    with netCDF4.Dataset(b, "a") as dataset:
        dataset["temp"][3, 4, 5] += 0.5
        dataset["temp"].units = "degC"
    status, text, _ = run("ncdump", "--diff", b, a)
    assert status == 1
    units, data = text.splitlines()
    assert units == '/temp: attribute units: "degC" and "K"'
    assert data.startswith("/temp: 1 of 3600 elements differ; first [3, 4, 5]: ")
    status, text, _ = run("ncdump", "--tolerance", "0.6", "--diff", b, a)
    assert (status, text) == (1, '/temp: attribute units: "degC" and "K"\n')
    assert run("ncdump", "--diff", tmp_path / "none.nc", a)[0] == 2
    nan = {}
    for name, bits in (("x.nc", 0x7FC00000), ("y.nc", 0x7FC00001)):
        nan[name] = tmp_path / name
        with netCDF4.Dataset(nan[name], "w") as dataset:
            dataset.createVariable("v", "f4", ())[...] = np.array(bits, "u4").view("f4")
    assert run("ncdump", "--diff", nan["x.nc"], nan["y.nc"])[0] == 0
    assert run("ncdump", "--exact", "--diff", nan["x.nc"], nan["y.nc"])[0] == 1


def test_differences_within_elements_and_attributes(tmp_path):
    pair = np.dtype([("i", "i4"), ("d", "f8", (2,))])
    for name, by in ("a.nc", 0), ("b.nc", 0.25):
        with netCDF4.Dataset(tmp_path / name, "w") as f:
            f.createDimension("x", 2)
            compound = f.createCompoundType(pair, "pair")
            f.createVariable("c", compound, ("x",))[:] = np.array([(1, (np.nan, 2)), (3, (4, 5 + by))], pair)
            sequences = f.createVariable("s", f.createVLType("f4", "list"), ("x",))
            sequences[0], sequences[1] = np.array([1, np.nan], "f4"), np.array([2 + by], "f4")
            f.createVariable("tiny", "f8", ())[...] = 1.25e-30 if by else 1e-30
            f.level, f.same = 10.0 + by, np.nan
    a, b = tmp_path / "a.nc", tmp_path / "b.nc"
    assert run("ncdump", "--diff", b, "--tolerance", "0.25", a) == (0, "", "")
    status, text, _ = run("ncdump", "--diff", b, "--tolerance", "0.2", a)
    assert status == 1 and sorted(text.splitlines()) == [
        "/: attribute level: 10.25 and 10.",
        "/c: 1 of 2 elements differ; first [1]: {3, {4, 5.25}} and {3, {4, 5}}; largest difference 0.25",
        "/s: 1 of 2 elements differ; first [1]: {2.25} and {2}; largest difference 0.25",
    ]
    tiny = run("ncdump", "--diff", b, "-v", "tiny", a)[1]
    assert tiny.startswith("/tiny: 1 of 1 elements differ; first []: 1.25e-30 and 1e-30; largest difference 2.")
    assert tiny.endswith("e-31\n")


def test_differences_name_the_datasets_and_tell_the_other_first(tmp_path):
    names = {"b.nc": ("f4", 10, "wide", ["only_b"]), "a.nc": ("f8", 20, "high", ["only_a"])}
    for name, (kind, value, dimension, only) in names.items():
        with netCDF4.Dataset(tmp_path / name, "w") as dataset:
            dataset.createDimension("x", 2)
            dataset.createDimension(dimension, 3)
            dataset.createVariable("values", "i4", ("x",))[:] = [1, value]
            dataset.createVariable("type", kind, ("x",))
            dataset.createVariable("both", kind, ("x",) if name == "a.nc" else ("x", dimension))
            dataset.createVariable("dims", "i4", (dimension,))[:] = [1, 2, 3]
            for own in only:
                dataset.createVariable(own, "i4", ("x",))
                dataset.createGroup(f"group_{own}")
                dataset.setncattr(own, 1)
                dataset["values"].setncattr(own, 1)
    a, b = tmp_path / "a.nc", tmp_path / "b.nc"
    status, text, _ = run("ncdump", "--diff", b, a)
    assert status == 1 and sorted(text.splitlines()) == sorted([
        f"/: attribute only_b: only in {b}",
        f"/: attribute only_a: only in {a}",
        f"group /group_only_b: only in {b}",
        f"group /group_only_a: only in {a}",
        f"/only_b: only in {b}",
        f"/only_a: only in {a}",
        f"/values: attribute only_b: only in {b}",
        f"/values: attribute only_a: only in {a}",
        "/values: 1 of 2 elements differ; first [1]: 10 and 20; largest difference 10",
        "/type: type float and double",
        "/both: type float and double",
        "/both: dimensions (x=2, wide=3) and (x=2)",
        "/dims: dimensions (wide=3) and (high=3)",
    ])


def test_what_cannot_be_compared_is_named_by_its_dataset(tmp_path):
    whole = make(tmp_path / "whole.nc", **STORAGE["deflate"])
    with h5py.File(whole) as file:
        chunk = file["temp"].id.get_chunk_info(2)
    data = bytearray(whole.read_bytes())
    data[chunk.byte_offset + chunk.size // 2] ^= 1
    broken = tmp_path / "broken.nc"
    broken.write_bytes(data)
    for arguments in ([broken, whole], [whole, broken]):
        status, _, told = run("ncdump", "--diff", *arguments)
        assert status == 2 and told.startswith(f"ncdump: {broken}: variable temp: chunk [2, 0, 0]: "), told


def test_named_variables_alone_are_proved(tmp_path):
    whole = make(tmp_path / "whole.nc", **STORAGE["deflate"])
    with h5py.File(whole) as file:
        chunk = file["temp"].id.get_chunk_info(2)
    data = bytearray(whole.read_bytes())
    data[chunk.byte_offset + chunk.size // 2] ^= 1
    other = tmp_path / "other.nc"
    other.write_bytes(data)
    with netCDF4.Dataset(other, "a") as dataset:
        dataset.title = "other"
        dataset.createVariable("own", "i4", ())
    assert run("ncdump", "--check", "-v", "temp", other)[0] == 1
    assert run("ncdump", "--check", "-v", "time", other)[0] == 0
    digests = ncdump("--digest", whole).decode().splitlines()
    assert ncdump("--digest", "-v", "/temp", whole).decode().splitlines() == [line for line in digests if " /temp " in line]
    assert run("ncdump", "--diff", other, "-v", "time", whole) == (0, "", "")
    assert run("ncdump", "--diff", other, "-v", "time,own", whole) == (1, f"/own: only in {other}\n", "")
    for mode, failure in (["--check"], 1), (["--digest"], 1), (["--diff", other], 2):
        status, text, told = run("ncdump", *mode, "-v", "time,none", whole)
        assert (status, text) == (failure, "") and "none: No such variable" in told


def test_trouble_with_a_comparison_is_status_2(tmp_path):
    whole = make(tmp_path / "whole.nc")
    for arguments in (["--diff", whole], ["--diff", whole, "-h", whole], ["--diff", whole, "--tolerance", "x", whole], ["--diff", whole, "--isel", "q=1", whole]):
        assert run("ncdump", *arguments)[0] == 2, arguments
    assert run("ncdump", "--digest", "-h", whole)[0] == 1


@pytest.mark.parametrize("output", ["v.nc", "v.zarr#mode=zarr,v3", "v.zip#mode=nczarr,zip", "w.zarr#mode=nczarr,file"])
@pytest.mark.parametrize("options", [[], ["-c", "time/2,lat/7", "-d", "2"], ["--isel", "time=1:4"]], ids=["as-is", "rechunked", "part"])
def test_verified_outputs_are_there(output, options, tmp_path):
    whole = make(tmp_path / "in.nc", **STORAGE["deflate"])
    status, _, told = run("nccopy", "--verify", *options, whole, tmp_path / output)
    assert status == 0, told
    part = ["--isel", "time=1:4"] if "--isel" in options else []
    nccopy(*part, whole, tmp_path / "asked.nc")
    assert run("ncdump", "--diff", tmp_path / "asked.nc", tmp_path / output.split("#")[0])[0] == 0


def test_the_largest_difference_of_lossy_filters_is_told(tmp_path):
    whole = make(tmp_path / "in.nc", **STORAGE["deflate"])
    status, _, told = run("nccopy", "--verify", "--quantize", "*,granularbr,3", whole, tmp_path / "out.nc")
    assert status == 0 and "the largest difference of lossy filters is" in told


def test_written_chunks_without_a_fill_value_are_verified(tmp_path):
    """Eight of nine chunks are written, in a variable whose other elements have no defined value."""
    whole = tmp_path / "in.h5"
    with h5py.File(whole, "w") as file:
        create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        create.set_chunk((10, 10))
        create.set_deflate(4)
        create.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        made = h5py.h5d.create(file.id, b"v", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((30, 30)), dcpl=create)
        rows = np.random.default_rng(5).normal(size=(30, 30)).astype("f4")
        for n in range(8):
            at = (n // 3 * 10, n % 3 * 10)
            h5py.Dataset(made)[at[0] : at[0] + 10, at[1] : at[1] + 10] = rows[at[0] : at[0] + 10, at[1] : at[1] + 10]
        assert made.get_num_chunks() == 8
        chunk = made.get_chunk_info(4)
    for options in [], ["-c", "phony_dim_0/30,phony_dim_1/30"]:
        assert run("nccopy", "--verify", *options, whole, tmp_path / "sound.nc")[0] == 0
    data = bytearray(whole.read_bytes())
    data[chunk.byte_offset + chunk.size // 2] ^= 0xFF
    broken = tmp_path / "broken.h5"
    broken.write_bytes(data)
    status, text, _ = run("ncdump", "--check", broken)
    assert status == 1 and "variable v: chunk [1, 1]" in text
    status, _, told = run("nccopy", "--verify", broken, tmp_path / "out.nc")
    assert status == 1 and "variable v: chunk [1, 1]" in told
    assert not (tmp_path / "out.nc").exists()


def test_huge_sparse_variables_are_compared_at_once(tmp_path):
    """10¹³ floats, of which one chunk is written: walking them would take hours."""
    for name, last, fill in ("a.h5", 2.5, None), ("b.h5", 3.5, None), ("f.h5", 2.5, -1):
        with h5py.File(tmp_path / name, "w") as file:
            made = file.create_dataset("v", (10**13,), "f4", chunks=(1000,), fillvalue=fill)
            made[5_000_000_000:5_000_000_002] = [1.5, last]
    a, b, filled = (tmp_path / name for name in ("a.h5", "b.h5", "f.h5"))
    assert run("nccopy", "--verify", a, tmp_path / "copy.nc")[0] == 0
    assert run("nccopy", "--verify", "-d", "1", filled, tmp_path / "filled.nc")[0] == 0
    assert run("ncdump", "--diff", tmp_path / "copy.nc", a)[0] == 0
    assert run("ncdump", "--diff", tmp_path / "filled.nc", filled)[0] == 0
    status, text, _ = run("ncdump", "--diff", b, a)
    assert status == 1
    assert text == (
        "/v: 1 of 10000000000000 elements differ; first [5000000001]: 3.5 and 2.5; largest difference 1\n"
    )
    status, text, _ = run("ncdump", "--diff", filled, a)
    assert "9999999999998 of 10000000000000 elements differ; first [0]: -1 and 0; largest difference 1" in text


@pytest.mark.parametrize("proof", [["--digest"], ["--diff"]], ids=" ".join)
def test_what_a_proof_leaves_out_is_told(tmp_path, proof):
    """netCDF has no references, so a variable of them is in no digest and no comparison."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as f:
        f["v"] = np.arange(3)
        f.create_dataset("refs", (3,), h5py.ref_dtype)
    other = [path] if proof == ["--diff"] else []
    done = subprocess.run([BIN / "ncdump", *proof, *other, path], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("/refs is left out") == len(other) + 1, done
    assert ("/v int64" in done.stdout) == (proof == ["--digest"])
