"""The files that the tests are about, and where one is added.

    module            for                       declared by
    netcdf.py         every test of files       @sample, over a function that makes a netCDF file at a path
    hdf5.py           every test of files       the same, by h5py
    reader_netcdf.py  the test of the reader    @sample(reader_only=True): small files that testdata keeps some of
    reader_hdf5.py    the test of the reader    the same, by h5py: what netCDF-C gets wrong or crashes on
    cdl.py            ncgen                     sample(name, kinds, text)

"Every test of files" copies it, prints it with every form of ncdump, takes it through CDL and back, and reads it. The
function's name is the file's. The fixture `generated` is a folder with all of them; `generate.MAKERS` are those for every test.
"""

from . import hdf5, netcdf, reader_hdf5, reader_netcdf  # noqa: F401 (each declares its samples)
from .declare import SAMPLES  # noqa: F401
