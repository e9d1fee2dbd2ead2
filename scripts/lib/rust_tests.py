"""Builds the workspace's tests and runs their binaries, several at once. Writes how long each test took.

usage: rust_tests.py TIMES AT_ONCE CARGO-ARGUMENTS… [-- TEST-ARGUMENTS…]

TIMES gets one line a test: suite, name and seconds, separated by tabs. AT_ONCE is the number of binaries that run at
the same time; RUST_TEST_THREADS is the number of threads of each.

A few tests that failed run once more at the end, one after another, because a slow machine beside other tests lets time-outs
pass. What fails again has failed; what passes is named.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# The suites that take longest begin first, so that no long one is left alone at the end.
LONGEST_FIRST = ["toolcrib", "toolcrib-actions", "toolcrib-http", "toolcrib-engine", "toolcrib-tests", "toolcrib-store"]
# The time of each test is still unstable in the standard test harness, which asks for this.
HARNESS = ["-Zunstable-options", "--report-time", "--format", "json"]
# The most tests that run once more. More of them are no matter of time.
MAX_AGAIN = 20
# The events that end a test.
ENDS = ("ok", "failed", "ignored")


class Suite:
    """A test binary."""

    def __init__(self, built):
        self.package = pathlib.Path(built["manifest_path"]).parent
        crate = built["package_id"].split("#")[1].split("@")[0]
        # The identifier has no name where the folder's name is the package's.
        self.crate = crate if not crate[0].isdigit() else self.package.name
        self.name = f"{self.crate} {'it' if built['target']['kind'] == ['test'] else 'unit'}"
        self.binary = built["executable"]

    def run(self, arguments):
        """Runs the tests. Returns the seconds, of the clock and of the processor, and the events that the binary
        printed."""
        env = {**os.environ, "RUSTC_BOOTSTRAP": "1", "CARGO_MANIFEST_DIR": str(self.package)}
        started = time.monotonic()
        # A file, because a pipe stays open for as long as any process that a test started.
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            process = subprocess.Popen([self.binary, *HARNESS, *arguments], cwd=self.package, env=env, stdout=output,
                                       stderr=subprocess.STDOUT)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            printed = output.read()
        return Result(self, process.returncode, time.monotonic() - started, used.ru_utime + used.ru_stime, printed)


class Result:
    """What a suite printed, and how long it took."""

    def __init__(self, suite, code, seconds, processor, printed):
        self.suite, self.code, self.seconds, self.processor, self.printed = suite, code, seconds, processor, printed
        self.tests = [event for event in self.events() if event["type"] == "test" and event["event"] in ENDS]

    def events(self):
        for line in self.printed.splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict) and "type" in event and "event" in event:
                yield event

    def count(self, event):
        return sum(test["event"] == event for test in self.tests)

    def failed(self):
        return [test for test in self.tests if test["event"] == "failed"]

    def passes_alone(self):
        """Runs what failed once more, one test after another. Returns whether all of it passed."""
        names = [test["name"] for test in self.failed()]
        if not names:
            return False
        again = self.suite.run([*names, "--exact", "--test-threads=1"])
        again.report()
        passed = again.code == 0 and again.count("ok") == len(names)
        if passed:
            print(f"{self.suite.name}: passed when run alone: {', '.join(names)}", flush=True)
        return passed

    def report(self):
        failed = self.failed()
        for test in failed:
            print(f"---- {self.suite.name}: {test['name']} {test['event']} ----\n{test.get('stdout', '')}")
        if self.code != 0 and not failed:
            print(f"---- {self.suite.name} ended with {self.code} ----\n{self.printed[-20_000:]}")
        print(f"{self.seconds:7.1f} s {self.processor:7.1f} s of the processor {self.count('ok'):5} passed "
              f"{len(failed):3} failed  {self.suite.name}", flush=True)


def build(arguments):
    command = ["cargo", "test", "--tests", "--no-run", "--message-format=json-render-diagnostics", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    built = [json.loads(line) for line in done.stdout.splitlines()]
    suites = [Suite(each) for each in built
              if each["reason"] == "compiler-artifact" and each["profile"]["test"] and each["executable"]]
    order = {crate: position for position, crate in enumerate(LONGEST_FIRST)}
    return sorted(suites, key=lambda suite: (suite.name.endswith("unit"), order.get(suite.crate, len(order))))


def main():
    times, at_once, *arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    suites, test_arguments = build(arguments[:split]), arguments[split + 1:]
    results = []
    with concurrent.futures.ThreadPoolExecutor(int(at_once)) as pool:
        for future in concurrent.futures.as_completed([pool.submit(suite.run, test_arguments) for suite in suites]):
            future.result().report()
            results.append(future.result())
    with open(times, "a") as file:
        for result in results:
            for test in result.tests:
                file.write(f"{result.suite.name}\t{test['name']}\t{test.get('exec_time', 0):.3f}\n")
    passed = sum(result.count("ok") for result in results)
    failed = sum(result.count("failed") for result in results)
    broken = [result for result in results if result.code != 0]
    if failed <= MAX_AGAIN:
        broken = [result for result in broken if not result.passes_alone()]
    print(f"\n{passed} passed, {failed} failed")
    if broken or passed == 0:
        sys.exit(f"failed: {', '.join(result.suite.name for result in broken) or 'no test ran'}")


main()
