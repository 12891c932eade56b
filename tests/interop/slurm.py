"""Slurm on this machine: its own munged, slurmctld and slurmd, with a node of two processors, in a folder of its own."""

import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

import pytest
from remote_programs import free_port

NEEDED = ("slurmctld", "slurmd", "sbatch", "munged")

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=2
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""

SBIN = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])


def check_installed():
    """Skips the test where Slurm cannot run."""
    missing = [program for program in NEEDED if shutil.which(program, path=SBIN) is None]
    if missing:
        pytest.skip(f"Slurm is not installed: {', '.join(missing)}")
    if os.getuid() != 0:
        pytest.skip("Slurm's daemons run as root")


def until(condition, seconds=150):
    """Waits until a condition is true, and returns what it is."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, f"not so within {seconds} s"
        time.sleep(0.1)


class Slurm:
    """A cluster that runs. `run` calls its programs."""

    def __init__(self):
        # Its users other than root must reach it.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o755)
        self.daemons = []
        host = os.uname().nodename.partition(".")[0]
        self.configuration = self.folder / "slurm.conf"
        text = CONFIGURATION.format(host=host, ports=[free_port(), free_port()], folder=self.folder)
        self.configuration.write_text(text)
        for name in "state", "spool", "munge":
            (self.folder / name).mkdir(mode=0o755)
        self.environment = {**os.environ, "PATH": SBIN, "SLURM_CONF": str(self.configuration)}
        try:
            self.start_munge()
            self.start("slurmctld", "-D")
            self.start("slurmd", "-D")
            until(lambda: "idle" in self.run("sinfo", "--noheader", "--format=%T", check=False))
        except BaseException:
            self.end()
            raise

    def start_munge(self):
        folder, user = self.folder / "munge", pwd.getpwnam("munge")
        (folder / "key").write_bytes(os.urandom(64))
        (folder / "key").chmod(0o400)
        for path in folder, folder / "key":
            os.chown(path, user.pw_uid, user.pw_gid)
        options = [f"--{name}-file={folder}/{name}" for name in ("key", "pid", "log", "seed")]
        self.start("munged", "--foreground", f"--socket={folder}/socket", *options, user="munge", group="munge", extra_groups=[])
        until(lambda: (folder / "socket").exists())

    def start(self, program, *arguments, **options):
        log = (self.folder / f"{program}.out").open("w")
        self.daemons.append(subprocess.Popen(
            [program, *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, **options
        ))

    def run(self, *command, check=True, **options):
        """What a program prints."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60, **options)
        assert done.returncode == 0 or not check, f"{command}: {done.stderr}{done.stdout}{self.logs()}"
        return done.stdout

    def queue(self):
        """The jobs that wait or run: a line each of number, number of the task, state and reason."""
        return self.run("squeue", "--array", "--noheader", "--format=%F %K %T %r").splitlines()

    def logs(self):
        return "\n".join(f"{path.name}:\n{path.read_text()[-2000:]}" for path in sorted(self.folder.glob("slurm*.log")))

    def end(self):
        if self.daemons[1:]:
            self.run("scancel", "--user=root", check=False)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
