"""Rules for the YAML files and the systemd unit in deploy/. Prints every breach and exits with 1 when there is one."""
import configparser
import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
ONE_SHOT = {"migrate"}
breaches = []


def need(condition, message):
    if not condition:
        breaches.append(message)


def load(name):
    return yaml.safe_load((DEPLOY / name).read_text(encoding="utf-8"))


def environment(service):
    """The variables of a compose service, in either of the two notations."""
    given = service.get("environment") or {}
    return given if isinstance(given, dict) else dict(v.split("=", 1) for v in given)


def check_service(name, service, all_names):
    where = f"compose.yaml: service `{name}`"
    need("image" in service or "build" in service, f"{where} has neither an image nor a build")
    image = service.get("image", "x:y")
    need(":" in image and not image.endswith(":latest"), f"{where}: pin the version of `{image}`")
    if name not in ONE_SHOT:
        need("healthcheck" in service, f"{where} has no health check")
        need(service.get("restart") == "unless-stopped", f"{where} does not come back after a crash")
    for key, value in environment(service).items():
        if re.search(r"PASSWORD|SECRET|TOKEN|URL|DATABASE|REDIS", key):
            logins = re.findall(r"://[^:@/]*:([^@]+)@", str(value))
            for secret in logins or [str(value)]:
                open_text = "PASSWORD" in key or "SECRET" in key or logins
                need(not open_text or re.fullmatch(r"\$\{\w+:\?[^}]+\}", secret),
                     f"{where}: `{key}` must take its secret as ${{NAME:?why}}")
    for port in service.get("ports", []):
        need(name == "proxy" or str(port).startswith("127.0.0.1:"), f"{where}: publish `{port}` on loopback only")
    for other, how in (service.get("depends_on") or {}).items():
        need(other in all_names, f"{where} depends on `{other}`, which does not exist")
        want = "service_completed_successfully" if other in ONE_SHOT else "service_healthy"
        need(how["condition"] == want, f"{where} must wait for `{other}` with {want}")


def check_compose():
    compose = load("compose.yaml")
    services = compose["services"]
    for name, service in services.items():
        check_service(name, service, services)
        for volume in service.get("volumes", []):
            named = volume.split(":")[0]
            need(named.startswith((".", "/")) or named in compose.get("volumes", {}),
                 f"compose.yaml: volume `{named}` of `{name}` is not declared")
    example = set(re.findall(r"^(\w+)=", (DEPLOY / "env.example").read_text(), re.M))
    used = set(re.findall(r"\$\{(\w+):\?", (DEPLOY / "compose.yaml").read_text()))
    need(example == used, f"env.example names {sorted(example)}, compose.yaml needs {sorted(used)}")


def own_metrics():
    """Every metric name that the code mentions."""
    code = "\n".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "crates").rglob("*.rs")))
    return set(re.findall(r'"(toolcrib_[a-z0-9_]+)"', code))


def check_alerts():
    known = own_metrics()
    names = []
    for group in load("alerts.yaml")["groups"]:
        for rule in group["rules"]:
            name = rule.get("alert", "?")
            names.append(name)
            where = f"alerts.yaml: `{name}`"
            need(re.fullmatch(r"Toolcrib[A-Za-z]+", name), f"{where}: name it Toolcrib…")
            need(re.fullmatch(r"\d+[smh]", str(rule.get("for"))), f"{where} has no `for`")
            need(rule.get("labels", {}).get("severity") in ("critical", "warning"), f"{where} has no severity")
            for note in ("summary", "description"):
                need(rule.get("annotations", {}).get(note), f"{where} has no {note}")
            expr = rule.get("expr", "")
            need(expr and all(expr.count(a) == expr.count(b) for a, b in ("()", "[]", "{}")),
                 f"{where}: the brackets of its expression do not match")
            for metric in re.findall(r"\btoolcrib_[a-z0-9_]+", expr):
                plain = re.sub(r"_(bucket|sum|count)$", "", metric)
                need({metric, plain} & known, f"{where} asks for `{metric}`, which no code counts")
    need(len(names) == len(set(names)), "alerts.yaml: two alerts have the same name")


def check_unit(name):
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str
    unit.read(DEPLOY / name)
    service = unit["Service"]
    need(service.get("DynamicUser") == "yes" or service.get("User", "root") != "root", f"{name} runs as root")
    for key in ("NoNewPrivileges", "PrivateTmp", "ProtectHome"):
        need(service.get(key) == "yes", f"{name}: set {key}=yes")
    need(service.get("ProtectSystem") == "strict", f"{name}: set ProtectSystem=strict")
    need(not re.search(r"PASSWORD|SECRET|://[^ ]*:[^ ]*@", service.get("ExecStart", "")), f"{name}: a secret on the command line")


def check_owner():
    """Nobody but `migrate` is given the login that owns the tables."""
    for name, service in load("compose.yaml")["services"].items():
        given = environment(service)
        need("TOOLCRIB_OWNER_DATABASE" not in given or name in ONE_SHOT,
             f"compose.yaml: service `{name}` is given the owner's login")
        if "TOOLCRIB_DATABASE" in given:
            need({"TOOLCRIB_AUDIT_DATABASE", "TOOLCRIB_WORKER_DATABASE"} <= given.keys(),
                 f"compose.yaml: service `{name}` has one login for everything")
            owner = re.search(r"://([^:]+):", load("compose.yaml")["services"]["migrate"]["environment"]["TOOLCRIB_OWNER_DATABASE"])[1]
            logins = [re.search(r"://([^:]+):", value)[1] for key, value in given.items()
                      if key.endswith("DATABASE") and key != "TOOLCRIB_OWNER_DATABASE"]
            need(len(set(logins) | {owner}) == 4, f"compose.yaml: the logins of `{name}` are not three, and the owner's another")


check_compose()
check_alerts()
check_owner()
check_unit("toolcrib.service")
check_unit("toolcrib-migrate.service")
for breach in breaches:
    print(f"lint-deploy: {breach}")
sys.exit(1 if breaches else 0)
