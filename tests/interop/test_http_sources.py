"""HDF5 files on a plain web server whose data lies in files beside them: read as from a local folder, and nothing but "not found" is a missing source."""

import http.server
import threading

import h5py
import numpy as np
import pytest
from remote_run import run
from remote_stores import surroundings

NAME = "a b#+%.h5"


class Server:
    """A folder on loopback, without ranges. `answers` has a status, or a URL to go to, for some paths."""

    def __init__(self, folder):
        self.folder, self.answers, self.paths = folder, {}, []
        server = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=folder)

            def do_GET(self):
                server.paths.append(self.path)
                answer = server.answers.get(self.path)
                if isinstance(answer, int):
                    return self.send_error(answer)
                if answer:
                    self.send_response(302)
                    self.send_header("Location", answer)
                    return self.end_headers()
                return super().do_GET()

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.http.server_port}/{path}"


@pytest.fixture
def server(tmp_path):
    """`day/v.h5` with sources beside it, below it, of an absolute name, missing, and above it; a link; raw data."""
    folder = tmp_path / "served"
    (folder / "day" / "sub").mkdir(parents=True)
    for n, name in enumerate([f"day/{NAME}", "day/sub/b.h5", "day/moved.h5", "above.h5"]):
        with h5py.File(folder / name, "w") as f:
            f["d"] = np.arange(4, dtype="i4") + 10 * n
    names = [NAME.replace("%", "%%"), "sub/b.h5", "/data/of/another/moved.h5", "gone.h5"]
    with h5py.File(folder / "day" / "v.h5", "w", libver="latest") as f:
        layout = h5py.VirtualLayout((16,), "i4")
        for n, name in enumerate(names):
            layout[4 * n : 4 * n + 4] = h5py.VirtualSource(name, "d", (4,))
        f.create_virtual_dataset("v", layout, fillvalue=-5)
        for name, file in [("up", "../above.h5"), ("local", "/etc/passwd")]:
            layout = h5py.VirtualLayout((4,), "i4")
            layout[:] = h5py.VirtualSource(file, "d", (4,))
            f.create_virtual_dataset(name, layout)
        f["link"] = h5py.ExternalLink(NAME, "d")
        f.create_dataset("raw", (4,), "i4", external=[("raw.bin", 0, 16)])
    (folder / "day" / "raw.bin").write_bytes(np.arange(4, dtype="i4").tobytes())
    made = Server(folder)
    yield made
    made.http.shutdown()
    made.http.server_close()


@pytest.fixture
def environment(remote_home):
    return surroundings(remote_home)


def test_files_beside_the_url_are_found(server, environment):
    url = server.url("day/v.h5")
    remote = run("ncdump", "-v", "v,link,raw", url, environment=environment).whole()
    local = run("ncdump", "-v", "v,link,raw", server.folder / "day" / "v.h5", environment=environment).whole()
    assert remote.out == local.out and " v = 0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, -5, -5, -5, -5 ;" in remote.out
    assert [line for line in remote.told() if "1 of 4 sources is missing, the first d in gone.h5" in line]
    run("ncdump", "-v", "v", "--require-sources", url, environment=environment).refused("gone.h5: it does not exist")
    listed = run("ncdump", "--sources", url, environment=environment).whole().out
    assert f"v: virtual source {NAME}: {NAME}\n" in listed and "gone.h5: does not exist\n" in listed
    assert "/day/a%20b%23%2B%25.h5" in server.paths


def test_nothing_above_the_urls_folder_is_asked_for(server, environment):
    url = server.url("day/v.h5")
    run("ncdump", "-v", "up", url, environment=environment).refused("above.h5: the file is outside of the input's folder")
    run("ncdump", "-v", "local", url, environment=environment).refused("/etc/passwd: the file is outside of the input's folder")
    assert "/above.h5" not in server.paths


@pytest.mark.parametrize("file", ["a%20b%23%2B%25.h5", "sub/b.h5", "raw.bin"])
@pytest.mark.parametrize("status", [400, 403])
def test_a_server_that_does_not_answer_is_no_missing_source(server, environment, tmp_path, file, status):
    server.answers[f"/day/{file}"] = status
    outcome = run("nccopy", "-V", "v,raw", server.url("day/v.h5"), tmp_path / "copy.nc", environment=environment)
    assert outcome.code == 1 and str(status) in outcome.error, outcome.told()
    assert not (tmp_path / "copy.nc").exists()


def test_a_url_with_a_query_has_nothing_beside_it(server, environment):
    url = server.url("day/v.h5?key=secret")
    run("ncdump", "-v", "v", url, environment=environment).refused("it is not known what lies beside the input")
    assert {path.partition("?")[0] for path in server.paths} == {"/day/v.h5"}
