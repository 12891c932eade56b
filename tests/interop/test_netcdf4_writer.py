"""netCDF-4 files of our writer, read and gone on with by netcdf-c and by h5py."""

import subprocess

import pytest
from conftest import harness

import netcdf4_writer


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """A folder with the files that nc4_write_samples writes."""
    folder = tmp_path_factory.mktemp("nc4_write_samples")
    subprocess.run(harness("nc4_write_samples", folder), check=True)
    return folder


def test_every_file_has_its_test(samples):
    assert {path.stem for path in samples.glob("*.nc")} == {name for name, _ in netcdf4_writer.CHECKS}


@pytest.mark.parametrize("title", [title for title, _, _ in netcdf4_writer.JOBS])
def test_other_programs_take_it_for_their_own(samples, tmp_path, title):
    assert netcdf4_writer.run(title, samples, tmp_path) == 0
