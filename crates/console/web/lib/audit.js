// The audit log: its rows and filters.

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
