"""Takes the tools and questions out of the `bfcl-eval` wheel: every function of four categories whose answer is one
call, and the question with the function that answers it. Writes tools.jsonl and queries.jsonl."""

import json
import pathlib
import sys
import zipfile

CATEGORIES = ["simple_python", "multiple", "live_simple", "live_multiple"]


def records(wheel, name):
    """The JSON values of a file, which stand one after the other."""
    text = wheel.read(f"bfcl_eval/data/{name}").decode()
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        yield value


def parameters(function):
    properties = function.get("parameters", {}).get("properties") or {}
    return [f"{name} {schema.get('description', '')}" for name, schema in properties.items()]


def main():
    wheel, folder = zipfile.ZipFile(sys.argv[1]), pathlib.Path(sys.argv[2])
    tools, queries = {}, []
    for category in CATEGORIES:
        file = f"BFCL_v4_{category}.json"
        answers = {row["id"]: next(iter(row["ground_truth"][0])) for row in records(wheel, f"possible_answer/{file}")}
        for row in records(wheel, file):
            for function in row["function"]:
                tools.setdefault(function["name"], function)
            said = " ".join(message["content"] for message in row["question"][0] if message["role"] == "user")
            queries.append({"tool": answers[row["id"]], "query": said})
    rows = [
        {"name": name, "description": tool.get("description", ""), "parameters": parameters(tool)}
        for name, tool in tools.items()
    ]
    for file, lines in [("tools.jsonl", rows), ("queries.jsonl", queries)]:
        (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines))


main()
