"""Checks that schemathesis makes in addition to its own, and calls that a run must not make."""
import json
import os
import pathlib
import re
from urllib.parse import unquote_plus

import jsonschema
import schemathesis

# Written by test_fuzz.py: the words of the other tenant, and the people and settings of this run.
RUN = json.loads(pathlib.Path(os.environ["FUZZ_RUN"]).read_text())
FOREIGN = RUN["foreign"]
SENT = set()
# The run needs its limits, so it must not change them.
LIMITS = ("settings_update", "limits")


@schemathesis.check
def no_word_of_another_tenant(ctx, response, case):
    """A response may repeat what this tenant itself sent, now or before, as its audit log does. It may
    contain nothing else of another tenant."""
    asked = sent(response.request)
    SENT.update(word for word in FOREIGN if word in asked)
    SENT.update(user_id for subject, user_id in RUN["people"].items() if names_subject(asked, subject))
    told = [word for word in FOREIGN if word in response.text and word not in SENT]
    assert not told, f"told of another tenant: {told}"


def names_subject(asked, subject):
    """A user's id is computed from issuer and subject, so a caller who names the subject may be told the
    id."""
    return f'"subject": {json.dumps(subject, ensure_ascii=False)}' in asked or f"subject={subject}" in asked


def sent(request):
    """All of a request as one text, with escapes in the address and the JSON decoded."""
    body = request.body.decode(errors="replace") if isinstance(request.body, bytes) else request.body or ""
    try:
        body += json.dumps(json.loads(body), ensure_ascii=False)
    except ValueError:
        pass
    return f"{unquote_plus(request.url)} {dict(request.headers)} {body}"


@schemathesis.check
def authentication_is_asked_for(ctx, response, case):
    """A request without a credential gets nowhere, whatever else it contains."""
    public = case.operation.definition.raw.get("security") == []
    if not public and "Authorization" not in response.request.headers:
        assert response.status_code in (401, 404, 405), response.status_code


@schemathesis.hook
def filter_case(context, case):
    """A run must not end itself: its workspace, its owner's membership and its limits stay."""
    operation = case.operation.definition.raw["operationId"]
    body = case.body if isinstance(case.body, dict) else {}
    path = case.path_parameters or {}
    if operation == LIMITS[0]:
        return LIMITS[1] not in body
    if operation == "workspaces_delete":
        # By its id, because the run may give the workspace any of the names that it also deletes by.
        return str(path.get("id")).lower() != RUN["workspace"]
    if operation in ("members_update", "members_remove"):
        return path.get("user_id") != RUN["owner"]
    return True


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Failures that the checks report wrongly for this product, each as narrow as possible."""
    kind = type(failure).__name__
    if kind in ("ServerError", "RejectedPositiveData") and response.status_code == 501:
        # The operator of these tests has not configured the service.
        return '"code":"connector_not_configured"' not in response.text
    if kind == "JsonSchemaError" and "text/event-stream" in str(response.headers.get("content-type")):
        # In OpenAPI 3.1 the schema of a stream is that of its text, and not of one event.
        return False
    if kind == "IgnoredAuth":
        # An address that failed to authenticate too often gets this status, which does not let it in either.
        return "got `429 Too Many Requests`" not in failure.message
    if kind == "AllowHeaderMismatch" and case.path.startswith("/v1/actions/"):
        # `GET /v1/actions/{name}` is described once, with the name as a parameter.
        return "Undocumented methods advertised: GET\n" not in failure.message + "\n"
    if kind == "AcceptedNegativeData":
        # A body of blanks counts as none. If a model made no calls, nothing runs and no caller is needed.
        nothing = response.text == '{"messages":[],"results":[],"unhandled":[]}'
        return not (blank(response.request.body) or nothing or (isinstance(case.body, dict) and fits_without_nulls(case)))
    if kind == "RejectedPositiveData":
        # An object that accepts anything also accepts a number that JSON readers do not agree on.
        return headers_fit(case) and "not valid JSON: an integer must lie within" not in response.text
    if kind == "ResponseTimeExceeded":
        # A request that waits for a confirmation says for how many seconds.
        return failure.elapsed > failure.deadline + waited(case)
    return True


def waited(case):
    try:
        return float((case.query or {}).get("wait", 0))
    except (TypeError, ValueError):
        return 0


def blank(body):
    return isinstance(body, bytes) and not body.strip()


def headers_fit(case):
    """The coverage phase fills some headers without regard to the pattern in their schema."""
    described = [each for each in case.operation.definition.raw.get("parameters", []) if each.get("in") == "header"]
    patterns = {each["name"]: each["schema"].get("pattern", "") for each in described}
    return all(re.search(pattern, case.headers[name]) for name, pattern in patterns.items() if name in (case.headers or {}))


def fits_without_nulls(case):
    """Models that must give every field send null for "not given", so a null of an optional field counts
    as left out."""
    schema = case.operation.definition.raw["requestBody"]["content"]["application/json"]["schema"]
    return without_nulls(case.body) != case.body and jsonschema.Draft202012Validator(schema).is_valid(without_nulls(case.body))


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    return value
