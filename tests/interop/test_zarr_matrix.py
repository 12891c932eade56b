"""Every kind to every kind: classic, netCDF-4, NCZarr and Zarr version 2, in folders and in zips.

Our nccopy makes a dataset of each kind of the samples, and copies each to each. What arrives is what went in, but for what the
kinds on the way cannot hold (`zarr_reference.LOST`). libnetcdf 4.10, both versions of zarr-python, and xarray say what arrived.
"""

import pathlib

import netcdf_c
import pytest
import zarr_reference
from conftest import nccopy, ncdump
from dataset_kinds import KINDS, check_pair, expected, made, place, report, samples, wanted  # noqa: F401, fixtures among them

ROOT = pathlib.Path(__file__).parent.parent.parent

OF_NETCDF = ["classic", "netcdf4"]
OF_ZARR = ["nczarr", "nczarr_zip", "zarr", "zarr_zip"]
SAMPLES = {"classic": OF_NETCDF + OF_ZARR, "full": ["netcdf4", *OF_ZARR]}
ALONE = [(sample, kind) for sample, kinds in SAMPLES.items() for kind in kinds]
PAIRS = [(sample, one, other) for sample, kinds in SAMPLES.items() for one in kinds for other in kinds]


@pytest.mark.parametrize("sample, one, other", PAIRS)
def test_each_to_each(wanted, made, tmp_path, sample, one, other):
    check_pair(wanted, made, tmp_path, sample, one, other)


# numcodecs' shuffle refuses bytes that are no multiple of the element size, as they are after a checksum of four.
NOT_BY_NUMCODECS = ["/shuffle_fletcher32_f8"]


def unreadable(dataset, *, characters):
    """The variables that zarr-python does not read."""
    return [*NOT_BY_NUMCODECS, *(path for path, v in dataset["variables"].items() if characters and v["type"] == "char")]


@pytest.mark.parametrize("sample, kind", [(s, k) for s, k in ALONE if k in OF_ZARR])
@pytest.mark.parametrize("version", [2, 3])
def test_zarr_python(wanted, made, sample, kind, version):
    found = zarr_reference.by_zarr_python(made(sample, kind), version)
    pure = KINDS[kind].loses == "zarr"
    but = unreadable(wanted[sample], characters=version == 3 and not pure)
    report(zarr_reference.zarr_differences(found, expected(wanted, sample, "nczarr"), pure=pure, but=but))


@pytest.mark.parametrize("sample, kind", [(s, k) for s, k in ALONE if k in OF_ZARR])
def test_xarray(wanted, made, sample, kind):
    found = zarr_reference.by_xarray(made(sample, kind))
    pure = KINDS[kind].loses == "zarr"
    but = unreadable(wanted[sample], characters=not pure)
    report(zarr_reference.zarr_differences(found, expected(wanted, sample, "nczarr"), pure=pure, but=but, xarray=True))


# What libnetcdf 4.10 does with what is right: it leaves out arrays of pure Zarr whose shape is [], takes an empty text for a zero byte, and
# does not know `\\u0000` in JSON.
def as_libnetcdf_reads(dataset, kind):
    if kind == "zarr":
        dataset["variables"] = {path: v for path, v in dataset["variables"].items() if v["dims"]}
    for holder in [*dataset["groups"].values(), *dataset["variables"].values()]:
        holder["attributes"] = [[n, k, (v if v == "\0" else v.replace("\0", "u0000")) or "\0" if k == "char" else v] for n, k, v in holder["attributes"]]
    return dataset


# It takes the first folder of a zip for the root, and pure Zarr's zips have their keys at the root, for zarr-python.
BY_LIBNETCDF = [(sample, kind) for sample, kind in ALONE if kind in OF_ZARR and kind != "zarr_zip"]


@netcdf_c.needs_netcdf_c
@pytest.mark.parametrize("sample, kind", BY_LIBNETCDF)
def test_libnetcdf(wanted, made, sample, kind):
    found = zarr_reference.by_libnetcdf(netcdf_c.url(made(sample, kind), KINDS[kind].mode))
    dataset = as_libnetcdf_reads(expected(wanted, sample, kind), KINDS[kind].loses)
    report(zarr_reference.differences(found, dataset, stored=False, but=("fill", "filled")))


@netcdf_c.needs_netcdf_c
@pytest.mark.parametrize("sample, kind", BY_LIBNETCDF)
def test_text_is_that_of_libnetcdf(made, sample, kind):
    """Both ncdumps print the same text of what libnetcdf reads. Ours prints scalars as well."""
    path = made(sample, kind)
    theirs = netcdf_c.run("ncdump", "-h", "-n", "x", netcdf_c.url(path, KINDS[kind].mode)).decode()
    ours = ncdump("-h", "-n", "x", path).decode()
    ours = ours.splitlines()
    assert [line for line in theirs.splitlines() if line not in ours] == []


# The filters that both sides hold, as arguments of `-F`, and who reads them in Zarr.
READERS = ("libnetcdf", "zarr2", "zarr3", "xarray")
FILTERS = {
    "deflate,5": READERS,
    "shuffle|deflate,5": READERS,
    "fletcher32": READERS,
    "deflate,3|fletcher32": READERS,
    "bzip2,9": READERS,
    "zstd,3": READERS,
    "shuffle|zstd,3": READERS,
    **{f"blosc,0,0,0,0,5,{shuffle},{codec}": READERS for shuffle in (0, 1, 2) for codec in (0, 1, 2, 4, 5)},
    "lz4": ("zarr2", "zarr3", "xarray"),
    "shuffle|lz4": ("zarr2", "zarr3", "xarray"),
    "szip,32,4": ("libnetcdf",),
    "szip,4,2": ("libnetcdf",),
    "shuffle|szip,32,4": ("libnetcdf",),
}


@pytest.mark.parametrize("kind", ["nczarr", "zarr"])
@pytest.mark.parametrize("filter", FILTERS)
def test_filters(samples, tmp_path, filter, kind):
    """A filter that our nccopy applies is read by all who have it, and comes back to netCDF-4 as it was."""
    names = ["int_little", "double_big", "short_big", "partly", "float_limits", "zstd_u1"]
    source, target = tmp_path / "in.nc", place(tmp_path, "out", kind)
    nccopy("-F", f"*,{filter}", "-V", ",".join(names), samples / "full.nc", source)
    nccopy(source, target[1])
    direct = place(tmp_path, "direct", kind)
    nccopy("-F", f"*,{filter}", "-V", ",".join(names), samples / "full.nc", direct[1])
    nccopy(target[0], tmp_path / "back.nc")
    dataset = zarr_reference.by_netcdf(samples / "full.nc")["variables"]
    ids = zarr_reference.by_netcdf(source)["variables"]
    back = zarr_reference.by_netcdf(tmp_path / "back.nc")["variables"]
    for name in names:
        assert back["/" + name]["filters"] == ids["/" + name]["filters"] != []
    lz4 = "lz4" in filter.split("|")
    for path in target[0], direct[0]:
        read = {}
        if "zarr2" in FILTERS[filter]:
            read["zarr2"] = zarr_reference.by_zarr_python(path, 2)["variables"]
        if "zarr3" in FILTERS[filter]:
            read["zarr3"] = zarr_reference.by_zarr_python(path, 3)["variables"]
        if "xarray" in FILTERS[filter]:
            read["xarray"] = zarr_reference.by_xarray(path)["variables"]
        if "libnetcdf" in FILTERS[filter] and netcdf_c.BUILT:
            read["libnetcdf"] = zarr_reference.by_libnetcdf(netcdf_c.url(path, KINDS[kind].mode))["variables"]
        if not lz4:
            read["back"] = back
        for reader, found in read.items():
            for name in names:
                assert found["/" + name].get("values") == dataset["/" + name]["values"], (reader, name, found["/" + name].get("error"))


@pytest.mark.parametrize(
    "title, entries",
    [
        ("Lost by both", zarr_reference.LOST_BY_BOTH),
        ("Lost by Zarr", zarr_reference.LOST_BY_ZARR),
        ("Lost by version 3", zarr_reference.LOST_BY_VERSION_3),
    ],
)
def test_the_documentation_lists_what_is_lost(title, entries):
    text = (ROOT / "docs" / "formats" / "zarr.md").read_text()
    section = text.split(f"### {title}", 1)[1].split("\n#", 1)[0]
    stated = [line[2:].strip() for line in section.splitlines() if line.startswith("- ")]
    assert sorted(stated) == sorted(entries)
