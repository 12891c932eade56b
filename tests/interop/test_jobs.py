"""What many processes write is, byte for byte, what one process writes."""

import random
import shutil

import job_inputs
import jobs
import join_files
import netCDF4
import numpy as np
import pytest
import xarray
import zarr
from jobs import call, check_same, left_in, make_all, output_names, plan, started

# Ending and options of each output, and the mode of its name.
OUTPUTS = {
    "nc3": ("nc", ["-k", "nc3"], None),
    "nc5": ("nc", ["-k", "nc5"], None),
    "nc4": ("nc", ["-k", "nc4"], None),
    "nc7": ("nc", ["-k", "nc7"], None),
    "nc4 deflated": ("nc", ["-k", "nc4", "-d", "5", "-s"], None),
    "nc4 contiguous": ("nc", ["-k", "nc4", "-d", "0", "-u", "-c", "/"], None),
    "zarr2": ("zarr", ["-k", "zarr2"], None),
    "zarr3": ("zarr", ["-k", "zarr3", "--shard", "none"], None),
    "zarr3 shards": ("zarr", ["-k", "zarr3", "--shard", "4K"], None),
    "nczarr": ("zarr", [], "nczarr,file"),
    "nczarr zip": ("zip", [], "nczarr,zip"),
    "zarr3 zip": ("zarr.zip", ["-k", "zarr3"], None),
    "archive": ("nc3z", ["-k", "archive"], None),
}

# What an input has that an output cannot hold.
DROPPED = ["--drop-unsupported"]

INPUTS = ["types", "compact", "plain", "records", "cdf5", "zarr2", "zarr3", "nczarr", "shards of types"]

# More than there are chunks comes last.
PARTS = [1, 2, 7, 200]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return job_inputs.make(tmp_path_factory.mktemp("inputs"))


def compared(tmp_path, parts, *arguments, ending="nc", mode=None, seed=0):
    """The output of a job, which must be that of one process."""
    one, many = output_names(tmp_path, ending, mode)
    call("--quiet", *arguments, one)
    file = plan(tmp_path / "job.json", parts, *arguments, many)
    order = list(range(parts))
    random.Random(seed).shuffle(order)
    if parts > 10:
        # A process for each would take minutes.
        call("--quiet", "--part", f"0-{parts // 2}", file)
        call("--quiet", "--part", f"3,{parts // 2 - 3}-{parts - 1}", file)
    else:
        make_all(file, [*order, order[0]])
    assert not jobs.path_of(many).exists()
    call("--quiet", "--finish", file)
    check_same(jobs.path_of(many), jobs.path_of(one))
    assert left_in(jobs.path_of(many).parent) == []
    return jobs.path_of(many)


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("source", INPUTS)
def test_each_input_to_each_output(inputs, tmp_path, source, output, parts):
    ending, options, mode = OUTPUTS[output]
    if output == "archive":
        # An archive of a classic file has its bytes, and is made by one process.
        options = [*options, "--isel", "x=1:"]
    compared(tmp_path, parts, *options, *DROPPED, inputs[source], ending=ending, mode=mode, seed=parts)


OPTIONS = {
    "deflate": ["-d", "5", "-s"],
    "chunks": ["-c", "t/3,y/4,x/"],
    "filters": ["-F", "*,shuffle|zstd,3"],
    "auto": ["-F", "*,auto"],
    "isel": ["--isel", "t=3:20:2"],
    "sel": ["--sel", "x=2..7", "--isel", "t=1:"],
    "only": ["-V", "deflated,rows,/ocean/salt"],
    "data of some": ["-v", "deflated,names"],
    "quantize": ["--quantize", "deflated,granularbr,3", "-d", "1"],
    "flatten": ["--flatten"],
    "strings": ["--strings", "char", "-V", "names,deflated"],
    "skip fill": ["--skip-fill"],
    "compact": ["-c", "t:compact", "-c", "plain:contiguous"],
    "pages": ["--page", "4096"],
    "memory": ["-m", "2M", "-c", "t/,y/2,x/2"],
    "no check": ["--no-check"],
}


# Options of some kinds alone.
OF_HDF5, OF_ZARR = {"compact", "pages"}, {"skip fill"}


@pytest.mark.parametrize("parts", [2, 5])
@pytest.mark.parametrize("options, output", [
    (options, output) for options in OPTIONS for output in ("nc4", "zarr3 shards", "nczarr zip")
    if options not in (OF_ZARR if output == "nc4" else OF_HDF5)
])
def test_each_option(inputs, tmp_path, options, output, parts):
    ending, kind, mode = OUTPUTS[output]
    compared(tmp_path, parts, *kind, *DROPPED, *OPTIONS[options], inputs["types"], ending=ending, mode=mode)


@pytest.mark.parametrize("output", ["nc3", "nc4", "zarr3 shards", "zarr2"])
@pytest.mark.parametrize("chunk", [1, 3])
def test_joins(tmp_path, output, chunk):
    files = join_files.days(tmp_path, 5, 4, 7, 2, chunk=chunk)
    ending, options, mode = OUTPUTS[output]
    compared(tmp_path, 3, *options, *DROPPED, "--join", "time", *files, ending=ending, mode=mode)


def test_a_join_sorted_and_rechunked_and_a_merge(tmp_path):
    files = join_files.days(tmp_path, 5, 4, 7)
    compared(tmp_path, 4, "--join", "time", "--sort", "-c", "time/4", "-d", "2", *reversed(files))
    shutil.rmtree(tmp_path / "one")
    shutil.rmtree(tmp_path / "many")
    (tmp_path / "job.json").unlink()
    job_inputs.plain(tmp_path / "all.nc")
    for name in "v0", "v1":
        call("-V", f"{name},time,x", tmp_path / "all.nc", tmp_path / f"{name}.nc")
    compared(tmp_path, 3, "--merge", tmp_path / "v0.nc", tmp_path / "v1.nc")


@pytest.mark.parametrize("output", ["nc4 deflated", "zarr3 shards", "nczarr zip", "nc3"])
def test_two_workers_in_one_part(inputs, tmp_path, output):
    """Both write, in place of one another, and each of them may be the last."""
    ending, options, mode = OUTPUTS[output]
    arguments = [*options, *DROPPED, inputs["plain"]]
    one, many = output_names(tmp_path, ending, mode)
    call("--quiet", *arguments, one)
    file = plan(tmp_path / "job.json", 3, *arguments, many)
    for _ in range(3):
        workers = [started("--quiet", "--again", "--part", part, file) for part in (1, 1, 0, 2, 0, 1, 2)]
        for worker in workers:
            error = worker.communicate(timeout=120)[1]
            assert worker.returncode == 0, error
    call("--finish", file)
    check_same(jobs.path_of(many), jobs.path_of(one))


def test_other_programs_read_the_output(inputs, tmp_path):
    for output in "nc4", "nc3":
        ending, options, mode = OUTPUTS[output]
        (tmp_path / output).mkdir()
        made = compared(tmp_path / output, 4, *options, *DROPPED, inputs["plain"], ending=ending, mode=mode)
        with netCDF4.Dataset(made) as got, netCDF4.Dataset(inputs["plain"]) as wanted:
            for name in "v0", "v3", "fixed", "time":
                np.testing.assert_array_equal(got[name][:], wanted[name][:])
    ending, options, mode = OUTPUTS["zarr3 shards"]
    made = compared(tmp_path, 4, *options, inputs["plain"], ending=ending, mode=mode)
    with xarray.open_dataset(inputs["plain"], decode_times=False) as wanted, xarray.open_zarr(made, decode_times=False) as got:
        xarray.testing.assert_equal(got.drop_vars("word"), wanted.drop_vars("word"))
    assert zarr.open(made, mode="r")["v0"].shards is not None


def test_files_that_are_parts_themselves_stay_apart(inputs, tmp_path):
    """Threads, memory and requests of a worker change nothing."""
    arguments = ["-k", "nc4", "-d", "4", inputs["types"]]
    one, many = output_names(tmp_path, "nc")
    call(*arguments, one)
    file = plan(tmp_path / "job.json", 4, *arguments, many)
    for part, options in enumerate([["--threads", "1"], ["--threads", "7", "-m", "1M"], ["-m", "500K"], ["--requests", "1"]]):
        call(*options, "--part", part, file)
    call("--threads", "3", "--finish", "--verify", file)
    check_same(many, one)
