"""What deploy/helm renders, with Helm itself and the schemas of Kubernetes."""
import os
import re
import shlex
import subprocess

import kubernetes_validate
import pytest
import yaml
from chart import DEPLOY, FOLDER, ROOT, VARIANTS, container, environment
from pages import Page

# The oldest version that the chart admits, and the newest that the schemas have.
VERSIONS = ["1.25", "1.37"]
# Kinds of others, which have no schema there.
FOREIGN = {"ServiceMonitor"}
KINDS = {
    "sqlite": {"Deployment", "Service", "PersistentVolumeClaim"},
    "sqlite on a volume that exists": {"Deployment", "Service"},
    "postgresql": {"Deployment", "Service", "Job", "PodDisruptionBudget", "Ingress", "ServiceMonitor"},
    "postgresql alone": {"Deployment", "Service", "Job"},
}
DATABASES = {"database", "audit_database", "worker_database", "owner_database"}
OF_POSTGRESQL = {"database", "audit_database", "worker_database", "secret_key", "audit_key"}


def secret_settings(settings):
    return {key for key, schema in settings.items() if schema.get("writeOnly")} | DATABASES


def keys_from(manifest, secret):
    """The settings that a container takes from a Secret."""
    held = [one["valueFrom"]["secretKeyRef"] for one in container(manifest)["env"] if "valueFrom" in one]
    return {one["key"].removeprefix("TOOLCRIB_").lower() for one in held if one["name"] == secret}


@pytest.fixture(scope="module", params=VARIANTS)
def rendered(request, chart):
    return request.param, chart.manifests(VARIANTS[request.param])


@pytest.mark.parametrize("variant", VARIANTS)
def test_helm_finds_nothing(chart, variant):
    said = chart.run("lint", "--strict", FOLDER, values=VARIANTS[variant])
    assert said.returncode == 0 and "0 chart(s) failed" in said.stdout, said.stdout + said.stderr


def test_manifests_are_valid(rendered):
    variant, manifests = rendered
    assert manifests.keys() == KINDS[variant]
    for kind in manifests.keys() - FOREIGN:
        for version in VERSIONS:
            kubernetes_validate.validate(manifests[kind], version, strict=True)


def test_the_schemas_find_what_is_wrong(chart):
    broken = chart.manifests({})["Deployment"]
    container(broken)["readinessProbe"]["httpGet"]["paht"] = "/"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, VERSIONS[0], strict=True)


def test_secrets_come_from_secrets_alone(rendered, settings):
    _, manifests = rendered
    assert not manifests.keys() & {"ConfigMap", "Secret"}
    secret = {f"TOOLCRIB_{key.upper()}" for key in secret_settings(settings)}
    pods = [manifest for kind, manifest in manifests.items() if kind in ("Deployment", "Job")]
    for pod in pods:
        found = container(pod)
        assert [one["name"] for one in found["env"] if one["name"] in secret and "value" in one] == []
        assert shlex.join(found["args"]) in "serve migrate".split() and not found.keys() & {"command", "envFrom"}


def test_who_gets_which_secret(chart):
    assert keys_from(chart.manifests({})["Deployment"], "toolcrib") == set()
    manifests = chart.manifests(VARIANTS["postgresql"] | {"ownerSecret": "their-owner"})
    given = OF_POSTGRESQL | {"redis", "console_client_secret", "metrics_token"}
    assert keys_from(manifests["Deployment"], "toolcrib") == keys_from(manifests["Job"], "toolcrib") == given
    assert keys_from(manifests["Job"], "their-owner") == {"owner_database"}
    assert keys_from(manifests["Deployment"], "their-owner") == set()


def test_variables_are_settings(rendered):
    """The product refuses a variable that is no setting, and a value that it can't read."""
    variant, manifests = rendered
    held = {f"TOOLCRIB_{key.upper()}": "x" * 16 for key in ("metrics_token", "console_client_secret")}
    held |= {f"TOOLCRIB_{key.upper()}": f"postgres://{key}:x@db/tools" for key in DATABASES}
    held |= {f"TOOLCRIB_{key.upper()}": "A" * 43 + "=" for key in ("secret_key", "audit_key")} | {"TOOLCRIB_REDIS": "redis://:x@redis"}
    for kind in manifests.keys() & {"Deployment", "Job"}:
        env = environment(manifests[kind], {"toolcrib": held, "toolcrib-owner": held})
        said = subprocess.run([os.environ["TEST_BIN"], "config", "show"], env=env, capture_output=True, text=True)
        assert said.returncode == 0, said.stderr
        assert "/data/toolcrib" in said.stdout
        if variant == "postgresql":
            assert "10.0.0.0/8" in said.stdout and "1000000" in said.stdout and "https://tools.example.com" in said.stdout


def test_service_links_are_off(rendered):
    """Kubernetes would name the address of a Service `toolcrib` in variables that the product takes for settings."""
    said = subprocess.run([os.environ["TEST_BIN"], "config", "show"], env={"TOOLCRIB_SERVICE_HOST": "10.0.0.1"}, capture_output=True, text=True)
    assert said.returncode != 0 and "`TOOLCRIB_SERVICE_HOST` is not a setting" in said.stderr
    for kind in rendered[1].keys() & {"Deployment", "Job"}:
        assert rendered[1][kind]["spec"]["template"]["spec"]["enableServiceLinks"] is False


def test_a_secret_among_the_settings_is_refused(chart, settings):
    for key in sorted(secret_settings(settings)):
        said = chart.refusal({"settings": {key: "x"}})
        assert f"`settings.{key}` is a secret: put TOOLCRIB_{key.upper()} into the Secret" in said, said
    said = chart.refusal({"settings": {"prometheus_url": "https://reader:word@prometheus.example.com"}})
    assert "`settings.prometheus_url` has a login in its URL" in said


@pytest.mark.parametrize("values, why", [
    ({"replicas": 2}, "SQLite has one replica"),
    ({"database": "postgresql", "replicas": 2}, "`redis` into `secret.settings`"),
    ({"database": "mysql"}, "`database` is sqlite or postgresql"),
    ({"settings": {"bind": "0.0.0.0:80"}}, "the chart sets `bind` itself"),
    ({"secret": {"settings": ["owner_database"]}}, "what serves never gets the owner's login"),
])
def test_values_that_would_not_work_are_refused(chart, values, why):
    assert why in chart.refusal(values)


def test_selectors_and_ports_fit(chart):
    manifests = chart.manifests(VARIANTS["postgresql"], release="harbour")
    pods = manifests["Deployment"]["spec"]["template"]
    selector = manifests["Deployment"]["spec"]["selector"]["matchLabels"]
    assert selector.items() <= pods["metadata"]["labels"].items()
    assert not selector.items() <= manifests["Job"]["spec"]["template"]["metadata"]["labels"].items()
    assert selector == manifests["Service"]["spec"]["selector"] == manifests["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]
    found = {port["name"]: port["containerPort"] for port in container(manifests["Deployment"])["ports"]}
    env = {one["name"]: one.get("value") for one in container(manifests["Deployment"])["env"]}
    assert env["TOOLCRIB_BIND"] == f"0.0.0.0:{found['http']}" and env["TOOLCRIB_METRICS_BIND"] == f"0.0.0.0:{found['metrics']}"
    served = {port["name"]: port["targetPort"] for port in manifests["Service"]["spec"]["ports"]}
    assert served == {"http": "http", "metrics": "metrics"}
    monitor = manifests["ServiceMonitor"]
    labels = manifests["Service"]["metadata"]["labels"]
    assert monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert [one["port"] for one in monitor["spec"]["endpoints"]] == ["metrics"]
    # The alerts and the dashboard ask for this job.
    assert labels[monitor["spec"]["jobLabel"]] == "toolcrib" and monitor["metadata"]["labels"]["release"] == "prometheus"
    assert monitor["spec"]["endpoints"][0]["authorization"]["credentials"] == {"name": "toolcrib", "key": "TOOLCRIB_METRICS_TOKEN"}
    [rule] = manifests["Ingress"]["spec"]["rules"]
    assert rule["http"]["paths"][0]["backend"]["service"] == {"name": "harbour", "port": {"name": "http"}}
    assert manifests["Ingress"]["spec"]["tls"] == [{"hosts": [rule["host"]], "secretName": "tools-tls"}]
    assert env["TOOLCRIB_PUBLIC_URL"] == f"https://{rule['host']}"


def test_replicas_and_volumes(chart):
    alone, many = chart.manifests({}), chart.manifests(VARIANTS["postgresql"])
    assert alone["Deployment"]["spec"]["replicas"] == 1 and alone["Deployment"]["spec"]["strategy"] == {"type": "Recreate"}
    volumes = {one["name"]: one for one in alone["Deployment"]["spec"]["template"]["spec"]["volumes"]}
    assert volumes["data"]["persistentVolumeClaim"]["claimName"] == alone["PersistentVolumeClaim"]["metadata"]["name"]
    assert alone["PersistentVolumeClaim"]["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    theirs = chart.manifests(VARIANTS["sqlite on a volume that exists"])["Deployment"]["spec"]["template"]["spec"]["volumes"]
    assert {"name": "data", "persistentVolumeClaim": {"claimName": "tools"}} in theirs
    assert many["Deployment"]["spec"]["replicas"] == 3
    assert many["Deployment"]["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert many["PodDisruptionBudget"]["spec"]["maxUnavailable"] == 1
    assert container(many["Deployment"])["image"] == "registry.example.com/toolcrib:7"


def test_pods_may_do_little(rendered):
    user = int(re.search(r"^USER (\d+)$", (DEPLOY / "Dockerfile").read_text(), re.M)[1])
    for kind in rendered[1].keys() & {"Deployment", "Job"}:
        pod = rendered[1][kind]["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == user == pod["securityContext"]["fsGroup"]
        assert pod["automountServiceAccountToken"] is False
        own = pod["containers"][0]["securityContext"]
        assert own["readOnlyRootFilesystem"] and own["capabilities"] == {"drop": ["ALL"]} and not own["allowPrivilegeEscalation"]


def test_the_migration_goes_before_and_needs_nothing_of_the_chart(chart):
    manifests = chart.manifests(VARIANTS["postgresql"])
    job = manifests["Job"]
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    assert all("emptyDir" in volume for volume in job["spec"]["template"]["spec"]["volumes"])
    assert container(job)["image"] == container(manifests["Deployment"])["image"]


def test_open_calls_end_before_a_pod_is_killed(chart, settings):
    pod = chart.manifests({})["Deployment"]["spec"]["template"]["spec"]
    [_, pause] = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]
    assert pod["terminationGracePeriodSeconds"] > int(pause) + settings["drain_seconds"]["default"]


def test_every_value_is_used_and_has_a_default():
    values = yaml.safe_load((FOLDER / "values.yaml").read_text())
    text = "\n".join(file.read_text() for file in (FOLDER / "templates").iterdir())
    used = set(re.findall(r"\.Values\.([\w.]+)", text))
    whole = {"settings", "resources", "podAnnotations", "nodeSelector", "tolerations", "ingress.annotations", "serviceMonitor.labels"}

    def leaves(found, path=""):
        if isinstance(found, dict) and path not in whole:
            return {leaf for key, value in found.items() for leaf in leaves(value, f"{path}.{key}".strip("."))}
        return {path}

    assert {one for one in used if not one.startswith("settings.")} == leaves(values)


def test_the_chart_has_the_version_of_the_product():
    said = subprocess.run([os.environ["TEST_BIN"], "--version"], check=True, capture_output=True, text=True).stdout
    found = yaml.safe_load((FOLDER / "Chart.yaml").read_text())
    assert f"toolcrib {found['appVersion']}" == " ".join(said.split()[:2])
    assert found["version"] == re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.M)[1]


def test_notes_say_what_is_missing(chart):
    bare, whole = chart.notes({}), chart.notes(VARIANTS["postgresql"])
    assert "There is no Ingress" in bare and "Nobody can sign in with a provider yet" in bare
    assert "There is no Ingress" not in whole and "Nobody" not in whole


def test_the_readme_has_what_its_values_need(chart):
    page = Page("deploy/README.md")
    blocks = {block.name: block.text for block in page.blocks if block.name}
    manifests = chart.manifests(yaml.safe_load(blocks["values.yaml"]))
    assert manifests.keys() == KINDS["postgresql"]
    for secret, file in (("toolcrib", "toolcrib.env"), ("toolcrib-owner", "owner.env")):
        given = {line.split("=")[0].removeprefix("TOOLCRIB_").lower() for line in blocks[file].splitlines()}
        assert given == keys_from(manifests["Job"], secret)
