// Filters and tabs are in the address, so that a reload, a second tab and a link show the same.

/**
 * The address of this page with other parameters. A parameter without a value is left out.
 * @param {Record<string, string | null | undefined>} changes
 */
export function withQuery(changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  return query.size ? `?${query}` : location.pathname;
}

/**
 * The parameters that a form sets, for `withQuery`: each field, and null for one that is empty or has its usual value.
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} [usual]
 */
export function formQuery(form, usual = {}) {
  /** @type {Record<string, string | null>} */
  const found = {};
  for (const [name, value] of new FormData(form)) {
    const given = String(value).trim();
    found[name] = given && given !== usual[name] ? given : null;
  }
  return found;
}
