"""The document is valid OpenAPI 3.1 and readable, as three independent programs report."""
import json
import shutil

from openapi_spec_validator import OpenAPIV31SpecValidator

from conftest import HERE, tool


def test_it_is_openapi_3_1(toolcrib):
    assert toolcrib.document["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(toolcrib.document).iter_errors()) == []


def redocly(folder, document, ok=True):
    """Lints a document in a folder that holds no list of exceptions; what the linter printed."""
    shutil.copy(HERE / "redocly.yaml", folder / "redocly.yaml")
    (folder / "openapi.json").write_text(json.dumps(document))
    return tool("redocly", "lint", "openapi.json", "--config", "redocly.yaml", cwd=folder, ok=ok)


def test_redocly_finds_nothing(toolcrib, tmp_path):
    said = redocly(tmp_path, toolcrib.document)
    assert "Your API description is valid" in said and "ignored" not in said, said


def test_redocly_finds_nothing_in_the_document_of_a_callers_tools(toolcrib, tmp_path):
    said = redocly(tmp_path, toolcrib.tenants[0].send("get", "/v1/tools/openapi").json())
    assert "Your API description is valid" in said and "ignored" not in said, said


def test_redocly_asks_every_operation_for_a_client_error(toolcrib, tmp_path):
    """The rules that are in force are the strict ones: a document that breaks one is refused."""
    document = json.loads(json.dumps(toolcrib.document))
    responses = document["paths"]["/healthz"]["get"]["responses"]
    for status in [status for status in responses if status.startswith("4")]:
        del responses[status]
    said = redocly(tmp_path, document, ok=False)
    assert "operation-4xx-response" in said and "Validation failed with 1 error" in said, said


def test_spectral_finds_nothing(document):
    said = tool("spectral", "lint", document, "--ruleset", HERE / "spectral.yaml", "--format", "text", "--fail-severity", "hint")
    assert "No results" in said, said
