"""Builds a crate with all its mutants once, runs tests with each switched on, and lists what no test noticed.

    run.py CRATE LIST COPY OUT WHERE SAMPLE [FILES]

LIST is what `cargo mutants --list --json` printed, COPY a work tree of the same commit, OUT a folder for what was found
(`results.jsonl`: what is there is not run again). WHERE is `crate`, for the crate's own tests on SQLite, or
`everywhere`, for the tests of all crates on both databases. SAMPLE is how many mutants are run, spread evenly over the
list; 0 is all. FILES is a pattern of paths.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import switch

ROOT = pathlib.Path(__file__).resolve().parents[3]
# A mutant whose tests take longer is noticed: the unchanged code takes a tenth, or a third of it everywhere.
SECONDS = {"crate": 120, "everywhere": 900}
AT_ONCE = int(os.environ.get("MUTANTS_AT_ONCE", "2"))
# In the crate's own tests, the second database takes most of the time and finds little that the first does not; and one
# test waits for 20 s.
SKIPPED = {"crate": ["::postgres", "gate_10_says_what_took_too_long"], "everywhere": []}


def build(crate, where, mutants, copy, out):
    """The test binaries, each with the folder of its package, and the numbers that do not compile or can't be
    switched."""
    packages = ["-p", f"toolcrib-{crate}"] if where == "crate" else ["--workspace"]
    without = set()
    while True:
        left_out = switch.switch(mutants, crate, ROOT, copy, without)
        command = ["cargo", "test", "--tests", "--no-run", "--locked", *packages, "--message-format", "json"]
        env = {**os.environ, "CARGO_TARGET_DIR": str(out.parent / "switched-target")}
        said = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True)
        messages = [json.loads(line) for line in said.stdout.splitlines() if line.startswith("{")]
        if said.returncode == 0:
            built = [(m["executable"], pathlib.Path(m["manifest_path"]).parent) for m in messages
                     if m.get("executable") and m["profile"]["test"]]
            # The crate's own tests notice most mutants.
            return sorted(built, key=lambda each: each[1].name != crate), without, set(left_out)
        found = blamed(messages, copy)
        if not found - without:
            raise SystemExit(said.stderr[-4000:])
        without |= found


def blamed(messages, copy):
    """The mutants at whose marks the compiler's errors are."""
    numbers = set()
    for message in messages:
        told = message.get("message", {})
        if message.get("reason") != "compiler-message" or told["level"] != "error":
            continue
        for span in sorted(told["spans"], key=lambda span: not span["is_primary"]):
            lines = (copy / span["file_name"]).read_text().splitlines() if span["file_name"].startswith("crates/") else []
            # The mark is on the line itself, just before an expression that is written over several, or in an arm of a
            # match that is not exhaustive any more.
            near = lines[max(0, span["line_start"] - 8):span["line_end"]][::-1]
            if (told["code"] or {}).get("code") == "E0004":
                near = lines[span["line_start"] - 1:]
            marks = next((found for line in near if (found := re.findall(r"/\*M([\d,]+)\*/", line))), [])
            if marks:
                numbers |= {int(number) for mark in marks for number in mark.split(",")}
                break
    return numbers


def noticed(binary, number, folder, where):
    """The first test that failed with this mutant on; None where none did."""
    skipped = [word for skip in SKIPPED[where] for word in ("--skip", skip)]
    env = {**os.environ, "MUTANT": str(number), "CARGO_MANIFEST_DIR": str(folder)}
    tests = subprocess.Popen([binary, "--test-threads", "4", *skipped], cwd=folder, env=env, text=True, errors="replace",
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    late = threading.Event()
    timer = threading.Timer(SECONDS[where], lambda: (late.set(), end(tests)))
    timer.start()
    failed = next((line.strip() for line in tests.stdout if "... FAILED" in line), None)
    timer.cancel()
    if failed:
        end(tests)
    code = tests.wait()
    return failed or ("too late" if late.is_set() else None) or (f"exit code {code}" if code else None)


def end(tests):
    try:
        os.killpg(tests.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def judge(mutant, binaries, where):
    started = time.monotonic()
    by = next((by for binary, folder in binaries if (by := noticed(binary, mutant["number"], folder, where))), None)
    return {"name": mutant["name"], "by": by, "seconds": round(time.monotonic() - started, 1)}


def main():
    crate, listed, copy, out = sys.argv[1], switch.listed(sys.argv[2]), pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    where, sample = sys.argv[5], int(sys.argv[6])
    wanted = re.compile(sys.argv[7] if len(sys.argv) > 7 else "")
    binaries, broken, unswitched = build(crate, where, listed, copy, out)
    unchanged = judge({"number": 0, "name": "unchanged"}, binaries, where)
    if unchanged["by"]:
        raise SystemExit(f"the unchanged code fails: {unchanged['by']}")
    path = out / "results.jsonl"
    known = {json.loads(line)["name"] for line in path.read_text().splitlines()} if path.exists() else set()
    todo = [m for m in listed if m["number"] not in broken | unswitched and wanted.search(m["file"])]
    todo = [m for m in (todo[::max(1, len(todo) // sample)][:sample] if sample else todo) if m["name"] not in known]
    print(f"{len(listed)} mutants: {len(broken)} do not compile, {len(unswitched)} can't be switched, {len(todo)} to run", flush=True)
    with path.open("a") as results, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for found in pool.map(lambda mutant: judge(mutant, binaries, where), todo):
            results.write(json.dumps(found) + "\n")
            results.flush()
    summary(path, listed, unswitched)


def summary(path, listed, unswitched):
    found = [json.loads(line) for line in path.read_text().splitlines()]
    survivors = [each["name"] for each in found if not each["by"]]
    for name in survivors:
        print(f"survives: {name}")
    for mutant in listed:
        if mutant["number"] in unswitched:
            print(f"not switched, run it by cargo-mutants: {mutant['name']}")
    counts = collections.Counter(bool(each["by"]) for each in found)
    print(f"{counts[True]} noticed, {counts[False]} survive")
    sys.exit(2 if survivors else 0)


main()
