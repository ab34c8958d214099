#!/usr/bin/env python3
"""Writes a platform of any size: W workloads over W/50 pools, W/100 tenants, one Kubernetes and one Slurm cluster.

Usage: generate.py WORKLOADS [--json FILE] > main.aip

With --json the same platform is also written as JSON, which is what the peer script of the bench reads.
"""
import argparse
import json


def platform(workloads):
    """The platform as data; `aip` and the JSON file both come from it."""
    pools = max(1, workloads // 50)
    tenants = max(1, workloads // 100)
    return {
        "name": "bench",
        "pools": [f"p-{i:04d}" for i in range(pools)],
        "tenants": [f"t-{i:04d}" for i in range(tenants)],
        "workloads": [
            {
                "name": f"w-{i:06d}",
                "pool": f"p-{i % pools:04d}",
                "tenant": f"t-{i % tenants:04d}",
                "context": 8192,
                "requests": 1 + i % 3,
                "prompt": 500,
                "answer": 100,
            }
            for i in range(workloads)
        ],
    }


def aip(data):
    """The platform as a package."""
    yield 'platform bench { owner = "bench@example.org", stage = poc, currency = EUR, as_of = 2026-12-01 }\n\n'
    yield "model small { base = catalog.model.llama-3-1-8b, precision = fp8 }\n\n"
    yield "site hall { provider = on-prem, country = DE, cooling = air, power_price = 0.2 EUR/kWh }\n\n"
    yield "rack gpu { site = site.hall, power_limit = 42 kW, feeds = 3, height = 48 U }\n\n"
    yield "pool control { site = site.hall, server = catalog.server.management-1s, nodes = 3, rack = rack.gpu }\n\n"
    yield "monitoring metrics { metrics = prometheus }\n\n"
    for pool in data["pools"]:
        yield f"pool {pool} {{ site = site.hall, server = catalog.server.dgx-h100, nodes = auto, rack = rack.gpu }}\n"
    yield "pool batch { site = site.hall, server = catalog.server.dgx-h100, nodes = 4, rack = rack.gpu }\n\n"
    names = ", ".join(f"pool.{pool}" for pool in data["pools"])
    yield f'cluster serve {{\n  scheduler = kubernetes\n  version   = "1.35"\n  pools     = [{names}]\n  control   = pool.control\n}}\n\n'
    yield 'cluster hpc {\n  scheduler = slurm\n  version   = "25.11"\n  pools     = [pool.batch]\n  control   = pool.control\n\n'
    yield "  partition batch { pools = [pool.batch], default = true, max_time = 2 days }\n}\n\n"
    for tenant in data["tenants"]:
        yield f'tenant {tenant} {{ owner = "{tenant}@example.org", cost_center = "4711" }}\n'
    yield "\n"
    for load in data["workloads"]:
        yield (
            f"inference {load['name']} {{\n"
            f"  model            = model.small\n"
            f"  runs_on          = pool.{load['pool']}\n"
            f"  context          = {load['context']:_} tok\n"
            f"  replicas         = 1..2\n"
            f"  gpus_per_replica = 1\n"
            f"  tenant           = tenant.{load['tenant']}\n"
            f"  demand {{ requests = {load['requests']} req/s, prompt = {load['prompt']} tok, answer = {load['answer']} tok }}\n"
            f"}}\n\n"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", type=int)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    data = platform(arguments.workloads)
    print("".join(aip(data)), end="")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(data, file)


if __name__ == "__main__":
    main()
