"""Server programs of the remote tests: where they are, and processes that end with the tests.

`cargo xtask interop` builds `remote_server` (tests/servers), and installs moto, Azurite, s3fs and obstore below `target/interop`.
nginx is Debian's. A server that cannot be installed skips its tests, with the reason.
"""

import json
import os
import pathlib
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import pytest

TARGET = pathlib.Path(__file__).parent.parent.parent / "target"
INSTALLED = pathlib.Path(os.environ.get("NCUTILS_INTEROP", TARGET / "interop")).resolve()
SERVERS = pathlib.Path(os.environ.get("NCUTILS_SERVERS", TARGET / "servers" / "debug")).resolve()
MOTO = INSTALLED / "moto"
AZURITE = INSTALLED / "azurite"
# s3fs and obstore.
CLIENTS = INSTALLED / "remote"

# Requests to servers of this machine go there, whatever proxy the surroundings name.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))

needs_clients = pytest.mark.skipif(not CLIENTS.is_dir(), reason=f"s3fs and obstore are not installed: {CLIENTS} is not there")


class Program:
    """A server in a process of its own, which `end` ends."""

    def __init__(self, command, **options):
        # What a server says must not fill a pipe.
        self.output = tempfile.TemporaryFile()
        options = {"stdin": subprocess.PIPE, "stdout": self.output, "stderr": self.output, **options}
        self.process = subprocess.Popen([str(word) for word in command], **options)

    def end(self):
        self.process.stdin.close()
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.output.close()

    def said(self):
        self.output.seek(0)
        return self.output.read().decode(errors="replace")[-2000:]

    def wait_for(self, url, seconds=30):
        """Waits until the server answers, with whatever status."""
        until = time.monotonic() + seconds
        while True:
            try:
                OPENER.open(url, timeout=5).close()
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                assert self.process.poll() is None, self.said()
                assert time.monotonic() < until, f"{url} does not answer: {self.said()}"
                time.sleep(0.02)


class RemoteServer(Program):
    """A server of tests/servers. `ports` is what it prints."""

    def __init__(self, *arguments):
        program = SERVERS / "remote_server"
        assert program.exists(), f"{program} is not built; `cargo xtask interop` builds it"
        super().__init__([program, *arguments], stdout=subprocess.PIPE)
        ready, _, _ = select.select([self.process.stdout], [], [], 30)
        line = self.process.stdout.readline() if ready else b""
        assert line, f"{program} {arguments}: {self.said()}"
        self.ports = json.loads(line)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def moto():
    """moto's server and its port, or a skip."""
    if not MOTO.is_dir():
        pytest.skip(f"moto is not installed: {MOTO} is not there")
    port = free_port()
    code = "import sys; from moto.server import main; main(sys.argv[1:])"
    command = [sys.executable, "-W", "ignore", "-c", code, "-H", "127.0.0.1", "-p", port]
    program = Program(command, env={**os.environ, "PYTHONPATH": str(MOTO)})
    program.wait_for(f"http://127.0.0.1:{port}/moto-api/")
    return program, port


def azurite():
    """Azurite's blob service and its port, or a skip."""
    script = AZURITE / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
    missing = AZURITE / "missing"
    if not script.exists():
        pytest.skip(missing.read_text() if missing.exists() else f"Azurite is not installed: {script} is not there")
    port = free_port()
    program = Program(
        [
            "node", script, "--blobHost", "127.0.0.1", "--blobPort", port, "--inMemoryPersistence", "--skipApiVersionCheck",
            "--disableTelemetry", "--silent",
        ],
        cwd=AZURITE,
    )
    program.wait_for(f"http://127.0.0.1:{port}/")
    return program, port


NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    types {{ application/octet-stream nc zip; }}
    default_type application/octet-stream;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        listen 127.0.0.1:{tls} ssl;
        ssl_certificate {folder}/certificate.pem;
        ssl_certificate_key {folder}/key.pem;
        root {root};
        location /plain/ {{ alias {root}/; }}
        location /whole/ {{ alias {root}/; max_ranges 0; }}
        location /packed/ {{ alias {root}/; gzip on; gzip_min_length 1; gzip_types *; }}
        location /moved/ {{ rewrite ^/moved/(.*)$ /plain/$1 redirect; }}
        location /to-http/ {{ rewrite ^/to-http/(.*)$ http://127.0.0.1:{port}/plain/$1 redirect; }}
        location /to-https/ {{ rewrite ^/to-https/(.*)$ https://127.0.0.1:{tls}/plain/$1 redirect; }}
        location /around/ {{ rewrite ^/around/(.*)$ /around/$1 redirect; }}
        location /login/ {{ alias {root}/; auth_basic "data"; auth_basic_user_file {folder}/users; }}
    }}
}}
"""


def nginx(folder, root, login=None):
    """nginx on a folder, its port, and its port for TLS, whose certificate is `certificate.pem` in `folder`. Or a skip.

    `login` is a user and a password of `/login/`. The certificate says of itself that it is an authority's, as openssl makes
    it where nothing else is said.
    """
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    openssl = shutil.which("openssl")
    if program is None or openssl is None:
        pytest.skip("nginx or openssl is not installed")
    subprocess.run(
        [
            openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
            "-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem"),
        ],
        check=True, capture_output=True,
    )
    user, password = login or ("nobody", "none")
    (folder / "users").write_text(f"{user}:{{PLAIN}}{password}\n")
    port, tls = free_port(), free_port()
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, root=root, port=port, tls=tls))
    # Workers of root become another user, who must reach the files.
    started = Program([program, "-p", folder, "-c", folder / "nginx.conf", "-g", "user root;" if os.geteuid() == 0 else ""])
    started.wait_for(f"http://127.0.0.1:{port}/")
    return started, port, tls
