// JSON whose numbers keep their digits. A number that is no 64-bit float, such as an id beyond 2^53, becomes a value
// that is written as it was read. Browsers without `JSON.rawJSON` (before Chromium 114, Firefox 135, Safari 18.4)
// round it.

/** @typedef {{ rawJSON?: (text: string) => object, isRawJSON?: (value: unknown) => boolean }} RawJson */
const raw = /** @type {RawJson} */ (/** @type {unknown} */ (JSON));

/** A double has all numbers of so many digits. */
const EXACT_DIGITS = 15;

/** Whether a value is a number that keeps its digits. @param {unknown} value */
export const isExactNumber = (value) => raw.isRawJSON?.(value) ?? false;

/** @param {string} text @returns {any} as `JSON.parse` does */
export const parse = (text) => JSON.parse(text, /** @type {(key: string, value: any) => any} */ (exact));

/** @param {string} _key @param {unknown} value @param {{ source?: string }} [context] */
function exact(_key, value, context) {
  const source = context?.source;
  if (typeof value !== "number" || !source || !raw.rawJSON) return value;
  const digits = source.replace(/[eE].*$|\D/g, "").replace(/^0+/, "").length;
  const isRounded = digits > EXACT_DIGITS && String(value) !== source;
  return isRounded || (Number.isInteger(value) && !Number.isSafeInteger(value)) ? raw.rawJSON(source) : value;
}
