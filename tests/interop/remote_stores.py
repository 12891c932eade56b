"""Object stores that run on this machine: how our programs name them, and what tests ask of them past our programs."""

import base64
import email.utils
import hashlib
import hmac
import os
import pathlib
import re
import secrets
import shutil
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree as xml

from remote_programs import OPENER, RemoteServer, azurite, moto

BUCKET = "bucket"

# Variables that would send our programs elsewhere.
FOREIGN = re.compile(r"(AWS|AZURE|GOOGLE|STORAGE|NCRC|CLOUDSDK)|.*_PROXY$|HOME$|SSL_CERT", re.IGNORECASE)


def surroundings(home, **variables):
    """The environment of a program that has nothing but these variables to find a store by. `home` is its home, empty."""
    kept = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
    return {**kept, "HOME": str(home), "AWS_EC2_METADATA_DISABLED": "true", **variables}


class Store:
    """A store with a bucket. `port` is that of the server or of a proxy in front of it."""

    # Words of `mode=` that a tree of keys needs beside its format.
    words = ""

    def __init__(self, program, port, home):
        self.program, self.port, self.home = program, port, home
        self.secrets = []
        self.make_bucket()

    def through(self, port):
        """The variables with which a client meets the store behind another port."""
        raise NotImplementedError

    def environment(self, port=None, **more):
        return surroundings(self.home, **{**self.through(port or self.port), **more})

    def url(self, key, mode=None):
        """The name of a dataset for our programs."""
        return f"{self.scheme}://{BUCKET}/{key}" + (f"#mode={mode}" if mode else "")

    def tree(self, key, mode):
        """The name of a tree of keys of a format such as `nczarr`."""
        return self.url(key, mode + self.words)

    def ask(self, method, path, query=None, body=None, headers=()):
        """The body of the server's answer."""
        query = query or {}
        quoted = urllib.parse.quote(f"{self.root}{path}")
        text = "&".join(f"{name}={urllib.parse.quote(value, safe='')}" if value else name for name, value in query.items())
        url = f"http://127.0.0.1:{self.port}{quoted}" + (f"?{text}" if text else "")
        # urllib sends a type of its own with each body, unless there is another.
        headers = {**({} if body is None else {"Content-Type": "application/octet-stream"}), **dict(headers)}
        headers = self.signed(method, f"{self.root}{path}", query, headers, body)
        with OPENER.open(urllib.request.Request(url, body, headers, method=method), timeout=30) as answer:
            return answer.read()

    root = ""

    def signed(self, method, path, query, headers, body):
        return headers

    def make_bucket(self):
        self.ask("PUT", f"/{BUCKET}")

    def put(self, key, content):
        self.ask("PUT", f"/{BUCKET}/{key}", body=content)

    def get(self, key):
        return self.ask("GET", f"/{BUCKET}/{key}")

    def put_tree(self, folder, prefix):
        """Puts each file below a folder."""
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file():
                self.put(f"{prefix}/{path.relative_to(folder).as_posix()}", path.read_bytes())

    def get_all(self, prefix):
        """The objects whose keys begin so, by the rest of the key."""
        return {key[len(prefix):].lstrip("/"): self.get(key) for key in self.keys(prefix)}

    def keys(self, prefix=""):
        """The keys of the bucket that begin so."""
        found, token = [], None
        while True:
            query = {"list-type": "2", "prefix": prefix, **({"continuation-token": token} if token else {})}
            page = xml.fromstring(self.ask("GET", f"/{BUCKET}", query))
            found += [element.text for element in elements(page, "Key")]
            token = next((element.text for element in elements(page, "NextContinuationToken")), None)
            if token is None:
                return found

    def uploads(self):
        """What was begun to be uploaded, and neither completed nor aborted."""
        return [element.text for element in elements(xml.fromstring(self.ask("GET", f"/{BUCKET}", {"uploads": ""})), "Key")]

    def clear(self):
        for key in self.keys():
            self.ask("DELETE", f"/{BUCKET}/{key}")


def elements(document, name):
    return [element for element in document.iter() if element.tag.rsplit("}", 1)[-1] == name]


class S3(Store):
    """A server that speaks S3."""

    scheme = "s3"
    words = ",s3"

    def __init__(self, program, port, home):
        self.id, self.secret = "AKID" + secrets.token_hex(8).upper(), secrets.token_urlsafe(30)
        super().__init__(program, port, home)
        self.secrets = [self.secret]

    def through(self, port):
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": self.id,
            "AWS_SECRET_ACCESS_KEY": self.secret, "AWS_REGION": "us-east-1",
        }


class Moto(S3):
    """moto. It takes any signature, and none."""

    name = "moto"

    def __init__(self, _, home):
        super().__init__(*moto(), home)

    def signed(self, method, path, query, headers, body):
        scope = f"{self.id}/20200101/us-east-1/s3/aws4_request"
        return {**headers, "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"}


class S3Files(S3):
    """s3s-fs. It wants each request signed; tests look at its folder."""

    name = "s3s"

    def __init__(self, folder, home):
        self.folder = folder
        self.id, self.secret = "AKID" + secrets.token_hex(8).upper(), secrets.token_urlsafe(30)
        program = RemoteServer("s3", folder, self.id, self.secret)
        Store.__init__(self, program, program.ports["port"], home)
        # Requests to this port bear no signature.
        self.open_port = program.ports["open"]
        self.secrets = [self.secret]

    def make_bucket(self):
        (self.folder / BUCKET).mkdir()

    def put(self, key, content):
        path = self.folder / BUCKET / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def get(self, key):
        return (self.folder / BUCKET / key).read_bytes()

    def keys(self, prefix=""):
        files = (path for path in (self.folder / BUCKET).rglob("*") if path.is_file())
        keys = (path.relative_to(self.folder / BUCKET).as_posix() for path in files)
        return sorted(key for key in keys if key.startswith(prefix))

    def uploads(self):
        return [path.name for path in self.folder.glob(".upload-*.json")]

    def clear(self):
        # Folders too: where one is, no object of its name can be.
        shutil.rmtree(self.folder / BUCKET)
        for path in [*self.folder.glob(".bucket-*"), *self.folder.glob(".upload*")]:
            path.unlink()
        self.make_bucket()


class Gcs(Store):
    """The stand-in for Google Cloud Storage."""

    name = "gcs"
    scheme = "gs"

    def __init__(self, _, home):
        program = RemoteServer("gcs")
        super().__init__(program, program.ports["port"], home)

    def through(self, port):
        return {"STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}"}


class Azure(Store):
    """Azurite. A bucket is a container of its only account, whose key is known to all."""

    name = "azure"
    scheme = "az"
    account = "devstoreaccount1"
    key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
    root = f"/{account}"

    def __init__(self, _, home):
        super().__init__(*azurite(), home)
        self.secrets = [self.key]

    def through(self, port):
        return {
            "AZURE_STORAGE_ACCOUNT": self.account, "AZURE_STORAGE_KEY": self.key,
            "AZURE_STORAGE_ENDPOINT": f"http://127.0.0.1:{port}/{self.account}",
        }

    def signed(self, method, path, query, headers, body):
        """Adds a signature by the account's key ("Shared Key")."""
        headers |= {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": "2023-11-03"}
        lines = [method, "", "", str(len(body)) if body else "", "", headers.get("Content-Type", ""), "", "", "", "", "", ""]
        lines += sorted(f"{name.lower()}:{value}" for name, value in headers.items() if name.lower().startswith("x-ms-"))
        lines.append(f"/{self.account}{urllib.parse.quote(path)}")
        lines += sorted(f"{name}:{value}" for name, value in query.items())
        digest = hmac.digest(base64.b64decode(self.key), "\n".join(lines).encode(), hashlib.sha256)
        headers["Authorization"] = f"SharedKey {self.account}:{base64.b64encode(digest).decode()}"
        return headers

    def make_bucket(self):
        self.ask("PUT", f"/{BUCKET}", {"restype": "container"})

    def put(self, key, content):
        self.ask("PUT", f"/{BUCKET}/{key}", body=content, headers={"x-ms-blob-type": "BlockBlob"})

    def _names(self, **more):
        page = xml.fromstring(self.ask("GET", f"/{BUCKET}", {"restype": "container", "comp": "list", **more}))
        return {element.text for element in elements(page, "Name")}

    def keys(self, prefix=""):
        return sorted(self._names(**({"prefix": prefix} if prefix else {})))

    def uploads(self):
        return sorted(self._names(include="uncommittedblobs") - self._names())


# With `NCUTILS_REMOTE=own` only those that `tests/servers` has.
OWN = (S3Files, Gcs)
STORES = {kind.name: kind for kind in (OWN if os.environ.get("NCUTILS_REMOTE") == "own" else (S3Files, Moto, Gcs, Azure))}
