#!/usr/bin/env python3
"""The peer of the bench: the same objects from JSON with jinja2.

    peer.py prepare OUT TEMPLATE      cut one workload's manifest out of what aipc wrote and make a template of it
    peer.py run JSON TEMPLATE OUT     read the platform, check references and capacity, render, write

`run` is what is timed. It writes for each workload the same objects as aipc, byte for byte, in files of a hundred
workloads, and a CSV with totals.
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
    for found, name in ((first, "name"), (pool, "pool"), ("t-0000", "tenant")):
        text = text.replace(found, "{{ w." + name + " }}")
    with open(template, "w", encoding="utf-8") as file:
        file.write(text)


def run(source, template, out):
    import jinja2

    with open(source, encoding="utf-8") as file:
        platform = json.load(file)
    with open(template, encoding="utf-8") as file:
        render = jinja2.Environment(keep_trailing_newline=True, undefined=jinja2.StrictUndefined).from_string(file.read()).render
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
            text = "".join(render(w=load) for load in loads[start : start + 100])
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
