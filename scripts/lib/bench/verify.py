"""Measures how audit rows of one workspace are sealed and verified on SQLite, at two sizes.

Usage: verify.py BINARY. Adds rows with scale/audit.sql while the server is stopped, waits until it has sealed them, and runs
`audit verify`. Prints a table with the rates, and with the most memory that `audit verify` had, which must not grow with the
rows. VERIFY_ROWS changes the larger size.
"""
import os
import subprocess
import sys
import time

from scale import Filled, filled

ROWS = int(os.environ.get("VERIFY_ROWS", "10000000"))
# Rows of one statement, so that SQLite's log stays small.
CHUNK = 1_000_000
NUMBERS = """(WITH RECURSIVE numbers(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last})
    SELECT n, {now} - 60000000 - ({rows} - n) * (2419200000000 / {rows}) AS at FROM numbers)"""


class Log(Filled):
    """The demo, whose first workspace gets audit rows."""

    def add(self, first, last):
        self.stop()
        for begin in range(first, last + 1, CHUNK):
            end = min(begin + CHUNK - 1, last)
            self.run(filled("audit.sql", self.workspace, numbers=NUMBERS, first=begin, last=end, rows=ROWS), None)

    def verify(self):
        """Returns the seconds of `audit verify`, and the most memory that it had in MiB."""
        command = [self.command[0], "audit", "verify", "--data-dir", self.folder, "--workspace", self.workspace["id"]]
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        if status != 0 or ": intact: " not in said:
            raise SystemExit(said)
        return time.monotonic() - began, used.ru_maxrss / 1024


def main():
    log = Log(sys.argv[1], None)
    try:
        print("| audit rows | sealed, rows/s | verified, rows/s | most memory of `audit verify`, MiB |\n|---|---|---|---|")
        for before, rows in ((0, ROWS // 10), (ROWS // 10, ROWS)):
            log.add(before + 1, rows)
            sealing = log.seal(None)
            log.stop()
            seconds, memory = log.verify()
            log.start()
            print(f"| {rows:,} | {(rows - before) / sealing:,.0f} | {rows / seconds:,.0f} | {memory:.0f} |", flush=True)
    finally:
        log.remove()


if __name__ == "__main__":
    main()
