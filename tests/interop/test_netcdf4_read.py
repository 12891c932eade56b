"""HDF5 files of other programs, read by our reader and by netCDF-C: both print the same lines."""

import pytest
from conftest import CORPUS, harness, needs_corpus

import hdf5_read
from samples import SAMPLES

FILES = sorted(p for folder in ("netcdf", "hdf5") for p in CORPUS.glob(f"{folder}/**/*") if p.suffix in (".nc", ".h5", ".hdf5"))

FIXED = "netCDF-C takes a fixed string within a compound for its first character"
NESTED = "netCDF-C reads no uncommitted type within another, and shows what it has of the outer one"
LATER = "netCDF-C takes a committed type for an uncommitted one where it comes after its use"
LEFT_OUT = "netCDF-C makes dimensions for datasets that are left out here"
HALF = "netCDF-C takes floats that it does not know for strings, and crashes"
NBIT = "the filter nbit is not built in"
SHORT = "netCDF-C leaves some of what lies past the extent of a variable of two unlimited dimensions unfilled"
BITS = "netCDF-C takes the second dataset of bits for a compound"

DIFFERENT = {
    "groups_and_unlimited.nc": SHORT,
    "h5_anonymous_types.h5": LATER,
    "h5_half.h5": HALF,
    "h5_nested_types.h5": NESTED,
    "3_1_vds.h5": LEFT_OUT,
    "3_2_vds.h5": LEFT_OUT,
    "4_vds.h5": LEFT_OUT,
    "compounds_array_vlen2.h5": NESTED,
    "h5diff_basic1.h5": HALF,
    "h5diff_comp_vl_strs.h5": FIXED,
    "h5diff_dset1.h5": BITS,
    "h5diff_dset2.h5": BITS,
    "h5repack_ext.h5": LEFT_OUT,
    "h5repack_f32le_ex.h5": LEFT_OUT,
    "h5repack_filters.h5": NBIT,
    "h5repack_int32le_2d_ex.h5": LEFT_OUT,
    "h5repack_nbit.h5": NBIT,
    "h5repack_nested_8bit_enum_deflated.h5": NESTED,
    "tcompound.h5": LATER,
    "tfloatsattrs.h5": HALF,
    "tnestedcomp.h5": NESTED,
    "tstr3.h5": FIXED,
    "bitfield_datasets.hdf5": BITS,
    "compound_datasets_earliest.hdf5": NESTED,
    "compound_datasets_latest.hdf5": NESTED,
    "float_special_values_earliest.hdf5": HALF,
    "float_special_values_latest.hdf5": HALF,
    "test_chunked_datasets_earliest.hdf5": HALF,
    "test_compact_datasets_latest.hdf5": HALF,
}


@pytest.fixture(scope="module")
def dump():
    """The program that prints what our reader reads."""
    [command] = harness("schema_dump")
    return command


def check(dump, path):
    wrong, _ = hdf5_read.judge(dump, str(path))
    if path.name in DIFFERENT:
        assert not any("ended badly" in text for text in wrong), wrong
    else:
        assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", [sample.file_name for sample in SAMPLES.values()])
def test_samples(dump, generated, name):
    check(dump, generated / name)


@needs_corpus
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_corpus(dump, path):
    check(dump, path)
