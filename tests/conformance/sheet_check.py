#!/usr/bin/env python3
"""sheet_check.py FILE.xlsx [--expect 'Sheet!B7=123.45']...

Opens a workbook in LibreOffice, which computes every formula afresh, and compares: each formula must give a value,
not an error; the value that the file already carries (what a previewer shows) must be the same; no formula reaches
outside the file; there are no macros and no links to other files. --expect asks for a computed cell.
"""
import argparse
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path

from verdict import Verdict, need_modules, need_tools

# Calc recalculates a foreign file on load only if its profile says so (0 = always).
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
  <item oor:path="/org.openoffice.Office.Calc/Formula/Load">
    <prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop>
  </item>
</oor:items>
"""
OUTSIDE = re.compile(r"\b(WEBSERVICE|DDE|RTD|CALL|EXEC|FILTERXML|HYPERLINK|IMPORT\w+)\s*\(|\[[^\]]+\][\w. -]*'?!|'file:|\|", re.I)
ERROR = re.compile(r"#(REF!|NAME\?|VALUE!|DIV/0!|N/A|NUM!|NULL!|SPILL!|CALC!)|Err:\d+")


def recalculated(path, run):
    """The workbook as LibreOffice computes it; None with its complaint if it cannot."""
    profile = run / "profile" / "user"
    profile.mkdir(parents=True)
    (profile / "registrymodifications.xcu").write_text(PROFILE)
    done = subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{run}/profile", "--headless", "--norestore",
         "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", str(run / "out"), str(path)],
        capture_output=True, text=True, timeout=240,
    )
    out = next((run / "out").glob("*.xlsx"), None) if (run / "out").is_dir() else None
    return out, done.stdout + done.stderr


def same(left, right):
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return abs(left - right) <= 1e-9 * max(1, abs(left), abs(right))
    return str("" if left is None else left) == str("" if right is None else right)


def formulas(book):
    """(sheet, cell, text) of every formula."""
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    yield sheet.title, cell.coordinate, getattr(cell.value, "text", cell.value)


def judge(path, expected, openpyxl, verdict, run):
    for name in zipfile.ZipFile(path).namelist():
        verdict.require(not re.search(r"vbaProject|externalLink", name), f"the workbook holds {name}")
    written, carried = openpyxl.load_workbook(path), openpyxl.load_workbook(path, data_only=True)
    out, said = recalculated(path, run)
    if not verdict.require(out, f"LibreOffice does not read the workbook: {said}"):
        return
    computed = openpyxl.load_workbook(out, data_only=True)
    count = 0
    for sheet, cell, text in formulas(written):
        count += 1
        where = f"{sheet}!{cell} {text}"
        new, old = computed[sheet][cell].value, carried[sheet][cell].value
        verdict.require(not OUTSIDE.search(re.sub(r'"[^"]*"', '""', text)), f"{where}: reaches outside the file")
        if isinstance(new, str) and ERROR.match(new):
            verdict.problem(f"{where}: computes to {new}")
        else:
            verdict.require(same(old, new), f"{where}: carries {old!r}, computes to {new!r}")
    for sheet in carried:
        for row in sheet.iter_rows(values_only=True):
            for value in row:
                verdict.require(not (isinstance(value, str) and ERROR.fullmatch(value)), f"{sheet.title}: holds {value}")
    for wish in expected:
        sheet, cell, value = re.fullmatch(r"(.+)!([A-Z]+\d+)=(.*)", wish).groups()
        found = computed[sheet][cell].value
        number = re.fullmatch(r"-?\d+(\.\d+)?", value)
        verdict.require(same(found, float(value) if number else value), f"{sheet}!{cell} is {found!r}, expected {value}")
    verdict.facts |= {"sheets": len(written.sheetnames), "formulas": count}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file")
    arguments.add_argument("--expect", action="append", default=[], metavar="SHEET!CELL=VALUE")
    given = arguments.parse_args()
    need_tools("soffice")
    (openpyxl,) = need_modules("openpyxl")
    verdict = Verdict("sheet_check")
    path = Path(given.file).resolve()
    if verdict.require(path.is_file() and zipfile.is_zipfile(path), f"{given.file} is no workbook"):
        with tempfile.TemporaryDirectory(prefix="aipc-sheet-") as run:
            judge(path, given.expect, openpyxl, verdict, Path(run))
    verdict.give()


main()
