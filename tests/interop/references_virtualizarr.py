"""Compares what VirtualiZarr loads by references of kerchunk's with what xarray reads of the file that they lead to.

    python references_virtualizarr.py REFERENCES SOURCE

Prints the names of the variables that differ as a list of JSON.
"""

import json
import pathlib
import sys
import warnings

import obstore.store
import xarray as xr
from obspec_utils.registry import ObjectStoreRegistry
from virtualizarr import open_virtual_dataset
from virtualizarr.parsers import KerchunkJSONParser, KerchunkParquetParser

warnings.simplefilter("ignore")
references, source = sys.argv[1:]
parser = KerchunkParquetParser() if references.endswith(".parq") else KerchunkJSONParser()
registry = ObjectStoreRegistry({"file://": obstore.store.LocalStore()})
wanted = xr.open_dataset(source)
found = open_virtual_dataset(
    pathlib.Path(references).resolve().as_uri(), parser=parser, registry=registry, loadable_variables=list(wanted.variables)
)
print(json.dumps([
    name
    for name, values in wanted.variables.items()
    if name not in found or found[name].dtype != values.dtype or not found[name].variable.equals(values)
]))
