"""The document is valid OpenAPI 3.1 and readable, as three independent programs report."""
import shutil

from openapi_spec_validator import OpenAPIV31SpecValidator

from conftest import HERE, tool


def test_it_is_openapi_3_1(toolcrib):
    assert toolcrib.document["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(toolcrib.document).iter_errors()) == []


def test_redocly_finds_nothing(document, tmp_path):
    # Redocly reads its list of exceptions from the document's folder.
    for name in ("redocly.yaml", ".redocly.lint-ignore.yaml"):
        shutil.copy(HERE / name, tmp_path / name)
    shutil.copy(document, tmp_path / "openapi.json")
    said = tool("redocly", "lint", "openapi.json", "--config", "redocly.yaml", cwd=tmp_path)
    assert "Your API description is valid" in said, said


def test_spectral_finds_nothing(document):
    said = tool("spectral", "lint", document, "--ruleset", HERE / "spectral.yaml", "--format", "text", "--fail-severity", "hint")
    assert "No results" in said, said
