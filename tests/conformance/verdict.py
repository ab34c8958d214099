"""What every conformance script shares: how a verdict is given.

A script collects problems in a `Verdict`, prints each on a line of its own that starts with `problem:`, then one line
of JSON, and leaves with 0 (fine), 1 (problems) or 77 (a tool or an input of ours is missing, so nothing was judged).
"""
import importlib
import json
import os
import shutil
import sys
from pathlib import Path

SKIPPED = 77


def skip(reason):
    """Nothing can be judged here: say so, and never look like a pass."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def need_tools(*names):
    """Skip unless every program is on the path (or in sbin, where daemons live)."""
    os.environ["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    for name in names:
        if shutil.which(name) is None:
            skip(f"{name} is missing")


def need_modules(*names):
    """Import Python packages, or skip and name the one that is missing."""
    try:
        return [importlib.import_module(name) for name in names]
    except ModuleNotFoundError as missing:
        skip(f"the Python package {missing.name} is missing from {sys.executable}")


def schemas(kind):
    """The folder `kind` of the schemas that AIPC_SCHEMAS names; they are read in place, never copied."""
    root = os.environ.get("AIPC_SCHEMAS")
    if not root:
        skip("AIPC_SCHEMAS is not set")
    folder = Path(root) / kind
    if not folder.is_dir():
        skip(f"AIPC_SCHEMAS has no folder {kind}")
    return folder


def input_folder(text):
    """The folder to judge; a wrong path is our caller's mistake, so it fails."""
    folder = Path(text).resolve()
    if not folder.is_dir():
        sys.exit(f"problem: {text} is not a folder")
    return folder


class Verdict:
    """Problems found so far, and facts worth reporting."""

    def __init__(self, check):
        self.facts = {"check": check}
        self.problems = []

    def problem(self, text):
        """Record a problem, once, and show it at once."""
        text = str(text).strip()
        if text not in self.problems:
            self.problems.append(text)
            print(f"problem: {text}", flush=True)

    def require(self, holds, text):
        """Record a problem unless it holds."""
        if not holds:
            self.problem(text)
        return bool(holds)

    def give(self):
        """Print the summary and leave."""
        summary = {**self.facts, "ok": not self.problems, "problems": len(self.problems)}
        print(json.dumps(summary), flush=True)
        sys.exit(1 if self.problems else 0)
