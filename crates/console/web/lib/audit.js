// The audit log: its rows, its filters, and the words for their values.

/**
 * @typedef {import("../types.d.ts").paths} Paths
 * @typedef {Paths["/v1/audit"]["get"]["responses"][200]["content"]["application/json"]} AuditPage
 * @typedef {AuditPage["items"][number]} Row
 * @typedef {Paths["/v1/audit/stats"]["get"]["responses"][200]["content"]["application/json"]} Stats
 * @typedef {Paths["/v1/audit/verify"]["get"]["responses"][200]["content"]["application/json"]} Verification
 */

/** @type {Record<string, string>} */
export const DECISION = {
  auto_allowed: "ran at once", approved: "approved", denied: "refused", confirmation_required: "waits for a person",
  rate_limited: "rate limited", invalid: "not valid", expired: "expired",
};

/** @type {Record<string, string>} */
export const OUTCOME = {
  succeeded: "succeeded", failed: "failed", not_run: "did not run", started: "started", unknown: "outcome unknown",
  handed_out: "handed out",
};

/** @type {Record<string, string>} */
export const KIND = { call: "call", outcome: "outcome", confirmation: "decision", grant: "grant", admin: "operation" };

/** Filters with a closed set of values. @type {Record<string, [string, Record<string, string>]>} */
export const CHOICE_FILTERS = {
  decision: ["Decision", DECISION],
  outcome: ["Outcome", OUTCOME],
  level: ["Level", { read: "read", write: "write", destructive: "destructive" }],
  kind: ["Kind", KIND],
  surface: ["Surface", { rest: "rest", mcp: "mcp", console: "console", cli: "cli" }],
  via: ["Named by", { direct: "its own name", dispatcher: "the dispatcher", confirmation: "an approval" }],
  role: ["Role", { viewer: "viewer", member: "member", editor: "editor", admin: "admin", owner: "owner" }],
};

/** Filters with any text. @type {Record<string, string>} */
export const TEXT_FILTERS = {
  action: "Action", user: "User id", principal: "User, agent or key id", session: "Conversation",
  caller_type: "Caller type", reason: "Reason", confirmation_id: "Confirmation id", request_id: "Request id",
};

/** Filters by time, and what they mean. @type {Record<string, string>} */
export const TIME_FILTERS = { from: "From", to: "Until" };

export const FILTERS = [...Object.keys(CHOICE_FILTERS), ...Object.keys(TEXT_FILTERS), ...Object.keys(TIME_FILTERS)];

/**
 * The filters of an address, for the API. A filter may have several values.
 * @param {URLSearchParams} query @param {Record<string, string | null>} [more] other parameters
 */
export function auditQuery(query, more = {}) {
  const given = FILTERS.flatMap((name) => query.getAll(name).filter(Boolean).map((value) => [name, value]));
  const others = Object.entries(more).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return new URLSearchParams([...given, ...others]);
}
