"""A server that is silent: the user is told which host is waited for, and can limit the wait."""

import http.server
import socket
import subprocess
import threading

import netCDF4
import pytest
from conftest import BIN


@pytest.fixture
def silent():
    """A listening socket whose connections nobody answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def url(server):
    return f"http://127.0.0.1:{server.getsockname()[1]}/a.nc#mode=bytes"


def dataset():
    made = netCDF4.Dataset("a", "w", memory=1, format="NETCDF3_CLASSIC")
    made.createDimension("x", 3)
    return bytes(made.close())


def handler(content):
    """Answers requests for ranges of `content`."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            first, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
            body = content[int(first):int(last or len(content)) + 1]
            self.send_response(206)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Range", f"bytes {first}-{int(first) + len(body) - 1}/{len(content)}")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


def test_the_host_is_named_and_the_answer_is_used_when_it_comes():
    """The server answers when it has seen the message, and no earlier: until then its requests lie in the backlog."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(dataset()))
    with server:
        process = subprocess.Popen([BIN / "ncdump", "-h", url(server.socket)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stderr.readline() == "ncdump: waiting for 127.0.0.1\n"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        out, err = process.communicate(timeout=60)
        server.shutdown()
    assert (process.returncode, err) == (0, "") and "x = 3" in out


@pytest.mark.parametrize("program", ["ncdump", "nccopy"])
def test_a_limit_of_the_wait(silent, program, tmp_path):
    output = [tmp_path / "o.nc"] if program == "nccopy" else []
    done = subprocess.run([BIN / program, "--timeout", "1", url(silent), *output], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "the server does not answer" in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith(f"{program}: ")
    assert not list(tmp_path.iterdir())


def test_a_quiet_copy_waits_without_a_word(silent, tmp_path):
    command = [BIN / "nccopy", "--quiet", "--timeout", "6", url(silent), tmp_path / "o.nc"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "waiting" not in done.stderr, done.stderr


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "86401"])
def test_limits_that_are_none(seconds):
    done = subprocess.run([BIN / "ncdump", f"--timeout={seconds}", "a.nc"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith(f"ncdump: --timeout '{seconds}': "), done.stderr
