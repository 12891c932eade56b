"""Every program of docs/reference/programs.md reads what the page says, in a process of its own and without other plugins.

    input ─► nccopy --for READER -k KIND, or -F FILTER ─► the program ─► the values of `v`
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
from conftest import BIN, nccopy
from conftest import ncgen as ncgen_of_file
from references_read import VARIABLES, needs_references

PAGE = pathlib.Path(__file__).parent.parent.parent / "docs" / "reference" / "programs.md"
VALUES = [(7 * n) % 501 for n in range(4 * 32 * 32)]

# How `-F` asks for a filter.
ASKED = {
    "shuffle": "shuffle|deflate,1", "deflate": "deflate,5", "szip": "szip,32,8", "scaleoffset": "scaleoffset,2,0", "zstd": "zstd,3",
    "bzip2": "bzip2,9", "blosc": "blosc,cname=zstd",
}

# The names of references end so.
ENDINGS = {"kerchunk": "json", "icechunk": "icechunk"}

# The store that references lead to.
STORE = """store = path
if path.endswith('.json'):
    import fsspec
    store = fsspec.filesystem('reference', fo=path, remote_protocol='file', skip_instance_cache=True).get_mapper('')
if path.endswith('.icechunk'):
    import icechunk, os
    access = {f'file://{os.path.dirname(path)}/': None}
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(path), authorize_virtual_chunk_access=access)
    store = repository.readonly_session('main').store
"""

# What reads a variable by a library of Python, in a process of its own.
PYTHON = {
    "netcdf-c": "import netCDF4; d = netCDF4.Dataset(f'file://{path}#mode=nczarr,file' if path.endswith('.zarr') else path); d.set_auto_maskandscale(False); v = d['v'][:]",
    "h5py": "import h5py; v = h5py.File(path)['v'][:]",
    "xarray": STORE + "import xarray; options = {} if store is path else dict(engine='zarr', consolidated=False)\n"
        "v = xarray.open_dataset(store, decode_cf=False, **options)['v'].values",
    "zarr-python": STORE + "import zarr; v = zarr.open(store, mode='r')['v'][:]",
}


def rows():
    lines = PAGE.read_text().split("| --- | --- | --- | --- | --- |\n")[1].splitlines()
    for line in lines:
        name, _, kinds, filters, unseen = (cell.strip() for cell in line.strip("|").split("|"))
        yield name, kinds.split(), filters.split(), unseen


ROWS = {name: (kinds, filters, unseen) for name, kinds, filters, unseen in rows()}


def numbers(text):
    return [int(float(number)) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def environment():
    """Ours, without the plugins that the module netCDF4 of this process has put there."""
    return {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}


def of_python(code, path):
    code = f"import json, sys\npath = sys.argv[1]\n{code}\nprint(json.dumps(v.ravel().tolist()))"
    command = [sys.executable, "-W", "ignore", "-c", code, str(path)]
    of_references = VARIABLES if path.suffix[1:] in ENDINGS.values() else {}
    done = subprocess.run(command, capture_output=True, text=True, env=environment() | of_references)
    # Icechunk prints warnings first.
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def ncgen(text, path):
    cdl = path.with_suffix(".cdl")
    cdl.write_text(text)
    ncgen_of_file("-k", "nc4", "-o", path, cdl)


def of_program(program, command):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    done = subprocess.run([program, *command], capture_output=True, text=True, env=environment())
    return done.stdout if done.returncode == 0 else None


def of_ncdump(path):
    text = of_program("/usr/bin/ncdump", ["-v", "v", str(path)])
    return text and numbers(text.split(" v =")[1].split(";")[0])


def of_cdo(path):
    text = of_program("cdo", ["-s", "outputf,%.10g,1", "-selname,v", str(path)])
    return text and numbers(text)


def of_nco(path):
    text = of_program("ncks", ["--trd", "-H", "-C", "-v", "v", "-s", "%d\n", str(path)])
    return text and numbers(text)


def of_gdal(path):
    text = of_program("gdalmdiminfo", ["-detailed", "-array", "/v", str(path)])
    try:
        return np.array(json.loads(text)["values"]).ravel().tolist()
    except (TypeError, ValueError, KeyError):
        return None


def of_ncview(path):
    """It draws the only variable, and says so once it has read values. If it cannot read them, it ends."""
    if shutil.which("ncview") is None or shutil.which("xvfb-run") is None:
        pytest.skip("ncview or xvfb-run is not installed")
    command = ["xvfb-run", "-a", "stdbuf", "-oL", "ncview", str(path)]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with subprocess.Popen(command, env=environment(), start_new_session=True, **pipes) as viewer:
        is_drawn = any("calculating min and maxes for " in line for line in viewer.stdout)
        if is_drawn:
            os.killpg(viewer.pid, signal.SIGTERM)
    return VALUES if is_drawn else None


READ = {"netcdf-c-4.8": of_ncdump, "cdo": of_cdo, "nco": of_nco, "gdal": of_gdal, "ncview": of_ncview}
TRIED = [name for name in ROWS if name in READ or name in PYTHON]


def values(program, path):
    return READ[program](path) if program in READ else of_python(PYTHON[program], path)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A grid with coordinates, as CDO and xarray like it."""
    path = tmp_path_factory.mktemp("programs") / "in.nc"
    numbers_of = lambda first, step, count: ", ".join(str(first + step * n) for n in range(count))
    text = f"""netcdf p {{ dimensions: time = 4; lat = 32; lon = 32;
        variables: double lat(lat); lat:units = "degrees_north"; double lon(lon); lon:units = "degrees_east";
        double time(time); time:units = "days since 2000-01-01"; int v(time, lat, lon); v:_ChunkSizes = 1, 32, 32;
        data: lat = {numbers_of(-80, 5, 32)}; lon = {numbers_of(0, 10, 32)}; time = 0, 1, 2, 3; v = {", ".join(map(str, VALUES))}; }}"""
    ncgen(text, path)
    return path


def test_all_programs_but_those_that_cannot_be_had_are_tried():
    assert set(ROWS) - set(TRIED) == {"matlab", "julia", "any"}


@needs_references
@pytest.mark.parametrize("program", TRIED)
def test_kinds(program, source, tmp_path):
    # Icechunk reads what lies beside the repository.
    source = shutil.copy(source, tmp_path)
    for kind in ROWS[program][0]:
        path = tmp_path / f"{kind}.{'zarr' if 'zarr' in kind else ENDINGS.get(kind, 'nc')}"
        assert nccopy("--for", program, "-k", kind, source, path) == ""
        assert values(program, path) == VALUES, kind


@pytest.mark.parametrize("program", TRIED)
def test_filters(program, source, tmp_path):
    for filter in ROWS[program][1]:
        path = tmp_path / f"{filter}.nc"
        assert nccopy("--for", program, "-k", "nc4", "-F", f"v,{ASKED.get(filter, filter)}", source, path) == ""
        assert values(program, path) == VALUES, filter


def test_what_is_for_any_is_read_by_all(source, tmp_path):
    zstd, path = tmp_path / "zstd.nc", tmp_path / "any.nc"
    nccopy("-F", "*,zstd,3", source, zstd)
    told = nccopy("--for", "any", zstd, path)
    assert "encoded anew with shuffle and deflate: " in told and "v (zstd)" in told
    for program in TRIED:
        if program != "zarr-python":
            assert values(program, path) == VALUES, program


def test_new_filters_that_usual_programs_lack_are_told_once(source, tmp_path):
    told = nccopy("-F", "*,zstd,3", source, tmp_path / "zstd.nc")
    assert told.count("\n") == 1 and "Debian's netcdf-bin, cdo and nco lack these filters" in told
    assert all(values(program, tmp_path / "zstd.nc") is None for program in ("netcdf-c-4.8", "cdo", "nco", "ncview"))
    # A copy that keeps them, or that is for a program which has them, is told nothing.
    assert nccopy(tmp_path / "zstd.nc", tmp_path / "kept.nc") == ""
    # Those of another format are new to the readers of this one.
    nccopy("-k", "zarr3", "-F", "*,zstd,3", source, tmp_path / "zstd.zarr")
    assert "Debian's netcdf-bin, cdo and nco lack these filters" in nccopy(tmp_path / "zstd.zarr", tmp_path / "back.nc")
    assert nccopy("--for", "netcdf-c", "-F", "*,zstd,3", source, tmp_path / "own.nc") == ""


def test_auto_chooses_what_the_programs_have(source, tmp_path):
    for program, kind in (("cdo", "nc4"), ("netcdf-c", "nc4"), ("xarray", "zarr3"), ("zarr-python", "zarr2")):
        path = tmp_path / f"{program}.{'zarr' if 'zarr' in kind else 'nc'}"
        nccopy("--for", program, "-k", kind, "-F", "*,auto=small", source, path)
        assert values(program, path) == VALUES


def test_a_file_that_is_for_the_programs_already_stays(source, tmp_path):
    path = tmp_path / "a.nc"
    nccopy("--for", "any", "-d", "1", source, path)
    # A read may change the time of access.
    state = lambda: (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes())
    before = state()
    assert nccopy("--for", "any", "--in-place", path) == "nccopy: 0 copied, 1 skipped (nothing to change), 0 failed\n"
    assert state() == before


def test_what_a_program_does_not_read_is_refused(source, tmp_path):
    out = tmp_path / "out.nc"
    for arguments, why in (
        (["--for", "cdo", "-F", "v,zstd,3"], "variable v: --for: cdo lacks zstd"),
        (["--for", "h5py", "-k", "nc3"], "--for: h5py does not read classic; ask for one that it reads by -k: nc4, nc7"),
        (["--for", "zarr-python"], "--for: zarr-python does not read netCDF-4; ask for one that it reads by -k: nczarr, zarr2, zarr3"),
        (["--for", "cdo,zarr-python"], "does not read netCDF-4; no kind is read by all of these programs; make an output for each"),
        (["--for", "cdo,matlabb"], "--for matlabb: unknown; those that are known are netcdf-c, "),
    ):
        assert why in nccopy(*arguments, source, out, ok=False) and not out.exists()


def test_a_kind_that_is_read_is_found(source, tmp_path):
    classic, out = tmp_path / "classic.nc", tmp_path / "out.nc"
    nccopy("-k", "nc3", source, classic)
    nccopy("--for", "h5py", classic, out)
    assert values("h5py", out) == VALUES
    nccopy("--for", "xarray,cdo", classic, out)
    assert out.read_bytes()[:3] == b"CDF"


def test_what_a_program_does_not_show_is_told(tmp_path):
    for program, text, told in (
        ("cdo", "netcdf a { group: g { dimensions: x = 1; variables: int v(x); data: v = 1; } }", "cdo shows no groups: /g/v"),
        ("cdo", 'netcdf a { dimensions: x = 1; variables: string s(x); data: s = "a"; }', "cdo shows no text: s"),
        ("nco", "netcdf a { types: int(*) l; dimensions: x = 1; variables: l s(x); data: s = {1}; }", "nco shows no user-defined types: s"),
    ):
        path = tmp_path / "in.nc"
        ncgen(text, path)
        assert told in nccopy("--for", program, path, tmp_path / "out.nc")


def test_what_ncview_draws(tmp_path):
    path = tmp_path / "in.nc"
    dims = "dimensions: y = 5; x = 7;"
    for text, told in (
        (f"group: g {{ {dims} variables: int v(y, x); }}", ""),
        (f"{dims} variables: string v(y, x);", "ncview shows no text: v"),
        (f"{dims} variables: char v(y, x);", "ncview shows no text: v"),
        (f"types: byte enum e {{ A = 0 }}; {dims} variables: e v(y, x);", "ncview shows no user-defined types: v"),
    ):
        ncgen(f"netcdf a {{ {text} }}", path)
        said = nccopy("--for", "ncview", path, tmp_path / "out.nc")
        assert told in said and bool(told) == bool(said)
        assert (of_ncview(path) is None) == bool(told), text


# Datasets by what is in them, and the readers of kinds that do not show `v`, or do not open a dataset with such an attribute.
TYPES = {
    "compound": ("compound c { int a; float b; };", "c v(x);"),
    "arrays": ("compound c { int a(2); };", "c v(x);"),
    "nested": ("opaque(2) o; compound c { o a; };", "c v(x);"),
    "opaque": ("opaque(2) o;", "o v(x);"),
    "enum": ("byte enum e { A = 0, B = 1 };", "e v(x);"),
    "sequence": ("int(*) l;", "l v(x);"),
    "sequences": ("int(*) l; l(*) m;", "m v(x);"),
    "strings": ("compound c { int a; };", "string v(x);"),
    "characters": ("compound c { int a; };", "char v(x);"),
    "compound attribute": ("compound c { int a; };", "int v(x); c v:a = {1};"),
    "opaque attribute": ("opaque(2) o;", "int v(x); o v:a = 0x0102;"),
    "sequence attribute": ("int(*) l;", "int v(x); l :a = {1, 2};"),
    "enum attribute": ("byte enum e { A = 0, B = 1 };", "int v(x); e v:a = B;"),
}
OPEN = {
    "netcdf-c": "import netCDF4; d = netCDF4.Dataset(f'file://{path}#mode=nczarr,file'); names = list(d.variables)",
    "h5py": "import h5py; d = h5py.File(path); [d[n][:] for n in 'vw']; names = list(d)",
    "xarray": "import xarray; d = xarray.open_dataset(path, decode_cf=False).load(); names = list(d.variables)",
    "zarr-python": "import zarr; d = zarr.open(path, mode='r'); names = [name for name, array in d.arrays() if array[:] is not None]",
}


def shown(program, path):
    """The variables that a program shows; `None` if it does not open the dataset."""
    code = f"import json, sys\npath = sys.argv[1]\n{OPEN[program]}\nprint(json.dumps(sorted(set(names) & set('vw'))))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, str(path)], capture_output=True, text=True, env=environment())
    # Icechunk prints warnings first.
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


@pytest.mark.parametrize("sort", TYPES)
def test_types_that_a_program_does_not_read_are_refused_or_told(sort, tmp_path):
    types, variables = TYPES[sort]
    source = tmp_path / "in.nc"
    ncgen(f"netcdf t {{ types: {types} dimensions: x = 2; variables: {variables} int w(x); }}", source)
    for program, kinds in (("xarray", ("nc4", "nczarr", "zarr2", "zarr3")), ("zarr-python", ("nczarr", "zarr2", "zarr3")),
                           ("netcdf-c", ("nczarr",)), ("h5py", ("nc4",))):
        for kind in kinds:
            out = tmp_path / f"{program}-{kind}{'.zarr' if 'zarr' in kind else '.nc'}"
            told = nccopy_all(tmp_path, "--for", program, "-k", kind, source, out)
            if not out.exists():
                if "which the kind" in told:
                    # No program is asked about what the kind does not hold.
                    continue
                assert told.count("\n") == 1 and f"--for: {program} " in told and ("v" in told or ":a" in told), told
                # Without --for it is made, and the program fails.
                nccopy("-k", kind, source, out)
                assert shown(program, out) is None, (program, kind)
            elif f"{program} shows no" in told:
                assert told.endswith(": v\n") and shown(program, out) == ["w"], (program, kind, told)
            else:
                assert told == "" and shown(program, out) == ["v", "w"], (program, kind, told)


def test_warnings_are_of_the_programs_that_are_asked_for(tmp_path):
    source = tmp_path / "in.nc"
    ncgen("netcdf t { types: compound c { int a; }; dimensions: x = 2; variables: c v(x); }", source)
    assert "netCDF-C opens no dataset with compounds" in nccopy("-k", "zarr2", source, tmp_path / "all.zarr")
    assert nccopy("--for", "xarray,zarr-python", "-k", "zarr2", source, tmp_path / "python.zarr") == ""
    # What is about the output itself is told to everyone.
    ncgen('netcdf t { dimensions: x = 2; variables: int v(x); v:_nczarr_array = "x"; }', source)
    assert "_nczarr_array is left out" in nccopy("--for", "xarray", "-k", "zarr2", source, tmp_path / "reserved.zarr")


def nccopy_all(folder, *arguments):
    """What nccopy says, whether it copies or not."""
    done = subprocess.run([str(BIN / "nccopy"), *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    return done.stderr
