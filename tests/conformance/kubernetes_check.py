#!/usr/bin/env python3
"""kubernetes_check.py DIR [--version 1.35]

Judges every YAML file under DIR, and what `kubectl kustomize` builds from every kustomization.yaml. A document must
parse without duplicate or non-text keys, have a legal name, text labels and annotations, and fit the strict schema of
its kind: the kinds of Kubernetes VERSION from the package kubernetes-validate, custom kinds from $AIPC_SCHEMAS/crds.
A kind without schema is a problem. In a build that no other kustomization includes, each object must occur once and
its namespace be declared.

Not judged as objects: patches and generator inputs that a kustomization names, and files called *values*.yaml, which
must only parse. Needs no cluster.
"""
import argparse
import copy
import functools
import json
import re
import subprocess

from verdict import Verdict, input_folder, need_modules, need_tools, schemas

NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
RBAC_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9.:]*[A-Za-z0-9])?")
BUILT_IN_NAMESPACES = {"default", "kube-system", "kube-public", "kube-node-lease"}


def strict_loader(yaml):
    """A YAML loader that refuses what a Kubernetes reader would silently change."""

    class Strict(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        pass

    def mapping(loader, node):
        out = {}
        for key_node, value_node in node.value:
            key, line = loader.construct_object(key_node), key_node.start_mark.line + 1
            if not isinstance(key, str):
                raise yaml.YAMLError(f"line {line}: the key {key!r} is no text: quote it")
            if key in out:
                raise yaml.YAMLError(f"line {line}: duplicate key {key}")
            out[key] = loader.construct_object(value_node, deep=True)
        return out

    Strict.add_constructor("tag:yaml.org,2002:map", mapping)
    Strict.add_constructor("tag:yaml.org,2002:value", lambda loader, node: node.value)
    return Strict


class Cluster:
    """The schemas of one Kubernetes version and the custom kinds beside it."""

    def __init__(self, version, crds, verdict):
        self.version, self.crds, self.verdict = version, crds, verdict
        self.yaml, self.jsonschema, self.builtin = need_modules("yaml", "jsonschema", "kubernetes_validate")
        self.loader = strict_loader(self.yaml)
        # the package reads and indexes large files for every document: once is enough
        self.builtin.utils.schema_contents = functools.cache(self.builtin.utils.schema_contents)

    def documents(self, text, where):
        """Objects in a text; List objects are opened up."""
        try:
            found = [d for d in self.yaml.load_all(text, self.loader) if d is not None]
        except self.yaml.YAMLError as error:
            self.verdict.problem(f"{where}: {error}")
            return []
        opened = []
        for document in found:
            is_list = isinstance(document, dict) and document.get("kind") == "List"
            opened += document.get("items", []) if is_list else [document]
        return opened

    @functools.cache
    def custom(self, group, kind, version):
        path = self.crds / group / f"{kind}_{version}.json"
        return self.jsonschema.Draft4Validator(json.loads(path.read_text())) if path.exists() else None

    def judge(self, document, where):
        """One object: name, labels, schema. Gives its identity, or None if it has none."""
        metadata = document.get("metadata") if isinstance(document, dict) else None
        if not isinstance(metadata, dict) or not document.get("kind") or not document.get("apiVersion"):
            self.verdict.problem(f"{where}: not a Kubernetes object: {str(document)[:80]}")
            return None
        kind, api, name, namespace = document["kind"], document["apiVersion"], metadata.get("name"), metadata.get("namespace", "")
        who = f"{where}: {kind} {namespace + '/' if namespace else ''}{name}"
        legal = RBAC_NAME if api.startswith("rbac.") else NAME
        self.verdict.require(isinstance(name, str) and legal.fullmatch(name), f"{who}: the name is not legal")
        for label, value in [*(metadata.get("labels") or {}).items(), *(metadata.get("annotations") or {}).items()]:
            self.verdict.require(isinstance(value, str), f"{who}: {label} is {value!r}, not text")
        group, _, version = api.rpartition("/")
        custom = self.custom(group, kind, version) if group else None
        if custom:
            for error in custom.iter_errors(document):
                self.verdict.problem(f"{who}: {'.'.join(map(str, error.path))}: {error.message[:300]}")
            if custom.schema.get("x-scope") == "Cluster":
                self.verdict.require(not namespace, f"{who}: has a namespace, but its kind is cluster-wide")
        else:
            self.judge_builtin(document, who)
        return kind, api, namespace, name

    def judge_builtin(self, document, who):
        try:
            self.builtin.validate(copy.deepcopy(document), self.version, strict=True)
        except self.builtin.ValidationError as error:
            self.verdict.problem(f"{who}: {'.'.join(map(str, error.path))}: {error.message[:300]}")
        except self.builtin.SchemaNotFoundError:
            self.verdict.problem(f"{who}: no schema for {document['apiVersion']} {document['kind']} in {self.version}")


def inputs_of(kustomization, folder):
    """Files that a kustomization uses as something else than objects."""
    patches = [*kustomization.get("patches", []), *kustomization.get("replacements", [])]
    names = [row["path"] for row in patches if isinstance(row, dict) and "path" in row]
    names += [row for row in kustomization.get("patchesStrategicMerge", []) if "\n" not in row]
    for generator in ("configMapGenerator", "secretGenerator"):
        for row in kustomization.get(generator, []):
            names += [file.partition("=")[2] or file for file in row.get("files", [])]
    return {(folder / name).resolve() for name in names}


def included_by(kustomization, folder):
    """Folders of other kustomizations that this one pulls in."""
    rows = [*kustomization.get("resources", []), *kustomization.get("components", []), *kustomization.get("bases", [])]
    return {(folder / row).resolve() for row in rows}


def judge_build(cluster, folder, where, is_top):
    """What kustomize makes of a folder is what a cluster would be given."""
    done = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, text=True)
    if not cluster.verdict.require(done.returncode == 0, f"kubectl kustomize {where}: {done.stderr}"):
        return 0
    identities = [cluster.judge(d, f"build of {where}") for d in cluster.documents(done.stdout, where)]
    identities = [identity for identity in identities if identity]
    for identity in {i for i in identities if identities.count(i) > 1}:
        cluster.verdict.problem(f"build of {where}: {identity[0]} {identity[3]} occurs twice")
    if is_top:
        made = BUILT_IN_NAMESPACES | {name for kind, _, _, name in identities if kind == "Namespace"}
        for namespace in sorted({i[2] for i in identities if i[2]} - made):
            cluster.verdict.problem(f"build of {where}: nothing declares the namespace {namespace}")
    return len(identities)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("dir")
    arguments.add_argument("--version", default="1.35", help="Kubernetes version, as 1.35")
    given = arguments.parse_args()
    need_tools("kubectl")
    verdict = Verdict("kubernetes_check")
    cluster = Cluster(given.version, schemas("crds"), verdict)
    top = input_folder(given.dir)
    files = sorted(f for f in top.rglob("*") if f.suffix in (".yaml", ".yml") and f.is_file())
    verdict.require(files, f"{top} has no YAML file")

    kustomizations = {}
    for file in files:
        if file.stem == "kustomization":
            found = cluster.documents(file.read_text(), file.relative_to(top))
            kustomizations[file.parent] = found[0] if found and isinstance(found[0], dict) else {}
    inputs = set().union(*(inputs_of(k, folder) for folder, k in kustomizations.items()))
    included = set().union(*(included_by(k, folder) for folder, k in kustomizations.items()))

    objects = 0
    for file in files:
        where = file.relative_to(top)
        documents = cluster.documents(file.read_text(), where) if file.stem != "kustomization" else []
        if file in inputs or "values" in file.stem:
            continue
        objects += len([cluster.judge(document, where) for document in documents])
        if kustomizations and file.stem != "kustomization":
            verdict.require(file in included, f"{where}: no kustomization lists it")
    built = 0
    for folder, kustomization in kustomizations.items():
        if kustomization.get("kind") != "Component":
            built += judge_build(cluster, folder, folder.relative_to(top), folder not in included)
    verdict.facts |= {"version": given.version, "objects": objects, "kustomizations": len(kustomizations), "built": built}
    verdict.give()


main()
