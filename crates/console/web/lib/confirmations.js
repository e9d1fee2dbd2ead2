// Reads confirmations of a workspace.
import { call } from "./api.js";

/**
 * @typedef {import("../types.d.ts").components["schemas"]["Confirmation"]} Confirmation
 * @typedef {{ items: Confirmation[], next_cursor: string | null }} Page
 */

const OPEN = ["pending", "awaiting_phrase"];

/** @param {Confirmation} one */
export const isOpen = (one) => OPEN.includes(one.status);

/**
 * What waits and this caller may see, oldest first.
 * @param {string} workspace
 * @returns {Promise<Confirmation[]>}
 */
export async function listOpen(workspace) {
  const path = "/v1/confirmations?limit=100&status=";
  const pages = await Promise.all(OPEN.map((status) => call("GET", path + status, { workspace })));
  return pages.flatMap((page) => page.items).sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

/**
 * A page of what has ended, newest first.
 * @param {string} workspace
 * @param {string | null} cursor
 * @returns {Promise<Page>}
 */
export async function listEnded(workspace, cursor) {
  const query = new URLSearchParams({ limit: "50", ...(cursor ? { cursor } : {}) });
  const page = await call("GET", `/v1/confirmations?${query}`, { workspace });
  return { ...page, items: page.items.filter((/** @type {Confirmation} */ one) => !isOpen(one)) };
}

/**
 * The same items by conversation, in the order of each conversation's first. `null` stands for none.
 * @param {Confirmation[]} items
 */
export function byConversation(items) {
  /** @type {Map<string | null, Confirmation[]>} */
  const groups = new Map();
  for (const one of items) {
    const session = one.requester.session ?? null;
    groups.set(session, [...(groups.get(session) ?? []), one]);
  }
  return groups;
}
