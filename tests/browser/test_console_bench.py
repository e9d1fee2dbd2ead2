"""`scripts/bench console` measures what it says. It judges no time: machines differ."""
from importlib.util import module_from_spec, spec_from_file_location

from host_project import ROOT


def test_a_page_is_measured(browser, toolcrib):
    # By its path: the tests have a module of the same name.
    spec = spec_from_file_location("bench_console", ROOT / "scripts/lib/bench/console.py")
    bench = module_from_spec(spec)
    spec.loader.exec_module(bench)
    [(name, (requests, calls, kilobytes, paint, usable))] = bench.rows(browser, toolcrib, 2, ("inbox",))
    assert name == "inbox" and requests <= 24 and 1 <= calls <= 4 and 10 < kilobytes <= 60
    assert 0 < paint and 0 < usable
    head, line, row = bench.table([(name, [requests, calls, kilobytes, paint, usable])])
    assert head.count("|") == line.count("|") == row.count("|") and row.startswith("| `inbox` |")
