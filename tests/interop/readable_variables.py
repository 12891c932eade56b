"""Prints the paths of the variables that netCDF4-python reads of a file.

    readable_variables.py FILE
"""

import sys

import netCDF4


def walk(group, path):
    for name, v in group.variables.items():
        v.set_auto_maskandscale(False)
        try:
            v[...] if v.size < 5e7 else v[:1]
            print(path + name)
        except Exception:
            pass
    for name, inner in group.groups.items():
        walk(inner, path + name + "/")


walk(netCDF4.Dataset(sys.argv[1]), "/")
