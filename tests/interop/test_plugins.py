"""Plugins of HDF5: those of the hdf5plugin wheel, of the netCDF4 wheel and of Debian, in both directions against h5py."""

import os
import pathlib
import shutil
import subprocess

import h5py
import hdf5plugin
import netCDF4
import netcdf_c
import numpy as np
import pytest
from conftest import BIN, UNKNOWN_FILTER
from plugin_inputs import FILTERS, write
from stored import parameters

WHEEL = hdf5plugin.PLUGIN_PATH
NETCDF4 = pathlib.Path(netCDF4.__file__).parent / "plugins"
DEBIAN = pathlib.Path("/usr/lib/x86_64-linux-gnu/hdf5/serial/plugins")


def run(program, *arguments, plugins, **environment):
    """Runs one of our programs with plugins from a folder; its result."""
    environment = {**os.environ, "HDF5_PLUGIN_PATH": str(plugins), **environment}
    environment.setdefault("HDF5_PLUGIN_PRELOAD", "")
    command = [str(BIN / program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)


def succeed(program, *arguments, **options):
    done = run(program, *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done


def read(path):
    with h5py.File(path) as f:
        return f["v"][:]


def raw_chunk(path):
    with h5py.File(path) as f:
        return f["v"].id.read_direct_chunk((0, 0))


def spec(options):
    """The argument of -F for the options of a filter of hdf5plugin."""
    return ",".join(map(str, ("v", options["compression"], *options["compression_opts"])))


def works(tmp_path, name, plugins, same_parameters=True):
    """Checks one filter: what h5py encodes the plugin decodes, and the reverse, with h5py's parameters and bytes."""
    options = FILTERS[name]
    plain, theirs, ours, decoded = (tmp_path / n for n in ("plain.nc", "theirs.nc", "ours.nc", "decoded.nc"))
    write(plain)
    write(theirs, name)
    succeed("nccopy", "--prefer-plugin", "-F", "none", theirs, decoded, plugins=plugins)
    assert np.array_equal(read(decoded), read(theirs))
    succeed("nccopy", "--prefer-plugin", "-F", spec(options), plain, ours, plugins=plugins)
    assert np.array_equal(read(ours), read(theirs))
    if same_parameters:
        assert parameters(ours, "v") == parameters(theirs, "v")
        assert raw_chunk(ours) == raw_chunk(theirs)


@pytest.mark.parametrize("name", FILTERS)
def test_the_wheel_of_hdf5plugin(tmp_path, name):
    works(tmp_path, name, WHEEL)


def test_no_hdf5_library_is_needed(tmp_path):
    write(tmp_path / "in.nc", "sz3")
    done = succeed("ncdump", tmp_path / "in.nc", plugins=WHEEL, LD_DEBUG="files")
    opened = [line for line in done.stderr.splitlines() if "calling init" in line]
    assert any("libh5sz3" in line for line in opened), done.stderr
    assert not any("libhdf5" in line for line in opened)


@pytest.mark.parametrize("name", ["blosc", "bzip2", "zstd"])
def test_the_wheel_of_netcdf4(tmp_path, name):
    """These plugins are linked to an HDF5 library, which is loaded but not called."""
    if not (NETCDF4 / "lib__nch5zstd.so").exists():
        pytest.skip(f"{NETCDF4} has no plugins")
    works(tmp_path, name, NETCDF4, same_parameters=False)


@pytest.mark.parametrize("name, library", [
    ("blosc", "libH5Zblosc.so"),
    ("bzip2", "libh5bz2.so"),
    ("lz4", "libh5lz4.so"),
    ("zfp", "libh5zzfp.so"),
])
def test_packages_of_debian(tmp_path, name, library):
    if not (DEBIAN / library).exists():
        pytest.skip(f"{DEBIAN / library} is not installed")
    works(tmp_path, name, DEBIAN, same_parameters=False)


def test_codecs_of_netcdf_c_are_listed():
    """A library with codecs of NCZarr gives Zarr names to the filters of other libraries."""
    if not (NETCDF4 / "lib__nczstdfilters.so").exists():
        pytest.skip(f"{NETCDF4} has no codecs of NCZarr")
    text = succeed("ncdump", "--filters", plugins=NETCDF4).stdout
    line = next(line for line in text.splitlines() if str(NETCDF4 / "lib__nch5blosc.so") in line)
    assert line.split()[:4] == ["32001", "blosc", "blosc", "numcodecs.blosc"]


@netcdf_c.needs_netcdf_c
def test_the_filter_of_a_codec_is_printed(tmp_path):
    """Of a codec of NCZarr that only a plugin has, `_Filter` is what netCDF-C prints."""
    write(tmp_path / "in.nc")
    url = netcdf_c.url(tmp_path / "out.zarr", "nczarr,file")
    netcdf_c.run("nccopy", "-F", "v,40000,7,9", tmp_path / "in.nc", url)

    def special(text):
        return [line.strip() for line in text.splitlines() if ":_Filter" in line or ":_Codecs" in line]

    theirs = special(netcdf_c.run("ncdump", "-hs", url).decode())
    assert theirs[0] == 'v:_Filter = "40000,7,9" ;'
    assert special(succeed("ncdump", "-hs", tmp_path / "out.zarr", plugins=netcdf_c.PLUGINS).stdout) == theirs
    assert special(succeed("ncdump", "-hs", tmp_path / "out.zarr", plugins=tmp_path).stdout) == theirs[1:]
    assert '"40000,7,9"' in succeed("ncdump", "--json", "-hs", tmp_path / "out.zarr", plugins=netcdf_c.PLUGINS).stdout


def test_the_list_says_what_is_used():
    text = succeed("ncdump", "--filters", plugins=WHEEL).stdout
    lines = text.splitlines()
    assert any(line.startswith("1 ") and line.endswith("built in") for line in lines)
    assert any(line.startswith("32024 ") and line.endswith("libh5sz3.so") for line in lines)
    zstd = next(line for line in lines if line.endswith("libh5zstd.so (not used)"))
    assert zstd.startswith("32015 ")
    assert f"  {WHEEL}" in lines
    preferred = succeed("ncdump", "--filters", "--prefer-plugin", plugins=WHEEL).stdout
    assert any(line.startswith("32015 ") and line.endswith("libh5zstd.so") for line in preferred.splitlines())


def test_a_missing_filter_is_named_with_where_it_was_looked_for(tmp_path):
    source = tmp_path / "in.nc"
    write(source, "sz3")
    empty = tmp_path / "empty"
    empty.mkdir()
    for command in (["ncdump", source], ["nccopy", "-F", "none", source, tmp_path / "out.nc"]):
        done = run(*command, plugins=empty)
        assert done.returncode == 1
        assert "variable v: " in done.stderr and "filter 32024 (SZ3) is not built in" in done.stderr
        assert str(empty) in done.stderr and "HDF5_PLUGIN_PATH" in done.stderr
        assert len(done.stderr.splitlines()) == 1
    # What needs no value still works.
    assert "_Filter" in succeed("ncdump", "-hs", source, plugins=empty).stdout
    succeed("nccopy", source, tmp_path / "out.nc", plugins=empty)
    assert raw_chunk(tmp_path / "out.nc") == raw_chunk(source)
    off = run("ncdump", source, plugins=WHEEL, HDF5_PLUGIN_PRELOAD="::")
    assert off.returncode == 1 and "HDF5_PLUGIN_PRELOAD=::" in off.stderr


def test_plugins_beside_the_data_are_not_loaded(tmp_path):
    source = tmp_path / "in.nc"
    write(source, "sz3")
    (tmp_path / "libh5sz3.so").symlink_to(pathlib.Path(WHEEL) / "libh5sz3.so")
    for plugins in ("", ":", "::"):
        done = subprocess.run(
            [str(BIN / "ncdump"), "in.nc"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "HDF5_PLUGIN_PATH": plugins},
        )
        assert done.returncode == 1 and "filter 32024 (SZ3)" in done.stderr


def test_a_header_loads_nothing(tmp_path):
    source = tmp_path / "in.nc"
    write(source, "sz3")
    done = succeed("ncdump", "-hs", source, plugins=WHEEL, LD_DEBUG="files")
    assert "libh5" not in done.stderr
    # Built-in filters do not need plugins of the same id.
    write(source, "zstd")
    done = succeed("ncdump", source, plugins=WHEEL, LD_DEBUG="files")
    assert "libh5" not in done.stderr


def test_chunks_of_other_shapes(tmp_path):
    """Parameters that depend on the chunk shape are computed anew, or the copy is refused in words."""
    for name in ("blosc", "bitshuffle", "blosc2", "sz3"):
        source, target = tmp_path / f"{name}.nc", tmp_path / f"{name}-out.nc"
        write(source, name)
        succeed("nccopy", "--prefer-plugin", "-c", "v:15,10", source, target, plugins=WHEEL)
        tolerance = 1e-3 if name == "sz3" else 0
        assert np.abs(read(target).astype("f8") - read(source)).max() <= tolerance
        fresh = tmp_path / "fresh.nc"
        write(fresh, name, (15, 10))
        assert parameters(target, "v") == parameters(fresh, "v"), name
    # This plugin would keep the shape of the old chunks, and read past the end of the new ones. The program knows its header.
    write(tmp_path / "zfp.nc", "zfp")
    copy = ["--prefer-plugin", "-c", "v:15,10", tmp_path / "zfp.nc", tmp_path / "out.nc"]
    succeed("nccopy", *copy, plugins=WHEEL)
    assert np.abs(read(tmp_path / "out.nc") - read(tmp_path / "zfp.nc")).max() <= 1e-2
    write(tmp_path / "fresh.nc", "zfp", (15, 10))
    assert parameters(tmp_path / "out.nc", "v") == parameters(tmp_path / "fresh.nc", "v")


@pytest.mark.parametrize("name", ["blosc2", "sperr", "sz", "sz3", "zfp", "zfp-reversible"])
def test_stored_parameters_go_through_text_and_to_other_chunks(tmp_path, name):
    """ncdump -s prints what a plugin made of a user's parameters; some plugins refuse that as a user's."""
    source, text, back = tmp_path / "in.nc", tmp_path / "in.cdl", tmp_path / "back.nc"
    write(source, name)
    text.write_text(succeed("ncdump", "-s", source, plugins=WHEEL).stdout)
    succeed("ncgen", "-o", back, text, plugins=WHEEL)
    assert parameters(back, "v") == parameters(source, "v")
    assert np.abs(read(back) - read(source)).max() <= 1e-2
    stored = spec({"compression": "%d" % FILTERS[name]["compression"], "compression_opts": parameters(source, "v")[0]})
    succeed("nccopy", "-F", "none", source, tmp_path / "plain.nc", plugins=WHEEL)
    succeed("nccopy", "-c", "v:30,20", "-F", stored, tmp_path / "plain.nc", tmp_path / "again.nc", plugins=WHEEL)
    assert parameters(tmp_path / "again.nc", "v") == parameters(source, "v")
    # One length stays, and another does not.
    succeed("nccopy", "-c", "v:30,40", source, tmp_path / "wide.nc", plugins=WHEEL)
    write(tmp_path / "fresh.nc", name, (30, 40))
    assert parameters(tmp_path / "wide.nc", "v") == parameters(tmp_path / "fresh.nc", "v")


def test_what_to_give_for_other_chunks_is_told(tmp_path):
    text = tmp_path / "in.cdl"
    write(tmp_path / "in.nc", "sz3")
    printed = succeed("ncdump", "-s", tmp_path / "in.nc", plugins=WHEEL).stdout
    text.write_text(printed.replace("_ChunkSizes = 30, 20", "_ChunkSizes = 15, 10"))
    done = run("ncgen", "-o", tmp_path / "out.nc", text, plugins=WHEEL)
    assert done.returncode == 1 and "variable v: filter 32024" in done.stderr
    given = spec(FILTERS["sz3"]).removeprefix("v,")
    assert "of another type or shape" in done.stderr and f"here give '{given}'" in done.stderr


def test_parameters_of_zfp_have_names(tmp_path):
    write(tmp_path / "plain.nc")
    write(tmp_path / "zfp.nc", "zfp")
    copy = ["nccopy", "-c", "v:30,20", "-F"]
    succeed(*copy, "v,zfp,accuracy=0.01", tmp_path / "plain.nc", tmp_path / "out.nc", plugins=WHEEL)
    assert parameters(tmp_path / "out.nc", "v") == parameters(tmp_path / "zfp.nc", "v")
    done = run(*copy, "v,zfp,acuracy=0.01", tmp_path / "plain.nc", tmp_path / "x.nc", plugins=WHEEL)
    assert done.returncode == 1 and "is 'accuracy' meant" in done.stderr
    done = run(*copy, "v,sz3,level=2", tmp_path / "plain.nc", tmp_path / "x.nc", plugins=WHEEL)
    assert done.returncode == 1 and "has no parameters with names" in done.stderr
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1


def test_names_of_plugins_are_filters(tmp_path):
    write(tmp_path / "plain.nc")
    for name in ("H5Z-SPERR", "sperr", "SPERR"):
        done = succeed("nccopy", "-F", f"v,{name},268959744", tmp_path / "plain.nc", tmp_path / "out.nc", plugins=WHEEL)
        assert parameters(tmp_path / "out.nc", "v")[0][1] == 268959744, done.stderr
    done = run("nccopy", "-F", "v,H5Z-SPER,1", tmp_path / "plain.nc", tmp_path / "out.nc", plugins=WHEEL)
    assert done.returncode == 1 and "is 'H5Z-SPERR' meant?" in done.stderr


def test_folders_that_do_not_exist_are_marked(tmp_path):
    write(tmp_path / "in.nc", "sz3")
    folder = tmp_path / "nowhere"
    done = run("ncdump", tmp_path / "in.nc", plugins=folder)
    assert done.returncode == 1 and f"{folder} (does not exist)" in done.stderr
    assert f"{folder} (does not exist)" in succeed("ncdump", "--filters", plugins=folder).stdout


def test_ncgen_encodes_by_a_plugin(tmp_path):
    text = tmp_path / "in.cdl"
    text.write_text("""netcdf in {
dimensions: x = 100 ;
variables: float v(x) ; v:_ChunkSizes = 50 ; v:_Filter = "32024,0,1062232653,3539053052,0,0,0,0,0,0" ;
data: v = %s ;
}
""" % ", ".join(str(n) for n in range(100)))
    done = run("ncgen", "-o", tmp_path / "out.nc", text, plugins=WHEEL)
    assert done.returncode == 0, done.stderr
    assert np.abs(read(tmp_path / "out.nc") - np.arange(100)).max() <= 1e-3


def test_a_filter_that_no_plugin_has(tmp_path):
    write(tmp_path / "plain.nc")
    done = run("nccopy", "-F", f"v,{UNKNOWN_FILTER},1", tmp_path / "plain.nc", tmp_path / "out.nc", plugins=WHEEL)
    assert done.returncode == 1 and f"filter {UNKNOWN_FILTER} is not built in" in done.stderr


def test_a_plugin_that_ends_the_program_is_no_success(tmp_path):
    """exit(0) within a plugin would look like a complete copy."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("there is no C compiler")
    folder, source, out = tmp_path / "plugins", tmp_path / "in.nc", tmp_path / "out.nc"
    folder.mkdir()
    code = pathlib.Path(__file__).parents[2] / "crates/plugin/tests/data/test_plugin.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "libtest.so", code], check=True)
    # What is no file is not opened.
    os.mkfifo(folder / "libpipe.so")
    with h5py.File(source, "w") as f:
        f.create_dataset("v", data=np.arange(100), chunks=(50,))
    env = {**os.environ, "HDF5_PLUGIN_PATH": str(folder)}
    for key, status in (7, 0), (252, 1):
        command = [BIN / "nccopy", "-F", f"v,40000,{key}", source, out]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=30)
        assert done.returncode == status, done.stderr
        assert out.exists() == (status == 0)
        if status:
            assert "plugin ended the program" in done.stderr
        else:
            out.unlink()
