"""Datasets of OPeNDAP servers: the text is that of netCDF-C's ncdump, values are those of the server, and what a server says is checked."""

import os
import pathlib
import re
import subprocess
import sys

import netCDF4
import numpy as np
import pytest
from conftest import HERE
from remote_run import run
from remote_stores import surroundings

PYDAP = pathlib.Path(os.environ.get("NCUTILS_DAP", HERE.parent.parent / "target" / "interop" / "dap")).resolve()

pytestmark = pytest.mark.skipif(not PYDAP.is_dir(), reason="pydap is not installed")


class Server:
    def __init__(self, folder):
        self.log, self.home = folder / "log", folder / "home"
        self.home.mkdir()
        self.log.touch()
        environment = {**os.environ, "PYTHONPATH": str(PYDAP), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}
        command = [sys.executable, str(HERE / "dap_server.py"), str(self.log)]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline())

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def run(self, program, *arguments, **options):
        return run(program, *arguments, environment=surroundings(self.home), **options)

    def asked(self):
        """The requests since the last call."""
        lines = self.log.read_text().splitlines()
        self.log.write_text("")
        return lines


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    made = Server(tmp_path_factory.mktemp("dap"))
    yield made
    made.process.kill()
    made.process.wait()


def netcdf_c(server, name, *arguments, fragment=None):
    """What Debian's ncdump prints. With its prefetch, version 4.9.0 prints memory in place of the values of grids."""
    fragment = fragment or ("#dap4" if name in FOURS else "#noprefetch")
    done = subprocess.run(
        ["/usr/bin/ncdump", *arguments, server.url(name) + fragment],
        env={**surroundings(server.home), "PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=60,
    )
    assert done.returncode == 0, done.stderr
    # A note of that version, which stands in the text.
    return done.stdout.replace("checksumhack=0\n", "").replace("checksumhack=1\n", "")


FOURS = ["four.nc", "plain.nc"]
NAMES = ["ocean.nc", "structures.nc", "SimpleArray", "SimpleGrid", "FaultyGrid", "SimpleSequence", "D1", "bounds", "ctd", "SimpleGroup", "nested"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("arguments", [(), ("-h",), ("-c",)], ids=" ".join)
def test_text_is_that_of_netcdf_c(server, name, arguments):
    ours = server.run("ncdump", *arguments, server.url(name) + "#dap2").whole()
    assert ours.out == netcdf_c(server, name, *arguments)
    left_out = ["outer.inner", "several.far"] if name == "nested" else []
    told = ours.told()
    assert len(told) == len(left_out) and all(f"sequence {name}: left out" in line for name, line in zip(left_out, told))


def test_a_byte_in_front_of_its_padding(server):
    """pydap pads a byte of a structure behind, and XDR in front. netCDF-C reads 0 then."""
    ours = server.run("ncdump", server.url("SimpleStructure") + "#dap2").whole().out
    theirs = netcdf_c(server, "SimpleStructure")
    assert " types.ub = 10 ;" in ours and ours.replace("types.ub = 10 ;", "types.ub = 0 ;") == theirs


@pytest.mark.parametrize("name", ["VerySimpleSequence", "NestedSequence"])
def test_what_pydap_sends_malformed_is_an_error_in_both(server, name):
    server.run("ncdump", server.url(name) + "#dap2").refused("no mark|no data of DAP2")
    with pytest.raises(AssertionError):
        netcdf_c(server, name)


def test_small_variables_are_asked_for_together(server, tmp_path):
    server.asked()
    server.run("nccopy", server.url("ocean.nc") + "#dap2", tmp_path / "out.nc").whole()
    data = [line for line in server.asked() if ".dods" in line]
    assert len(data) == 3 and max(line.count(",") for line in data) == 9


def test_small_variables_are_asked_for_alone_where_they_do_not_come_together(server):
    """A string is longer than is asked for, which says nothing about the others."""
    server.asked()
    url = server.url("ocean.nc?I4,names,I2") + "#dap2&stringlength=5"
    server.run("ncdump", url).refused("variable names", "#stringlength=11")
    assert "/ocean.nc.dods?I4" in server.asked()


def test_functions_of_the_server(server, tmp_path):
    """netCDF-C passes them on, too, and gives up as the result has other dimensions than the variable."""
    url = server.url("ocean.nc?mean(SST,0),I4,names") + "#dap2"
    server.asked()
    server.run("nccopy", url, tmp_path / "out.nc").whole()
    assert [line for line in server.asked() if ".dods" in line] == ["/ocean.nc.dods?mean(SST,0),I4,names"]
    with netCDF4.Dataset(tmp_path / "out.nc") as copied:
        assert copied["SST"].dimensions == ("Y", "X") and copied["SST"].long_name == "sea surface" and copied["I4"][...] == 7
        np.testing.assert_array_equal(copied["SST"][...], np.arange(60, dtype="f4").reshape(4, 3, 5).mean(axis=0))
    with pytest.raises(AssertionError, match="Malformed"):
        netcdf_c(server, "ocean.nc?mean(SST,0),I4,names")


@pytest.mark.parametrize(
    "login",
    [
        lambda home, url: (home / ".dodsrc").write_text("HTTP.CREDENTIALS.USER=someone\nHTTP.CREDENTIALS.PASSWORD=a-password\n"),
        lambda home, url: (home / ".ncrc").write_text("HTTP.CREDENTIALS.USERPASSWORD=someone:a-password\n"),
        lambda home, url: (home / ".dodsrc").write_text(
            f"[{url[: url.index('/locked')]}]HTTP.CREDENTIALS.USER=someone\nHTTP.CREDENTIALS.PASSWORD=a-password\n"
        ),
        lambda home, url: (
            (home / ".ncrc").write_text(f"HTTP.NETRC={home}/logins\n"),
            (home / "logins").write_text("machine 127.0.0.1 login someone password a-password\n"),
            (home / "logins").chmod(0o600),
        ),
        None,
    ],
    ids=["dodsrc", "ncrc", "host", "netrc", "url"],
)
def test_logins(server, tmp_path, login):
    url = server.url("locked/ocean.nc")
    if login:
        login(tmp_path, url)
        named = url
    else:
        named = url.replace("://", "://someone:a-password@")
    settings = {"environment": surroundings(tmp_path), "secrets": ["a-password"]}
    ours = run("ncdump", named + "#dap2", **settings).whole().out
    assert ours == netcdf_c(server, "ocean.nc")
    run("ncdump", url.replace("127.0.0.1", "localhost") + "#dap2", environment=surroundings(server.home)).refused("401")


@pytest.mark.parametrize(
    "constraint",
    ["SST[0:1:1][1][0:2:4],TIME[0:1:1],Y[1],X[0:2:4]", "I4,names", "names,I4", "X,TIME,I4,Y", "TIME[0:2:3],names[1:2]", "TIME,Y,X,SST[1:2][0:1:2][2:3]"],
)
def test_constraints(server, constraint):
    name = f"ocean.nc?{constraint}"
    ours = server.run("ncdump", server.url(name) + "#dap2").whole().out
    theirs = netcdf_c(server, name)
    if "SST[1:2]" in constraint:
        # netCDF-C keeps the lengths of the variables of the root, so that there are two of each dimension.
        assert "SST(TIME_1, Y, X_1)" in theirs and "float SST(TIME_1, Y, X_1)" in ours
    assert ours == theirs


@pytest.mark.parametrize("form", ["{}", "{}#dap2", "{}#mode=dap2", "{}#protocol=dap2", "[dap2]{}", "dods"])
def test_forms_of_urls(server, form):
    url = server.url("ocean.nc")
    name = url.replace("http://", "dods://") if form == "dods" else form.format(url)
    header = server.run("ncdump", "-h", name).whole().out
    assert header == netcdf_c(server, "ocean.nc", "-h")


def test_the_array_of_a_grid_alone(server):
    """pydap sends it as a structure, and netCDF-C calls it SST.SST then."""
    text = server.run("ncdump", server.url("ocean.nc?SST.SST[0:1:1][1][0:2:4]") + "#dap2").whole().out
    assert "float SST(TIME, Y, X) ;" in text and "5, 7, 9,\n  20, 22, 24 ;" in text


def test_maps_without_variables_of_their_own_are_variables(server):
    """netCDF-C leaves them out."""
    ours = server.run("ncdump", server.url("rain") + "#dap2").whole().out
    assert re.search(r"int x\(x\) ;\n\tint y\(y\)", ours) and " x = 0, 1, 2 ;" in ours
    assert "x(x)" not in netcdf_c(server, "rain")


def test_copies_have_the_values_of_the_server(server, tmp_path):
    out = tmp_path / "out.nc"
    server.run("nccopy", "-k", "nc4", "-d", "1", server.url("ocean.nc"), out).whole()
    with netCDF4.Dataset(out) as ours, netCDF4.Dataset(server.url("ocean.nc") + "#noprefetch") as theirs:
        assert list(ours.variables) == list(theirs.variables)
        for name, variable in theirs.variables.items():
            ours[name].set_auto_maskandscale(False), variable.set_auto_maskandscale(False)
            np.testing.assert_array_equal(ours[name][...], variable[...], err_msg=name)
            assert ours[name].dimensions == variable.dimensions and ours[name].ncattrs() == variable.ncattrs()
        values = ours["SST"][...]
    np.testing.assert_array_equal(values, np.arange(60, dtype="f4").reshape(4, 3, 5))


def test_only_the_cells_of_a_subset_are_asked_for(server, tmp_path):
    out = tmp_path / "out.nc"
    server.asked()
    server.run("nccopy", "-v", "v", "--isel", "t=3:5", "--isel", "x=10:20", server.url("large.nc") + "#dap2", out).whole()
    data = [line for line in server.asked() if ".dods" in line]
    assert data == ["/large.nc.dods?v[3:1:4][0:1:99][10:1:19]"]
    with netCDF4.Dataset(out) as copied:
        whole = np.arange(250 * 100 * 1000, dtype="f4").reshape(250, 100, 1000)
        np.testing.assert_array_equal(copied["v"][...], whole[3:5, :, 10:20])


@pytest.mark.parametrize(
    "parts, chosen, asked",
    [
        (["t=0:100:10", "x=::100"], np.s_[0:100:10, :, ::100], ["v[0:10:90][0:1:99][0:100:900]"]),
        (["t=3,7", "y=1:99:7", "x=5:50:5"], np.s_[3:8:4, 1:99:7, 5:50:5], ["v[3:4:7][1:7:92][5:5:45]"]),
    ],
)
def test_only_the_cells_of_a_stepped_subset_are_asked_for(server, tmp_path, parts, chosen, asked):
    out = tmp_path / "out.nc"
    server.asked()
    server.run("nccopy", "-v", "v", *[f"--isel={part}" for part in parts], server.url("large.nc") + "#dap2", out).whole()
    assert sorted(line for line in server.asked() if ".dods" in line) == [f"/large.nc.dods?{projection}" for projection in asked]
    with netCDF4.Dataset(out) as copied:
        np.testing.assert_array_equal(copied["v"][...], np.arange(250 * 100 * 1000, dtype="f4").reshape(250, 100, 1000)[chosen])


@pytest.mark.long
def test_a_long_variable_comes_in_several_requests(server, tmp_path):
    out = tmp_path / "out.nc"
    server.asked()
    server.run("nccopy", server.url("large.nc") + "#dap2", out, timeout=300).whole()
    data = [line for line in server.asked() if ".dods" in line]
    cells = [np.prod([int(last) - int(first) + 1 for first, last in re.findall(r"\[(\d+):1:(\d+)\]", line)]) for line in data]
    assert sum(cells) == 25_000_000 and 3 < len(cells) < 100 and max(cells) * 4 <= 32 << 20
    with netCDF4.Dataset(out) as copied:
        np.testing.assert_array_equal(copied["v"][...].ravel(), np.arange(25_000_000, dtype="f4"))


def test_values_that_their_type_cannot_hold_are_left_out(server):
    """pydap writes six digits of any number."""
    ours = server.run("ncdump", "-h", server.url("rounded") + "#dap2").whole()
    assert "valid_max" not in ours.out and re.search("attribute v:valid_max: left out: '4.29497e\\+09' is no UInt32", ours.error)
    assert re.search(r"v:valid_max = -?\d+ ;", netcdf_c(server, "rounded", "-h"))


def test_strings_that_are_too_long_are_refused(server):
    url = server.url("D1") + "#dap2"
    error = server.run("ncdump", url + "&stringlength=10").refused(r"#stringlength=36")
    assert "Drifters.instrument_id" in error
    assert "maxStrlen36 = 36" in server.run("ncdump", url + "&stringlength=36").whole().out


@pytest.mark.parametrize(
    "name, words",
    [
        ("html", "a web page"),
        ("htmldata", "a web page"),
        ("short", "ends before its data"),
        ("lies", "4294967295 elements"),
        ("error", "the server says: the disk is away"),
        ("refused", "not for you"),
        ("deep", "structures in each other"),
        ("long", "has more than"),
        ("gone", "404|no such"),
        ("other", "other variables than were asked for"),
        ("wide", "'9223372036854775808' is no length"),
        ("huge", "no such object|larger than|too large|too many"),
        ("vast", "ends before its data|elements"),
        ("endless", "the answer has more than 67108864 bytes"),
        ("encoded", "gzip"),
        ("away", "redirect"),
        ("round", "redirect"),
    ],
)
def test_wrong_answers_are_told(server, tmp_path, name, words):
    url, out = server.url(name) + "#dap2", tmp_path / "out.nc"
    server.run("ncdump", url).refused(words)
    server.run("nccopy", url, out).refused(words)
    assert list(tmp_path.iterdir()) == []


def test_an_answer_that_broke_off_is_asked_for_again(server):
    server.asked()
    assert " x = 0, 1, 2, 3 ;" in server.run("ncdump", server.url("flaky") + "#dap2").whole().out
    assert len([line for line in server.asked() if ".dods" in line]) == 2


@pytest.mark.long
def test_an_answer_that_breaks_off_each_time(server, tmp_path):
    server.run("nccopy", server.url("broken") + "#dap2", tmp_path / "out.nc", timeout=300).refused("tried")
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_none_is_told_as_before(server):
    server.run("ncdump", server.url("gone.nc")).refused("no such object")


def test_what_cannot_be_is_refused(server):
    url = server.url("ocean.nc")
    for name, words in [
        (url + "?no#dap2", "no such variable"),
        (url + "?I4[0]#dap2", "does not fit"),
        (url + "?SST&mean(SST)>3#dap2", "a function of the server"),
        (url + "#dap2&mode=zarr", "OPeNDAP and another"),
    ]:
        server.run("ncdump", "-h", name).refused(words)


@pytest.mark.parametrize("arguments", [("-h",), ()], ids=["header", "whole"])
def test_text_of_dap4_is_that_of_netcdf_c(server, arguments):
    ours = server.run("ncdump", *arguments, server.url("four.nc") + "#dap4").whole()
    # Version 4.9.0 leaves the escapes of XML as they are.
    assert ours.out == netcdf_c(server, "four.nc", *arguments).replace("&amp;", "&")
    assert ours.told() == []


@pytest.mark.parametrize("form", ["{}", "{}#mode=dap4", "{}#protocol=dap4", "[dap4]{}", "dap4"])
@pytest.mark.parametrize("name", FOURS)
def test_copies_of_dap4(server, tmp_path, form, name):
    url, out = server.url(name), tmp_path / "out.nc"
    server.run("nccopy", url.replace("http://", "dap4://") if form == "dap4" else form.format(url), out).whole()
    with netCDF4.Dataset(out) as copied:
        copied.set_auto_mask(False)
        np.testing.assert_array_equal(copied["x"][...], np.arange(5) * 10**12)
        np.testing.assert_array_equal(copied["f"][...], np.arange(15, dtype="f4").reshape(3, 5) / 4)
        assert copied["names"][...].tolist() == ["one", "a longer\ntext", "häß"]
        np.testing.assert_array_equal(copied["sky"][...], [0, 2, 127])
        np.testing.assert_array_equal(copied["g/d"][...], [0.5, 1e300, -2])
        np.testing.assert_array_equal(copied["g/h/w"][...], np.array([[1, 2, 3, 4]] * 3, "u8") + np.uint64(2**63))
        np.testing.assert_array_equal(copied["big"][...].ravel(), np.arange(40000.0))


def test_subsets_and_constraints_of_dap4(server, tmp_path):
    out = tmp_path / "out.nc"
    server.asked()
    server.run("nccopy", "-v", "f", "--isel", "x=1:3", server.url("four.nc") + "#dap4", out).whole()
    assert [line for line in server.asked() if ".dap?" in line] == ["/four.nc.dap?dap4.ce=/f[0:1:2][1:1:2]"]
    with netCDF4.Dataset(out) as copied:
        np.testing.assert_array_equal(copied["f"][...], (np.arange(15, dtype="f4").reshape(3, 5) / 4)[:, 1:3])
    server.run("nccopy", "-v", "f", "--isel", "x=1:5:3", server.url("four.nc") + "#dap4", out).whole()
    assert [line for line in server.asked() if ".dap?" in line] == ["/four.nc.dap?dap4.ce=/f[0:1:2][1:3:4]"]
    with netCDF4.Dataset(out) as copied:
        np.testing.assert_array_equal(copied["f"][...], (np.arange(15, dtype="f4").reshape(3, 5) / 4)[:, 1:5:3])
    text = server.run("ncdump", server.url("four.nc?dap4.ce=/f[0:2:2][4];/g") + "#dap4").whole().out
    assert "f(_Anonymous2, _Anonymous1)" in text and " f =\n  1,\n  3.5 ;" in text and "group: h" in text and "names" not in text


def test_an_answer_of_hyrax(server):
    """Stored by pydap's authors; it names maps that it does not have, for which netCDF-C gives up."""
    text = server.run("ncdump", server.url("coads_climatology.nc") + "#dap4").whole().out
    assert "float SST(_Anonymous1, _Anonymous4, _Anonymous4) ;" in text
    assert ':history = "FERRET V4.30 (debug/no GUI) 15-Aug-96"' in text
    assert "-0.9152963, -0.6742936, -0.5848657, -0.5782857" in text or "SST =" in text


@pytest.mark.parametrize(
    "name, words",
    [("wrongsum", "the checksum of the server's data is wrong"), ("cut4", "ends"), ("deep4", "in each other"), ("gone4", "404|no such")],
)
def test_wrong_answers_of_dap4_are_told(server, name, words):
    server.run("ncdump", server.url(name) + "#dap4").refused(words)


def test_structures_of_dap4(server, tmp_path):
    """netCDF-C has the same types. It loses its place behind a member that is an array, so that values are compared with the server's."""
    url, out = server.url("structures.nc") + "#dap4", tmp_path / "out.nc"
    assert server.run("ncdump", "-h", url).whole().out == netcdf_c(server, "structures.nc", "-h", fragment="#dap4")
    text = server.run("ncdump", url).whole()
    assert text.told() == [] and " s = {7, {1.5, -2}, {3, 200}} ;" in text.out and "   t = {1.25}, {2.5} ;" in text.out
    server.run("nccopy", "--isel", "n=1:4:2", url, out).whole()
    with netCDF4.Dataset(out) as copied:
        cells = [(n, list(m), tuple(inner)) for n, m, inner in copied["cells"][...].tolist()]
        assert cells == [(n, [n / 2, n * 3], (n, n + 1)) for n in (1, 3)]
        assert copied["g/t"][...].tolist() == [(1.25,), (2.5,)]


def test_types_that_are_not_read_are_told(server):
    ours = server.run("ncdump", "-h", server.url("structures4") + "#dap4").whole()
    assert "int i ;" in ours.out
    for kind in ("Structure /s", "Structure /e", "Sequence /q", "Opaque /o"):
        assert re.search(f"{kind}: left out", ours.error), kind
