"""The assistant with a provider that somebody else wrote, in each format: a call, its answer, and the text, as a stream."""
import json
import subprocess

import pytest
from conftest import Toolcrib
from host_project import HERE


@pytest.fixture(scope="module")
def provider():
    process = subprocess.Popen(["node", "second_provider.mjs"], cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().strip()
    process.stdin.close()
    process.wait(10)


@pytest.mark.parametrize("kind", ["openai", "openai_responses", "anthropic"])
def test_a_run_with_a_call(provider, kind):
    product = Toolcrib("--assistant-provider", f"{provider}/v1", "--assistant-format", kind, "--assistant-models", "gpt-5",
                       "--assistant-key", "a-key-of-aimock", "--assistant-context", "100000")
    try:
        part = {"type": "text", "text": "Which agents are there?"}
        answer = product.answer("POST", "/v1/assistant/chat", {"id": "t1", "message": {"role": "user", "parts": [part]}})
        assert answer.status_code == 200, answer.text
        data = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
        assert data.pop() == "[DONE]"
        chunks = [json.loads(one) for one in data]
        [output] = [chunk["output"] for chunk in chunks if chunk["type"] == "tool-output-available"]
        assert output["status"] == "completed" and len(output["data"]["items"]) == 2
        text = "".join(chunk["delta"] for chunk in chunks if chunk["type"] == "text-delta")
        assert text == "I look.There are two.", chunks
        # The history of the second request was one that the provider takes.
        assert chunks[-1] == {"type": "finish", "finishReason": "stop", "messageMetadata": chunks[-1]["messageMetadata"]}
        assert "a-key-of-aimock" not in "".join(product.lines) + answer.text
    finally:
        product.close()
