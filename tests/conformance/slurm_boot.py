#!/usr/bin/env python3
"""slurm_boot.py DIR [--nodes N] [--keep]

Starts a real MariaDB, slurmdbd and slurmctld, and N real slurmd (default: all where a batch script wants several nodes, at
most 130, otherwise at least one for each NodeName line, 6 where there are), on the slurm.conf, gres.conf, cgroup.conf, topology.conf, slurmdbd.conf,
job_submit.lua and accounts in DIR, on loopback, as root, without munge. Then it asks: are the accounts and qualities of
service there, does sinfo list every declared node, does every node have its declared memory and GRES, do the started
nodes register as idle, does every partition hold nodes and run a job, does a job with one GPU see one, does every batch
script pass `sbatch --test-only` and run with its resources, does a script that says it goes back to the queue do so, do
jobs give way to those that go first, did any daemon log an error or a warning?

Only what one machine cannot have is replaced, in a copy: hosts, ports, users, folders, authentication, programs to
run, the database's host and password, device files; for slurmd also the cgroup plugins. The controller keeps the
generated cgroup.conf and the cgroup plugins, so their keys are judged. Nodes that would fetch their files find them
here, because that needs MUNGE. What is replaced is checked as text where that is possible: a plugin must exist in this Slurm, a
weighted TRES must be tracked, a program must be in DIR.

Files for a newer Slurm than the installed one fail: build for the installed version.
"""
import argparse
import contextlib
import ctypes
import fcntl
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from verdict import Verdict, input_folder, need_tools

# Keys that name something of the real site, and the value that works here (None: the line is left out).
# {run} is the temporary folder, {port} a free port.
MACHINE = {
    "SlurmctldHost": "localhost(127.0.0.1)",
    "SlurmctldPort": "{port}",
    "SlurmctldAddr": None,
    "SlurmUser": "root",
    "SlurmdUser": "root",
    "AuthType": "auth/none",
    "CredType": "cred/none",
    "AuthInfo": None,
    "AuthAltTypes": None,
    "AuthAltParameters": None,
    "StateSaveLocation": "{run}/state",
    "SlurmdSpoolDir": "{run}/spool.%n",
    "SlurmctldPidFile": "{run}/slurmctld.pid",
    "SlurmdPidFile": "{run}/slurmd.%n.pid",
    "SlurmctldLogFile": "{run}/slurmctld.log",
    "SlurmdLogFile": "{run}/slurmd.%n.log",
    "SlurmSchedLogFile": None,
    "MailProg": "/bin/true",
    "SlurmdTimeout": "0",
    "ReturnToService": "2",
    "DisableRootJobs": "NO",
    "AccountingStorageHost": "127.0.0.1",
    "AccountingStorageBackupHost": None,
    "AccountingStoragePort": "{dbd}",
    "JobAcctGatherType": "jobacct_gather/none",
    # programs and services that only the site has
    "JobCompType": "jobcomp/none",
    "JobCompHost": None,
    "JobCompLoc": None,
    "PlugStackConfig": None,
    "MpiDefault": "none",
    "Prolog": None,
    "Epilog": None,
    "PrologSlurmctld": None,
    "EpilogSlurmctld": None,
    "TaskProlog": None,
    "TaskEpilog": None,
    "SrunProlog": None,
    "SrunEpilog": None,
    "HealthCheckProgram": None,
    "HealthCheckInterval": None,
    "HealthCheckNodeState": None,
    "RebootProgram": None,
    "SlurmctldPrimaryOnProg": None,
    "SlurmctldPrimaryOffProg": None,
    "AcctGatherEnergyType": None,
    "AcctGatherInterconnectType": None,
    "AcctGatherFilesystemType": None,
    "AcctGatherProfileType": None,
}
# Written only where the generated file has the key.
MACHINE_IF_PRESENT = {"ResumeProgram": "/bin/true", "SuspendProgram": "/bin/true"}
# Added to what the generated file says: believe the declared hardware, accept two copies, show nodes that are off.
ADDED = {"SlurmdParameters": "config_overrides", "DebugFlags": "NO_CONF_HASH", "PrivateData": "cloud"}
# What slurmd cannot do here on top of that: control groups, job containers, hardware that is not there.
NODE_ONLY = {
    "ProctrackType": "proctrack/linuxproc",
    "TaskPlugin": "task/none",
    "PrologFlags": None,
    "JobContainerType": None,
}
# The same for slurmdbd.
MACHINE_DATABASE = {
    "AuthType": "auth/none",
    "DbdHost": "localhost",
    "DbdAddr": "127.0.0.1",
    "DbdPort": "{dbd}",
    "SlurmUser": "root",
    "StorageHost": "127.0.0.1",
    "StoragePort": "{database}",
    "StorageUser": "slurm",
    "StoragePass": "x",
    "StoragePassScript": None,
    "LogFile": "{run}/slurmdbd.log",
    "PidFile": "{run}/slurmdbd.pid",
}
# Programs that stand beside slurm.conf on the real site.
PROGRAMS = ("prolog", "epilog", "healthcheckprogram", "resumeprogram", "suspendprogram")
# Partition options that need the site's user groups.
NEEDS_GROUPS = re.compile(r"\sAllowGroups=\S+", re.I)
# Errors that any start on such a machine logs, whatever the configuration says.
NOISE = re.compile(
    r"mpi/pmix|PMIx|MPI: Cannot create context"  # libpmix is not installed
    r"|[Cc]ould not open .*state|No .*state file|Trying backup state"  # nothing saved yet
    r"|not responding|Connection refused"  # nodes that were not started
    r"|Requeue of JobId=\d+ returned an error: Job is pending execution"  # told to give way, and back already
    r"|Limited MemSpecLimit support"  # no cgroups for slurmd here
    r"|cpu_cnt underflow"  # a whole node with cores for the system is given back: 22.05 counts these as well
    r"|High latency for \d+ calls to gettimeofday"  # how fast this machine's clock is read
    r"|very large processing time"  # how busy this machine is
    r"|Database settings not recommended"  # the stand-in database is small
)
SLURMD_NOISE = re.compile(
    NOISE.pattern + r"|stepd_connect to StepId=\S+ failed: No such file"  # a step that ended as it was asked after
    r"|xcpuinfo|Node configuration differs from hardware|cgroup|Domain socket"  # foreign hardware
    r"|despite slurmctld having been setup for configless"  # fetching wants a MUNGE daemon
    r"|pam_slurm_adopt"  # job containers are off for slurmd here
)
# Daemons of nodes that this machine can have.
MOST = 130
NO_JOB = {"DOWN", "DRAIN", "INACTIVE"}


def logical_lines(path):
    """Lines of a Slurm file without comments, continuation lines joined."""
    text = path.read_text().replace("\\\n", " ")
    bare = (re.sub(r"(?<!\\)#.*", "", line).strip() for line in text.splitlines())
    return [line for line in bare if line]


def key_of(line):
    return line.partition("=")[0].strip().lower()


def options(line):
    """`A=1 B="x y"` as a dictionary with lower-case keys."""
    return {k.lower(): v.strip('"') for k, v in re.findall(r'(\w+)\s*=\s*("[^"]*"|\S+)', line)}


# Below the range from which the kernel gives ports to clients, so that no connection takes one before its daemon does.
PORTS = range(10_000, 30_000)


def free_ports(count):
    """Ports that nothing listens on, locked against other runs of this script until it ends."""
    folder = Path(tempfile.gettempdir()) / "aipc-ports"
    folder.mkdir(exist_ok=True)
    first, found = os.getpid() * 64, []
    for offset in range(len(PORTS)):
        port = PORTS[(first + offset) % len(PORTS)]
        lock = os.open(folder / str(port), os.O_CREAT | os.O_RDWR, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.bind(("", port))
        except OSError:
            os.close(lock)
            continue
        found.append(port)
        if len(found) == count:
            return found
    raise SystemExit(f"no {count} ports are free between {PORTS.start} and {PORTS.stop - 1}")


def die_with_parent():
    """A daemon must not outlive this script, however the script ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Slurm:
    """The daemons on a localised copy of one generated folder."""

    def __init__(self, source, run, verdict):
        self.source, self.run, self.verdict = source, run, verdict
        self.processes = []
        self.lines = logical_lines(source / "slurm.conf")
        for name in ("ctl", "node", "state", "dev"):
            (run / name).mkdir()
        (run / "state").chmod(0o755)
        # hostlists can be expanded before any daemon runs, but scontrol wants a file
        (run / "hosts.conf").write_text("ClusterName=x\nSlurmctldHost=localhost\n")
        self.whole = {key_of(line): line.partition("=")[2].strip() for line in self.lines}
        self.nodes = [line for line in self.lines if key_of(line) == "nodename"]
        self.groups = [self.hosts(options(line)["nodename"]) for line in self.nodes]

    # --- the localised copy

    def hosts(self, hostlist):
        """Names of a hostlist expression; none for the DEFAULT pseudo node."""
        if hostlist.upper() == "DEFAULT":
            return []
        done = self.client("scontrol", "show", "hostnames", hostlist, conf="hosts.conf")
        self.verdict.require(done.returncode == 0, f"hostlist {hostlist}: {done.stderr}")
        return done.stdout.split()

    def folded(self, names):
        """Host names as Slurm folds them."""
        (self.run / "names").write_text("\n".join(names) + "\n")
        return self.client("scontrol", "show", "hostlist", str(self.run / "names"), conf="hosts.conf").stdout.strip()

    def judge_replaced_text(self):
        """What the copy replaces still has to be right as text."""
        plugins = next(Path("/usr/lib").glob("*/slurm-wlm"), None)
        whole = self.whole
        for key in PROGRAMS:
            name = Path(whole.get(key, "")).name
            self.verdict.require(not name or os.access(self.source / name, os.X_OK), f"slurm.conf: no {name} to run beside it")
        for script in sorted(self.source.rglob("*.sh")) + sorted(self.source.rglob("*.sbatch")):
            done = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True)
            self.verdict.require(done.returncode == 0, f"{script.name}: {done.stderr}")
            if shutil.which("shellcheck"):
                done = subprocess.run(["shellcheck", "--format=gcc", str(script)], capture_output=True, text=True)
                self.verdict.require(done.returncode == 0, done.stdout.replace(f"{self.source}/", ""))
        for line in self.lines:
            value = line.partition("=")[2].strip()
            if not re.search(r"(type|plugin)$", key_of(line)) or plugins is None:
                continue
            for plugin in value.split(","):
                if "/" in plugin and not (plugins / f"{plugin.strip().replace('/', '_')}.so").exists():
                    self.verdict.problem(f"slurm.conf: {line}: this Slurm has no plugin {plugin}")
        tracked = whole.get("accountingstoragetres", "").lower().split(",")
        weighted = re.findall(r"TRESBillingWeights=\S+|PriorityWeightTRES=\S+", "\n".join(self.lines), re.I)
        defaults = re.findall(r"^PartitionName=.*\sDefault=YES", "\n".join(self.lines), re.M | re.I)
        self.verdict.require(len(defaults) < 2, "slurm.conf: more than one partition says Default=YES")
        for gres in set(re.findall(r"gres/[\w:.-]+", " ".join(weighted).lower())):
            self.verdict.require(gres in tracked, f"slurm.conf: {gres} has a weight but is not in AccountingStorageTRES")

    def pick(self, count):
        """`count` nodes to start, taken in turn from each NodeName line."""
        off = [options(line)["downnodes"] for line in self.lines if key_of(line) == "downnodes"]
        off = {name for hosts in off for name in self.hosts(hosts)}
        queues = [[name for name in group if name not in off] for group in self.groups]
        picked = []
        while len(picked) < count and any(queues):
            for queue in queues:
                if queue and len(picked) < count:
                    picked.append(queue.pop(0))
        return picked

    def node_lines(self, started):
        """NodeName lines with addresses here: a line of its own for each node that is started."""
        out = []
        for line, group in zip(self.nodes, self.groups):
            bare = re.sub(r"\s(NodeAddr|NodeHostname|Port|BcastAddr)=\S+", "", line, flags=re.I)
            if not group:
                out.append(bare)
                continue
            rest = bare.partition(" ")[2]
            others = [name for name in group if name not in started]
            for name in group:
                if name in started:
                    out.append(f"NodeName={name} NodeAddr=127.0.0.1 NodeHostname=localhost Port={started[name]} {rest}")
            if others:
                name = options(line)["nodename"] if len(others) == len(group) else self.folded(others)
                out.append(f"NodeName={name} NodeAddr=127.0.0.1 NodeHostname=localhost Port=1 {rest}")
        return out

    def localise(self, ports, started):
        """Write ctl/slurm.conf and node/slurm.conf, and the files beside them."""
        ours = {key.lower(): (key, value) for key, value in MACHINE.items()}
        present = {key_of(line): line.partition("=")[2].strip() for line in self.lines}
        for key, value in ADDED.items():
            ours[key.lower()] = (key, ",".join(filter(None, [present.get(key.lower()), value])))
        ours |= {k.lower(): (k, v) for k, v in MACHINE_IF_PRESENT.items() if k.lower() in present}
        body = []
        for line in self.lines:
            key = key_of(line)
            if key == "partitionname":
                line = NEEDS_GROUPS.sub("", line)
            if key != "nodename" and key not in ours:
                body.append(line)
        partitions = [line for line in body if key_of(line) in ("partitionname", "nodeset", "downnodes")]
        plain = [line for line in body if line not in partitions]
        fixed = {key: value for key, value in ours.values() if value is not None}
        node = {key.lower() for key in NODE_ONLY}
        kept = [line for line in plain if key_of(line) not in node]
        fixed_node = {k: v for k, v in {**fixed, **NODE_ONLY}.items() if v is not None}
        self.write("node", kept, fixed_node, ports, started, partitions)
        self.write("ctl", plain, fixed, ports, started, partitions)
        for path in sorted(self.source.iterdir()):
            if not path.is_file() or path.name in ("slurm.conf", "slurmdbd.conf", "plugstack.conf"):
                continue
            for side in ("ctl", "node"):
                shutil.copyfile(path, self.run / side / path.name)
        (self.run / "node" / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        if (self.source / "gres.conf").exists():
            text = self.local_gres(logical_lines(self.source / "gres.conf"))
            for side in ("ctl", "node"):
                (self.run / side / "gres.conf").write_text(text)

    def write(self, side, plain, fixed, ports, started, partitions):
        ours = [f"{k}={v.format(run=self.run, **ports)}" for k, v in fixed.items()]
        text = "\n".join([*plain, *ours, *self.node_lines(started), *partitions])
        (self.run / side / "slurm.conf").write_text(text + "\n")

    def local_gres(self, lines):
        """gres.conf with stand-in device files; detected devices get lines of their own."""
        out, named = [], set()
        for line in lines:
            row = options(line)
            line = re.sub(r"\s*AutoDetect=\S+", "", line, flags=re.I).strip()
            for files in re.findall(r"File(?:s)?=(\S+)", line, re.I):
                for device in self.hosts(files.replace("/", "@")):  # scontrol takes no slash
                    self.device(device.rpartition("@")[2])
            line = re.sub(r"(Files?=)\S*/", rf"\1{self.run}/dev/", line, flags=re.I)
            if line and "name" in row and "file" in row | {k.removesuffix("s"): v for k, v in row.items()}:
                named |= {(host, row["name"]) for host in self.hosts(row["nodename"])} if "nodename" in row else {("*", row["name"])}
            elif "autodetect" in row and row["autodetect"] != "off" and "file" not in row:
                continue
            out.append(line)
        for line, group in zip(self.nodes, self.groups):
            for name, kind, count in re.findall(r"(gpu)(?::([^:,()]+))?:(\d+)", options(line).get("gres", "")):
                lacking = [host for host in group if not {(host, name), ("*", name)} & named]
                if not lacking:
                    continue
                kind = f" Type={kind}" if kind else ""
                devices = [self.device(f"{name}{i}") for i in range(int(count))]
                self.verdict.facts["detected_gres_replaced"] = True
                out.append(f"NodeName={','.join(lacking)} Name={name}{kind} File={','.join(map(str, devices))}")
        return "\n".join(filter(None, out)) + "\n"

    def device(self, name):
        """A stand-in device file: another name for /dev/null, or a plain file where that is not allowed."""
        path = self.run / "dev" / name
        if not path.exists():
            try:
                os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
            except PermissionError:
                path.touch()
        return path

    # --- the daemons

    def daemon(self, side, *command):
        return self.start(side, *command, "-D", "-f", str(self.run / side / "slurm.conf"))

    def start(self, side, *command):
        log = (self.run / f"{command[0]}.{len(self.processes)}.out").open("w")
        environment = {**os.environ, "SLURM_CONF": str(self.run / side / "slurm.conf"), "TMPDIR": str(self.run)}
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, preexec_fn=die_with_parent,
        )
        self.processes.append(process)
        return process

    # --- the accounting database

    def accounting(self, ports):
        """MariaDB, slurmdbd on the generated slurmdbd.conf, and the generated accounts."""
        data, door = self.run / "db", self.run / "db.socket"
        # The same user as everything here, whatever the packages would choose; small, and gone afterwards.
        made = self.client("mariadb-install-db", "--no-defaults", f"--datadir={data}", "--user=root", "--skip-test-db",
                           "--auth-root-authentication-method=normal", conf="hosts.conf")
        self.verdict.require(made.returncode == 0, f"mariadb-install-db: {made.stderr[-300:]}")
        server = self.start("ctl", "mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={door}", "--user=root",
                            "--bind-address=127.0.0.1", f"--port={ports['database']}", "--innodb-buffer-pool-size=64M",
                            "--innodb-log-file-size=16M", "--innodb-lock-wait-timeout=900",
                            "--innodb-flush-log-at-trx-commit=0", "--skip-log-bin")
        grant = "CREATE USER 'slurm'@'%' IDENTIFIED BY 'x'; GRANT ALL ON *.* TO 'slurm'@'%';"
        ask = ("mariadb", "--no-defaults", "-S", str(door), "-u", "root", "-e", grant)
        up = self.wait_until(30, server, lambda: self.client(*ask).returncode == 0)
        if not self.verdict.require(up, "MariaDB does not answer"):
            return False
        ours = {k.lower() for k in MACHINE_DATABASE}
        kept = [line for line in logical_lines(self.source / "slurmdbd.conf") if key_of(line) not in ours]
        kept += [f"{k}={v.format(run=self.run, **ports)}" for k, v in MACHINE_DATABASE.items() if v is not None]
        path = self.run / "ctl" / "slurmdbd.conf"
        path.write_text("\n".join(kept) + "\n")
        path.chmod(0o600)
        database = self.start("ctl", "slurmdbd", "-D")
        up = self.wait_until(40, database, lambda: self.client("sacctmgr", "-n", "list", "cluster").returncode == 0)
        if not self.verdict.require(up, f"slurmdbd does not answer (exit code {database.poll()})"):
            return False
        # As README.md has it: the file, the qualities of service, the people; twice, because it must bear that.
        for _ in range(2):
            steps = [("sacctmgr", "-i", "load", f"file={self.source}/sacctmgr.cfg")]
            script = self.source / "sacctmgr-qos.sh"
            steps += [("bash", str(script))] if script.exists() else []
            for step in steps:
                done = self.client(*step)
                self.verdict.require(done.returncode == 0, f"{Path(step[-1]).name}: {(done.stdout + done.stderr)[-400:]}")
        for account in self.accounts():
            done = self.client("sacctmgr", "-i", "add", "user", "root", f"account={account}")
            self.verdict.require(done.returncode == 0, f"a user of account {account}: {done.stdout}{done.stderr}")
        return True

    def accounts(self):
        """Names of the accounts that the generated file has."""
        return re.findall(r"^Account - '([^']+)'", (self.source / "sacctmgr.cfg").read_text(), re.M)

    def judge_accounts(self):
        """The database has every account, share and quality of service."""
        shown = self.client("sacctmgr", "-n", "-P", "list", "account", "format=account").stdout.split()
        for account in self.accounts():
            self.verdict.require(account in shown, f"account {account} is not in the database")
        rows = self.client("sacctmgr", "-n", "-P", "list", "qos", "format=name,priority,preempt").stdout.splitlines()
        held = {row.split("|")[0]: row.split("|") for row in rows}
        script = self.source / "sacctmgr-qos.sh"
        said = re.findall(r"^qos (\S+) Priority=(\d+)(.*)$", script.read_text(), re.M) if script.exists() else []
        for name, priority, more in said:
            preempts = re.search(r"Preempt=(\S+)", more)
            wanted = sorted(preempts[1].split(",")) if preempts else []
            row = held.get(name, ["", "", ""])
            self.verdict.require(row[1] == priority, f"QOS {name}: priority {row[1]}, not {priority}")
            self.verdict.require(sorted(filter(None, row[2].split(","))) == wanted, f"QOS {name} preempts {row[2]}, not {wanted}")
        self.verdict.facts["accounts"] = len(self.accounts())

    def stop(self):
        """Last started, first stopped, the database after those that write to it; who does not listen is killed."""
        for some in (self.processes[3:], self.processes[2:3], self.processes[1:2], self.processes[:1]):
            for process in reversed(some):
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
            for process in reversed(some):
                try:
                    process.wait(8)
                except subprocess.TimeoutExpired:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

    def client(self, *command, conf="ctl/slurm.conf"):
        # databases made at the same time must not meet in one folder
        environment = {**os.environ, "SLURM_CONF": str(self.run / conf), "LC_ALL": "C", "TMPDIR": str(self.run)}
        return subprocess.run(command, env=environment, cwd=self.run, capture_output=True, text=True, timeout=60)

    def wait_until(self, seconds, process, test):
        end = time.monotonic() + seconds
        while time.monotonic() < end and process.poll() is None:
            if test():
                return True
            time.sleep(0.1)
        return False

    def log_errors(self):
        """Errors that the daemons logged and that the configuration caused."""
        for path in sorted(self.run.glob("slurm*.out")):
            noise = NOISE if path.name.startswith("slurmctld") else SLURMD_NOISE
            for line in path.read_text(errors="replace").splitlines():
                if re.search(r"\b(error|fatal|warning):", line, re.I) and not noise.search(line):
                    self.verdict.problem(line.replace(str(self.run) + "/", ""))

    # --- the questions

    def judge_nodes(self):
        """sinfo and scontrol know every declared node, as declared."""
        listed = set(self.client("sinfo", "--all", "--Node", "--noheader", "--format=%N").stdout.split())
        shown = self.client("scontrol", "--all", "--future", "--oneliner", "show", "node").stdout
        known = {options(line)["nodename"]: options(line) for line in shown.splitlines() if "NodeName=" in line}
        for line, group in zip(self.nodes, self.groups):
            declared = options(line)
            hidden = declared.get("state", "").upper() in ("FUTURE", "CLOUD")
            for name in group:
                node = known.get(name)
                if not self.verdict.require(node, f"node {name} is declared but the controller does not know it"):
                    continue
                self.verdict.require(hidden or name in listed, f"sinfo does not list node {name}: no partition holds it")
                if "realmemory" in declared:
                    self.verdict.require(node.get("realmemory") == declared["realmemory"], f"node {name}: RealMemory is {node.get('realmemory')}")
                for gres in filter(None, declared.get("gres", "").split(",")):
                    kind, _, count = gres.rpartition(":")
                    held = re.search(rf"\b{kind}(:\w+)?:{count}\b", node.get("gres", ""))
                    self.verdict.require(held, f"node {name}: Gres {gres} is declared, the controller has {node.get('gres')}")
        self.verdict.facts["nodes"] = sum(map(len, self.groups))

    def judge_partitions(self):
        """Every partition exists, holds nodes and would take a job."""
        job = self.run / "job.sh"
        job.write_text("#!/bin/sh\nhostname\n")
        names = [options(line)["partitionname"] for line in self.lines if key_of(line) == "partitionname"]
        names = [name for name in names if name.upper() != "DEFAULT"]
        untried = []
        for name in names:
            shown = self.client("scontrol", "--oneliner", "show", "partition", name)
            if not self.verdict.require(shown.returncode == 0, f"partition {name}: {shown.stdout}{shown.stderr}"):
                continue
            partition = options(shown.stdout)
            self.verdict.require(partition.get("totalnodes", "0") != "0", f"partition {name} holds no node")
            if partition.get("state", "UP") in NO_JOB:
                continue
            rows = self.client("sinfo", "--Node", "--noheader", "--partition", name, "--format=%t %G").stdout.splitlines()
            idle = next((row.split()[1] for row in rows if row.startswith("idle ")), None)
            if not idle:
                untried.append(name)  # none of its nodes was started
                continue
            allowed = partition.get("allowaccounts", "ALL")
            account = [] if allowed == "ALL" else ["-A", allowed.split(",")[0]]
            wishes = [["--gres=gpu:1"]] if idle.startswith("gpu") else [[]]
            wishes += [["--gres=shard:1"]] if "shard" in idle else []
            for wish in wishes:
                said = " ".join(wish) or "no gres"
                one = ["-p", name, "-N1", "-t1", "--mem=1G", *account, *wish]
                done = self.client("sbatch", "--test-only", *one, str(job))
                self.verdict.require(done.returncode == 0, f"partition {name} takes no job ({said}): {done.stderr}")
                done = self.client("srun", "--immediate=30", *one, "sh", "-c", "echo seen=${CUDA_VISIBLE_DEVICES:-$ROCR_VISIBLE_DEVICES}")
                self.verdict.require(done.returncode == 0, f"partition {name} runs no job ({said}): {done.stderr}")
                seen = re.search(r"seen=(\S*)", done.stdout)
                count = len(seen[1].split(",")) if seen and seen[1] else 0
                self.verdict.require(count == len(wish), f"partition {name}: a job with {said} sees {count} GPUs")
            if idle.startswith("gpu") and "lua" in self.whole.get("jobsubmitplugins", ""):
                refused = self.client("sbatch", "--test-only", "-p", name, "-N1", "-t1", *account, str(job))
                gpus_only = all(row.split()[1].startswith("gpu") for row in rows)
                self.verdict.require(not gpus_only or refused.returncode != 0, f"partition {name} takes a job without a GPU")
        everything_off = not self.verdict.facts["started"]
        self.verdict.require(everything_off or len(untried) < len(names), "no partition could be tried with a job")
        self.verdict.facts["partitions"] = len(names)
        self.verdict.facts["partitions_without_started_node"] = untried

    def scripts(self):
        """The batch scripts with their options."""
        for path in sorted((self.source / "jobs").glob("*.sbatch")):
            wishes = re.findall(r"^#SBATCH (--[\w-]+)(?:=(\S+))?$", path.read_text(), re.M)
            yield path, dict(wishes)

    def judge_scripts(self, started):
        """Every batch script would be taken, and runs with its resources on as many nodes as were started."""
        tried = []
        for path, wishes in self.scripts():
            done = self.client("sbatch", "--test-only", str(path), "true")
            self.verdict.require(done.returncode == 0, f"{path.name} is not taken: {done.stdout}{done.stderr}")
            partition = ["--partition", wishes["--partition"]] if "--partition" in wishes else []
            rows = self.client("sinfo", "--Node", "--noheader", *partition, "--format=%N %t").stdout.splitlines()
            idle = [row.split()[0] for row in rows if row.endswith(" idle") and row.split()[0] in started]
            nodes = min(int(wishes.get("--nodes", "1")), len(idle))
            if not self.verdict.require(nodes, f"{path.name}: none of its nodes was started"):
                continue
            batch = ("--nodes", "--output", "--open-mode", "--requeue", "--signal")
            options = [f"{k}={v}" if v else k for k, v in wishes.items() if k not in batch]
            done = self.client("srun", "--immediate=30", f"--nodes={nodes}", *options, "sh", "-c",
                               "echo seen=${CUDA_VISIBLE_DEVICES:-$ROCR_VISIBLE_DEVICES}")
            said = f"{path.name} on {nodes} nodes"
            self.verdict.require(done.returncode == 0, f"{said}: {done.stderr}")
            wanted = int(wishes.get("--gpus-per-node", "0").rpartition(":")[2] or 0)
            for seen in re.findall(r"seen=(\S*)", done.stdout):
                count = len(list(filter(None, seen.split(","))))
                self.verdict.require(count == wanted, f"{said}: a task sees {count} GPUs, not {wanted}")
            tried.append(f"{path.name}:{nodes}")
        self.verdict.facts["scripts"] = tried

    def job(self, number):
        """What the controller says of a job; nothing when it has forgotten it."""
        return options(self.client("scontrol", "--oneliner", "show", "job", number).stdout)

    def submit(self, *command):
        """The number of a job that is taken."""
        done = self.client("sbatch", "--parsable", "--output=/dev/null", *command)
        self.verdict.require(done.returncode == 0, f"sbatch {' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout.strip().partition(";")[0]

    def judge_requeues(self, controller):
        """A batch script that takes a signal tells its program, waits for it and goes back to the queue."""
        program = self.run / "bin" / "torchrun"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\ntouch {self.run}/at-work-$SLURM_JOB_ID\n"
                           'until [ -e "$STOP_FILE" ]; do sleep 1; done\n'
                           f"touch {self.run}/told-$SLURM_JOB_ID\n")
        program.chmod(0o755)
        places = ",".join(f"{name}_DIR={self.run}" for name in ("CHECKPOINT", "DATA", "OUTPUT"))
        environment = f"--export=PATH={program.parent}:{os.environ['PATH']},{places}"
        done = []
        for path, wishes in self.scripts():
            if "--signal" not in wishes or int(wishes["--nodes"]) > 1:
                continue
            number = self.submit(environment, str(path), "true")
            runs = self.wait_until(30, controller, (self.run / f"at-work-{number}").exists)
            self.verdict.require(runs, f"{path.name}: the job is {self.job(number).get('jobstate')}")
            time.sleep(1)
            self.client("scancel", "--batch", "--signal=USR1", number)
            back = self.wait_until(40, controller, lambda: self.job(number).get("restarts") == "1")
            self.verdict.require(back, f"{path.name}: the job is {self.job(number).get('jobstate')} after the signal")
            told = (self.run / f"told-{number}").exists() or "STOP_FILE" not in path.read_text()
            self.verdict.require(told, f"{path.name}: the program was not told to stop")
            self.client("scancel", number)
            done.append(path.name)
        self.verdict.facts["requeued_by_signal"] = done

    def contest(self, started):
        """Options of a job that gives way, of one that goes first, a node of both, and what becomes of the former."""
        kind, mode = self.whole.get("preempttype", ""), self.whole.get("preemptmode", "OFF").upper().split(",")[0]
        if "preemptexempttime" in self.whole:
            return None  # nothing gives way so early
        rows = [options(line) for line in self.lines if key_of(line) == "partitionname"]
        rows = [{**row, "hosts": set(self.hosts(row["nodes"])) & started} for row in rows if "allowaccounts" not in row]
        if kind == "preempt/partition_prio":
            for low in rows:
                for high in rows:
                    both = sorted(low["hosts"] & high["hosts"])
                    way = low.get("preemptmode", mode).upper()
                    if both and way in ("REQUEUE", "CANCEL") and int(low["prioritytier"]) < int(high["prioritytier"]):
                        return ["-p", low["partitionname"]], ["-p", high["partitionname"]], both[0], way
        script = self.source / "sacctmgr-qos.sh"
        if kind == "preempt/qos" and script.exists():
            accounts = dict(map(reversed, re.findall(r"account (\S+) set QosLevel=(\S+)", script.read_text())))
            for name, below in re.findall(r"^qos (\S+) .*Preempt=(\S+)", script.read_text(), re.M):
                low = next((accounts[each] for each in below.split(",") if each in accounts), None)
                row = next((row for row in rows if row["hosts"]), None)
                if low and name in accounts and row:
                    own = ["-p", row["partitionname"], "-A"]
                    return [*own, low], [*own, accounts[name]], sorted(row["hosts"])[0], mode
        return None

    def judge_preemption(self, controller, started):
        """A job that goes first takes the node of one that gives way, and that one goes back to the queue or ends."""
        found = self.contest(started)
        if not found:
            return
        low, high, node, way = found
        waits = self.run / "waits.sh"
        waits.write_text("#!/bin/bash\ntrap 'scontrol requeue $SLURM_JOB_ID' USR1\nsleep 100 &\nwait\nwait\n")
        whole = ["-N1", "-w", node, "--exclusive", "--mem=0", "-t60"]
        first = self.submit(*whole, *low, "--requeue", "--signal=B:USR1@60", str(waits))
        runs = self.wait_until(30, controller, lambda: self.job(first).get("jobstate") == "RUNNING")
        self.verdict.require(runs, f"preemption: the lower job is {self.job(first).get('jobstate')}")
        time.sleep(1)
        second = self.submit(*whole, *high, str(waits))
        runs = self.wait_until(40, controller, lambda: self.job(second).get("jobstate") == "RUNNING")
        after = self.job(first)
        self.verdict.require(runs, f"preemption: the higher job is {self.job(second).get('jobstate')}, "
                                   f"the lower one {after.get('jobstate')}")
        right = after.get("restarts") == "1" if way == "REQUEUE" else after.get("jobstate") == "PREEMPTED"
        self.verdict.require(right, f"preemption with {way}: the lower job is {after.get('jobstate')}, restarts {after.get('restarts')}")
        self.client("scancel", first, second)
        self.verdict.facts["preempted"] = way

    def default_count(self):
        """All nodes where a script wants several and this machine can have them, otherwise at most 6."""
        wanted = max([1] + [int(wishes.get("--nodes", "1")) for _, wishes in self.scripts()])
        there = sum(map(len, self.groups))
        return there if 1 < wanted and there <= MOST else min(there, max(len(self.nodes), 6))

    def boot(self, count):
        """The whole story, from the copy to the verdict."""
        self.judge_replaced_text()
        picked = self.pick(self.default_count() if count is None else count)
        own, dbd, database, *free = free_ports(3 + len(picked))
        ports = {"port": own, "dbd": dbd, "database": database}
        self.localise(ports, dict(zip(picked, free)))
        if not self.accounting(ports):
            return
        self.judge_accounts()
        controller = self.daemon("ctl", "slurmctld", "-i")
        up = self.wait_until(30, controller, lambda: "is UP" in self.client("scontrol", "ping").stdout)
        if not self.verdict.require(up, f"slurmctld does not answer (exit code {controller.poll()})"):
            return
        for script in [path for path in [self.source / "quotas.sh"] if path.exists()]:
            done = self.client("bash", str(script))
            self.verdict.require(done.returncode == 0, f"quotas.sh: {done.stdout}{done.stderr}")
            rows = self.client("sacctmgr", "-n", "-P", "list", "assoc", "format=account,user,grptres").stdout.splitlines()
            for account, gpus in re.findall(r"account (\S+) set GrpTRES=(\S+)", script.read_text()):
                gpus = "" if gpus.endswith("=-1") else gpus
                self.verdict.require(f"{account}||{gpus}" in rows, f"account {account} has no limit {gpus}")
        rented = [options(line)["nodename"] for line in self.nodes if options(line).get("state", "").upper() == "CLOUD"]
        rented = {name for hosts in rented for name in self.hosts(hosts)} & set(picked)
        if rented:
            done = self.client("scontrol", "update", f"nodename={','.join(sorted(rented))}", "state=power_up")
            self.verdict.require(done.returncode == 0, f"rented nodes are not started: {done.stderr}")
            # ResumeProgram runs, and then they boot
            told = lambda: self.client("scontrol", "-o", "show", "node", sorted(rented)[0]).stdout
            self.wait_until(10, controller, lambda: "POWERING_UP" in told())
        for name in picked:
            # A rented node has booted since it was asked for; this machine has not.
            self.daemon("node", "slurmd", "-N", name, *(["-b"] if name in rented else []))

        def states():
            rows = self.client("sinfo", "--all", "--Node", "--noheader", "--format=%N %t").stdout.splitlines()
            return dict(row.split() for row in rows)

        self.wait_until(20, controller, lambda: all(states().get(name) == "idle" for name in picked))
        now = states()
        for name in picked:
            why = self.client("sinfo", "--noheader", "--nodes", name, "--format=%E").stdout.split("\n")[0]
            self.verdict.require(now.get(name) == "idle", f"node {name} is {now.get(name)}: {why}")
        self.verdict.facts["started"] = len(picked)
        self.judge_nodes()
        for what in ("config", "partition", "topology"):
            done = self.client("scontrol", "show", what)
            self.verdict.require(done.returncode == 0, f"scontrol show {what}: {done.stderr}")
        self.judge_partitions()
        self.judge_scripts(set(picked))
        self.judge_requeues(controller)
        self.judge_preemption(controller, set(picked))
        self.verdict.require(controller.poll() is None, "slurmctld died")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("dir")
    arguments.add_argument("--nodes", type=int, default=None, help="how many slurmd to start")
    arguments.add_argument("--keep", action="store_true", help="keep the localised copy and the logs")
    given = arguments.parse_args()
    need_tools("slurmctld", "slurmd", "sinfo", "scontrol", "sbatch", "srun", "slurmdbd", "mariadbd", "mariadb-install-db")
    source = input_folder(given.dir)
    verdict = Verdict("slurm_boot")
    if not verdict.require((source / "slurm.conf").exists(), f"{source} has no slurm.conf"):
        verdict.give()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    run = Path(tempfile.mkdtemp(prefix="aipc-slurm-"))
    run.chmod(0o755)
    slurm = Slurm(source, run, verdict)
    try:
        slurm.boot(given.nodes)
    finally:
        slurm.log_errors()  # before the end: who is stopped first leaves the others without an answer
        slurm.stop()
        if given.keep:
            verdict.facts["kept"] = str(run)
        else:
            shutil.rmtree(run, ignore_errors=True)
    verdict.facts["version"] = slurm_version()
    verdict.give()


def slurm_version():
    return subprocess.run(["slurmctld", "-V"], capture_output=True, text=True).stdout.split()[-1]


main()
