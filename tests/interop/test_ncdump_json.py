"""What `ncdump --json` prints: equal to what NCO's `ncks --jsn` prints, where that can print a file, and always to what
netCDF4-python reads."""

import json
import math
import subprocess
import warnings

import netCDF4
import numpy as np
import pytest
from conftest import LARGE, each_in_corpus, installed, made_by_installed_ncgen, ncdump
from stored import lacks_filter

import generate

# Variables for which netCDF-C gives what memory held, as they were not written whole.
UNINITIALISED = {"two", "var4", "var5"}
# netCDF-C fails on it.
NOT_FOR_NETCDF4 = {"partly_attached"}


def ours(path, *flags):
    def refuse(constant):
        raise ValueError(f"{constant} is not JSON")

    return json.loads(ncdump("--json", *flags, path).decode(), parse_constant=refuse)


def theirs(path):
    """What ncks prints; None where that is nothing, or not JSON."""
    done = subprocess.run([installed("ncks"), "--jsn", str(path)], capture_output=True, timeout=60)
    try:
        return json.loads(done.stdout) if done.returncode == 0 else None
    except ValueError:
        return None


def as_ncks_has_it(value, digits):
    """A value of ours as ncks prints it: fewer digits, and no control characters in text."""
    if isinstance(value, list):
        return [as_ncks_has_it(item, digits) for item in value]
    if isinstance(value, float):
        return float(f"{np.float32(value) if digits == 7 else value:.{digits}g}")
    if isinstance(value, str):
        return "".join(c for c in value if c >= " " and c != "\x7f" or c in "\b\f\n\r\t")
    return value


def equal_data(mine, found, ty):
    return as_ncks_has_it(mine, {"float": 7}.get(ty, 15)) == found


def equal_attribute(mine, found):
    # ncks joins the strings of some lists.
    if isinstance(mine, list) and mine and isinstance(found, str) and all(isinstance(s, str) for s in mine):
        mine = "".join(mine)
    # ncks prints something in place of the value of an attribute that has none.
    return mine == [] or any(as_ncks_has_it(mine, digits) == found for digits in (7, 15))


def compare_with_ncks(mine, found, path):
    # ncks leaves out dimensions without variables, and types are its own, partly invalid, JSON.
    for name, length in found.get("dimensions", {}).items():
        assert mine["dimensions"][name] == length, path
    assert set(mine.get("variables", {})) == set(found.get("variables", {})), path
    assert set(mine.get("groups", {})) == set(found.get("groups", {})), path
    holders = [(path, mine, found)]
    for name, theirs in found.get("variables", {}).items():
        own = mine["variables"][name]
        assert set(own) == set(theirs), (path, name)
        assert own.get("shape") == theirs.get("shape") and own["type"] == theirs["type"], (path, name)
        if name not in UNINITIALISED:
            assert equal_data(own["data"], theirs["data"], own["type"]), (path, name, own["data"], theirs["data"])
        holders.append(((path, name), own, theirs))
    for where, own, theirs in holders:
        own, theirs = own.get("attributes", {}), theirs.get("attributes", {})
        assert set(own) == set(theirs), where
        for name in theirs:
            assert equal_attribute(own[name], theirs[name]), (where, name, own[name], theirs[name])
    for name, group in found.get("groups", {}).items():
        compare_with_ncks(mine["groups"][name], group, f"{path}/{name}")


def text(content):
    """Text as the guide says that it becomes JSON."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogateescape")
    characters = content.decode("utf-8", "surrogateescape")
    return "".join(chr(ord(c) - 0xDC80 + 0xEF80) if 0xDC80 <= ord(c) <= 0xDCFF else c for c in characters)


def expected(value, ty, char=False):
    """A value of netCDF4-python as JSON; `ty` is its type there, where it has one of its own."""
    if char and isinstance(value, np.ndarray) and value.dtype.kind == "S":
        if value.size == 0:
            return []
        if value.ndim <= 1:
            return text(value.tobytes().rstrip(b"\0"))
        return [expected(row, ty, True) for row in value]
    if isinstance(value, np.ndarray) and value.ndim > 0:
        return [expected(item, ty, char) for item in value]
    if isinstance(value, np.ndarray):
        value = value[()]
    if isinstance(ty, netCDF4.EnumType):
        names = {int(number): name for name, number in ty.enum_dict.items()}
        return names.get(int(value), int(value))
    if isinstance(value, np.void):
        fields = {}
        for name in value.dtype.names:
            inner = value.dtype[name]
            # Text in compounds has items of one byte.
            if inner.subdtype and inner.subdtype[0].kind == "S":
                fields[name] = expected(value[name], None, True)
            else:
                fields[name] = expected(value[name], None, inner.kind == "S")
        return fields
    if isinstance(value, (str, bytes)):
        return text(value)
    if value is None:
        return None
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bytes):
        return text(value.rstrip(b"\0"))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def same(mine, value):
    """Whether JSON of ours is what is expected."""
    if isinstance(value, list):
        return isinstance(mine, list) and len(mine) == len(value) and all(map(same, mine, value))
    if isinstance(value, dict):
        return isinstance(mine, dict) and list(mine) == list(value) and all(same(mine[k], value[k]) for k in value)
    if isinstance(value, float):
        # A float of 32 bits has few digits in JSON, but the value has no other neighbour.
        return mine == value or np.float32(mine) == value
    # NIL reads as an empty string there.
    return mine == value or (value == "" and mine is None)


def compare_with_netcdf4(mine, group):
    assert {n: len(d) for n, d in group.dimensions.items()} == mine.get("dimensions", {})
    # netCDF4-python leaves variables of some types out, with a warning.
    assert set(mine.get("variables", {})) >= set(group.variables)
    assert set(mine.get("groups", {})) == set(group.groups)
    for name, var in group.variables.items():
        own = mine["variables"][name]
        assert own.get("shape", []) == [d for d in var.dimensions]
        var.set_auto_maskandscale(False)
        var.set_auto_chartostring(False)
        if lacks_filter(var):
            continue
        char = var.dtype is not str and var.dtype.kind == "S"
        value = [] if 0 in var.shape else expected(np.asarray(var[...]), var.datatype, char)
        # A scalar sequence of one comes without the sequence.
        equal = same(own["data"], value) or (not var.dimensions and same(own["data"], [value]))
        assert equal or name in UNINITIALISED, (name, own["data"], value)
        compare_attributes(own.get("attributes", {}), var)
    compare_attributes(mine.get("attributes", {}), group)
    for name, child in group.groups.items():
        compare_with_netcdf4(mine["groups"][name], child)


def compare_attributes(mine, holder):
    assert set(mine) == set(holder.ncattrs())
    for name in holder.ncattrs():
        try:
            value = holder.getncattr(name)
        except KeyError:
            # Of a type that netCDF4-python cannot read.
            continue
        enum = isinstance(value, (np.integer, np.ndarray)) and isinstance(mine[name], (str, list))
        if enum and "_FillValue" in name:
            value = expected(np.asarray(value), getattr(holder, "datatype", None))
        elif isinstance(value, list):
            value = [text(item) for item in value]
        elif isinstance(value, str):
            # It drops what is behind a NUL, or the NUL.
            value = text(value)
            mine = {**mine, name: mine[name].replace("\0", "")} if isinstance(mine[name], str) else mine
        else:
            value = expected(np.asarray(value), None, True)
        assert same(mine[name], value) or same(mine[name], [value]), (holder.name, name, mine[name], value)


def check(path):
    mine = ours(path)
    found = theirs(path)
    if found is not None:
        compare_with_ncks(mine, found, "")
    if path.stem in NOT_FOR_NETCDF4:
        return
    with warnings.catch_warnings(action="ignore"), netCDF4.Dataset(path) as dataset:
        compare_with_netcdf4(mine, dataset)


@pytest.mark.parametrize("name", generate.MAKERS)
def test_generated(generated, name):
    check(generated / f"{name}.nc")


@each_in_corpus("netcdf/*.nc")
def test_corpus(path):
    check(path)


@each_in_corpus("cdl/*.cdl", but=LARGE)
def test_corpus_from_text(tmp_path, path):
    check(made_by_installed_ncgen(path, tmp_path / "made.nc", "-k", "nc4"))


def test_options_select_data_as_in_cdl(generated):
    path = generated / "groups_and_unlimited.nc"
    assert not any("data" in v for v in ours(path, "-h")["variables"].values())
    listed = ours(path, "-v", "t")["variables"]
    assert {name for name, v in listed.items() if "data" in v} == {"t"}
    assert ours(path, "-s", "-h")["attributes"]["_Format"] == "netCDF-4"
