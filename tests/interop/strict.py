"""Has every output of the tests read whole by the programs that are promised to read it.

    conftest.nccopy, ncgen ─► wrote ─► at the end of a test: outputs that are still there ─► each reader of their kind ─► what it cannot
    read, but for what `promises.py` excuses ─► the test fails

Under `--sample` one of `ONE_OF_OUTPUTS` outputs of a test is read, as reading takes longer than writing does; `test_who_reads_what.py` has one of each
kind and filter.
"""

import json
import pathlib
import subprocess

import forked
import promises

HERE = pathlib.Path(__file__).parent

# Seconds for the outputs of a test.
TIME = 60

# What was written since the last check: the path ─► the arguments, and what was printed.
WRITTEN = {}


def wrote(name, arguments, printed):
    """Notes an output. `name` may have a fragment. What was copied without a test for damage may be damaged."""
    if "--no-check" in arguments:
        return
    path = pathlib.Path(str(name).split("#")[0]).absolute()
    if "://" not in str(name):
        WRITTEN[path] = ([str(a) for a in arguments], printed, state(path))


def state(path):
    """What changes where an output is written to afterwards. Of a folder of many files, that of the first ones."""
    files = [path] if not path.is_dir() else sorted(path.rglob("*"))[:200]
    return [(file.name, *(file.stat().st_mtime_ns, file.stat().st_size) * file.is_file()) for file in files if file.exists()]


def read(reader, paths):
    """What a reader found of each path: errors by item, and values."""
    found, left = {}, list(paths)
    while left:
        command = promises.READERS[reader]
        names = [promises.name_for(reader, path) for path in left]
        try:
            code, output, error = forked.run(
                command.libraries, HERE / command.script, *command.arguments(), *names, timeout=TIME, variables=command.variables()
            )
        except subprocess.TimeoutExpired as late:
            code, output, error = "no end", late.stdout, ""
        lines = [json.loads(line) for line in output.splitlines() if line.startswith("[")]
        for path, (_, _, errors, values) in zip(left, lines):
            found[path] = errors, values
        left = left[len(lines):]
        if left:
            found[left.pop(0)] = [["/", f"ended: {code} {error[-400:]}"]], {}
    return found


def faults(outputs):
    """One line for each item that a reader cannot read although it is promised."""
    kinds = {path: promises.kind_of(path, arguments) for path, (arguments, *_) in outputs.items()}
    errors = {path: {} for path in outputs}
    for reader in promises.READERS:
        asked = [
            path
            for path, kind in kinds.items()
            if kind and reader in promises.ASKED[kind] and promises.asks(reader, kind, path) and promises.is_for(reader, outputs[path][0])
        ]
        if asked and promises.is_there(reader):
            for path, (found, _) in read(reader, asked).items():
                errors[path][reader] = found
    lines = []
    for path, (arguments, printed, _) in outputs.items():
        for reader, found in errors[path].items():
            for item, message in found:
                if promises.excuse(promises.Failure(reader, kinds[path], path, item, message, printed, errors[path])) is None:
                    lines.append(f"{reader} cannot read {item} of {path} ({' '.join(arguments)}): {message}")
    return lines


def check(chosen):
    """Reads what was written since the last call and is still there, of those outputs that `chosen` takes."""
    outputs = {path: WRITTEN.pop(path) for path in list(WRITTEN)}
    taken = {path: about for n, (path, about) in enumerate(outputs.items()) if chosen(n)}
    # A test may damage what it made, or remove it.
    outputs = {path: about for path, about in taken.items() if path.exists() and state(path) == about[2]}
    if not outputs:
        return
    lines = faults(outputs)
    assert not lines, "\n".join(lines).encode(errors="backslashreplace").decode()
