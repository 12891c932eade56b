"""The kinds of datasets of the matrices, and the samples as datasets of each kind.

Our nccopy makes a dataset of each kind of the samples, which netCDF4-python writes (`zarr_samples.py`).
"""

import pathlib
import subprocess
import sys
from dataclasses import dataclass

import pytest
import zarr_reference
from conftest import nccopy

HERE = pathlib.Path(__file__).parent


@dataclass(frozen=True)
class Kind:
    """What a dataset of this kind loses (a key of `zarr_reference.LOST`), how its name ends, and how nccopy makes one."""

    loses: str
    ending: str
    mode: str | None = None
    flags: tuple[str, ...] = ()


KINDS = {
    "classic": Kind("classic", "nc", flags=("-k", "nc6")),
    "netcdf4": Kind("netcdf4", "nc", flags=("-k", "nc4")),
    "nczarr": Kind("nczarr", "nczarr", "nczarr,file"),
    "nczarr_zip": Kind("nczarr", "nczip", "nczarr,zip"),
    "zarr": Kind("zarr", "zarr", "zarr"),
    "zarr_zip": Kind("zarr", "zip", "zarr,zip"),
    "v3_flat": Kind("v3", "v3", "zarr,v3", ("--shard", "none")),
    "v3_end": Kind("v3", "v3end", "zarr,v3", ("--shard", "2K", "--shard-index", "end")),
    "v3_start": Kind("v3", "v3start", "zarr,v3", ("--shard", "2K", "--shard-index", "start")),
    # Keeps the shards of an input.
    "v3_zip": Kind("v3", "v3.zip", "zarr,v3,zip"),
}


def place(folder, stem, kind):
    """The path of a dataset, and the name under which it is created."""
    kind = KINDS[kind]
    path = folder / f"{stem}.{kind.ending}"
    return path, f"{path}#mode={kind.mode}" if kind.mode else str(path)


def copy(source, folder, stem, kind, *flags):
    path, name = place(folder, stem, kind)
    nccopy(*flags, *KINDS[kind].flags, source, name)
    return path


def expected(wanted, sample, *kinds):
    """What is left of a sample after datasets of these kinds."""
    return zarr_reference.without(wanted[sample], *(KINDS[kind].loses for kind in kinds))


def report(lines):
    assert not lines, f"{len(lines)} differences:\n" + "\n".join(lines[:40])


def check_pair(wanted, made, folder, sample, one, other):
    """After `sample → one → other → netCDF-4`, all is there but what the two kinds cannot hold."""
    dataset = expected(wanted, sample, one)
    flags = []
    if sample == "classic" and "zarr" in (KINDS[one].loses, KINDS[other].loses):
        # Characters are strings then, which classic files cannot hold.
        kept = {path: v for path, v in dataset["variables"].items() if v["type"] not in ("string", "char")}
        dataset["variables"] = kept
        flags = ["-V", ",".join(path[1:] for path in kept)]
    dataset = zarr_reference.without(dataset, KINDS[other].loses)
    if other.startswith("nczarr"):
        # It has one form for an empty text and a zero byte, which libnetcdf reads as the latter.
        for holder in [*dataset["groups"].values(), *dataset["variables"].values()]:
            holder["attributes"] = [[n, k, (v or "\0") if k == "char" else v] for n, k, v in holder["attributes"]]
    path = copy(made(sample, one), folder, "out", other, *flags)
    back = copy(path, folder, "back", "classic" if sample == "classic" and other == "classic" else "netcdf4")
    got = zarr_reference.by_netcdf(back)
    report(zarr_reference.differences(got, dataset, stored=sample == "full", but=("fill", "filled")))


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """The folder of the samples, which netCDF4-python made."""
    folder = tmp_path_factory.mktemp("samples")
    subprocess.run([sys.executable, "-W", "ignore", str(HERE / "zarr_samples.py"), str(folder)], check=True, stderr=subprocess.PIPE)
    return folder


@pytest.fixture(scope="module")
def wanted(samples):
    """What libnetcdf says of a sample."""
    return {sample: zarr_reference.by_netcdf(samples / f"{sample}.nc") for sample in ("classic", "full")}


@pytest.fixture(scope="module")
def made(samples, tmp_path_factory):
    """The path of a sample as a dataset of a kind, which is made once."""
    folder = tmp_path_factory.mktemp("made")

    def make(sample, kind):
        path, _ = place(folder, sample, kind)
        if not path.exists():
            copy(samples / f"{sample}.nc", folder, sample, kind)
        return path

    return make
