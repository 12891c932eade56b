"""Servers of the remote tests, each started once, when a test first asks for it. Each test gets a store that is empty."""

import secrets

import pytest
from remote_programs import nginx
from remote_proxy import Proxy
from remote_stores import STORES


@pytest.fixture(scope="session")
def remote_home(tmp_path_factory):
    """A home without files of settings."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def store_of(tmp_path_factory, remote_home):
    """The store of a name of `STORES`, running, with an empty bucket."""
    started = {}

    def of(name):
        if name not in STORES:
            pytest.skip(f"the tests of remote stores that are asked for have no {name}")
        if name not in started:
            started[name] = STORES[name](tmp_path_factory.mktemp(name), remote_home)
        return started[name]

    yield of
    for store in started.values():
        store.program.end()


@pytest.fixture(scope="session")
def proxy_of(store_of):
    """The proxy in front of the store of a name, with nothing set."""
    started = {}

    def of(name):
        if name not in started:
            started[name] = Proxy(store_of(name).port)
        started[name].set()
        return started[name]

    yield of
    for proxy in started.values():
        proxy.end()


@pytest.fixture
def store(request, store_of):
    """A store with an empty bucket: s3s-fs, or the store that an indirect parameter names."""
    store = store_of(getattr(request, "param", "s3s"))
    store.clear()
    yield store
    store.clear()


@pytest.fixture
def proxy(store, proxy_of):
    """The proxy in front of the store of the test, with nothing set."""
    return proxy_of(store.name)


class Files:
    """nginx on the folder `root`. `url` names files in it, in ways that `remote_programs.NGINX` lists: `plain`, `whole`, …"""

    def __init__(self, folder):
        self.folder, self.root = folder, folder / "root"
        self.root.mkdir()
        self.login = ("reader", secrets.token_urlsafe(20))
        self.program, self.port, self.tls = nginx(folder, self.root, self.login)
        self.certificate = folder / "certificate.pem"

    def url(self, name, mode=None, way="plain", tls=False, port=None):
        address = f"https://127.0.0.1:{self.tls}" if tls else f"http://127.0.0.1:{port or self.port}"
        return f"{address}/{way}/{name}" + (f"#mode={mode}" if mode else "")


@pytest.fixture(scope="session")
def files_server(tmp_path_factory):
    files = Files(tmp_path_factory.mktemp("nginx"))
    yield files
    files.program.end()


@pytest.fixture(scope="session")
def files_proxy(files_server):
    proxy = Proxy(files_server.port)
    yield proxy
    proxy.end()
