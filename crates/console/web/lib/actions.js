// Actions: their types, and how they are read.

/**
 * @typedef {import("../types.d.ts").paths} Paths
 * @typedef {import("../types.d.ts").components["schemas"]["ActionSummaries"]} SummaryPage
 * @typedef {SummaryPage["items"][number]} Summary
 * @typedef {import("../types.d.ts").components["schemas"]["Action"]} Action
 * @typedef {Paths["/v1/access/matrix"]["get"]["responses"][200]["content"]["application/json"]} Matrix
 * @typedef {Paths["/v1/access/report"]["get"]["responses"][200]["content"]["application/json"]} Report
 * @typedef {Paths["/v1/access/explain"]["get"]["responses"][200]["content"]["application/json"]} Explanation
 * @typedef {Paths["/v1/tools/search"]["post"]["responses"][200]["content"]["application/json"]} Hits
 * @typedef {(method: string, path: string, options?: import("./api.js").CallOptions) => Promise<any>} Call
 */

/**
 * Every action of the caller in short, in the order of the catalogue. Each page is one call; the built-in actions fit
 * into one.
 * @param {Call} call
 */
export async function listActions(call) {
  /** @type {Summary[]} */
  const all = [];
  /** @type {string | null} */
  let cursor = null;
  do {
    const query = new URLSearchParams({ fields: "summary", limit: "100", ...(cursor ? { cursor } : {}) });
    /** @type {SummaryPage} */
    const page = await call("GET", `/v1/actions?${query}`);
    all.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor);
  return all;
}

/** The path of an action in the API. @param {string} name @param {string} [more] */
export const actionPath = (name, more = "") => `/v1/actions/${encodeURIComponent(name)}${more}`;

/**
 * The data of a read action. It is asked by its name, because a pack has no routes.
 * @param {Call} call @param {string} name @param {object} [body] the arguments
 */
export const readAction = async (call, name, body = {}) => (await call("POST", actionPath(name), { body })).data;
