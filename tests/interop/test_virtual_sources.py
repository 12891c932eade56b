"""Sources of virtual datasets that cannot be read: what needs them, and what is left without them."""

import subprocess

import h5py
import numpy as np
import pytest
from conftest import BIN, check_lines

ROWS, COLUMNS = 12, 5


def run(program, *arguments, **options):
    return subprocess.run([BIN / program, *arguments], capture_output=True, text=True, timeout=120, **options)


@pytest.fixture
def stack(tmp_path):
    """A row of each of many files, all but one of them beside the dataset and whole."""
    return make_stack(tmp_path, chunks=(1, COLUMNS), compression="gzip")


def make_stack(folder, **options):
    values = np.arange(ROWS * COLUMNS, dtype="i4").reshape(ROWS, COLUMNS)
    layout = h5py.VirtualLayout((ROWS, COLUMNS), "i4")
    for n, row in enumerate(values):
        with h5py.File(folder / f"s{n}.h5", "w") as f:
            f.create_dataset("d", data=row[None], **options)
        layout[n : n + 1] = h5py.VirtualSource(f"s{n}.h5", "d", (1, COLUMNS))
    path = folder / "v.h5"
    with h5py.File(path, "w", libver="latest") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
        f.create_dataset("t", data=np.arange(ROWS)).make_scale("t")
        f["v"].dims[0].attach_scale(f["t"])
    return path, values


def spoil(path, how):
    """Makes a source one that cannot be read. Returns what the programs say of it, and the options that they need."""
    if how == "missing":
        path.unlink()
        return "does not exist", ["--require-sources"]
    if how == "outside":
        path.unlink()
        path.symlink_to("/etc/hostname")
        return "is outside of the input's folder", []
    path.write_bytes(path.read_bytes()[:-100] if how == "cut" else b"junk")
    return "", []


HOW = ["junk", "cut", "outside", "missing"]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("chunked", [True, False])
def test_a_part_opens_only_what_it_needs(tmp_path, how, chunked):
    options = {"chunks": (1, COLUMNS), "compression": "gzip"} if chunked else {}
    path, values = make_stack(tmp_path, **options)
    says, required = spoil(tmp_path / "s7.h5", how)
    for part, rows in [("0:3", slice(0, 3)), ("5:10:4", slice(5, 10, 4)), ("0:6,8:12", [*range(6), *range(8, 12)])]:
        out = tmp_path / "part.nc"
        out.unlink(missing_ok=True)
        done = run("nccopy", *required, "--isel", f"t={part}", path, out)
        assert (done.returncode, done.stderr) == (0, "")
        with h5py.File(out) as f:
            np.testing.assert_array_equal(f["v"][()], values[rows])
            assert f["v"].compression == ("gzip" if chunked else None)
        printed = run("ncdump", *required, "-v", "v", "--isel", f"t={part}", path)
        assert (printed.returncode, printed.stderr) == (0, "")
    alone = run("ncdump", *required, "-v", "t", "--isel", "t=7", path)
    assert (alone.returncode, alone.stderr) == (0, "")
    for program, last in [("nccopy", [tmp_path / "none.nc"]), ("ncdump", [])]:
        failed = run(program, *required, "--isel", "t=6:8", path, *last)
        assert failed.returncode == 1 and "source d in s7.h5" in failed.stderr and says in failed.stderr
    assert not (tmp_path / "none.nc").exists()


def test_a_part_of_a_missing_source_alone_is_told(stack, tmp_path):
    path, _ = stack
    (tmp_path / "s7.h5").unlink()
    for part, is_told in [("0:7", False), ("6:8", True)]:
        printed = run("ncdump", "--isel", f"t={part}", path)
        assert printed.returncode == 0 and ("1 of 12 sources is missing" in printed.stderr) == is_told


def salvage(path, out, *options):
    """What is left of a dataset: the copy's values, and what `--check` tells, which is told in one line."""
    done = run("nccopy", *options, "--salvage", path, out)
    assert done.returncode == 3, done.stderr
    checked = run("ncdump", *options, "--check", path)
    assert checked.returncode == 1
    told = [line.removeprefix(f"nccopy: {path}: ") for line in done.stderr.splitlines()]
    # One line tells of the variable, and the last one of the whole.
    assert told.pop().startswith("of ") and len(told) == 1
    faults = check_lines(checked.stdout)[:-1]
    first = faults[0].removeprefix("variable v: ")
    assert told[0] == faults[0] if len(faults) == 1 else told[0].startswith("variable v: ") and first in told[0]
    with h5py.File(out) as f:
        return f["v"][()], faults


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("chunked", [True, False])
def test_only_what_a_source_has_is_lost(tmp_path, how, chunked):
    options = {"chunks": (1, COLUMNS), "compression": "gzip"} if chunked else {}
    path, values = make_stack(tmp_path, **options)
    says, required = spoil(tmp_path / "s7.h5", how)
    left, told = salvage(path, tmp_path / "left.nc", *required)
    values[7] = -1
    np.testing.assert_array_equal(left, values)
    place = "chunk [7, 0]" if chunked else "elements [7, 0] to [7, 4] cannot be read"
    assert len(told) == 1 and told[0].startswith(f"variable v: {place}: source d in s7.h5: ") and says in told[0]
    assert run("nccopy", *required, path, tmp_path / "none.nc").returncode == 1
    assert not (tmp_path / "none.nc").exists()
    # A part that does not need the source loses nothing.
    part = run("nccopy", *required, "--salvage", "--isel", "t=0:7", path, tmp_path / "part.nc")
    assert (part.returncode, part.stderr) == (0, "")


def test_several_sources_are_told_one_by_one(stack, tmp_path):
    path, values = stack
    for n in (0, 3, 11):
        (tmp_path / f"s{n}.h5").write_bytes(b"junk")
    left, told = salvage(path, tmp_path / "left.nc")
    values[[0, 3, 11]] = -1
    np.testing.assert_array_equal(left, values)
    assert [line.split(": ")[1] for line in told] == ["chunk [0, 0]", "chunk [3, 0]", "chunk [11, 0]"]


@pytest.mark.parametrize("filters", [{}, {"compression": "gzip"}])
def test_chunks_of_a_lost_source_and_another(tmp_path, filters):
    """Chunks of four rows over sources of six: every second chunk has rows of both."""
    values = np.arange(18 * 5, dtype="f8").reshape(18, 5)
    layout = h5py.VirtualLayout((18, 5), "f8")
    for n in range(3):
        with h5py.File(tmp_path / f"s{n}.h5", "w") as f:
            f.create_dataset("d", data=values[6 * n : 6 * n + 6], chunks=(4, 5), **filters)
        layout[6 * n : 6 * n + 6] = h5py.VirtualSource(f"s{n}.h5", "d", (6, 5))
    path = tmp_path / "v.h5"
    with h5py.File(path, "w", libver="latest") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
    (tmp_path / "s1.h5").write_bytes(b"junk")
    left, told = salvage(path, tmp_path / "left.nc")
    values[6:12] = -1
    np.testing.assert_array_equal(left, values)
    assert all("source d in s1.h5" in line for line in told)


@pytest.mark.parametrize("other", [{"compression": "gzip"}, {"compression": "gzip", "shuffle": True}, {}])
def test_a_damaged_chunk_of_a_source(tmp_path, other):
    """Sources stored alike, or not; mapped so that no chunk of a source is one of the virtual dataset."""
    values = np.random.default_rng(3).integers(0, 1000, (21, 6))
    layout = h5py.VirtualLayout((21, 6), "i8")
    for n, storage in enumerate([{"compression": "gzip"}, other]):
        rows = values[1 + 10 * n : 11 + 10 * n]
        with h5py.File(tmp_path / f"s{n}.h5", "w") as f:
            f.create_dataset("d", data=rows, chunks=(4, 3) if storage else None, **storage)
            if n == 0:
                bad = f["d"].id.get_chunk_info_by_coord((4, 3))
        layout[1 + 10 * n : 11 + 10 * n] = h5py.VirtualSource(f"s{n}.h5", "d", (10, 6))
    path = tmp_path / "v.h5"
    with h5py.File(path, "w", libver="latest") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
    with open(tmp_path / "s0.h5", "r+b") as f:
        f.seek(bad.byte_offset)
        f.write(b"\0" * bad.size)
    left, told = salvage(path, tmp_path / "left.nc")
    values[0] = -1
    values[5:9, 3:] = -1
    np.testing.assert_array_equal(left, values)
    assert told and all("source d in s0.h5" in line for line in told)


def test_what_a_lost_source_hides_stays_hidden(tmp_path):
    for name, value in [("a", 1), ("b", 2)]:
        with h5py.File(tmp_path / f"{name}.h5", "w") as f:
            f["d"] = np.full(6, value)
    layout = h5py.VirtualLayout((6,), "i8")
    layout[:] = h5py.VirtualSource("a.h5", "d", (6,))
    layout[2:4] = h5py.VirtualSource("b.h5", "d", (6,))[:2]
    path = tmp_path / "v.h5"
    with h5py.File(path, "w", libver="latest") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
    (tmp_path / "b.h5").write_bytes(b"junk")
    left, _ = salvage(path, tmp_path / "left.nc")
    assert left.tolist() == [1, 1, -1, -1, 1, 1]


def test_a_virtual_source_loses_only_what_its_own_sources_lack(stack, tmp_path):
    path, values = stack
    layout = h5py.VirtualLayout((ROWS, COLUMNS), "i4")
    layout[:] = h5py.VirtualSource("v.h5", "v", (ROWS, COLUMNS))
    outer = tmp_path / "outer.h5"
    with h5py.File(outer, "w", libver="latest") as f:
        f.create_virtual_dataset("v", layout, fillvalue=-1)
    (tmp_path / "s7.h5").write_bytes(b"junk")
    left, told = salvage(outer, tmp_path / "left.nc")
    values[7] = -1
    np.testing.assert_array_equal(left, values)
    assert len(told) == 1 and "s7.h5" in told[0]


def blocks(path, name):
    """A virtual dataset without an end, of the files `name`, two elements of each."""
    unlimited = h5py.h5s.UNLIMITED
    with h5py.File(path, "w", libver="latest") as f:
        target = h5py.h5s.create_simple((2,), (unlimited,))
        target.select_hyperslab((0,), (unlimited,), (2,), (2,))
        made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        made.set_fill_value(np.array(-1, "i4"))
        made.set_virtual(target, name.encode(), b"d", h5py.h5s.create_simple((2,)))
        space = h5py.h5s.create_simple((2,), (unlimited,))
        h5py.h5d.create(f.id, b"v", h5py.h5t.NATIVE_INT32, space, made)


def test_blocks_before_one_that_cannot_be_read(tmp_path):
    for n in range(4):
        with h5py.File(tmp_path / f"s{n}.h5", "w") as f:
            f["d"] = np.array([n, n], "i4")
    blocks(tmp_path / "v.h5", "s%b.h5")
    (tmp_path / "s2.h5").write_bytes(b"junk")
    left, told = salvage(tmp_path / "v.h5", tmp_path / "left.nc")
    assert left.tolist() == [0, 0, 1, 1]
    assert told[0].startswith("variable v: its lengths are not known: source d in s2.h5: ")


def test_lengths_that_refused_sources_decide_are_not_told_as_data(tmp_path):
    for n in range(2):
        with h5py.File(tmp_path / f"s{n}.h5", "w") as f:
            f["d"] = np.array([n, n], "i4")
    blocks(tmp_path / "whole.h5", "s%b.h5")
    (tmp_path / "low").mkdir()
    low = tmp_path / "low" / "v.h5"
    blocks(low, "../s%b.h5")
    header = run("ncdump", "-h", low)
    assert header.returncode == 0 and "the lengths of /v are not known: source d in ../s0.h5" in header.stderr
    for options in [], ["--json"], ["-v", "v"], ["--require-sources"], ["--digest"], ["--check"]:
        printed = run("ncdump", *options, low)
        said = printed.stdout if options == ["--check"] else printed.stderr
        assert printed.returncode == 1 and "../s0.h5: the file is outside of the input's folder" in said, options
    for pair in [tmp_path / "whole.h5", low], [low, tmp_path / "whole.h5"]:
        compared = run("ncdump", "--diff", *pair)
        assert compared.returncode == 2 and f"{low}: variable v: source d in ../s0.h5" in compared.stderr
    assert run("nccopy", low, tmp_path / "none.nc").returncode == 1


def test_all_sources_of_a_numbered_name_are_missing(tmp_path):
    path = tmp_path / "v.h5"
    blocks(path, "gone%b.h5")
    warning = f"{path}: warning: variable v: 1 of 1 source is missing, the first d in gone0.h5"
    for program, *arguments in ["ncdump", path], ["ncdump", "--json", path], ["nccopy", path, tmp_path / "copy.nc"]:
        done = run(program, *arguments)
        assert done.returncode == 0 and done.stderr.count(warning) == 1, done
        (tmp_path / "copy.nc").unlink(missing_ok=True)
        required = run(program, "--require-sources", *arguments)
        assert required.returncode == 1 and "source d in gone0.h5: it does not exist" in required.stderr, required
    assert run("nccopy", path, tmp_path / "copy.nc").returncode == 0
    compared = run("ncdump", "--diff", path, tmp_path / "copy.nc")
    assert warning in compared.stderr
    assert run("ncdump", "--diff", "--require-sources", path, path).returncode == 2


@pytest.mark.parametrize("named", ["variable", "option"])
def test_an_input_from_a_pipe_has_the_folders_that_are_named(stack, tmp_path, named, monkeypatch):
    path, values = stack
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    piped = lambda *options: run("ncdump", "-n", "v", *options, "-", stdin=open(path, "rb"))
    failed = piped()
    assert failed.returncode == 1 and "it is not known what lies beside the input" in failed.stderr
    options = []
    match named:
        case "variable":
            monkeypatch.setenv("HDF5_VDS_PREFIX", "${ORIGIN}:..")
        case _:
            options = ["--data-dir", ".."]
    printed = piped(*options)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert printed.stdout == run("ncdump", "-n", "v", path).stdout
    (tmp_path / "s7.h5").unlink()
    printed = piped(*options)
    assert printed.returncode == 0 and "1 of 12 sources is missing, the first d in s7.h5" in printed.stderr
    (tmp_path / "s7.h5").symlink_to("/etc/hostname")
    refused = piped(*options)
    assert refused.returncode == 1 and "s7.h5: the file is outside of the input's folder" in refused.stderr
