"""An empty bucket of s3s-fs for each test, and the proxy in front of it."""

import pytest


@pytest.fixture
def store(store_of):
    store = store_of("s3s")
    store.clear()
    yield store
    store.clear()


@pytest.fixture
def proxy(proxy_of):
    return proxy_of("s3s")
