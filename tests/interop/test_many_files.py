"""Several inputs in one call: into a folder, from a list, a tree, in place, and gone on with after a stop."""

import fcntl
import functools
import gzip
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import threading

import h5py
import netCDF4
import numpy as np
import pytest
import zarr
from conftest import BIN
from peak_memory import peak


def run(*arguments, cwd=None, stdin=None, program="nccopy"):
    command = [BIN / program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, input=stdin, timeout=120)


def make(path, seed=0, length=4):
    path.parent.mkdir(parents=True, exist_ok=True)
    with netCDF4.Dataset(path, "w") as f:
        f.createDimension("time", None)
        f.createDimension("x", 50)
        v = f.createVariable("v", "f4", ("time", "x"), chunksizes=(2, 50))
        v[:] = values(seed, length)
    return path


def values(seed, length=4):
    return np.random.default_rng(seed).integers(0, 9, (length, 50)).astype("f4")


def read(path):
    if path.suffix == ".zarr":
        return zarr.open_group(str(path), mode="r")["v"][:]
    with netCDF4.Dataset(path) as f:
        return np.asarray(f["v"][:])


@pytest.fixture
def files(tmp_path):
    return [make(tmp_path / "in" / f"f{n}.nc", n) for n in range(6)]


def last_line(done):
    return done.stderr.splitlines()[-1]


def test_each_input_becomes_a_file_of_its_name(files, tmp_path):
    out = tmp_path / "out"
    done = run("-d", "5", "-s", *files, f"{out}/")
    assert done.returncode == 0, done.stderr
    assert last_line(done).startswith("nccopy: 6 copied, 0 skipped, 0 failed; ")
    assert sorted(p.name for p in out.iterdir()) == [f.name for f in files]
    for n, file in enumerate(files):
        assert (read(out / file.name) == values(n)).all()
        with netCDF4.Dataset(out / file.name) as f:
            assert f["v"].filters()["complevel"] == 5
        alone = tmp_path / "alone.nc"
        assert run("-d", "5", "-s", file, alone).returncode == 0
        assert alone.read_bytes() == (out / file.name).read_bytes()
    # A glob may match one file, and the folder is there by now.
    assert run(files[0], out).returncode == 0


@pytest.mark.parametrize(
    "options, ending",
    [(["-k", "zarr3"], ".zarr"), (["-k", "zarr2"], ".zarr"), (["-k", "nczarr"], ".zarr"), (["-k", "nc3"], ".nc"), (["-k", "h5"], ".nc")],
    ids=str,
)
def test_names_end_as_the_kind_wants(files, tmp_path, options, ending):
    done = run(*options, *files[:2], f"{tmp_path / 'out'}/")
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [f"f0{ending}", f"f1{ending}"]
    for n in range(2):
        assert (read(tmp_path / "out" / f"f{n}{ending}") == values(n)).all()


@pytest.mark.parametrize("kind, fragment", [("zarr3", "zarr,v3"), ("zarr2", "zarr"), ("nczarr", "nczarr,file")])
def test_a_kind_of_zarr_is_the_same_as_its_fragment(files, tmp_path, kind, fragment):
    def digests(path):
        return {str(p.relative_to(path)): hashlib.sha256(p.read_bytes()).hexdigest() for p in path.rglob("*") if p.is_file()}

    a, b, c = tmp_path / "a.zarr", tmp_path / "b.zarr", tmp_path / "c"
    assert run("-k", kind, files[0], a).returncode == 0
    assert run(files[0], f"{b}#mode={fragment}").returncode == 0
    assert run(*files[:2], f"{c}/#mode={fragment}").returncode == 0
    assert digests(a) == digests(b) == digests(c / "f0.zarr")
    done = run("-k", "zarr2" if kind != "zarr2" else "zarr3", files[0], f"{a}#mode={fragment}")
    assert done.returncode == 1 and "leave one of them out" in done.stderr


def test_several_inputs_need_a_folder(files, tmp_path):
    for arguments, told in [
        ([*files[:2], tmp_path / "out.nc"], "the output of several inputs is a folder"),
        ([files[0]], "the output is missing"),
        ([], "name an input and an output"),
        (["--recursive", files[0].parent, files[0], tmp_path / "o"], "--recursive takes one folder"),
        (["--in-place"], "name the files to replace"),
    ]:
        done = run(*arguments)
        assert done.returncode == 1 and told in done.stderr, done.stderr
    assert not (tmp_path / "out.nc").exists()


def test_names_that_collide_are_errors_beforehand(files, tmp_path):
    other = make(tmp_path / "other" / "f0.nc")
    done = run(*files, other, f"{tmp_path / 'out'}/")
    assert done.returncode == 1 and "have the same output, f0.nc" in done.stderr
    assert not (tmp_path / "out").exists()
    before = files[0].read_bytes()
    done = run("-d", "5", *files, files[0].parent)
    assert done.returncode == 1 and "are the same file" in done.stderr and "--in-place" in done.stderr
    assert files[0].read_bytes() == before


def test_a_file_that_fails_is_told_and_the_others_go_on(files, tmp_path):
    bad = tmp_path / "in" / "bad.nc"
    bad.write_text("no dataset")
    truncated = tmp_path / "in" / "cut.nc"
    truncated.write_bytes(files[0].read_bytes()[:3000])
    done = run(*files, bad, truncated, tmp_path / "in" / "absent.nc", f"{tmp_path / 'out'}/")
    assert done.returncode == 1
    for name in [bad, truncated, tmp_path / "in" / "absent.nc"]:
        assert sum(str(name) in line for line in done.stderr.splitlines()) == 1, done.stderr
    assert last_line(done).startswith("nccopy: 6 copied, 0 skipped, 3 failed; ")
    assert len(list((tmp_path / "out").iterdir())) == 6


def test_lists_and_trees(files, tmp_path):
    out = tmp_path / "out"
    for end in ["\n", "\0"]:
        done = run("--files-from", "-", out / f"list{ord(end)}", stdin=end.join(map(str, files)))
        assert done.returncode == 0, done.stderr
        assert len(list((out / f"list{ord(end)}").iterdir())) == 6
    odd = make(tmp_path / "in" / "sub" / "a b\nc.nc", 7)
    (tmp_path / "in" / "README").write_text("text")
    assert run("-k", "zarr3", files[0], tmp_path / "in" / "sub" / "x.zarr").returncode == 0
    done = run("--recursive", tmp_path / "in", out / "tree")
    assert done.returncode == 0, done.stderr
    assert "no datasets are left out" in done.stderr and "README" in done.stderr
    found = sorted(str(p.relative_to(out / "tree")) for p in (out / "tree").rglob("*.nc"))
    assert found == sorted([f.name for f in files] + ["sub/a b\nc.nc"])
    assert (read(out / "tree" / "sub" / odd.name) == values(7)).all()
    assert (read(out / "tree" / "sub" / "x.zarr") == values(0)).all()
    done = run("--recursive", tmp_path / "in", tmp_path / "in" / "sub" / "out")
    assert done.returncode == 1 and "lie within each other" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["-d", "5", "-s"],
        ["-k", "zarr3"],
        ["-k", "zarr2"],
        ["-k", "nczarr"],
        ["-k", "nc3"],
        ["-k", "h5"],
        ["-k", "zst"],
        ["-u"],
        ["-c", "time/1,x/25", "-F", "*,32015,3"],
        ["-F", "*,auto"],
        ["--quantize", "*,bitround,5", "-d", "1"],
        ["-V", "v"],
    ],
    ids=" ".join,
)
def test_update_skips_what_is_done(files, tmp_path, options):
    out = f"{tmp_path / 'out'}/"
    first = run("--update", *options, *files[:3], out)
    assert last_line(first).startswith("nccopy: 3 copied"), first.stderr
    again = run("--update", *options, *files[:3], out)
    assert last_line(again).startswith("nccopy: 0 copied, 3 skipped"), again.stderr
    # An input that is newer is copied again.
    make(files[1], 11)
    third = run("--update", *options, *files[:3], out)
    assert last_line(third).startswith("nccopy: 1 copied, 2 skipped"), third.stderr


@pytest.mark.parametrize(
    "first, second",
    [(["-d", "5"], ["-d", "6"]), (["-d", "5"], ["-d", "5", "-s"]), ([], ["-u"]), ([], ["-c", "time/1"]), (["-k", "zarr2"], ["-k", "zarr3"])],
    ids=str,
)
def test_update_copies_what_is_stored_otherwise(files, tmp_path, first, second):
    out = f"{tmp_path / 'out'}/"
    assert run("--update", *first, *files[:2], out).returncode == 0
    done = run("--update", *second, *files[:2], out)
    assert last_line(done).startswith("nccopy: 2 copied, 0 skipped"), done.stderr


def test_update_knows_which_cells_and_data_an_output_has(tmp_path):
    source, out = tmp_path / "in.nc", f"{tmp_path / 'out'}/"
    with netCDF4.Dataset(source, "w") as f:
        for name in ["t", "x"]:
            f.createDimension(name, 6)
        f.createVariable("t", "f8", ["t"])[:] = range(6)
        f.createVariable("v", "f4", ["t", "x"], chunksizes=(1, 6))[:] = 1
    for first, second, copied in [
        (["--sel", "t=0..2"], ["--sel", "t=0..2"], 0),
        (["--sel", "t=0..2"], ["--sel", "t=3..5"], 1),
        # Nothing tells which cells of x an output has.
        (["--isel", "x=0:3"], ["--isel", "x=3:6"], 1),
        ([], ["-v", "t"], 1),
        (["-v", "t"], ["-v", "t"], 0),
        (["-v", "t"], [], 1),
    ]:
        shutil.rmtree(out, ignore_errors=True)
        assert run(*first, source, out).returncode == 0
        done = run("--update", *second, source, out)
        assert last_line(done).startswith(f"nccopy: {copied} copied, {1 - copied} skipped"), (first, second, done.stderr)


def updated(source, out, first, second):
    """How many inputs `--update` copies with other options than the output was made with."""
    shutil.rmtree(out, ignore_errors=True)
    assert run(*first, source, out).returncode == 0
    done = run("--update", *second, source, out)
    assert done.returncode == 0, done.stderr
    return int(last_line(done).split()[1])


def test_update_knows_the_data_of_classic_files(tmp_path):
    source, out = tmp_path / "in.nc", f"{tmp_path / 'out'}/"
    with netCDF4.Dataset(source, "w", format="NETCDF3_64BIT_OFFSET") as f:
        f.createDimension("t", None)
        f.createDimension("x", 5000)
        f.createVariable("bytes", "i1", ["x"])[:] = 7
        f.createVariable("fixed", "f8", ["x"])[:] = np.where(np.arange(5000) < 4999, netCDF4.default_fillvals["f8"], 1)
        f.createVariable("record", "f4", ["t", "x"])[:2] = 1
        f.createVariable("empty", "f4", ["x"])
        f.createVariable("text", "S1", ["x"])[:] = "a"
    for chosen in "bytes", "fixed", "record", "text":
        assert updated(source, out, ["-v", chosen], ["-v", chosen]) == 0, chosen
        assert updated(source, out, ["-v", chosen], []) == 1, chosen
        assert updated(source, out, [], ["-v", chosen]) == 1, chosen
    assert updated(source, out, [], []) == 0


@pytest.mark.parametrize("kept", [0.3, 0.99])
def test_update_copies_again_what_is_cut_off(tmp_path, kept):
    source, out = tmp_path / "in.nc", tmp_path / "out"
    with netCDF4.Dataset(source, "w", format="NETCDF3_CLASSIC") as f:
        f.createDimension("x", 50_000)
        f.createVariable("v", "f8", ["x"])[:] = range(50_000)
    assert run(source, f"{out}/").returncode == 0
    whole = (out / "in.nc").read_bytes()
    os.truncate(out / "in.nc", int(len(whole) * kept))
    done = run("--update", source, f"{out}/")
    assert last_line(done).startswith("nccopy: 1 copied"), done.stderr
    assert (out / "in.nc").read_bytes() == whole


def test_update_tells_no_filters_from_chosen_ones(files, tmp_path):
    out = f"{tmp_path / 'out'}/"
    assert updated(files[0], out, ["-F", "none"], ["-F", "*,auto"]) == 1
    assert updated(files[0], out, ["-F", "*,auto"], ["-F", "*,auto"]) == 0
    noise = tmp_path / "noise.nc"
    with netCDF4.Dataset(noise, "w") as f:
        f.createDimension("x", 20_000)
        f.createVariable("v", "u4", ["x"], chunksizes=(5000,))[:] = np.random.default_rng(0).integers(0, 2**32, 20_000)
    # None are chosen for noise, and none is what the output has.
    assert updated(noise, out, ["-F", "*,auto"], ["-F", "*,auto"]) == 0


@pytest.mark.parametrize("filters", [["-F", "v,auto"], ["-F", "auto", "-F", "w,none"], ["-F", "auto=small", "-F", "w,zstd,3"]])
def test_filters_that_are_chosen_for_some_variables_are_chosen_again(filters, tmp_path):
    source, out = tmp_path / "in.nc", f"{tmp_path / 'out'}/"
    with netCDF4.Dataset(source, "w") as f:
        f.createDimension("x", 20_000)
        f.createVariable("v", "f4", ["x"], chunksizes=(5000,))[:] = np.sin(np.arange(20_000) / 100)
        f.createVariable("w", "i4", ["x"], chunksizes=(5000,))[:] = np.arange(20_000) // 7
    assert updated(source, out, filters, filters) == 0
    assert updated(source, out, ["-F", "v,none"], filters) == 1
    assert run(*filters, "--in-place", source).returncode == 0
    before = os.stat(source).st_ino
    assert "nothing to change" in run("-v", *filters, "--in-place", source).stderr or os.stat(source).st_ino == before


def test_update_tells_chunks_of_fill_values(tmp_path):
    source, out = tmp_path / "in.nc", f"{tmp_path / 'out'}/"
    with netCDF4.Dataset(source, "w") as f:
        f.createDimension("x", 40)
        f.createVariable("v", "f4", ["x"], chunksizes=(10,), fill_value=-1)[:] = [-1] * 10 + [1] * 30
        f.createVariable("w", "f4", ["x"], chunksizes=(10,), fill_value=-1)[:] = 1
    kind = ["-k", "zarr3"]
    assert updated(source, out, kind, [*kind, "--skip-fill"]) == 1
    assert updated(source, out, [*kind, "--skip-fill"], kind) == 1
    assert updated(source, out, [*kind, "--skip-fill"], [*kind, "--skip-fill"]) == 0
    assert updated(source, out, kind, kind) == 0


@pytest.mark.parametrize("options", [[], ["--preserve"]], ids=str)
def test_update_sees_a_change_whose_time_was_put_back(files, tmp_path, options):
    out = f"{tmp_path / 'out'}/"
    assert run(*options, *files[:2], out).returncode == 0
    before = os.stat(files[0])
    make(files[0], 17)
    os.utime(files[0], ns=(before.st_atime_ns, before.st_mtime_ns))
    done = run("--update", *options, *files[:2], out)
    assert last_line(done).startswith("nccopy: 1 copied, 1 skipped"), done.stderr
    assert (read(tmp_path / "out" / files[0].name) == values(17)).all()


def test_a_run_that_was_killed_is_gone_on_with(files, tmp_path):
    out = tmp_path / "out"
    assert run("-d", "5", files[0], f"{out}/").returncode == 0
    # The kill left one output that is not there, and litter of another program.
    done = run("-d", "5", "--update", *files, f"{out}/")
    assert last_line(done).startswith("nccopy: 5 copied, 1 skipped, 0 failed"), done.stderr


def test_in_place_keeps_what_is_not_storage(files, tmp_path):
    os.chmod(files[0], 0o640)
    has_attributes = True
    try:
        os.setxattr(files[0], "user.note", b"kept")
    except OSError:
        has_attributes = False
    os.utime(files[0], (1_000_000_000, 1_100_000_000))
    done = run("-d", "5", "-s", "--in-place", "--preserve", *files)
    assert done.returncode == 0 and last_line(done).startswith("nccopy: 6 copied"), done.stderr
    found = os.stat(files[0])
    assert (found.st_mode & 0o7777, int(found.st_mtime)) == (0o640, 1_100_000_000)
    assert not has_attributes or os.getxattr(files[0], "user.note") == b"kept"
    for n, file in enumerate(files):
        assert (read(file) == values(n)).all()
        with netCDF4.Dataset(file) as f:
            assert f["v"].filters()["complevel"] == 5
    inodes = [os.stat(file).st_ino for file in files]
    done = run("-d", "5", "-s", "--in-place", *files)
    assert last_line(done).startswith("nccopy: 0 copied, 6 skipped (nothing to change), 0 failed"), done.stderr
    assert [os.stat(file).st_ino for file in files] == inodes


def test_in_place_refuses_links_locks_and_losses(files, tmp_path):
    other = tmp_path / "other-name.nc"
    os.link(files[0], other)
    before = files[0].read_bytes()
    done = run("-d", "5", "--in-place", files[0])
    assert done.returncode == 1 and "2 hard links" in done.stderr and "--break-links" in done.stderr
    assert run("-d", "5", "--in-place", "--break-links", files[0]).returncode == 0
    assert other.read_bytes() == before != files[0].read_bytes()
    with open(files[1], "r+b") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        done = run("-d", "5", "--in-place", *files[1:3])
        assert done.returncode == 1 and str(files[1]) in done.stderr and "locked" in done.stderr
        assert last_line(done).startswith("nccopy: 1 copied, 0 skipped, 1 failed")
    for options in [["--isel", "time=0"], ["-V", "v"], ["--exclude", "v"], ["--flatten"], ["--drop-unsupported"], ["-k", "zarr3"], ["-k", "zst"], ["--salvage"]]:
        done = run(*options, "--in-place", files[3])
        assert done.returncode == 1 and "--in-place: " in done.stderr, done.stderr
    assert (read(files[3]) == values(3)).all()


def test_json_is_one_object_a_line(files, tmp_path):
    done = run("--json", "--summary", "-d", "5", *files[:2], tmp_path / "in" / "absent.nc", f"{tmp_path / 'out'}/")
    assert done.returncode == 1
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [o["type"] for o in objects]
    assert sorted(kinds) == ["file"] * 3 + ["summary"] * 2 + ["total"] and kinds[-1] == "total"
    status = {o["input"]: o for o in objects if o["type"] == "file"}
    assert status[str(files[0])]["status"] == "copied" and status[str(files[0])]["after"] == (tmp_path / "out" / "f0.nc").stat().st_size
    failed = status[str(tmp_path / "in" / "absent.nc")]
    assert failed["status"] == "failed" and "no such file" in failed["error"].lower()
    assert {o["input"] for o in objects if o["type"] == "summary"} == {str(f) for f in files[:2]}
    plan = run("--json", "--dry-run", "-d", "5", *files[:2], f"{tmp_path / 'other'}/")
    assert [json.loads(line)["type"] for line in plan.stdout.splitlines()] in (
        ["plan", "file"] * 2 + ["total"],
        ["plan", "plan", "file", "file", "total"],
    )
    assert not (tmp_path / "other").exists()


def test_many_inputs_have_one_budget_of_memory(tmp_path):
    """Beside each other, inputs take no more than `-m` for data."""
    files = [make(tmp_path / "in" / f"m{n}.nc", n, length=3000) for n in range(8)]
    one, many = tmp_path / "one.nc", tmp_path / "many"
    alone = peak(BIN / "nccopy", "-m", "8M", "-d", "1", files[0], one)
    assert peak(BIN / "nccopy", "--quiet", "-m", "8M", "-d", "1", *files, f"{many}/") <= alone + 8_000_000


def test_ncdump_takes_many_inputs(files, tmp_path):
    kinds = run("-k", *files, program="ncdump")
    assert kinds.stdout.splitlines() == [f"{file}: netCDF-4" for file in files]
    damaged = tmp_path / "in" / "damaged.nc"
    damaged.write_bytes(files[0].read_bytes()[:3000])
    checked = run("--check", *files[:2], damaged, program="ncdump")
    assert checked.returncode == 1
    lines = (checked.stdout + checked.stderr).splitlines()
    for file in [*files[:2], damaged]:
        assert any(str(file) in line for line in lines), lines
    assert all(str(tmp_path / "in") in line for line in lines)
    report = run("--check", "--json", *files[:2], program="ncdump")
    objects = [json.loads(line) for line in report.stdout.splitlines()]
    assert [(o["type"], o["input"], o["faults"]) for o in objects] == [("check", str(f), []) for f in files[:2]]
    digests = run("--digest", *files[:2], program="ncdump").stdout.splitlines()
    assert all(line.startswith(f"{tmp_path / 'in'}/f") for line in digests)
    heads = run("-h", *files[:2], program="ncdump").stdout
    assert heads.count("netcdf f") == 2 and f"// {files[0]}" in heads
    refused = run(*files[:2], program="ncdump")
    assert refused.returncode == 1 and "several inputs go with" in refused.stderr


def test_in_place_loses_nothing_that_netcdf_does_not_show(tmp_path):
    path, plain = tmp_path / "in.h5", make(tmp_path / "plain.nc")
    with h5py.File(path, "w") as f:
        f["v"] = np.arange(10)
        f["reference"] = f["v"].ref
    before = path.read_bytes()
    done = run("-d", "5", "--in-place", path)
    assert done.returncode == 1 and "add -k h5" in done.stderr and path.read_bytes() == before
    assert run("-d", "5", "-k", "h5", "--in-place", path).returncode == 0
    with h5py.File(path) as f:
        assert f[f["reference"][()]].name == "/v" and f["v"].compression_opts == 5
    packed = tmp_path / "in.nc.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    done = run("-d", "5", "--in-place", packed)
    assert done.returncode == 1 and "this is compressed" in done.stderr
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()


def test_in_place_takes_each_file_once_and_applies_auto(files):
    (files[0].parent / "link.nc").symlink_to(files[0])
    done = run("-d", "5", "--in-place", files[0], files[0], files[0].parent / "link.nc")
    assert done.returncode == 0 and last_line(done).startswith("nccopy: 1 copied"), done.stderr
    assert run("-F", "*,auto=small", "--in-place", files[1]).returncode == 0
    with netCDF4.Dataset(files[1]) as f:
        assert any(f["v"].filters().values())


def test_an_output_is_no_other_input(files, tmp_path):
    out = tmp_path / "out"
    assert run("-k", "zst", files[0], f"{out}/").returncode == 0
    compressed = out / "f0.nc.zst"
    before = compressed.read_bytes()
    done = run("-k", "zst", files[0], compressed, f"{out}/")
    assert done.returncode == 1 and "are the same file" in done.stderr
    assert compressed.read_bytes() == before


def test_one_output_is_updated_and_preserved(files, tmp_path):
    out = tmp_path / "out.nc"
    os.utime(files[0], (1_000_000_000, 1_100_000_000))
    assert run("--preserve", "-d", "5", files[0], out).returncode == 0
    assert int(out.stat().st_mtime) == 1_100_000_000
    assert "1 skipped" in run("--preserve", "--update", "-d", "5", files[0], out).stderr
    assert "1 copied" in run("--update", "-d", "6", files[0], out).stderr
    quantized = tmp_path / "quantized.nc"
    assert run("--quantize", "*,bitround,5", files[0], quantized).returncode == 0
    assert "1 copied" in run("--update", files[0], quantized).stderr


def test_trees_leave_pipes_links_and_texts(files, tmp_path):
    tree = files[0].parent
    os.mkfifo(tree / "pipe.nc")
    (tree / "loop").symlink_to(tree)
    (tree / "only-text").mkdir()
    (tree / "only-text" / "README").write_text("text")
    for options in [[], ["-k", "zst"], ["-k", "h5"]]:
        out = tmp_path / f"out{len(options) and options[1]}"
        done = run(*options, "--recursive", tree, out)
        assert done.returncode == 0 and last_line(done).startswith("nccopy: 6 copied, 0 skipped, 0 failed"), done.stderr
        assert sorted(p.name for p in out.iterdir())[0].startswith("f0.nc") and not (out / "only-text").exists()


def test_a_file_in_place_of_the_folder_is_told_once(files, tmp_path):
    (tmp_path / "afile").write_text("x")
    for folder in "afile/", "afile/below/":
        done = run(*files, tmp_path / "afile" if folder == "afile" else f"{tmp_path}/{folder}")
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
        assert "which is a file" in done.stderr
    assert run(*files, "").stderr == "nccopy: the name of the output is empty\n"


def test_a_folder_without_a_dataset_has_a_hint(files, tmp_path):
    done = run(files[0].parent, f"{tmp_path / 'out'}/")
    assert done.returncode == 1 and "--recursive" in done.stderr, done.stderr
    assert "--recursive" not in run(tmp_path / "none.nc", f"{tmp_path / 'out'}/").stderr


def test_choices_name_their_files(files, tmp_path):
    done = run("-F", "*,auto", *files[:2], f"{tmp_path / 'out'}/")
    for file in files[:2]:
        assert f"nccopy: {file}: v: auto is " in done.stderr, done.stderr


def test_sizes_of_pipes_are_not_known(files, tmp_path):
    pipe = tmp_path / "pipe.nc"
    os.mkfifo(pipe)
    command = [BIN / "nccopy", "--json", files[0], pipe, f"{tmp_path / 'out'}/"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        pipe.write_bytes(files[1].read_bytes())
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    *each, total = map(json.loads, out.splitlines())
    before = {os.path.basename(line["input"]): line["before"] for line in each}
    assert before == {"pipe.nc": None, files[0].name: files[0].stat().st_size}
    assert total["unknown_sizes"] == 1 and total["before"] == files[0].stat().st_size
    assert err.rstrip().endswith("; the sizes of 1 are not known")


def test_names_that_are_no_text_differ_in_json(files, tmp_path):
    names = [os.fsencode(tmp_path) + b"/x" + bytes([byte]) + b".nc" for byte in (0xFE, 0xFF)]
    for name in names:
        shutil.copy(files[0], os.fsdecode(name))
    done = run("--json", *map(os.fsdecode, names), f"{tmp_path / 'out'}/")
    *each, _ = map(json.loads, done.stdout.splitlines())
    assert {bytes.fromhex(line["input_hex"]) for line in each} == set(names)
    assert all(line["output_hex"] for line in each)


@pytest.mark.parametrize("options", [[], ["-k", "zarr3"]], ids=str)
def test_few_open_files_are_enough(files, tmp_path, options):
    more = [make(tmp_path / "more" / f"m{n}.nc", n) for n in range(60)]
    limited = 'ulimit -n 20; exec "$@"'
    command = ["bash", "-c", limited, "-", BIN / "nccopy", "--threads", "64", *options, *more, f"{tmp_path / 'out'}/"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").iterdir())) == 60


class Together(http.server.SimpleHTTPRequestHandler):
    """A server of files, whose first answers wait until three inputs were asked for."""

    def do_GET(self):
        self.server.asked.add(self.path)
        if len(self.server.asked) >= 3:
            self.server.together.set()
        assert self.server.together.wait(20)
        super().do_GET()

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def test_inputs_of_a_store_are_copied_beside_each_other(files, tmp_path):
    handler = functools.partial(Together, directory=files[0].parent)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.asked, server.together = set(), threading.Event()
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            names = [f"http://127.0.0.1:{server.server_port}/{file.name}" for file in files]
            done = run("--threads", "1", *names, f"{tmp_path / 'out'}/")
        finally:
            server.shutdown()
            thread.join()
        assert server.together.is_set()
    assert done.returncode == 0, done.stderr
    for n, file in enumerate(files):
        assert (read(tmp_path / "out" / file.name) == values(n)).all()
