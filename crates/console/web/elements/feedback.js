// Where feedback stands: beside the button that caused it, and at the fields that are wrong.
import { plain } from "../lib/text.js";

/** Removes the marks of the attempt before. @param {HTMLElement} page */
export function unmark(page) {
  for (const field of page.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  for (const note of page.querySelectorAll(".field-error")) note.remove();
}

/**
 * Marks the fields that an error names, goes to the first of them, or else brings the feedback into view.
 * @param {HTMLElement} page @param {{ pointer: string, message: string }[]} errors
 */
export function mark(page, errors) {
  const wrong = errors.flatMap(({ pointer, message }) => {
    const name = CSS.escape(pointer.split("/")[1] ?? "");
    const field = /** @type {HTMLElement | null} */ (name && page.querySelector(`form [name="${name}"]`));
    return field ? [{ field, message }] : [];
  });
  for (const { field, message } of wrong) {
    field.setAttribute("aria-invalid", "true");
    const note = document.createElement("span");
    field.after(Object.assign(note, { className: "field-error", textContent: plain(message) }));
  }
  const first = wrong[0]?.field;
  first?.closest("details")?.setAttribute("open", "");
  first?.focus({ preventScroll: true });
  (first ?? page.querySelector(".feedback"))?.scrollIntoView({ block: first ? "center" : "nearest" });
}
