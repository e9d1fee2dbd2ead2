// The style of a card. It goes where the card goes: into a page, or into the shadow root of an element.
import { css } from "../vendor/lit.js";

/** Colours and sizes are those of the page, or of the element that sets them. */
const style = css`
  toolcrib-confirmation { display: block; min-width: 0; }
  .confirmation { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; padding: 16px; border: 1px solid var(--line);
    border-radius: var(--radius); background: var(--surface); color: var(--text); overflow-wrap: break-word; }
  .confirmation > * { margin: 0; }
  .confirmation p { margin: 0; }
  .confirmation header { display: grid; grid-template-columns: minmax(0, 1fr); gap: 4px; }
  .confirmation .heading { font-size: 16px; line-height: 24px; font-weight: 600; }
  .confirmation .heading:focus:not(:focus-visible) { outline: none; }
  .confirmation :is(.title, .unfold) { display: flex; gap: 8px; align-items: baseline; }
  .confirmation .unfold { width: 100%; min-height: 24px; padding: 0; border: 0; background: none; color: inherit; font: inherit;
    text-align: start; justify-content: start; cursor: pointer; }
  .confirmation .unfold > span:last-child { flex: 1; min-width: 0; }
  .confirmation .unfold::after { content: "▸"; color: var(--muted); }
  .confirmation .unfold[aria-expanded="true"]::after { content: "▾"; }
  .confirmation .unfold:hover > span:last-child { text-decoration: underline; text-decoration-thickness: 1px; }
  .confirmation .sign { flex: none; color: var(--write); }
  .confirmation.typed .sign { color: var(--danger); }
  .confirmation .meta { display: flex; flex-wrap: wrap; gap: 0 16px; color: var(--muted); font-size: 12px; line-height: 20px; }
  .confirmation .meta time { color: var(--text); font-weight: 600; font-variant-numeric: tabular-nums; }
  .confirmation .warning { padding: 8px 12px; border-inline-start: 4px solid var(--danger); background: var(--danger-ground);
    border-radius: var(--radius); }
  .confirmation dl { display: grid; gap: 4px; margin: 0; }
  .confirmation dl > div { display: grid; grid-template-columns: minmax(72px, max-content) minmax(0, 1fr); gap: 0 16px; }
  .confirmation dt { color: var(--muted); }
  .confirmation dd { margin: 0; overflow-wrap: anywhere; }
  .confirmation summary { min-height: 24px; cursor: pointer; }
  .confirmation .json { margin: 8px 0 0; padding: 8px 12px; border-radius: var(--radius); background: var(--sunken);
    font: 12px/18px var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
  .confirmation code { font-family: var(--mono); font-size: .93em; overflow-wrap: anywhere; unicode-bidi: isolate; }
  .confirmation mark { background: none; color: inherit; text-decoration: underline wavy var(--write) 1px; text-underline-offset: 3px; }
  .confirmation .beside { color: var(--write); font-family: var(--sans); }
  .confirmation :is(.decision, form, .ended) { display: grid; grid-template-columns: minmax(0, 1fr); gap: 8px; }
  .confirmation label { font-weight: 550; }
  .confirmation .remember { display: flex; gap: 8px; align-items: baseline; font-weight: 450; }
  .confirmation .remember input { flex: none; width: 16px; height: 16px; min-height: 0; margin: 0; accent-color: var(--accent); translate: 0 2px; }
  .confirmation input:not([type="checkbox"]) { width: 100%; box-sizing: border-box; min-height: var(--control); padding: 0 12px;
    border: 1px solid var(--edge); border-radius: var(--radius); background: var(--raised); color: var(--text); font: inherit; }
  .confirmation .buttons { display: flex; flex-wrap: wrap; gap: 8px; }
  .confirmation .buttons button { min-height: var(--control); min-width: 96px; padding: 0 16px; border: 1px solid var(--edge);
    border-radius: var(--radius); background: var(--raised); color: var(--text); font: inherit; font-weight: 550; cursor: pointer; }
  .confirmation .buttons button:hover { border-color: var(--text); }
  .confirmation .buttons .approve { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
  .confirmation.typed .buttons .approve { border-color: var(--danger); background: var(--danger); color: var(--on-danger); }
  .confirmation .buttons [aria-disabled="true"] { opacity: .6; cursor: default; }
  .confirmation .said, .confirmation .ended { padding: 8px 12px; border-radius: var(--radius); background: var(--sunken); }
  .confirmation .ended { border-inline-start: 4px solid var(--edge); }
  .confirmation .ended.executed { border-color: var(--good); }
  .confirmation .ended:is(.failed, .unknown, .denied, .void) { border-color: var(--danger); }
  .confirmation .small { font-size: 12px; line-height: 16px; }
  .confirmation .muted { color: var(--muted); }
  .confirmation .notice { margin: 0; }
  .confirmation a { color: var(--accent); }
  .confirmation :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
  @media (forced-colors: active) { .confirmation .buttons .approve { border-width: 2px; } }
`;

/** Gives the style to the document or shadow root in which a card stands. @param {Node} root */
export function adopt(root) {
  const sheet = style.styleSheet;
  if (!sheet || !("adoptedStyleSheets" in root)) return;
  const sheets = /** @type {Document} */ (root).adoptedStyleSheets;
  if (!sheets.includes(sheet)) sheets.push(sheet);
}
