#!/usr/bin/env python3
"""terraform_check.py DIR [--only LAYER] [--keep]

Runs the real terraform, offline, on every layer under DIR: a folder with *.tf that no other folder calls as a module.
`fmt -check -recursive -diff` once over DIR, then for each layer `init`, `validate`, `plan`, `apply` and a second
`plan` that must be empty. The providers are mocks that serve the schemas in $AIPC_SCHEMAS/terraform and, for
providers without one there, in providers/ beside this script.

Works on a copy. Backends become local; `terraform_remote_state` data reads the state of the layer of the same name,
which is run first. A terraform.tfvars.example becomes terraform.tfvars; a variable without default and value gets a
stand-in, named in the summary. No network and no credentials are used.
"""
import argparse
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from verdict import Verdict, input_folder, need_modules, need_tools, schemas

STAND_INS = {"string": '"stand-in"', "number": "1", "bool": "false", "list": "[]", "set": "[]", "map": "{}"}


def blocks(folder, kind):
    """(labels, body) of the top-level blocks of a kind, in text that `terraform fmt` has accepted."""
    for file in sorted(folder.glob("*.tf")):
        for match in re.finditer(rf'^{kind} ((?:"[^"\n]*" )*){{\n(.*?)^}}', file.read_text(), re.M | re.S):
            yield re.findall(r'"([^"]*)"', match[1]), match[2]


def local_modules(folder):
    """Folders that this one calls as modules."""
    for _, body in blocks(folder, "module"):
        source = re.search(r'^\s*source\s*=\s*"(\.{1,2}/[^"]*)"', body, re.M)
        if source:
            yield (folder / source[1]).resolve()


def layers(top):
    """Folders with *.tf that are not modules of others, those that others read first."""
    folders = sorted({file.parent.resolve() for file in top.rglob("*.tf")})
    called = {module for folder in folders for module in local_modules(folder)}
    roots = {folder.name: folder for folder in folders if folder not in called}
    order = []

    def visit(name):
        if name in roots and roots[name] not in order:
            folder = roots.pop(name)
            for read in remote_states(folder):
                visit(read)
            order.append(folder)

    for name in sorted(roots):
        visit(name)
    return order


def remote_states(folder):
    return [labels[1] for labels, _ in blocks(folder, "data") if labels[0] == "terraform_remote_state"]


class Terraform:
    """terraform on the copy, with the mock providers."""

    def __init__(self, run, providers, verdict):
        self.run, self.verdict = run, verdict
        config = run / "cli.tfrc"  # an empty mirror: nothing is ever asked from a registry
        (run / "mirror").mkdir()
        config.write_text(f'provider_installation {{\n  filesystem_mirror {{\n    path = "{run}/mirror"\n  }}\n}}\n')
        self.environment = {
            **os.environ, "TF_REATTACH_PROVIDERS": providers.reattach(), "TF_CLI_CONFIG_FILE": str(config),
            "TF_IN_AUTOMATION": "1", "TF_INPUT": "0", "CHECKPOINT_DISABLE": "1",
        }

    def step(self, folder, *command, fine=(0,)):
        """Run one command; its output is the problem if it fails."""
        done = subprocess.run(
            ["terraform", *command], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        _, error, rest = done.stdout.partition("Error: ")
        said = error + rest if command[0] != "fmt" and error else done.stdout
        where = "" if folder == self.run / "copy" else f" in {folder.relative_to(self.run / 'copy')}"
        return self.verdict.require(
            done.returncode in fine,
            f"terraform {command[0]}{where} exits {done.returncode}\n{said.strip()[:4000]}",
        )

    def localise(self, layer, state_of):
        """Local backend, local remote states, values for what the user would fill in."""
        lines = ['terraform {', f'  backend "local" {{\n    path = "{state_of[layer.name]}"\n  }}', "}"]
        for read in remote_states(layer):
            if read not in state_of:
                self.verdict.problem(f"{layer.name} reads the state of {read}, which is no layer")
                continue
            lines += [f'data "terraform_remote_state" "{read}" {{', '  backend = "local"',
                      f'  config = {{\n    path = "{state_of[read]}"\n  }}', "}"]
        (layer / "zz_conformance_override.tf").write_text("\n".join(lines) + "\n")
        example, given = layer / "terraform.tfvars.example", layer / "terraform.tfvars"
        if example.exists() and not given.exists():
            shutil.copyfile(example, given)
        values = "".join(file.read_text() for file in layer.glob("*.tfvars"))
        missing = {}
        for (name, *_), body in blocks(layer, "variable"):
            if re.search(r"^  default\s*=", body, re.M) or re.search(rf"^{name}\s*=", values, re.M):
                continue
            if f"TF_VAR_{name}" not in os.environ:
                kind = re.search(r"^  type\s*=\s*(\w+)", body, re.M)
                missing[name] = STAND_INS.get(kind[1] if kind else "string", "{}")
        if missing:
            text = "".join(f"{name} = {value}\n" for name, value in missing.items())
            (layer / "conformance.auto.tfvars").write_text(text)
            self.verdict.facts["stand_ins"] += [f"{layer.name}.{name}" for name in missing]

    def judge(self, layer, state_of):
        unread = [read for read in remote_states(layer) if read in state_of and not state_of[read].exists()]
        if not self.verdict.require(not unread, f"{layer.name} is not judged: it reads {', '.join(unread)}, which failed"):
            return False
        self.localise(layer, state_of)
        return (
            self.step(layer, "init", "-no-color", "-reconfigure")
            and self.step(layer, "validate", "-no-color")
            and self.step(layer, "plan", "-no-color", "-out=conformance.plan")
            and self.step(layer, "apply", "-no-color", "conformance.plan")
            and self.step(layer, "plan", "-no-color", "-detailed-exitcode")
        )


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("dir")
    arguments.add_argument("--only", help="judge this layer (and those it reads) only")
    arguments.add_argument("--keep", action="store_true", help="keep the copy")
    given = arguments.parse_args()
    need_tools("terraform")
    need_modules("grpc", "msgpack", "google.protobuf")
    files = sorted(schemas("terraform").glob("*.json"))
    files += sorted((Path(__file__).parent / "providers").glob("*.json"))
    source = input_folder(given.dir)

    from provider_mock import Providers

    verdict = Verdict("terraform_check")
    verdict.facts["stand_ins"] = []
    run = Path(tempfile.mkdtemp(prefix="aipc-tf-"))
    copy = run / "copy"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns(".terraform*", "*.tfstate*"))
    try:
        with Providers(files, run) as providers:
            terraform = Terraform(run, providers, verdict)
            terraform.step(copy, "fmt", "-check", "-recursive", "-diff", "-no-color")
            order = layers(copy)
            verdict.require(order, f"{source} has no folder with *.tf")
            state_of = {layer.name: run / f"{layer.name}.tfstate" for layer in order}
            verdict.facts["layers"] = judged = []
            for layer in order:
                wanted = given.only in (None, layer.name) or layer.name in remote_states_of(order, given.only)
                if wanted and terraform.judge(layer, state_of):
                    judged.append(layer.name)
    finally:
        if given.keep:
            verdict.facts["kept"] = str(run)
        else:
            shutil.rmtree(run, ignore_errors=True)
    verdict.give()


def remote_states_of(order, name):
    """Every layer that `name` reads, directly or not."""
    found, queue = set(), [name]
    while queue:
        now = queue.pop()
        for layer in order:
            if layer.name == now:
                new = set(remote_states(layer)) - found
                found |= new
                queue += new
    return found


main()
