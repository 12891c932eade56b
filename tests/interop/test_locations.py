"""The names that programs take: paths, file URLs, pipes and standard input are the same to all three."""

import os
import pathlib
import subprocess
import threading
import zipfile

import pytest
from conftest import BIN, nccopy, ncdump, ncgen

CDL = "netcdf a\\ b {\ndimensions:\n\tx = 3 ;\nvariables:\n\tint v(x) ;\ndata:\n\n v = 1, 2, 3 ;\n}\n"


def url(path):
    return "file://" + str(path).replace("%", "%25").replace(" ", "%20").replace("ä", "%C3%A4")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "ä 100%"
    folder.mkdir()
    (folder / "a b.cdl").write_text(CDL)
    return folder


def test_file_urls(folder):
    ncgen("-k", "nc4", "-o", url(folder / "a b.nc"), url(folder / "a b.cdl"))
    nccopy("-k", "nc3", url(folder / "a b.nc"), url(folder / "copy.nc"))
    assert ncdump(url(folder / "a b.nc")).decode() == CDL
    assert ncdump("-n", "a b", url(folder / "copy.nc")).decode() == CDL
    assert sorted(path.name for path in folder.iterdir()) == ["a b.cdl", "a b.nc", "copy.nc"]
    # Without -o the file is named after the text.
    ncgen("-b", url(folder / "a b.cdl"), cwd=folder)
    assert ncdump(folder / "a b.nc").decode() == CDL


def through_pipe(source, command):
    """Runs a command that reads the named pipe that gives what `source` holds."""
    pipe = source.with_name("pipe")
    os.mkfifo(pipe)
    feed = threading.Thread(target=lambda: pipe.write_bytes(source.read_bytes()))
    feed.start()
    try:
        return command(pipe)
    finally:
        feed.join()
        pipe.unlink()


@pytest.mark.parametrize("kind", ["nc3", "nc4"])
def test_pipes_and_standard_input(kind, folder):
    made, copy = folder / "a b.nc", folder / "copy.nc"
    through_pipe(folder / "a b.cdl", lambda pipe: ncgen("-k", kind, "-o", made, url(pipe)))
    through_pipe(made, lambda pipe: nccopy(pipe, copy))
    assert through_pipe(copy, lambda pipe: ncdump("-n", "a b", pipe)).decode() == CDL
    for read in [made.open("rb"), subprocess.Popen(["cat", made], stdout=subprocess.PIPE).stdout]:
        nccopy("-", copy, stdin=read)
        assert ncdump("-n", "a b", copy).decode() == CDL
    with subprocess.Popen(["cat", made], stdout=subprocess.PIPE) as cat:
        printed = subprocess.run([BIN / "ncdump", "-"], stdin=cat.stdout, capture_output=True, check=True)
    assert printed.stdout.decode() == CDL.replace("a\\ b", "stdin")


@pytest.mark.parametrize("name", ["file:///no/such/file", "no such", "s3://bucket/key", "x.zarr#mode=zarr", "file://host/a"])
@pytest.mark.parametrize("program", ["ncdump", "nccopy", "ncgen"])
def test_messages_name_what_was_typed(program, name, tmp_path):
    arguments = [name, tmp_path / "out.nc"] if program == "nccopy" else [name]
    done = subprocess.run([BIN / program, *arguments], capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith(f"{program}: {name}: ") and len(done.stderr.splitlines()) == 1, done.stderr


def test_names_that_are_not_utf8(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff\xfe.nc"
    pathlib.Path(os.fsdecode(name)).write_bytes(b"CDF\x01" + bytes(28))
    text = ncdump("-h", os.fsdecode(name)).decode()
    assert text.startswith("netcdf ")
    error = subprocess.run([BIN / "ncdump", name + b"x"], capture_output=True).stderr.decode()
    assert error == f"ncdump: {tmp_path}/\ufffd\ufffd.ncx: cannot open: No such file or directory (os error 2)\n"


def test_the_same_file_under_two_names(folder):
    ncgen("-o", folder / "a.nc", folder / "a b.cdl")
    error = nccopy(folder / "a.nc", url(folder / "a.nc"), ok=False)
    assert "are the same file" in error


@pytest.fixture
def classic(tmp_path):
    ncgen("-o", tmp_path / "in.nc", "-", input=CDL.encode())
    return tmp_path / "in.nc"


def refused(program, *arguments, cwd):
    """The one line that a program prints when it refuses a name."""
    done = subprocess.run([BIN / program, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 1 and done.stdout == "", done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def test_a_fragment_must_fit_what_is_there(classic, tmp_path):
    for fragment, says in [
        ("mode=zarr", "the fragment is for a Zarr dataset, but this one is of the kind 'classic'"),
        ("nczarr", "the fragment is for a Zarr dataset"),
        ("mode=nczarr,file", "mode=file stands for a folder, but this is a file that is no zip file"),
        ("mode=nczarr,zip", "mode=zip stands for a zip file, but this is a file that is no zip file"),
        ("mode=bytes", "#bytes is for URLs"),
        ("mode=nczarr,s3", "#s3 is for URLs"),
        ("mode=nczarr,v3", "NCZarr is not published for Zarr version 3"),
        ("mode=zarr,v2,v3", "these words contradict each other"),
    ]:
        for program, rest in [("ncdump", []), ("nccopy", ["out.nc"])]:
            name = f"{classic}#{fragment}"
            error = refused(program, name, *rest, cwd=tmp_path)
            assert error.startswith(f"{program}: {name}: ") and says in error, error
    (tmp_path / "folder").mkdir()
    for name in ["folder", "folder/", "file://folder#mode=nczarr", "folder#mode=zarr,file"]:
        assert "no Zarr dataset: no .zgroup, .zarray or zarr.json" in refused("ncdump", name, cwd=tmp_path)
    assert "mode=zip stands for a zip file, but this is a folder" in refused(
        "ncdump", "folder#mode=zarr,zip", cwd=tmp_path
    )
    assert "a text is read here" in refused("ncgen", "in.cdl#mode=zarr", cwd=tmp_path)


def test_unknown_words_are_warnings(classic, tmp_path):
    warning = "warning: mode=fast: an unknown word, which is ignored"
    for command in [
        ["ncdump", "-h", "in.nc#mode=fast"],
        ["nccopy", "in.nc#mode=fast", "out.nc"],
        ["nccopy", "in.nc", "out.nc#mode=fast"],
        ["ncgen", "-o", "out.nc#mode=fast", "-"],
    ]:
        done = subprocess.run(
            [BIN / command[0], *command[1:]], cwd=tmp_path, input=CDL, capture_output=True, text=True, check=True
        )
        assert done.stderr.splitlines() == [
            f"{command[0]}: {next(name for name in command if '#' in name)}: {warning}"
        ]
    assert ncdump("-k", tmp_path / "out.nc") == b"classic\n"


def test_which_kind_an_output_gets(classic, tmp_path):
    (tmp_path / "in.cdl").write_text(CDL)
    for output, options, says in [
        ("out.zarr", [], "'out.zarr#mode=nczarr,file', 'out.zarr#mode=zarr,file' or 'out.zarr#mode=zarr,v3,file'"),
        ("out.zarr/", [], "#mode=nczarr,file', "),
        ("out.zarr", ["-k", "nc4"], "'out.zarr#mode=nczarr,file'"),
        ("out.zarr.zip", [], "'out.zarr.zip#mode=nczarr,zip', 'out.zarr.zip#mode=zarr,zip' or 'out.zarr.zip#mode=zarr,v3,zip'"),
        ("out#mode=zip", [], "the fragment names no format; write 'out#mode=nczarr,zip'"),
        ("out#mode=consolidated", [], "the fragment names no format"),
        ("out#mode=nczarr", ["-3"], "the fragment asks for NCZarr, and the option for the kind 'classic'"),
        ("out#mode=zarr", ["-k", "nc7"], "the option for the kind 'netCDF-4 classic model'"),
        ("out#mode=nczarr,zarr,zip,file", [], "contradict each other"),
    ]:
        for program, arguments in [("nccopy", ["in.nc", output]), ("ncgen", ["-o", output, "in.cdl"])]:
            error = refused(program, *options, *arguments, cwd=tmp_path)
            assert error.startswith(f"{program}: {output}: ") and says in error, error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.cdl", "in.nc"]


def test_what_is_not_zarr_is_not_replaced(classic, tmp_path):
    home = tmp_path / "home"
    for name in ["thesis.tex", "x.zarr/.zgroup", "y.zarr/.zgroup", "y.zarr/README", "y.zarr/v/.zarray"]:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("{}")
    before = sorted(home.rglob("*"))
    for output, says in [
        ("home#mode=zarr", "the folder is neither empty nor a Zarr dataset"),
        ("file://home/#mode=nczarr,file", "the folder is neither empty nor a Zarr dataset"),
        ("home/y.zarr#mode=zarr", "the folder holds README, which is no part of a Zarr dataset"),
        ("home/thesis.tex#mode=zarr", "a file has this name, and is not replaced by a folder"),
        ("home#mode=zarr,zip", "a folder has this name, and is not replaced by a file"),
        ("no/such/folder#mode=zarr", "cannot create: No such file or directory"),
    ]:
        error = refused("nccopy", "in.nc", output, cwd=tmp_path)
        assert error.startswith(f"nccopy: {output}: ") and says in error, error
    assert sorted(home.rglob("*")) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "in.nc"]


def test_input_and_output_do_not_lie_within_each_other(classic, tmp_path):
    store = tmp_path / "store.zarr"
    store.mkdir()
    (store / ".zgroup").write_text('{"zarr_format": 2}')
    (store / "in.nc").write_bytes(classic.read_bytes())
    (store / "in.cdl").write_text(CDL)
    for source, output in [
        ("store.zarr", "store.zarr/out.nc"),
        ("store.zarr", "store.zarr/new#mode=nczarr"),
        ("store.zarr/in.nc", "store.zarr#mode=nczarr"),
    ]:
        assert "lie within each other" in refused("nccopy", source, output, cwd=tmp_path)
    assert "are the same folder" in refused("nccopy", "store.zarr", "file://store.zarr#mode=zarr", cwd=tmp_path)
    error = refused("ncgen", "-o", "store.zarr#mode=zarr", "store.zarr/in.cdl", cwd=tmp_path)
    assert "lie within each other" in error
    assert sorted(path.name for path in store.iterdir()) == [".zgroup", "in.cdl", "in.nc"]


def keys(path):
    """The names of the keys in a folder or a zip, in the order of the zip."""
    if path.is_dir():
        return sorted(str(found.relative_to(path)) for found in path.rglob("*") if found.is_file())
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


TEXT = CDL.replace("a\\ b", "x")


@pytest.mark.parametrize(
    "name, options, expected",
    [
        ("x.zarr#mode=nczarr,file", [], (".zattrs", ".zgroup", "v/.zarray", "v/.zattrs", "v/0")),
        ("file://x.zarr#mode=nczarr,file", ["-4"], (".zattrs", ".zgroup", "v/.zarray", "v/.zattrs", "v/0")),
        ("x.zarr/#nczarr", ["-k", "nc4"], (".zattrs", ".zgroup", "v/.zarray", "v/.zattrs", "v/0")),
        ("x.file#mode=zarr", [], (".zattrs", ".zgroup", ".zmetadata", "v/.zarray", "v/.zattrs", "v/0")),
        ("x.file#mode=nczarr,zip", [], ("x/", "x/.zattrs", "x/.zgroup", "x/v/.zarray", "x/v/.zattrs", "x/v/0")),
        ("x.zip#mode=zarr,zip", [], (".zattrs", ".zgroup", ".zmetadata", "v/.zarray", "v/.zattrs", "v/0")),
        ("x.zip", ["-k", "zarr2"], (".zattrs", ".zgroup", ".zmetadata", "v/.zarray", "v/.zattrs", "v/0")),
        ("x.zip#mode=nczarr,zip&key=/", [], (".zattrs", ".zgroup", "v/.zarray", "v/.zattrs", "v/0")),
        ("x.zip#mode=nczarr,zip&key=/k", [], ("k/", "k/.zattrs", "k/.zgroup", "k/v/.zarray", "k/v/.zattrs", "k/v/0")),
    ],
)
def test_zarr_is_made_and_found(name, options, expected, classic, tmp_path):
    (tmp_path / "in.cdl").write_text(TEXT)
    path = tmp_path / name.removeprefix("file://").split("#")[0]
    for make in [lambda: ncgen(*options, "-o", name, "in.cdl", cwd=tmp_path), lambda: nccopy(*options, "in.nc", name, cwd=tmp_path)]:
        # The second one replaces what the first one made.
        make()
        assert sorted(keys(path)) == sorted(expected)
        if "," in name and "zip" in name and expected[0].endswith("/"):
            assert keys(path)[0] == expected[0]
        plain = name.removeprefix("file://").split("#")[0]
        for typed in [plain, name, f"file://{path}"]:
            printed = ncdump(typed, cwd=tmp_path).decode()
            assert printed == TEXT, typed
        nccopy("-k", "nc3", name, "out.nc", cwd=tmp_path)
        assert ncdump("-n", "x", tmp_path / "out.nc").decode() == TEXT
    assert sorted(found.name for found in tmp_path.iterdir()) == ["in.cdl", "in.nc", "out.nc", path.name]


def test_outputs_of_zarr_without_a_fragment(classic, tmp_path):
    for source, kind in [("a#mode=nczarr", "NCZarr"), ("a.zip#mode=zarr,zip", "Zarr")]:
        nccopy("in.nc", source, cwd=tmp_path)
        source = source.split("#")[0]
        assert ncdump("-k", tmp_path / source) == b"netCDF-4\n"
        for output in ["out.zarr", "out.zarr.zip"]:
            nccopy(source, output, cwd=tmp_path)
            assert (tmp_path / output).is_dir() == (output == "out.zarr")
            assert ncdump("-K", tmp_path / output).decode().startswith(kind)
        nccopy(source, "out.nc", cwd=tmp_path)
        assert ncdump("-K", tmp_path / "out.nc").startswith(b"HDF5")
        nccopy("-3", source, "out.nc", cwd=tmp_path)
        assert ncdump("-k", tmp_path / "out.nc") == b"classic\n"


def test_a_store_is_named_as_it_is(classic, tmp_path):
    nccopy("in.nc", "a#mode=nczarr", cwd=tmp_path)
    nccopy("in.nc", "a.zip#mode=nczarr,zip", cwd=tmp_path)
    for name, says in [
        ("a#mode=zip", "mode=zip stands for a zip file, but this is a folder"),
        ("a.zip#mode=nczarr,file", "mode=file stands for a folder, but this is a zip file"),
        ("a.zip#mode=zip&key=b", "key=b: the zip file has no such folder"),
    ]:
        assert says in refused("ncdump", name, cwd=tmp_path)
    # A name with the fragment in it is that file.
    (tmp_path / "b#mode=zarr").write_bytes(classic.read_bytes())
    assert ncdump("-k", "b#mode=zarr", cwd=tmp_path) == b"classic\n"
    # The folder that one is in has a name, too.
    assert ncdump("-h", ".", cwd=tmp_path / "a").startswith(b"netcdf a {")


def test_a_foreign_file_keeps_a_dataset(classic, tmp_path):
    nccopy("in.nc", "a#mode=nczarr", cwd=tmp_path)
    (tmp_path / "a" / "v" / "data.csv").write_text("1,2")
    for program, arguments in [("nccopy", ["in.nc", "a#mode=zarr"]), ("nccopy", ["in.nc", "file://a#nczarr"])]:
        error = refused(program, *arguments, cwd=tmp_path)
        assert "the folder holds v/data.csv, which is no part of a Zarr dataset" in error
    assert (tmp_path / "a" / "v" / "data.csv").read_text() == "1,2"
    (tmp_path / "a" / "v" / "data.csv").unlink()
    nccopy("in.nc", "a#mode=zarr", cwd=tmp_path)
    assert (tmp_path / "a" / ".zmetadata").exists()


def test_what_only_looks_like_a_fragment_or_a_zip_is_told(classic, tmp_path):
    said = nccopy(classic, f"{tmp_path}/a#mod=zarr")
    assert said.count("\n") == 1 and "warning: #mod begins no fragment, so '#mod=zarr' is part of the file's name: is 'mode' meant;" in said
    assert (tmp_path / "a#mod=zarr").is_file()
    # What is there is meant, whatever its name looks like.
    assert nccopy(f"{tmp_path}/a#mod=zarr", tmp_path / "b#1.nc") == ""
    said = nccopy(classic, "out.zip", cwd=tmp_path)
    assert "out.zip: warning: this will be one file of the kind" in said and "'out.zip#mode=nczarr,zip', 'out.zip#mode=zarr,zip' or" in said
    assert not zipfile.is_zipfile(tmp_path / "out.zip")
    said = nccopy("-k", "nc4", classic, "file:out.nc", cwd=tmp_path, ok=False)
    assert "write 'out.nc', or './file:out.nc'" in said and not (tmp_path / "file:out.nc").exists()
    nccopy(classic, "./file:out.nc", cwd=tmp_path)
    assert nccopy("file:out.nc", "again.nc", cwd=tmp_path) == ""
