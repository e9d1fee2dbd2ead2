// Markdown that models write, as nodes: paragraphs, lists, code and bold. There is no HTML, no image and no link: what
// else it has is shown as it was written.
import { html } from "../vendor/lit.js";
import { plain } from "./text.js";
import { code } from "../elements/blocks.js";

const ITEM = /^\s*(?:[-*]|(\d+)[.)])\s+(.*)$/;
const FENCE = /^\s*```/;
const HEADING = /^#{1,6}\s+(.*)$/;
// What stands between backticks, and what between two pairs of asterisks.
const MARKED = /(`[^`]+`|\*\*[^*]+\*\*)/;

/** @param {string} text of a line */
const inline = (text) => text.split(MARKED).map((part, n) => {
  if (n % 2 === 0) return plain(part);
  return part.startsWith("`") ? html`<code>${plain(part.slice(1, -1))}</code>`
    : html`<strong>${plain(part.slice(2, -2))}</strong>`;
});

/** @param {string[]} lines that follow each other */
const paragraph = (lines) => html`<p>${lines.map((line, n) => [n ? html`<br>` : "", inline(line)])}</p>`;

/** @param {string[]} lines of a list */
function list(lines) {
  const items = lines.map((line) => html`<li>${inline(ITEM.exec(line)?.[2] ?? line)}</li>`);
  return ITEM.exec(lines[0])?.[1] ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
}

/** Whether a line is a part of a paragraph. @param {string} line */
const isText = (line) => Boolean(line.trim()) && ![FENCE, ITEM, HEADING].some((kind) => kind.test(line));

/** @param {string} text */
export function markdown(text) {
  const lines = text.split(/\r?\n/);
  const shown = [];
  while (lines.length) {
    // Lines up to the first that is not of the kind.
    const take = (/** @type {(line: string) => boolean} */ isOfKind) => {
      const end = lines.findIndex((line) => !isOfKind(line));
      return lines.splice(0, end < 0 ? lines.length : end);
    };
    const heading = HEADING.exec(lines[0]);
    if (FENCE.test(lines[0])) {
      lines.shift();
      shown.push(code("Code", take((line) => !FENCE.test(line)).join("\n")));
      lines.shift();
    } else if (ITEM.test(lines[0])) {
      shown.push(list(take((line) => ITEM.test(line))));
    } else if (heading) {
      lines.shift();
      shown.push(html`<p><strong>${inline(heading[1])}</strong></p>`);
    } else if (!lines[0].trim()) {
      lines.shift();
    } else {
      shown.push(paragraph(take(isText)));
    }
  }
  return shown;
}
