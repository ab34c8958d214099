#!/usr/bin/env python3
"""The peer of the bench: the same objects from JSON with jinja2.

    peer.py prepare OUT TEMPLATE      cut one workload's manifest out of what aipc wrote and make a template of it
    peer.py run JSON TEMPLATE OUT     read the platform, check references and capacity, render, write

`run` is what is timed. It writes for each workload the same objects as aipc, in files of a hundred workloads, and a CSV
with totals. It neither sizes, nor checks rules, nor keeps reasons, nor writes the plan, the workbook, Slurm or Terraform.
"""
import csv
import json
import os
import re
import sys


def prepare(out, template):
    path = os.path.join(out, "kubernetes/serve/tenants/t-0000")
    name = sorted(entry for entry in os.listdir(path) if entry.startswith("inferences"))[0]
    with open(os.path.join(path, name), encoding="utf-8") as file:
        documents = file.read().split("\n---\n")[1:]
    first = re.search(r"w-\d{6}", documents[0]).group(0)
    own = [document for document in documents if first in document]
    text = "---\n" + "\n---\n".join(own).rstrip("\n") + "\n"
    pool = re.search(r"\bp-\d{4}\b", text).group(0)
    # Every scalar is a value that passes a quoting filter, as in the templates of aipc; names vary with the workload.
    values, lines = [], []
    for line in text.splitlines():
        match = re.match(r"(\s*(?:- )?[\w./-]+: )(\S.*)$", line)
        if match and not match.group(2).startswith(("[", "{")):
            values.append(match.group(2).strip('"'))
            line = match.group(1) + "{{ v[" + str(len(values) - 1) + "]|q }}"
        else:
            for found, name in ((first, "name"), (pool, "pool"), ("t-0000", "tenant")):
                line = line.replace(found, "{{ w." + name + " }}")
        lines.append(line)
    for index, value in enumerate(values):
        for found, name in ((first, "name"), (pool, "pool"), ("t-0000", "tenant")):
            value = value.replace(found, "{" + name + "}")
        values[index] = value
    with open(template, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(template + ".json", "w", encoding="utf-8") as file:
        json.dump(values, file)


def fill(value, load):
    if "{" not in value:
        return value
    return value.replace("{name}", load["name"]).replace("{pool}", load["pool"]).replace("{tenant}", load["tenant"])


def run(source, template, out):
    import jinja2

    with open(source, encoding="utf-8") as file:
        platform = json.load(file)
    plain = re.compile(r"[A-Za-z][A-Za-z0-9._/-]*").fullmatch
    number = re.compile(r"[0-9]+").fullmatch
    environment = jinja2.Environment(keep_trailing_newline=True, undefined=jinja2.StrictUndefined)
    environment.filters["q"] = lambda value: value if plain(value) or number(value) else json.dumps(value)
    with open(template, encoding="utf-8") as file:
        render = environment.from_string(file.read()).render
    with open(template + ".json", encoding="utf-8") as file:
        values = json.load(file)
    pools, tenants = set(platform["pools"]), set(platform["tenants"])
    gpus = dict.fromkeys(platform["pools"], 0)
    by_tenant = {}
    for load in platform["workloads"]:
        if load["pool"] not in pools or load["tenant"] not in tenants:
            raise SystemExit(f"{load['name']} refers to nothing")
        gpus[load["pool"]] += 2
        by_tenant.setdefault(load["tenant"], []).append(load)
    for tenant, loads in sorted(by_tenant.items()):
        folder = os.path.join(out, "tenants", tenant)
        os.makedirs(folder, exist_ok=True)
        for start in range(0, len(loads), 100):
            text = "".join(render(w=load, v=[fill(value, load) for value in values]) for load in loads[start : start + 100])
            with open(os.path.join(folder, f"inferences-{start // 100:03d}.yaml"), "w", encoding="utf-8") as file:
                file.write(text)
    with open(os.path.join(out, "bom.csv"), "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["pool", "gpus", "nodes"])
        for pool, count in sorted(gpus.items()):
            rows.writerow([pool, count, -(-count // 8)])
        rows.writerow(["total", sum(gpus.values()), sum(-(-count // 8) for count in gpus.values())])


if __name__ == "__main__":
    {"prepare": prepare, "run": run}[sys.argv[1]](*sys.argv[2:])
