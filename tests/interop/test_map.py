"""`ncdump --map`: a page that is well formed, loads nothing, takes no name for markup, and shows what h5py says of chunks."""

import html.parser
import json
import re
import shutil
import subprocess

import h5py
import netCDF4
import numpy as np
import pytest
from conftest import BIN, nccopy
from test_http_sources import Server

HOSTILE = ["<script>alert(1)<-script>", '"><img src=x onerror=alert(2)>', "'&amp;\u202e\x1b]]>-->", "x" * 200, "v;rm -rf ~"]
VOID = {"meta", "br"}


def dump(*arguments):
    command = [str(BIN / "ncdump"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def page_of(path, *options):
    done = dump("--map", *options, path)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Page(html.parser.HTMLParser):
    """Checks that tags are balanced, and keeps what a test asks for."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.text = [], [], [], {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes]

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> within {self.open}"

    def handle_data(self, data):
        self.text.setdefault(self.open[-1] if self.open else "", []).append(data)

    def values(self, name, tag=None):
        return [value for of, known, value in self.attributes if known == name and tag in (None, of)]


def check(text):
    page = Page(text)
    assert set(page.tags) <= set(
        "html head meta title style body svg defs pattern rect header h1 dl div dt dd main section h2 p ul li g text a path details summary "
        "span table thead tbody tr th td caption br code figure figcaption".split()
    ), set(page.tags)
    names = {name for _, name, _ in page.attributes}
    assert not [name for name in names if name.startswith("on") or name in ("src", "action", "srcset", "data")], names
    assert all(target.startswith("#v") for target in page.values("href"))
    ids = page.values("id")
    assert len(set(ids)) == len(ids) and {target[1:] for target in page.values("href")} <= set(ids)
    style = "".join(page.text["style"])
    assert "@import" not in style and re.findall(r"url\(([^)]*)\)", style) == ["#stripes"]
    assert "default-src 'none'" in page.values("content")[1]
    assert page.values("lang") == ["en"] and "prefers-color-scheme: dark" in style
    return page


def grid(path):
    rng = np.random.default_rng(2)
    with netCDF4.Dataset(path, "w") as dataset:
        for name, length in ("time", 40), ("lat", 24), ("lon", 36):
            dataset.createDimension(name, length)
        storage = dict(zlib=True, shuffle=True, chunksizes=(10, 12, 12))
        values = rng.random((40, 24, 36))
        values[10:20] = 7
        dataset.createVariable("noise", "f8", ("time", "lat", "lon"), **storage)[:] = values
        dataset.createGroup("a").createVariable("part", "f4", ("time", "lat", "lon"), **storage)[:20, :12] = np.round(rng.random((20, 12, 36)), 1)
        dataset.createVariable("whole", "f4", ("time", "lat", "lon"))[:] = np.round(rng.random((40, 24, 36)), 1)
        dataset.createVariable("time", "f8", ("time",))[:] = np.arange(40)
    return path


def test_the_page_is_well_formed_and_shows_chunks(tmp_path):
    path = grid(tmp_path / "in.nc")
    page = check(page_of(path))
    with h5py.File(path) as file:
        sizes = {(info := file["noise"].id.get_chunk_info(n)).chunk_offset: info.size for n in range(file["noise"].id.get_num_chunks())}
        part = file["a/part"].id.get_num_chunks()
    ratios = [10 * 12 * 12 * 8 / size for size in sizes.values()]
    noise, constant = sum(ratio < 1.25 for ratio in ratios), sum(ratio >= 100 for ratio in ratios)
    assert (len(ratios), constant, part) == (24, 6, 6)
    told = page.values("aria-label")
    assert f"Chunks: {noise} of noise (ratio below 1.25), 6 of fill or constant (ratio above 100)" in told, told
    assert any(label.startswith("Chunks: 6 ") and label.endswith(", 18 never written") for label in told), told
    assert page.values("class", "path").count("c-constant") == 1
    # Cells: one square for each chunk.
    squares = {tag: path.count("M") for tag, path in zip(page.values("class", "path"), page.values("d", "path"), strict=True)}
    assert squares["c-constant"] == 6 and squares["c-missing"] == 18
    assert page.text["h1"] == ["in.nc"] and any(label.startswith("noise: ") for label in told)


def cells(page, text):
    """The rows of the table of alternatives of a variable."""
    section = text.split(f'<span class="name">{page}</span>')[1].split("</details>")[0]
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", section, re.S)
    return [[re.sub(r"<.*?>", " ", cell).split() for cell in re.split(r"</t[hd]>", row)] for row in rows]


def test_readers_touch_as_many_chunks_as_there_are(tmp_path):
    text = page_of(grid(tmp_path / "in.nc"))
    present = cells("noise", text)[0]
    assert present[0] == ["As", "it", "is"] and present[4][:2] == ["6", "requests"] and present[5][:2] == ["4", "requests"]
    whole = cells("whole", text)[0]
    assert whole[4] == ["1", "request", "3.46", "kB"] and whole[5] == ["40", "requests", "160", "B"]


def test_blocks_of_an_archive_have_the_class_of_their_bytes(tmp_path):
    path, out = tmp_path / "in.nc", tmp_path / "out.nc6z"
    rng = np.random.default_rng(4)
    with netCDF4.Dataset(path, "w", format="NETCDF3_64BIT_OFFSET") as dataset:
        dataset.createDimension("x", 200_000)
        dataset.createVariable("noise", "f8", ("x",))[:] = rng.random(200_000).view("u8").view("f8")
        half = np.zeros(200_000, "i4")
        half[:100_000] = rng.integers(-(2**31), 2**31, 100_000)
        dataset.createVariable("half", "i4", ("x",))[:] = half
    nccopy("-k", "archive", "--block", "65536", path, out)
    text = page_of(out)
    check(text)
    shown = dict(re.findall(r'<figure>.*?aria-label="Chunks: ([^"]*)".*?<figcaption>(.*?)</figcaption>', text, re.S))
    # 1.6 MB and 800 kB in blocks of 64 KiB.
    noise, half = shown
    assert noise == "25 of noise (ratio below 1.25)" and "in the order of their numbers" in shown[noise]
    assert re.fullmatch(r"[67] of noise \(ratio below 1.25\), (1 with ratio [\d.]+ to [\d.]+, )?6 of fill or constant \(ratio above 100\)", half), half


def test_elements_of_variable_length_have_no_ratio(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("s", data=[f"text {n}" for n in range(3000)], dtype=h5py.string_dtype(), chunks=(100,), compression=4)
    text = page_of(path)
    told = check(text).values("aria-label")
    assert "Chunks: 30 with a ratio that is not known" in told, told
    assert re.search(r'<title>s: [^<]*</title><rect class="c-unknown"', text)


def test_samples_decode_no_more_than_they_may(tmp_path):
    """Chunks of 64 MiB of which two rows are there: 20 variables would take 5 GiB."""
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as file:
        for n in range(20):
            file.create_dataset(f"v{n}", (2, 16384), "f4", np.ones((2, 16384)), maxshape=(None, 16384), chunks=(1023, 16384), compression=1)
    text = page_of(path)
    check(text)
    # Four samples of one row take the 256 MiB. Zarr's sizes are those of the same chunks.
    sizes = len(re.findall(r"≈ \d", text)) - text.count("zarr3")
    assert (sizes, text.count("not sampled")) == (1, 39)


UNITS = {"B": 1, "kB": 1e3, "MB": 1e6}


@pytest.mark.parametrize("name", ["noise", "whole"])
def test_estimates_are_near_what_nccopy_makes(name, tmp_path):
    path, out = grid(tmp_path / "in.nc"), tmp_path / "out.nc"
    for row in cells(name, page_of(path))[1:]:
        command = " ".join(row[0])
        options = re.findall(r"nccopy (.*)", command)[0].replace("&#39;", "").split()
        target = tmp_path / "out.zarr" if "zarr3" in options else out
        nccopy(*options, path, target)
        made = json.loads(dump("--sizes", "--json", target).stdout)
        stored = next(one["stored"] for one in made["variables"] if one["name"] == name)
        estimate = float(row[3][1]) * UNITS[row[3][2]]
        assert estimate == pytest.approx(stored, rel=0.35), (command, row[3], stored)


def test_names_are_no_markup(tmp_path):
    path = tmp_path / "in.h5"
    with h5py.File(path, "w") as file:
        for n, name in enumerate(HOSTILE):
            file.create_dataset(name, data=np.random.default_rng(n).random((50, 20 + n, 20)), chunks=(10, 10, 10), compression=1)
        file.create_group("<style>*{display:none}").create_dataset("v", data=np.arange(20_000))
    page = check(page_of(path, "-n", "</title><script>alert(3)</script>"))
    assert page.text["title"][0] == "</title><script>alert(3)</script>: map of bytes"
    names = page.text["span"]
    for name in HOSTILE[:2] + HOSTILE[4:]:
        assert name in names, name
    assert "'&amp;\\u{202e}\\u{1b}]]>-->" in names
    assert "x" * 50 + "…" + "x" * 50 in names
    # A command is shown for names alone that a shell takes as they are.
    assert not [code for code in page.text["code"] if "alert" in code or "rm" in code]


def test_the_page_does_not_grow_with_chunks_or_variables(tmp_path):
    with netCDF4.Dataset(tmp_path / "chunks.nc", "w") as dataset:
        dataset.createDimension("t", None)
        dataset.createDimension("x", 100)
        dataset.createVariable("v", "f4", ("t", "x"), chunksizes=(1, 1))[:] = np.zeros((600, 100))
    with netCDF4.Dataset(tmp_path / "variables.nc", "w", format="NETCDF3_CLASSIC") as dataset:
        dataset.createDimension("x", 10)
        for n in range(3000):
            dataset.createVariable(f"v{n}", "f4", ("x",))
    for name, variables in ("chunks.nc", 1), ("variables.nc", 60):
        text = page_of(tmp_path / name)
        page = check(text)
        assert len(text) < 200_000 and page.tags.count("figure") <= 1 and page.tags.count("summary") == variables + 1
    assert "smaller variables" in text


@pytest.mark.parametrize("kind", ["nc3", "archive", "nczarr", "zarr3"])
def test_each_format_has_a_map(kind, tmp_path):
    source, out = tmp_path / "in.nc", tmp_path / ("out.zarr" if "zarr" in kind else "out.nc")
    with netCDF4.Dataset(source, "w", format="NETCDF3_CLASSIC") as dataset:
        dataset.createDimension("t", None)
        dataset.createDimension("x", 3000)
        dataset.createVariable("v", "f4", ("t", "x"))[:] = np.random.default_rng(1).random((20, 3000))
        dataset.createVariable("w", "i2", ("t", "x"))[:] = 5
    nccopy("-k", kind, source, out)
    page = check(page_of(out))
    assert any(label.startswith("v: ") for label in page.values("aria-label"))


def test_what_cannot_be_mapped_is_told(tmp_path):
    source, served = grid(tmp_path / "in.nc"), tmp_path / "served"
    served.mkdir()
    nccopy("-k", "zarr2", source, served / "in.zarr")
    far = dump("--map", Server(served).url("in.zarr#mode=zarr"))
    assert far.returncode == 1 and far.stdout == "" and "cannot be mapped: the store lists no keys" in far.stderr
    (tmp_path / "no.nc").write_bytes(b"GRIB" + bytes(100))
    other = dump("--map", tmp_path / "no.nc")
    assert other.returncode == 1 and other.stdout == "" and other.stderr.count("\n") == 1
    several = dump("--map", source, source)
    assert several.returncode == 1 and "name one input" in several.stderr


def chromium(page, *options, folder):
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", f"--user-data-dir={folder}"]
    done = subprocess.run([program, *flags, *options, page], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("scheme", [0, 1], ids=["dark", "light"])
@pytest.mark.parametrize("width", [420, 1200])
def test_a_browser_shows_it(width, scheme, tmp_path):
    path = tmp_path / "map.html"
    text = page_of(grid(tmp_path / "in.nc"))
    # What a browser lays out, told by a script of the test's own.
    probe = """<script>
      const wide = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
      const links = [...document.querySelectorAll('.treemap a')];
      links[0].focus();
      const focused = document.activeElement === links[0];
      const areas = links.map(link => { const box = link.getBoundingClientRect(); return box.width * box.height; });
      const back = getComputedStyle(document.body).backgroundColor;
      const closed = [...document.querySelectorAll('details')].filter(one => !one.open).length;
      document.title = JSON.stringify({wide, focused, areas, back, closed, links: links.length});
    </script></body>"""
    path.write_text(re.sub(r"<meta http-equiv=[^>]*>", "", text).replace("</body>", probe))
    shown = chromium(f"file://{path}", "--dump-dom", f"--window-size={width},900", f"--blink-settings=preferredColorScheme={scheme}", folder=tmp_path / "home")
    found = json.loads(re.search(r"<title>(.*?)</title>", shown).group(1).replace("&quot;", '"'))
    assert found["wide"], "the page is not wider than the screen"
    assert found["focused"] and found["links"] >= 3
    assert found["areas"] == sorted(found["areas"], reverse=True)
    assert found["back"] == ("rgb(20, 24, 29)" if scheme == 0 else "rgb(255, 255, 255)")


@pytest.mark.long
def test_a_link_opens_its_variable(tmp_path):
    path = tmp_path / "map.html"
    path.write_text(page_of(grid(tmp_path / "in.nc")))
    shown = chromium(f"file://{path}#v3", "--dump-dom", folder=tmp_path / "home")
    fourth = shown.split('<div id="v3"')[0].rsplit("<details", 1)[1]
    assert fourth.startswith(' open=""'), fourth[:100]
    assert '<div id="v3"' in path.read_text().split("<details>")[-1]
