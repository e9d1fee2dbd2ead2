// The audit log: its calls, its filters, and the words for their values.

/**
 * @typedef {import("../types.d.ts").paths} Paths
 * @typedef {Paths["/v1/audit"]["get"]["responses"][200]["content"]["application/json"]} AuditPage
 * @typedef {AuditPage["items"][number]} Row a row, or a call with its steps
 * @typedef {NonNullable<Row["steps"]>[number]} Step
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

/** What happened to a call. @type {Record<string, string>} */
export const STEP = {
  asked: "asked", first_step: "step 1 of 2", wrong_phrase: "wrong phrase", approved: "approved",
  approved_changed: "approved with changes", denied: "denied", changed: "changed: another call waits in its place",
  superseded: "superseded by a later call", void: "no longer applies", expired: "expired: nobody decided in time",
  refused: "an attempt to decide was refused", started: "started", ran: "ran", ended: "ended",
};

/** Filters with a closed set of values. @type {Record<string, [string, Record<string, string>]>} */
export const CHOICE_FILTERS = {
  decision: ["Decision", DECISION],
  outcome: ["Outcome", OUTCOME],
  level: ["Level", { read: "read", write: "write", destructive: "destructive" }],
  kind: ["Kind", { call: "action", admin: "operation" }],
  surface: ["Surface", { rest: "rest", mcp: "mcp", console: "console", cli: "cli" }],
  via: ["Named by", { direct: "its own name", dispatcher: "the dispatcher" }],
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

/** Whether an address asks for what pages of the console read, too. @param {URLSearchParams} query */
export const showsReads = (query) => query.get("console_reads") === "true";

/**
 * The calls that an address asks for, for the API. A filter may have several values.
 * @param {URLSearchParams} query @param {Record<string, string | null>} [more] other parameters
 */
export function auditQuery(query, more = {}) {
  const given = FILTERS.flatMap((name) => query.getAll(name).filter(Boolean).map((value) => [name, value]));
  const others = Object.entries(more).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return new URLSearchParams([["group", "call"], ["console_reads", String(showsReads(query))], ...given, ...others]);
}
