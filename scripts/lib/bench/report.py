"""Prints what `scripts/bench actions` measured."""
import os
import statistics
import time

from run import CONNECTIONS, middle
from walkthrough import kind


def print_table(title, bench, trips):
    """One row for each action, slowest first. `trips` has the round trips to PostgreSQL."""
    hello = middle(bench.beside.hellos)["rate"]
    print(f"\n{title}, each beside the hello ({hello:,.0f} requests/s), {CONNECTIONS} connections, {os.cpu_count()} cores, "
          f"{time.strftime('%Y-%m-%d')}\n")
    two = len(bench.products) == 2
    print("| action | kind | requests/s | of the hello | " + "other, of the hello | factor | " * two + "round trips | refused |")
    print("|---" * (8 if two else 6) + "|")
    for action, rows in sorted(bench.rows.items(), key=lambda one: (kind(bench.listed[one[0]]), one[1][0]["ratio"])):
        row, other = rows[0], rows[-1]
        beside = f"{other['ratio']:.4f} | {row['ratio'] / other['ratio']:.2f} | " if two else ""
        print(f"| `{action}` | {kind(bench.listed[action])} | {row['rate']:,.0f} | {row['ratio']:.4f} | {beside}"
              f"{trips.get(action, '–')} | {sum(one['bad'] for one in rows)} |")


def print_summary(name, bench):
    """The geometric means, which weigh all actions alike, and the actions that are too slow or not validly measured."""
    print()
    for what in ("read", "write"):
        ratios = {action: [row["ratio"] for row in rows] for action, rows in bench.rows.items()
                  if kind(bench.listed[action]) == what}
        if not ratios:
            continue
        means = [statistics.geometric_mean(column) for column in zip(*ratios.values())]
        own = {action: row[0] for action, row in ratios.items()}
        slowest, median = min(own, key=own.get), statistics.median(own.values())
        below = [f"`{action}`" for action, ratio in own.items() if ratio < median / 4]
        print(f"{name}, {what}s: geometric mean {means[0]:.4f} of the hello, median {median:.4f}, slowest `{slowest}` "
              f"{own[slowest]:.4f}, below a quarter of the median: {', '.join(below) or 'none'}")
        if len(means) == 2:
            print(f"{name}, {what}s: {means[0] / means[1]:.3f} times the geometric mean of the other version")
    refused = [f"`{action}`" for action, rows in bench.rows.items() if any(row["bad"] for row in rows)]
    print(f"{name}: not valid, because calls were refused or changed nothing: {', '.join(refused) or 'none'}")
