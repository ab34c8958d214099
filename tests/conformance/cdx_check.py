#!/usr/bin/env python3
"""cdx_check.py FILE.cdx.json [--components N]

Holds a bill against the schema of its CycloneDX version, which the Python package of CycloneDX ships. Every reference
must be unique, every component must say how many there are of it, and with --components so many must stand at the top.
"""
import argparse
import json
from pathlib import Path

from verdict import Verdict, need_modules


def components(found):
    """Every component with those inside it."""
    for component in found:
        yield component
        yield from components(component.get("components", []))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file")
    arguments.add_argument("--components", type=int)
    given = arguments.parse_args()
    # `jsonschema` comes with the extra of the package that validates.
    schema, validation, _ = need_modules("cyclonedx.schema", "cyclonedx.validation.json", "jsonschema")
    verdict = Verdict("cdx_check")
    text = Path(given.file).read_text(encoding="utf-8")
    bill = json.loads(text)
    version = next((known for known in schema.SchemaVersion if known.to_version() == bill.get("specVersion")), None)
    if verdict.require(version, f"there is no CycloneDX {bill.get('specVersion')}"):
        wrong = validation.JsonStrictValidator(version).validate_str(text)
        verdict.require(wrong is None, f"{wrong}"[:600])
    every = list(components(bill["components"]))
    references = [component["bom-ref"] for component in every]
    verdict.require(len(references) == len(set(references)), "a reference stands twice")
    for component in every:
        counts = [p["value"] for p in component["properties"] if p["name"] == "cdx:device:quantity"]
        verdict.require(len(counts) == 1 and int(counts[0]) > 0, f"{component['name']}: quantity {counts}")
    top = len(bill["components"])
    verdict.require(given.components in (None, top), f"{top} components at the top, expected {given.components}")
    verdict.facts |= {"components": len(every), "top": top}
    verdict.give()


main()
