#!/usr/bin/env python3
"""slurm_boot.py DIR [--nodes N] [--keep]

Starts a real slurmctld, and N real slurmd (default: one for each NodeName line, at most 6; 0 for none), on the
slurm.conf, gres.conf, cgroup.conf and topology.conf in DIR, on loopback, as root, without munge. Then it asks: does
sinfo list every declared node, does every node have its declared memory and GRES, do the started nodes register as
idle, does every partition hold nodes and, where one of them was started, accept a job, did any daemon log an error?

Only what one machine cannot have is replaced, in a copy: hosts, ports, users, folders, authentication, programs to
run, the accounting database, device files; for slurmd also the cgroup plugins. The controller keeps the generated
cgroup.conf and the cgroup plugins, so their keys are judged. What is replaced is checked as text where that is
possible: a plugin must exist in this Slurm, a weighted TRES must be tracked.

Files for a newer Slurm than the installed one fail: build for the installed version.
"""
import argparse
import contextlib
import ctypes
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
    # accounting needs slurmdbd and a database server
    "AccountingStorageType": "accounting_storage/none",
    "AccountingStorageHost": None,
    "AccountingStorageBackupHost": None,
    "AccountingStoragePort": None,
    "AccountingStorageEnforce": None,
    "AccountingStorageTRES": None,
    "AccountingStoreFlags": None,
    "JobAcctGatherType": "jobacct_gather/none",
    "PriorityWeightFairshare": None,
    "PriorityWeightTRES": None,
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
MACHINE_IF_PRESENT = {"ResumeProgram": "/bin/true", "SuspendProgram": "/bin/true", "SuspendTime": "-1"}
# Added to what the generated file says: believe the declared hardware, accept two copies, show nodes that are off.
ADDED = {"SlurmdParameters": "config_overrides", "DebugFlags": "NO_CONF_HASH", "PrivateData": "cloud"}
# What slurmd cannot do here on top of that: control groups, job containers, hardware that is not there.
NODE_ONLY = {
    "ProctrackType": "proctrack/linuxproc",
    "TaskPlugin": "task/none",
    "PrologFlags": None,
    "JobContainerType": None,
}
# Partition options that need the accounting database or the site's user groups.
NEEDS_DATABASE = re.compile(r"\s(AllowQos|DenyQos|QOS|AllowAccounts|DenyAccounts|AllowGroups)=\S+", re.I)
# Errors that any start on such a machine logs, whatever the configuration says.
NOISE = re.compile(
    r"mpi/pmix|PMIx|MPI: Cannot create context"  # libpmix is not installed
    r"|[Cc]ould not open .*state|No .*state file|Trying backup state"  # nothing saved yet
    r"|not responding|Connection refused"  # nodes that were not started
    r"|can only be used with SlurmDBD"  # no accounting database
)
SLURMD_NOISE = re.compile(
    NOISE.pattern + r"|xcpuinfo|Node configuration differs from hardware|cgroup|Domain socket"  # foreign hardware
    r"|Limited MemSpecLimit support|despite slurmctld having been setup for configless"
)
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


def free_ports(count):
    """Ports that nothing listens on right now."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


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

    def judge_replaced_text(self):
        """What the copy replaces still has to be right as text."""
        plugins = next(Path("/usr/lib").glob("*/slurm-wlm"), None)
        whole = {key_of(line): line.partition("=")[2].strip() for line in self.lines}
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
        queues = [list(group) for group in self.groups if group]
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
                name = options(line)["nodename"] if len(others) == len(group) else ",".join(others)
                out.append(f"NodeName={name} NodeAddr=127.0.0.1 NodeHostname=localhost Port=1 {rest}")
        return out

    def localise(self, port, started):
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
                line = NEEDS_DATABASE.sub("", line)
                line = re.sub(r"\sTRESBillingWeights=(\"[^\"]*\"|\S+)", "", line, flags=re.I)
            if key == "preempttype" and "preempt/qos" in line:
                line = "PreemptType=preempt/partition_prio"
            if key != "nodename" and key not in ours:
                body.append(line)
        partitions = [line for line in body if key_of(line) in ("partitionname", "nodeset", "downnodes")]
        plain = [line for line in body if line not in partitions]
        fixed = {key: value for key, value in ours.values() if value is not None}
        self.write("ctl", plain, fixed, port, started, partitions)
        node = {key.lower() for key in NODE_ONLY}
        kept = [line for line in plain if key_of(line) not in node]
        fixed = {k: v for k, v in {**fixed, **NODE_ONLY}.items() if v is not None}
        self.write("node", kept, fixed, port, started, partitions)
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

    def write(self, side, plain, fixed, port, started, partitions):
        ours = [f"{k}={v.format(run=self.run, port=port)}" for k, v in fixed.items()]
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

    def start(self, side, *command):
        log = (self.run / f"{command[0]}.{len(self.processes)}.out").open("w")
        environment = {**os.environ, "SLURM_CONF": str(self.run / side / "slurm.conf")}
        process = subprocess.Popen(
            [*command, "-D", "-f", environment["SLURM_CONF"]],
            env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, preexec_fn=die_with_parent,
        )
        self.processes.append(process)
        return process

    def stop(self):
        """Last started, first stopped; a daemon that does not listen is killed."""
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(8)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def client(self, *command, conf="ctl/slurm.conf"):
        environment = {**os.environ, "SLURM_CONF": str(self.run / conf), "LC_ALL": "C"}
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
        for path in sorted(self.run.glob("*.out")):
            noise = NOISE if path.name.startswith("slurmctld") else SLURMD_NOISE
            for line in path.read_text(errors="replace").splitlines():
                if re.search(r"\b(error|fatal):", line) and not noise.search(line):
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
            wish = ["--gres=gpu:1"] if idle.startswith("gpu") else []
            done = self.client("sbatch", "--test-only", "-p", name, "-N1", "-t1", *wish, str(job))
            self.verdict.require(done.returncode == 0, f"partition {name} takes no job ({' '.join(wish) or 'no gres'}): {done.stderr}")
        everything_off = not self.verdict.facts["started"]
        self.verdict.require(everything_off or len(untried) < len(names), "no partition could be tried with a job")
        self.verdict.facts["partitions"] = len(names)
        self.verdict.facts["partitions_without_started_node"] = untried

    def boot(self, count):
        """The whole story, from the copy to the verdict."""
        self.judge_replaced_text()
        picked = self.pick(min(len(self.nodes), 6) if count is None else count)
        port, *ports = free_ports(1 + len(picked))
        self.localise(port, dict(zip(picked, ports)))
        controller = self.start("ctl", "slurmctld", "-i")
        up = self.wait_until(30, controller, lambda: "is UP" in self.client("scontrol", "ping").stdout)
        if not self.verdict.require(up, f"slurmctld does not answer (exit code {controller.poll()})"):
            return
        for name in picked:
            self.start("node", "slurmd", "-N", name)

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
        self.judge_partitions()
        self.verdict.require(controller.poll() is None, "slurmctld died")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("dir")
    arguments.add_argument("--nodes", type=int, default=None, help="how many slurmd to start")
    arguments.add_argument("--keep", action="store_true", help="keep the localised copy and the logs")
    given = arguments.parse_args()
    need_tools("slurmctld", "slurmd", "sinfo", "scontrol", "sbatch")
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
        slurm.stop()
        slurm.log_errors()
        if given.keep:
            verdict.facts["kept"] = str(run)
        else:
            shutil.rmtree(run, ignore_errors=True)
    verdict.facts["version"] = slurm_version()
    verdict.give()


def slurm_version():
    return subprocess.run(["slurmctld", "-V"], capture_output=True, text=True).stdout.split()[-1]


main()
