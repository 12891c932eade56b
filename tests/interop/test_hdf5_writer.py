"""Files of our HDF5 writer, read and changed by libhdf5 and by netcdf-c."""

import shutil
import subprocess

import pytest
from conftest import harness

import hdf5_writer

NAMES = [
    *(f"links_{n}" for n in (0, 1, 8, 9, 100, 10_000, 100_000)),
    *(f"attributes_{n}" for n in (0, 1, 8, 9, 100, 1_000, 10_000, 65_535)),
    *(f"chunks_{n}" for n in (0, 1, 64, 65, 4_096, 100_000)),
    "names",
    "large_attributes",
    "storage",
    "types",
    "groups",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the files that h5make writes."""
    folder = tmp_path_factory.mktemp("h5make")
    subprocess.run(harness("h5make", folder), check=True)
    return folder


def test_every_file_has_its_test(made):
    assert sorted(path.stem for path in made.glob("*.h5")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_libhdf5_reads_and_changes(made, name):
    hdf5_writer.check(str(made / f"{name}.h5"))


@pytest.mark.parametrize("name", ["links_8", "links_9", "links_100", "links_10000"])
def test_links_change_at_random(made, tmp_path, name):
    copy = shutil.copy(made / f"{name}.h5", tmp_path)
    hdf5_writer.change_at_random(copy, "g")


@pytest.mark.parametrize("name", ["attributes_0", "attributes_8", "attributes_9", "attributes_100", "attributes_1000"])
def test_attributes_change_at_random(made, tmp_path, name):
    copy = shutil.copy(made / f"{name}.h5", tmp_path)
    hdf5_writer.change_at_random(copy, "d")


@pytest.mark.parametrize(
    "name, group",
    [("links_0", "/g"), ("links_9", "/g"), ("links_100", "/g"), ("chunks_4096", "/"), ("attributes_1000", "/")],
)
def test_netcdf_c_appends(made, tmp_path, name, group):
    copy = shutil.copy(made / f"{name}.h5", tmp_path)
    hdf5_writer.append_with_netcdf(copy, group)
