"""A server of OPeNDAP for the tests: datasets by pydap, and answers that are wrong on purpose.

    PYTHONPATH=target/interop/dap python dap_server.py LOG

Prints its port. Writes a line to LOG for each request.
"""

import base64
import gzip
import itertools
import pathlib
import re
import socketserver
import struct
import sys
import urllib.parse
import wsgiref.simple_server
import zlib

import numpy as np
import pydap.tests.datasets
from pydap.handlers.lib import BaseHandler
from pydap.model import BaseType, DatasetType, GridType, StructureType
from pydap.wsgi.ssf import ServerSideFunctions


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class Handler(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *_):
        pass


def grid(name, values, maps, **attributes):
    made = GridType(name, attributes)
    made[name] = BaseType(name, data=values, dims=list(maps), **attributes)
    for dim, coordinates in maps.items():
        made[dim] = BaseType(dim, data=coordinates, dims=[dim])
    return made


def ocean(times=4, ys=3, xs=5):
    """Grids whose maps are variables of the root, numbers of all types, text, dimensions without names."""
    made = DatasetType("ocean", title='a title\\n, in "two" lines'.replace('"', "'"), NC_GLOBAL={"history": "once", "n": 3})
    made.attributes["DODS_EXTRA"] = {"Unlimited_Dimension": "TIME"}
    maps = {"TIME": np.arange(times) * 1.5, "Y": np.arange(ys, dtype="f4"), "X": np.arange(xs, dtype="i2")}
    values = np.arange(times * ys * xs, dtype="f4").reshape(times, ys, xs)
    made["SST"] = grid("SST", values, maps, long_name="sea surface", _FillValue=np.float32(-1e34), range=np.array([1, 2.5], "f4"))
    made["FLAG"] = grid("FLAG", (values[0] % 250).astype("u1"), {"Y": maps["Y"], "X": maps["X"]}, flag=np.uint8(7))
    for dim, coordinates in maps.items():
        made[dim] = BaseType(dim, data=coordinates, dims=[dim], units=f"of {dim}")
    made["U2"] = BaseType("U2", data=np.arange(3, dtype="u2") + 65530, dims=["Y"], _FillValue=np.uint16(65535))
    made["U4"] = BaseType("U4", data=np.arange(3, dtype="u4") + 4294967290, dims=["Y"], valid_max=np.uint32(100000))
    made["I2"] = BaseType("I2", data=np.array(-3, dtype="i2"))
    made["I4"] = BaseType("I4", data=np.array(7, dtype="i4"))
    made["unnamed"] = BaseType("unnamed", data=np.arange(4.0).reshape(2, 2))
    made["names"] = BaseType("names", data=np.array(["one", "two", "longer text"]), dims=["Y"])
    made["said"] = BaseType("said", data=np.array("a scalar"))
    return made


def structures():
    made = DatasetType("structures")
    made["a"] = StructureType("a", {"k": "v"})
    made["a"]["x"] = BaseType("x", data=np.arange(3), dims=["n"], units="m")
    made["a"]["b"] = StructureType("b")
    made["a"]["b"]["y"] = BaseType("y", data=np.float64(3.5))
    return made


def rounded():
    made = DatasetType("rounded")
    made["v"] = BaseType("v", data=np.array(1, dtype="u4"), valid_max=np.uint32(4294967295))
    return made


def large(name="large", times=250):
    """100 MB, each value its number."""
    made = DatasetType(name)
    values = np.arange(times * 100 * 1000, dtype="f4").reshape(times, 100, 1000)
    made["v"] = BaseType("v", data=values, dims=["t", "y", "x"])
    return made


DATASETS = {name: made for name, made in vars(pydap.tests.datasets).items() if isinstance(made, DatasetType)}
DATASETS |= {"ocean": ocean(), "structures": structures(), "large": large(), "rounded": rounded()}

DDS = b"Dataset {\n    Int32 x[n = 4];\n} d;\n"
GOOD = b"\nData:\n" + np.array([4, 4, 0, 1, 2, 3], ">i4").tobytes()

# Answers by name and suffix: status, type, body. A body that is longer than told, or shorter, breaks off.
WRONG = {
    ("html", "dds"): ("200 OK", "text/html", b"<!DOCTYPE html><html><body>Please log in</body></html>"),
    ("htmldata", "dds"): ("200 OK", "text/plain", DDS),
    ("htmldata", "dods"): ("200 OK", "text/html", b"<html>no</html>"),
    ("short", "dds"): ("200 OK", "text/plain", DDS),
    ("short", "dods"): ("200 OK", "application/octet-stream", DDS + GOOD[:-4]),
    ("lies", "dds"): ("200 OK", "text/plain", DDS),
    ("lies", "dods"): ("200 OK", "application/octet-stream", DDS + b"\nData:\n" + b"\xff" * 24),
    ("error", "dds"): ("200 OK", "text/plain", DDS),
    ("error", "dods"): ("200 OK", "text/plain", b'Error {\n    code = 3;\n    message = "the disk is away";\n};\n'),
    ("refused", "dds"): ("400 Bad", "text/plain", b'Error {\n    code = 3;\n    message = "not for you";\n};\n'),
    ("deep", "dds"): ("200 OK", "text/plain", b"Dataset {" + b"Structure {" * 100000),
    ("long", "dds"): ("200 OK", "text/plain", DDS),
    ("long", "dods"): ("200 OK", "application/octet-stream", DDS + GOOD + bytes(8 << 20)),
    ("broken", "dds"): ("200 OK", "text/plain", DDS),
    ("flaky", "dds"): ("200 OK", "text/plain", DDS),
    ("flaky", "dods"): ("200 OK", "application/octet-stream", DDS + GOOD),
    ("other", "dds"): ("200 OK", "text/plain", DDS),
    ("other", "dods"): ("200 OK", "application/octet-stream", DDS.replace(b" x", b" y") + GOOD),
    ("wide", "dds"): ("200 OK", "text/plain", DDS.replace(b"4", b"9223372036854775808")),
    ("huge", "dds"): ("200 OK", "text/plain", DDS.replace(b"[n = 4]", b"[a = 4294967295][b = 4294967295][c = 4294967295]")),
    ("vast", "dds"): ("200 OK", "text/plain", DDS.replace(b"4", b"4294967295")),
    ("vast", "dods"): ("200 OK", "application/octet-stream", DDS.replace(b"4", b"4294967295") + b"\nData:\n" + b"\xff" * 24),
    ("encoded", "dds"): ("200 OK", "text/plain", DDS),
    ("encoded", "dods"): ("200 OK", "application/octet-stream", gzip.compress(DDS + GOOD)),
}
# Nested sequences, which pydap does not send.
NESTED = b"""Dataset {
    Int32 i;
    Sequence {
        Int32 a;
        Structure { Int16 c; } s;
        Sequence { Int32 b; } inner;
        String t;
    } outer;
    Structure { Sequence { Int32 b; } far; Int32 k; } held;
    Structure { Sequence { Int32 b; } far; Int32 k; } several[2];
} d;
"""
NESTED_FIELDS = {
    "i": ("Int32 i;", ">i 7"),
    "outer.a": ("Sequence { Int32 a; } outer;", "rows 1 2 3"),
    "outer.s.c": ("Sequence { Structure { Int16 c; } s; } outer;", "rows 4 5 6"),
    "outer.t": ("Sequence { String t; } outer;", "texts"),
    "held.far.b": ("Structure { Sequence { Int32 b; } far; } held;", "rows 9"),
    "held.k": ("Structure { Int32 k; } held;", ">i 8"),
    "several.k": ("Structure { Int32 k; } several[2];", ">i 2 5 6"),
}


def nested(constraint):
    """The answer for one or more fields of NESTED."""
    rows, end = 0x5A000000, 0xA5000000
    description, data = "", b""
    for field in constraint.split(","):
        declared, values = NESTED_FIELDS[re.sub(r"\[[^]]*\]", "", field)]
        description += declared
        if values == "texts":
            data += b"".join(struct.pack(">II4s", rows, 2, text) for text in (b"ab", b"cd", b"ef")) + struct.pack(">I", end)
        elif values.startswith("rows"):
            data += b"".join(struct.pack(">II", rows, int(value)) for value in values.split()[1:]) + struct.pack(">I", end)
        else:
            data += b"".join(struct.pack(">I", int(value)) for value in values.split()[1:])
    return f"Dataset {{ {description} }} d;\nData:\n".encode() + data


LOGIN = "Basic " + base64.b64encode(b"someone:a-password").decode()
TRIED = set()


class Dap4:
    """A dataset of DAP4: the DMR of its groups, and arrays by their paths. pydap has no answers with data of this version."""

    def __init__(self, variables, body):
        self.variables, self.body = variables, body

    def dmr(self, body=None):
        space = 'xmlns="http://xml.opendap.org/ns/DAP/4.0#" dapVersion="4.0" dmrVersion="1.0"'
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<Dataset name="four.nc" {space}>{body or self.body}</Dataset>'.encode()

    def dap(self, constraint, checksums=True):
        asked = [part for part in constraint.split(";") if part] or list(self.variables)
        data, dmr = b"", self.dmr()
        for part in asked:
            path, slices = re.match(r"([^[]*)(.*)", part).groups()
            values = self.variables[path]
            if slices:
                cuts = [tuple(map(int, cut.split(":"))) for cut in re.findall(r"\[([^]]*)\]", slices)]
                values = values[tuple(slice(first, last + 1, step) for first, step, last in cuts)]
            if values.dtype.kind == "O":
                own = b"".join(len(text.encode()).to_bytes(8, "little") + text.encode() for text in values.ravel())
            else:
                own = values.astype(values.dtype.newbyteorder("<")).tobytes()
            data += own + (zlib.crc32(own).to_bytes(4, "little") if checksums else b"")
        # Chunks of any length.
        pieces = [data[at : at + 1000] for at in range(0, len(data), 1000)]
        chunks = [(4, dmr), *((4, piece) for piece in pieces), (5, b"")]
        return b"".join(bytes([flags]) + len(body).to_bytes(3, "big") + body for flags, body in chunks)


def text(*words):
    return np.array(words, dtype=object)


FOUR = Dap4(
    {
        "/x": np.arange(5, dtype="i8") * 10**12,
        "/u": np.array([0, 200, 255], "u1"),
        "/f": np.arange(15, dtype="f4").reshape(3, 5) / 4,
        "/names": text("one", "a longer\ntext", "häß"),
        "/sky": np.array([0, 2, 127], "u1"),
        "/s": np.array(-1, "i2"),
        "/big": np.arange(40000, dtype="f8").reshape(200, 200),
        "/g/d": np.array([0.5, 1e300, -2]),
        "/g/h/w": np.array([[1, 2, 3, 4]] * 3, "u8") + 2**63,
    },
    """
    <Dimension name="x" size="5"/><Dimension name="y" size="3"/><Dimension name="t" size="200"/>
    <Enumeration name="cloud" basetype="UInt8">
      <EnumConst name="Clear" value="0"/><EnumConst name="Stratus" value="2"/><EnumConst name="Missing" value="127"/>
    </Enumeration>
    <Int64 name="x"><Dim name="/x"/><Attribute name="units" type="String"><Value>m &amp; km</Value></Attribute></Int64>
    <UInt8 name="u"><Dim name="/y"/><Attribute name="range" type="UInt8"><Value>0</Value><Value>255</Value></Attribute></UInt8>
    <Float32 name="f"><Dim name="/y"/><Dim name="/x"/><Attribute name="missing" type="Int16"><Value>-99</Value></Attribute></Float32>
    <String name="names"><Dim name="/y"/></String>
    <Enum name="sky" enum="/cloud"><Dim name="/y"/></Enum>
    <Int16 name="s"/>
    <Float64 name="big"><Dim name="/t"/><Dim name="/t"/></Float64>
    <Attribute name="title" type="String"><Value>four</Value></Attribute>
    <Attribute name="numbers" type="Float64"><Value>1.5</Value><Value>-2e-300</Value></Attribute>
    <Group name="g">
      <Dimension name="z" size="4"/>
      <Float64 name="d"><Dim name="/y"/></Float64>
      <Attribute name="of" type="Int32"><Value>-7</Value></Attribute>
      <Group name="h"><UInt64 name="w"><Dim name="/y"/><Dim name="/g/z"/></UInt64></Group>
    </Group>""",
)
CELL = np.dtype([("a", "i4"), ("m", "f8", (2,)), ("in", [("b", "i2"), ("c", "u1")])])
STRUCTURES = Dap4(
    {
        "/s": np.array((7, (1.5, -2), (3, 200)), CELL),
        "/cells": np.array([(n, (n / 2, n * 3), (n, n + 1)) for n in range(4)], CELL),
        "/i": np.array(5, "i4"),
        "/g/t": np.array([(1.25,), (2.5,)], np.dtype([("x", "f4")])),
    },
    """
    <Dimension name="n" size="4"/><Dimension name="two" size="2"/>
    <Structure name="s"><Int32 name="a"/><Float64 name="m"><Dim size="2"/></Float64>
      <Structure name="in"><Int16 name="b"/><UInt8 name="c"/></Structure></Structure>
    <Structure name="cells"><Int32 name="n"/><Float64 name="m"><Dim name="/two"/></Float64>
      <Structure name="in"><Int16 name="d"/><UInt8 name="e"/></Structure><Dim name="/n"/></Structure>
    <Int32 name="i"><Attribute name="units" type="String"><Value>m</Value></Attribute></Int32>
    <Group name="g"><Structure name="t"><Float32 name="x"/><Dim name="/two"/></Structure></Group>""",
)
FOURS = {"four", "plain", "structures", "wrongsum", "cut4", "structures4", "deep4"}
STORED = pathlib.Path(pydap.tests.datasets.__file__).parent / "data" / "daps"


def answer4(name, suffix, constraint):
    """An answer of DAP4: of FOUR, of FOUR as other servers send it, or one that was stored from a server."""
    if name in ("four", "plain", "wrongsum", "cut4"):
        if suffix == "dmr.xml":
            return FOUR.dmr()
        body = FOUR.dap(constraint, checksums=name != "plain")
        if name == "wrongsum":
            return body[:-6] + bytes([body[-6] ^ 1]) + body[-5:]
        return body[:-5] if name == "cut4" else body
    if name == "structures":
        return STRUCTURES.dmr() if suffix == "dmr.xml" else STRUCTURES.dap(constraint)
    if name == "structures4":
        odd = '<Structure name="s"><String name="a"/></Structure><Structure name="e"/><Opaque name="o"/>'
        return FOUR.dmr(odd + '<Sequence name="q"><Int32 name="a"/></Sequence><Int32 name="i"/>')
    if name == "deep4":
        return FOUR.dmr("<Group>" * 100000)
    stored = (STORED / f"{name}.nc.dap").read_bytes()
    return stored[4 : 4 + int.from_bytes(stored[1:4], "big")] if suffix == "dmr.xml" else stored


def application(log):
    def answer(environ, start):
        path, query = environ["PATH_INFO"], environ.get("QUERY_STRING", "")
        log.write(f"{path}?{urllib.parse.unquote(query)}\n")
        log.flush()
        name, _, suffix = path.rpartition("/")[2].removesuffix(".xml").rpartition(".")
        suffix += ".xml" * path.endswith(".xml")
        name = name.removesuffix(".nc")
        if path.startswith("/locked/") and environ.get("HTTP_AUTHORIZATION") != LOGIN:
            start("401 Unauthorized", [("Content-Type", "text/html"), ("WWW-Authenticate", 'Basic realm="data"')])
            return [b"<html>who are you?</html>"]
        if name in ("away", "round"):
            to = "file:///etc/passwd" if name == "away" else path
            start("302 Found", [("Location", to)])
            return [b""]
        if name == "endless" and suffix == "dds":
            start("200 OK", [("Content-Type", "text/plain")])
            return itertools.chain([b"Dataset {"], itertools.repeat(b"Int32 x[n = 4];\n" * 10000))
        if name == "nested":
            start("200 OK", [("Content-Type", "application/octet-stream")])
            fixed = {"dds": NESTED, "das": b"Attributes {\n}\n"}
            return [fixed[suffix] if suffix in fixed else nested(urllib.parse.unquote(query))]
        if name == "encoded" and suffix == "dods":
            start("200 OK", [("Content-Encoding", "gzip")])
            return [WRONG[name, suffix][2]]
        if suffix == "dods" and (name == "broken" or name == "flaky" and name not in TRIED):
            # The end of the answer never comes; that of the flaky one comes when it is asked again.
            TRIED.add(name)
            start("200 OK", [("Content-Type", "application/octet-stream"), ("Content-Length", "1000")])
            return [DDS + GOOD]
        if any(name == wrong for wrong, _ in WRONG):
            missing = ("200 OK", "text/plain", b"Attributes {\n}\n") if suffix == "das" else ("404 Not Found", "text/plain", b"")
            status, kind, body = WRONG.get((name, suffix), missing)
            start(status, [("Content-Type", kind)])
            return [body]
        if suffix in ("dmr.xml", "dap") and (name in FOURS or (STORED / f"{name}.nc.dap").exists()):
            asked = dict(urllib.parse.parse_qsl(query, separator="&"))
            start("200 OK", [("Content-Type", "application/vnd.opendap.dap4.data")])
            return [answer4(name, suffix, asked.get("dap4.ce", ""))]
        if name not in DATASETS or suffix not in ("dds", "das", "dods"):
            start("404 Not Found", [("Content-Type", "text/html")])
            return [b"<html>no such dataset</html>"]
        return ServerSideFunctions(BaseHandler(DATASETS[name]))(environ, start)

    return answer


def serve(log):
    """Prints the port, and answers until the process ends."""
    with open(log, "a") as log:
        server = wsgiref.simple_server.make_server("127.0.0.1", 0, application(log), Server, Handler)
        print(server.server_port, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    serve(sys.argv[1])
