"""How the variables of an HDF5 file are stored, as h5py reads it."""

import h5py
import netCDF4


def lacks_filter(variable):
    """Whether netCDF4-python lacks a filter of its variable, so that it cannot read the values."""
    try:
        if 0 not in variable.shape:
            variable[...]
    except RuntimeError as error:
        return "undefined filter" in str(error)
    return False


def pipeline(path, name):
    """Of each filter, in the order in which they encode: id, flags, parameters, name."""
    with h5py.File(path) as f:
        plist = f[name].id.get_create_plist()
        return [plist.get_filter(i) for i in range(plist.get_nfilters())]


def filters(path, name):
    return [id for id, *_ in pipeline(path, name)]


def parameters(path, name):
    return [parameters for _, _, parameters, _ in pipeline(path, name)]


def flags(path, name):
    return [flags for _, flags, *_ in pipeline(path, name)]


def chunks(path, name):
    with h5py.File(path) as f:
        return f[name].chunks


def kind(path):
    """The kind of any netCDF file."""
    with netCDF4.Dataset(path) as d:
        return d.data_model
