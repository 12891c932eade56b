"""Runs our programs on remote stores, and looks for secrets in all that they say."""

import base64
import pathlib
import re
import subprocess
import unicodedata
import urllib.parse
from dataclasses import dataclass

from conftest import BIN

# What a signed request has in its head or query, and no message.
SIGNATURES = re.compile(r"AWS4-HMAC-SHA256 Credential|Signature=[0-9a-fA-F]{16}|[Aa]uthorization: |SharedKey \w+:|Bearer [\w.-]{8}")


@dataclass
class Outcome:
    """How a program ended."""

    code: int
    out: str
    error: str
    is_verbose: bool

    def whole(self):
        """Nothing, where all went well; fails where it did not."""
        assert self.code == 0, f"exit status {self.code}: {self.told()}"
        return self

    def told(self):
        """What is meant for the user."""
        return [line for line in self.error.splitlines() if not is_log(line)]

    def refused(self, *words):
        """The line that says why nothing was done, with these words in it."""
        lines = [line for line in self.told() if "warning:" not in line]
        if self.is_verbose:
            # The settings come before it.
            lines = lines[-1:]
        assert self.code == 1, f"exit status {self.code}: {self.told()}"
        assert len(lines) == 1, self.told()
        assert re.match(r"nc(copy|dump|gen): ", lines[0]), lines[0]
        for word in words:
            assert re.search(word, lines[0]), f"{word!r} is not in {lines[0]!r}"
        return lines[0]


def is_log(line):
    """True for a line of the log."""
    return re.match(r"\s*[\d.]+s +(ERROR|WARN|INFO|DEBUG|TRACE) ", line) is not None


def secret_forms(secret):
    """A secret as it is, in a URL, and in Base64."""
    return {secret, urllib.parse.quote(secret, safe=""), base64.b64encode(secret.encode()).decode().rstrip("=")}


def check_no_secret(text, secrets):
    for secret in secrets:
        for form in secret_forms(secret):
            assert form not in text, f"a secret is printed: {text.replace(form, '<THE SECRET>')[:2000]}"
    found = SIGNATURES.search(text)
    assert not found, f"part of a signature is printed: {text[max(0, found.start() - 200):found.end() + 20]}"


# What a server may say to a terminal: to colour, to ring, and to begin another line.
HOSTILE_TEXT = "red \x1b[31m and \u009b31m\x07\r\nnccopy: all is well"
HOSTILE_ERROR = f"<Error><Code>X</Code><Message>{HOSTILE_TEXT}</Message></Error>"


def check_hostile_text_is_shown_safely(outcome):
    """Fails unless the run says what `HOSTILE_ERROR` says, in one line, with no control character as it is."""
    line = outcome.refused(r"X: red \\u\{1b\}\[31m and \\u\{9b\}31m\\u\{7\} +nccopy: all is well")
    controls = [character for character in outcome.error if unicodedata.category(character) == "Cc" and character != "\n"]
    assert controls == [], line


def run(program, *arguments, environment, secrets=(), timeout=120, codes=(0, 1), **options):
    """How a program of ours ends, with one of `codes`. Its output has none of the secrets, nor has its log."""
    command = [str(BIN / program), *map(str, arguments)]
    done = subprocess.run(command, env={"NCUTILS_LOG": "debug", **environment}, capture_output=True, timeout=timeout, **options)
    out, error = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    outcome = Outcome(done.returncode, out, error, "--verbose" in arguments)
    assert outcome.code in codes, f"{command}: exit status {outcome.code}: {outcome.told()}"
    check_no_secret(outcome.out, secrets)
    check_no_secret(outcome.error, secrets)
    return outcome


def on(store, program, *arguments, port=None, **options):
    """How a program of ours ends, with the settings of a store."""
    return run(program, *arguments, environment=store.environment(port), secrets=store.secrets, **options)


def tree_of(folder):
    """The files below a folder, by their paths in it."""
    folder = pathlib.Path(folder)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def different(found, wanted):
    """The keys at which two trees differ."""
    return sorted(key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key))
