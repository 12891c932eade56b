"""Stands in for `nccopy --plan` and what belongs to it, where a test must hold a part in the midst of its work.

The input is any file, and its copy has the same bytes. A part waits while the file `hold` is in the input's folder; with the file
`company`, it waits 0.2 s for another part of the same parent to begin. It fails if the input begins with `bad`, and kills its parent if
the input is `kill`. `JOB.runs` gets a line when a part begins, with its options and its parent, and when it ends.
"""

import json
import os
import pathlib
import signal
import sys
import threading
import time

FLAGS = ("--with-parent", "--json", "--missing", "--verify", "--shuffle")


def fail(status, why):
    print(f"nccopy: {why}", file=sys.stderr)
    sys.exit(status)


def parsed(words):
    options, operands = {}, []
    words = iter(words)
    for word in words:
        name, _, value = word.partition("=")
        if word == "--":
            operands.extend(words)
        elif word in FLAGS:
            options[word] = True
        elif word.startswith("--"):
            options[name] = value or next(words)
        else:
            operands.append(word)
    return options, operands


def numbers(ranges):
    for each in ranges.split(","):
        first, _, last = each.partition("-")
        yield from range(int(first), int(last or first) + 1)


def end_with_parent():
    os.read(0, 1)
    os._exit(1)


class Work:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        try:
            self.plan = json.loads(self.path.read_text())
        except OSError:
            fail(1, f"{path}: cannot open")
        self.input, self.output = pathlib.Path(self.plan["input"]), pathlib.Path(self.plan["output"])
        self.stage = self.output.parent / f".{self.output.name}.stage"

    def missing(self):
        return [n for n in range(self.plan["parts"]) if not (self.stage / str(n)).exists()]

    def part(self, number, options):
        if not self.stage.exists():
            fail(1, f"{self.path}: the job was finished or abandoned")
        self.tell("begun", number, options)
        while (self.input.parent / "hold").exists():
            time.sleep(0.01)
        deadline = time.monotonic() + 0.2
        while (self.input.parent / "company").exists() and self.running() == 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        data = self.input.read_bytes()
        if data == b"kill":
            os.kill(os.getppid(), signal.SIGKILL)
        if data.startswith(b"bad"):
            fail(1, f"{self.input}: variable v: chunk [0, {number}]: damaged")
        if len(data) != self.plan["size"]:
            fail(4, f"{self.input}: has changed")
        share = -(-len(data) // self.plan["parts"])
        partial = self.stage / f"{number}.{os.getpid()}"
        partial.write_bytes(data[number * share : (number + 1) * share])
        partial.rename(self.stage / str(number))
        self.tell("ended", number, options)

    def tell(self, event, number, options):
        line = json.dumps({"event": event, "part": number, "pid": os.getpid(), "parent": os.getppid(), **options}) + "\n"
        with open(f"{self.path}.runs", "a") as runs:
            runs.write(line)

    def running(self):
        """How many parts of this part's parent run."""
        told = [json.loads(line) for line in pathlib.Path(f"{self.path}.runs").read_text().splitlines()]
        events = [run["event"] for run in told if run["parent"] == os.getppid()]
        return events.count("begun") - events.count("ended")

    def finish(self):
        missing = self.missing() if self.stage.exists() else []
        if missing:
            fail(3, f"{self.path}: parts {missing} are missing")
        if self.stage.exists():
            whole = b"".join((self.stage / str(n)).read_bytes() for n in range(self.plan["parts"]))
            (self.stage / "whole").write_bytes(whole)
            (self.stage / "whole").rename(self.output)
            self.abandon()

    def abandon(self):
        for path in self.stage.iterdir():
            path.unlink()
        self.stage.rmdir()


def main():
    options, operands = parsed(sys.argv[1:])
    if options.pop("--with-parent", False):
        threading.Thread(target=end_with_parent, daemon=True).start()
    if "--plan" in options:
        path, (source, target) = options.pop("--plan"), operands
        plan = {"input": os.path.abspath(source), "output": os.path.abspath(target), "size": os.path.getsize(source)}
        pathlib.Path(path).write_text(json.dumps({**plan, "parts": int(options.pop("--parts")), "options": options}))
        Work(path).stage.mkdir()
    elif "--part" in options:
        for number in numbers(options.pop("--part")):
            Work(operands[0]).part(number, options)
    elif "--status" in options:
        missing = Work(options["--status"]).missing()
        print(json.dumps({"missing": missing}) if "--json" in options else ",".join(map(str, missing)))
        sys.exit(3 if missing else 0)
    elif "--finish" in options:
        Work(options["--finish"]).finish()
    elif "--abandon" in options:
        Work(options["--abandon"]).abandon()
    else:
        fail(1, "stands in for jobs only")


main()
