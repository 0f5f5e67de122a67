"""A Python that starts with its large libraries loaded, for the many short jobs of small studies.

Loading PyTorch, transformers and pandas takes longer than most of these jobs. A server loads them once and
forks for every program: each has a process of its own, as with any Python, with its own arguments,
environment, folder and files. Nothing of Unmask is loaded before, so that a program runs the code of its
own copy. What depends on how a process starts, such as signals to a session, is for the real Python.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from functools import cache
from pathlib import Path
from typing import NamedTuple

LIBRARIES = (
    "snakemake.cli",
    "pydantic",
    "pyarrow.parquet",
    "pandas",
    "scipy.stats",
    "altair",
    "torch",
    "transformers.modeling_utils",
    "transformers.models.auto",
)
LAUNCHER = """#!{python} -SE
import sys
sys.path.append({folder!r})
from preloading import ask
sys.exit(ask({address!r}, {python!r}, sys.argv[1:]))
"""
STREAMS = (0, 1, 2)


class Program(NamedTuple):
    arguments: list[str]
    folder: str
    environment: dict[str, str]


@cache
def preloaded_python(**settings: str) -> str:
    """The path of an executable to use like sys.executable, as long as this process lives.

    settings: environment variables that count when Python or a library is loaded.
    """
    place = tempfile.TemporaryDirectory(prefix="python-")
    atexit.register(place.cleanup)
    address, launcher = str(Path(place.name, "socket")), Path(place.name, "python")
    text = LAUNCHER.format(python=sys.executable, folder=str(Path(__file__).parent), address=address)
    launcher.write_text(text)
    launcher.chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | settings
    # it ends with the pipe to it
    server = subprocess.Popen(
        [sys.executable, __file__, address, str(launcher)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert server.stdin and server.stdout
    atexit.register(server.stdin.close)
    assert server.stdout.readline() == b"ready\n"
    return str(launcher)


def ask(address: str, python: str, arguments: list[str]) -> int:
    """Have the server run a script or a module, and return its exit status; anything else is for `python`."""
    if not arguments or (arguments[0] != "-m" and not arguments[0].endswith(".py")):
        os.execv(python, [python, *arguments])
    program = json.dumps([arguments, os.getcwd(), dict(os.environ)]).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [len(program).to_bytes(8)], STREAMS)
        connection.sendall(program)
        return int(connection.makefile().read())


def serve(address: str) -> Program:
    """Wait for programs; returns in the process of each."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen(8)
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([server, sys.stdin], [], [])
            if server not in ready:
                sys.exit()
            connection, _ = server.accept()
            with connection:
                if os.fork() == 0:
                    server.close()
                    return _started(connection)
            # those that ended meanwhile
            while _reaped():
                pass


def _reaped() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] > 0
    except ChildProcessError:
        return False


def _started(connection: socket.socket) -> Program:
    """Read what to run, and fork once more: the one process runs it, the other waits and tells its status."""
    length, streams, _, _ = socket.recv_fds(connection, 8, len(STREAMS))
    with connection.makefile("rb") as file:
        program = Program(*json.loads(file.read(int.from_bytes(length))))
    if pid := os.fork():
        ended = os.pidfd_open(pid)
        ready, _, _ = select.select([ended, connection.fileno()], [], [])
        if ended not in ready:
            # nobody waits for it any more
            os.kill(pid, signal.SIGTERM)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        try:
            # as a shell tells the number of a signal
            connection.sendall(str(status if status >= 0 else 128 - status).encode())
        finally:
            os._exit(0)
    for stream, own in zip(streams, STREAMS, strict=True):
        os.dup2(stream, own)
        os.close(stream)
    return program


def run(program: Program, launcher: str, path: list[str]) -> None:
    """Be that program: `path` is where Python looks for modules without it."""
    sys.executable = launcher
    os.chdir(program.folder)
    os.environ.clear()
    os.environ.update(program.environment)
    first, *rest = program.arguments
    places = [place for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]
    if first == "-m":
        name, *rest = rest
        sys.argv = [name, *rest]
        sys.path[:] = [program.folder, *places, *path]
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    else:
        sys.argv = [first, *rest]
        sys.path[:] = [str(Path(first).parent), *places, *path]
        runpy.run_path(first, run_name="__main__")


def end(code: str | int | None) -> None:
    """End as Python does, but for taking all that is loaded to pieces, which takes seconds."""
    if isinstance(code, str):
        print(code, file=sys.stderr)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else bool(code))


if __name__ == "__main__":
    own_folder, *path = sys.path
    sys.path[:] = path
    for library in LIBRARIES:
        importlib.import_module(library)
    # Snakemake loads its plugins as it makes its parser of arguments
    sys.modules["snakemake.cli"].get_argument_parser()
    gc.freeze()
    program = serve(sys.argv[1])
    try:
        run(program, sys.argv[2], path)
        end(None)
    except SystemExit as done:
        end(done.code)
    except BaseException:
        traceback.print_exc()
        end(1)
