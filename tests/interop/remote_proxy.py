"""The proxy of tests/servers: latency, faults and counts between a client and a server."""

import http.client
import json
import os
import select
import urllib.request

from remote_programs import OPENER, RemoteServer


class Proxy(RemoteServer):
    """A proxy in front of a port of this machine."""

    def __init__(self, port):
        super().__init__("proxy", f"127.0.0.1:{port}")
        self.port = self.ports["port"]
        self.control = f"http://127.0.0.1:{self.ports['control']}"

    def set(self, *faults, **settings):
        """Sets latency (`latency_ms`), bandwidth (`bytes_per_second`) and faults, and begins to count anew."""
        text = json.dumps({**settings, "faults": list(faults)}).encode()
        OPENER.open(urllib.request.Request(f"{self.control}/settings", text, method="PUT"), timeout=10).close()

    def counts(self):
        return self._get("counts")

    def until_fault(self, process, seconds=60):
        """Waits until a fault was made. Returns the counts, or None if the process ended before."""
        connection = http.client.HTTPConnection("127.0.0.1", self.ports["control"], timeout=seconds)
        ended = os.pidfd_open(process.pid)
        try:
            connection.request("GET", "/faults")
            ready, _, _ = select.select([connection.sock, ended], [], [], seconds)
            assert ready, f"no fault was made in {seconds} s: {self.log()}"
            return json.load(connection.getresponse()) if connection.sock in ready else None
        finally:
            os.close(ended)
            connection.close()

    def log(self):
        """Each request: number, method, path, range, names of headers, status, fault."""
        return self._get("log")

    def _get(self, what):
        with OPENER.open(f"{self.control}/{what}", timeout=10) as answer:
            return json.load(answer)


def fault(kind, *, at=(), start=None, rate=0.0, seed=0, method=None, contains=None, ranges_only=False, **details):
    """A fault for `Proxy.set`: at requests of these numbers, at all from `start`, or at a share of all."""
    made = {"fault": {"kind": kind, **details}, "at": list(at), "rate": rate, "seed": seed, "ranges_only": ranges_only}
    return {**made, "from": start, "method": method, "contains": contains}
