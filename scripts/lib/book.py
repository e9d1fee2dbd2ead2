"""Builds the site of the documents: book.py FOLDER. Chapters are those of docs/SUMMARY.md.

Documents link to files outside of docs, such as programs of the examples. So the chapters are copied as they lie in the
repository, with the files that they link to, and mdBook builds that folder."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
LINK = re.compile(r"\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def chapters(root):
    """The paths of SUMMARY.md's chapters, relative to the root."""
    links = LINK.findall((root / "docs/SUMMARY.md").read_text())
    return [str((root / "docs" / path).resolve().relative_to(root.resolve())) for path, _ in links]


def stage(root, folder):
    """Copies the chapters and what they link to. A folder that is linked to has no page and is left out."""
    pages = chapters(root)
    linked = {(root / page).parent / path for page in pages for path, _ in LINK.findall((root / page).read_text())}
    for file in [*(root / page for page in pages), *(file for file in linked if file.is_file())]:
        copy = folder / file.resolve().relative_to(root.resolve())
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    for page in pages:
        text = (folder / page).read_text()
        # mdBook makes index.html of a README.md, and leaves links to it.
        (folder / page).write_text(re.sub(r"(\]\([^)\s#]*)README\.md\b", r"\1index.md", text))
    paths = iter(pages)
    summary = LINK.sub(lambda _: f"]({next(paths)})", (root / "docs/SUMMARY.md").read_text())
    (folder / "SUMMARY.md").write_text(summary)
    shutil.copy(root / "docs/book.toml", folder)
    shutil.copy(root / "docs/book.css", folder / "docs")


def build(root, site):
    """Builds the documents of a repository's root into a folder. mdBook is that of this Python's environment."""
    with tempfile.TemporaryDirectory() as folder:
        stage(root, pathlib.Path(folder))
        mdbook = pathlib.Path(sys.executable).parent / "mdbook"
        built = subprocess.run([mdbook, "build", folder, "--dest-dir", site.resolve()], text=True, capture_output=True)
    if built.returncode != 0 or re.search(r"\b(WARN|ERROR)\b", built.stderr):
        sys.exit(f"{built.stdout}{built.stderr}")


if __name__ == "__main__":
    build(ROOT, pathlib.Path(sys.argv[1]))
