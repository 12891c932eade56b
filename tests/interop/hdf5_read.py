#!/usr/bin/env python3
"""Compares what `schema_dump` reads of HDF5 files with what netCDF-C reads.

    hdf5_read.py SCHEMA_DUMP FILE...

SCHEMA_DUMP is `target/release/schema_dump`. Every file is read by each in a process of its own: netCDF-C crashes on
some. Where netCDF-C fails as a whole nothing is compared, but ours must end properly and soon; what it leaves out or gets
wrong in part is set aside by the rules below.
"""

import os
import subprocess
import sys

TIME = 60
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import forked  # noqa: E402
from netcdf_c_dump import encode  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIME)
        return done.returncode, done.stdout.decode(errors="replace").splitlines(), done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return "timeout", [], ""


def run_forked(script, path):
    try:
        code, out, error = forked.run(("netCDF4",), os.path.join(HERE, script), path, timeout=TIME)
        return code, out.splitlines(), error
    except subprocess.TimeoutExpired:
        return "timeout", [], ""


def keyed(lines):
    """Lines by what they are about, with their order among their kind in their group."""
    table = {}
    for line in lines:
        words = line.split(" ")
        kind = words[0]
        if kind in ("kind", "provenance", "warning", "error"):
            key, rest = (kind,), line
        elif kind == "group":
            key, rest = (kind, words[1]), ""
        else:
            key, rest = tuple(words[:3]), " ".join(words[3:])
        table[key] = rest
    return table


def without_szip(filters):
    return sorted("4" if f.startswith("4,") else f for f in filters.split("|"))


def about(warning):
    """The group and name of what a warning says is left out."""
    path = warning[len("warning "):].split(" is left out")[0]
    group, _, name = path.rpartition("/")
    return group or "/", encode(name)


def compare(ours, theirs):
    """What differs, as (key, ours, theirs)."""
    a, b = keyed(ours), keyed(theirs)
    different = []
    left_out = {about(line) for line in ours if line.startswith("warning /")}
    for key, want in b.items():
        have = a.get(key)
        if have == want:
            continue
        # netCDF-C cannot say what it cannot read.
        if want.startswith("error") or "error" in key[2:]:
            continue
        if key[0] == "endian" and want == "native":
            continue
        if key[1:3] in left_out:
            continue
        # It leaves out the last two of szip's parameters and changes the first.
        # Its order of filters is its own.
        if key[0] == "filters" and have and without_szip(have) == without_szip(want):
            continue
        # What it fails on it lists all the same, named so.
        if key[0] == "type" and key[2].startswith("_AnonymousUnknown"):
            continue
        different.append((key, have, want))
    kinds = {}
    for name in ("type", "dim", "var", "att"):
        kinds[name] = ([k for k in a if k[0] == name and k in b], [k for k in b if k[0] == name and k in a])
        if kinds[name][0] != kinds[name][1]:
            different.append(((name, "order"), kinds[name][0], kinds[name][1]))
    extra = [k for k in a if k not in b and k[0] not in ("warning",)]
    return different, extra


def judge(dump, path):
    """What is wrong (a list of texts, empty where nothing is), and a remark on how much netCDF-C could say."""
    ours_status, ours, ours_error = run([dump, path])
    theirs_status, theirs, theirs_error = run_forked("netcdf_c_dump.py", path)
    if ours_status not in (0, 1):
        return [f"ended badly: {ours_status} {ours_error[-300:]}"], ""
    warnings = sum(line.startswith("warning") for line in ours)
    if not theirs or theirs[0].startswith("error") or theirs_status == "timeout":
        says = ours[-1] if ours_status else f"{len(ours)} lines, {warnings} warnings"
        return [], f"netCDF-C cannot ({theirs[0] if theirs else theirs_status}); ours: {says}"
    remark = f"{warnings} warnings"
    if theirs_status != 0:
        theirs = theirs[:-1]
        remark += f"; as far as netCDF-C got: {theirs_error.strip().splitlines()[-1:]}"
    if ours_status:
        return [f"fails: {ours[-1]}"], remark
    different, extra = compare(ours, theirs)
    wrong = [f"{' '.join(key)}\n        ours   {have}\n        theirs {want}" for key, have, want in different]
    return wrong, f"{remark}; {len(extra)} lines more"


def main(arguments):
    dump, *files = arguments
    failed = 0
    for path in files:
        wrong, remark = judge(dump, path)
        print(f"{os.path.basename(path)}: {'DIFFERENT' if wrong else 'equal'} ({remark})")
        for text in wrong:
            print(f"    {text}")
        failed += bool(wrong)
    print(f"{failed} of {len(files)} files differ")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
