"""netCDF-4 files of our writer, read and gone on with by netcdf-c and by h5py."""

import subprocess

import pytest
from conftest import HERE

import netcdf4_writer


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """A folder with the files that the example nc4_write_samples writes."""
    folder = tmp_path_factory.mktemp("nc4_write_samples")
    command = ["cargo", "run", "-q", "-p", "ncutils-core", "--example", "nc4_write_samples", "--", str(folder)]
    subprocess.run(command, check=True, cwd=HERE.parent.parent)
    return folder


def test_every_file_has_its_test(samples):
    assert {path.stem for path in samples.glob("*.nc")} == {name for name, _ in netcdf4_writer.CHECKS}


@pytest.mark.parametrize("title", [title for title, _, _ in netcdf4_writer.JOBS])
def test_other_programs_take_it_for_their_own(samples, tmp_path, title):
    assert netcdf4_writer.run(title, samples, tmp_path) == 0
