"""deploy/dashboard.json and deploy/alerts.yaml: their queries, against the metrics of a running product."""
import json
import re

import promql_parser
import pytest
import requests
import yaml
from chart import DEPLOY, ROOT
from demo import Demo

DASHBOARD = json.loads((DEPLOY / "dashboard.json").read_text())
ALERTS = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())
# What Prometheus says of each target.
OF_PROMETHEUS = {"up", "scrape_duration_seconds"}
# A time as a number, and no duration of many things.
GAUGES = {"toolcrib_audit_oldest_unsealed_seconds", "process_start_time_seconds", "scrape_duration_seconds"}


def panels():
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def queries():
    """Each query of the dashboard, with its legend, as Grafana sends it."""
    found = [(target["expr"], target["legendFormat"]) for panel in panels() for target in panel["targets"]]
    return [(expr.replace("$__rate_interval", "5m").replace("$instance", ".*"), legend) for expr, legend in found]


def alerts():
    return [rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]]


def selectors(node):
    """The selectors of a parsed query."""
    if isinstance(node, promql_parser.VectorSelector):
        return [node]
    parts = [getattr(node, name, None) for name in ("expr", "lhs", "rhs", "vector_selector", "args", "param")]
    parts = [one for part in parts for one in (part if isinstance(part, list) else [part])]
    return [found for part in parts if isinstance(part, promql_parser.Expr) for found in selectors(part)]


def asked(query):
    """The metrics of a query, by their names without the ends of a histogram, with the labels that select and group them."""
    found = {}
    grouped = {label.strip() for by in re.findall(r"by \(([^)]*)\)", query) for label in by.split(",")}
    for one in selectors(promql_parser.parse(query)):
        labels = {matcher.name for matcher in one.matchers.matchers} | grouped
        # Prometheus adds the first two; the third is the bound of a bucket.
        found[one.name] = labels - {"job", "instance", "le"}
    return found


def plain(name):
    return re.sub(r"_(bucket|sum|count)$", "", name)


@pytest.fixture(scope="module")
def exposed():
    """The labels of each metric of a running product, by its name, and the types of all."""
    demo = Demo()
    part = {"type": "text", "text": "list_agents"}
    answer = demo.answer("POST", "/v1/assistant/chat", {"id": "metrics", "message": {"role": "user", "parts": [part]}})
    assert answer.status_code == 200, answer.text
    demo.wait(lambda: "toolcrib_audit_oldest_unsealed_seconds" in requests.get(f"{demo.base}/metrics", timeout=10).text, 20)
    text = requests.get(f"{demo.base}/metrics", timeout=10).text
    demo.close()
    labels = {}
    for name, inside in re.findall(r"^(\w+)(?:\{(.*)\})? ", text, re.M):
        labels.setdefault(plain(name), set()).update(re.findall(r'(\w+)="', inside))
    return labels, dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))


def counted():
    """The metrics that the code counts, with those of events that no test sees."""
    code = "\n".join(file.read_text() for file in sorted((ROOT / "crates").rglob("*.rs")))
    return {name: set(re.findall(r'"(\w+)" =>', rest))
            for name, rest in re.findall(r'metrics::\w+!\(\s*"(\w+)"([^;]*)\)', code)}


def test_every_query_is_one():
    assert len(queries()) > 30
    for expr in [expr for expr, _ in queries()] + alerts():
        assert asked(expr).keys() == set(re.findall(r"\b(?:toolcrib|process|scrape)_\w+|\bup\b", expr)), expr


def test_metrics_and_labels_exist(exposed):
    live, _ = exposed
    code = counted()
    for expr in [expr for expr, _ in queries()] + alerts():
        for name, labels in asked(expr).items():
            if name in OF_PROMETHEUS:
                continue
            known = live.get(plain(name), code.get(plain(name)))
            assert known is not None, f"nothing counts `{name}`: {expr}"
            assert labels <= known, f"`{name}` has no {labels - known}: {expr}"


def test_no_duration_is_a_summary(exposed):
    live, types = exposed
    assert "summary" not in types.values()
    assert types["toolcrib_call_seconds"] == types["toolcrib_http_request_seconds"] == "histogram"
    assert {"route", "status"} <= live["toolcrib_http_request_seconds"]
    assert {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds",
            "toolcrib_pool_connections", "toolcrib_pool_wait_seconds", "toolcrib_http_connections", "toolcrib_http_streams",
            "toolcrib_assistant_runs", "toolcrib_assistant_run_seconds", "toolcrib_assistant_model_seconds"} <= live.keys()
    assert {"kind", "type"} <= live["toolcrib_assistant_tokens_total"]


def test_durations_are_asked_as_histograms():
    """A quantile of a summary can't be added up over processes."""
    for expr, _ in queries():
        assert "quantile=" not in expr
        for name in asked(expr):
            assert not name.endswith("_seconds") or name in GAUGES, f"ask for the buckets of `{name}`: {expr}"
            assert not name.endswith("_bucket") or re.search(r"histogram_quantile\([\d.]+, sum by \(le[,)]", expr), expr


def test_legends_name_labels_that_stay(exposed):
    for expr, legend in queries():
        used = set(re.findall(r"\{\{(\w+)\}\}", legend))
        grouped = {label.strip() for by in re.findall(r"by \(([^)]*)\)", expr) for label in by.split(",")}
        assert used <= (grouped or {"instance"}), f"{legend}: {expr}"
        assert used or "sum(" in expr or "max(" in expr or "by (le)" in expr, f"two lines are called {legend}: {expr}"


def test_the_dashboard_can_be_imported():
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids)) and "id" not in DASHBOARD
    assert [one["name"] for one in DASHBOARD["templating"]["list"]] == ["datasource", "instance"]
    taken = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken and max(x for x, _ in cells) < 24, f"`{panel['title']}` covers another panel"
        taken |= cells
    for panel in panels():
        assert panel["title"] and panel["fieldConfig"]["defaults"]["unit"]
        assert all(one["datasource"]["uid"] == "${datasource}" for one in [panel, *panel["targets"]])
    titles = [panel["title"] for panel in DASHBOARD["panels"] if panel["type"] == "row"]
    assert titles == ["Calls", "HTTP", "Database", "Limits", "Assistant", "Audit and webhooks", "Process"]


def test_streams_end_and_clients_that_go_away_are_counted():
    demo = Demo()

    def metric(name):
        text = requests.get(f"{demo.base}/metrics", timeout=10).text
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)
        return found and float(found[1])

    try:
        stream = requests.get(f"{demo.base}/v1/events", headers=demo.headers(), stream=True, timeout=10)
        assert demo.wait(lambda: metric("toolcrib_http_streams") == 1)
        stream.close()
        # The process notices with the next line of the stream at the latest, which comes every 15 seconds.
        assert demo.wait(lambda: metric("toolcrib_http_streams") == 0, 30)
        waits = demo.get("/v1/confirmations", status="pending")["items"][0]["id"]
        with pytest.raises(requests.exceptions.ReadTimeout):
            requests.get(f"{demo.base}/v1/confirmations/{waits}?wait=20", headers=demo.headers(), timeout=1)
        gone = 'toolcrib_http_request_seconds_count{route="/v1/confirmations/{id}",status="499"}'
        assert demo.wait(lambda: metric(gone) == 1, 30), "a request without an answer"
    finally:
        demo.close()
