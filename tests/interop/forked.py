"""Runs Python scripts, each in a process of its own, without loading their libraries each time.

    test ──► server, which has imported the libraries ──fork──► child, which runs the script as `__main__`

A script may crash, hang or take memory, as in a process that was started for it. Loading netCDF4 and h5py takes longer than
most scripts run, so a server for each set of libraries, and of variables of the environment, does it once.
"""

import json
import os
import runpy
import select
import subprocess
import sys
import tempfile
import traceback

SERVERS = {}


def run(libraries, script, *arguments, timeout, variables={}):
    """Exit status, standard output and standard error of a script, as of `subprocess.run`.

    `libraries` are the modules that it imports, `variables` what its environment has beside ours; `NCUTILS_PYTHON` among them is the
    interpreter. Raises `subprocess.TimeoutExpired`.
    """
    key = libraries, *sorted(variables.items())
    server = SERVERS.get(key)
    if server is None or server.poll() is not None:
        python = variables.get("NCUTILS_PYTHON", sys.executable)
        command = [python, "-W", "ignore", __file__, *libraries]
        environment = {**os.environ, **variables}
        server = SERVERS[key] = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    request = {"argv": [str(script), *map(str, arguments)], "cwd": os.getcwd(), "timeout": timeout}
    server.stdin.write(json.dumps(request) + "\n")
    server.stdin.flush()
    answer = server.stdout.readline()
    assert answer, f"the server of {libraries} does not answer"
    code, output, error = json.loads(answer)
    if code is None:
        raise subprocess.TimeoutExpired(request["argv"], timeout, output, error)
    return code, output, error


def child(request, out, err):
    """Becomes the process of a script; does not return."""
    code = 1
    try:
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in (null, 0), (out.fileno(), 1), (err.fileno(), 2):
            os.dup2(source, target)
        sys.stdin = open(0, closefd=False)
        sys.stdout = open(1, "w", closefd=False)
        sys.stderr = open(2, "w", closefd=False)
        os.chdir(request["cwd"])
        sys.argv = request["argv"]
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        runpy.run_path(sys.argv[0], run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def serve(libraries):
    """Answers each request, a line of JSON, by a line of JSON: exit status (null: too slow), output, error."""
    for library in libraries:
        __import__(library)
    for line in sys.stdin:
        request = json.loads(line)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            pid = os.fork()
            if pid == 0:
                child(request, out, err)
            ended = os.pidfd_open(pid)
            in_time, _, _ = select.select([ended], [], [], request["timeout"])
            os.close(ended)
            if not in_time:
                os.kill(pid, 9)
            _, status = os.waitpid(pid, 0)
            texts = []
            for file in out, err:
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        print(json.dumps([os.waitstatus_to_exitcode(status) if in_time else None, *texts]), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1:])
