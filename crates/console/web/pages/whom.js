// The caller that an admin asks about: a role, a caller type, and an agent.
import { html } from "../vendor/lit.js";
import { ROLE } from "../lib/session.js";
import { choice, field } from "../elements/blocks.js";

const NAMES = ["role", "caller_type", "caller_name"];

/** The parameters that an address has of these. @param {URLSearchParams} query @returns {[string, string][]} */
export const whomOf = (query) =>
  NAMES.flatMap((name) => /** @type {[string, string][]} */ (query.get(name) ? [[name, query.get(name)]] : []));

/**
 * The fields of a form.
 * @param {URLSearchParams} query
 * @param {string[]} [types] caller types that the service knows, once they were read
 */
export function whomFields(query, types = []) {
  const chosen = query.get("caller_type");
  const known = [...new Set([...types, ...(chosen ? [chosen] : [])])].filter((one) => one !== "api");
  const words = Object.fromEntries([["", "api"], ...known.map((one) => [one, one])]);
  return html`${choice("role", "Role", { "": "Your own", ...ROLE }, query.get("role"))}
    ${choice("caller_type", "Caller type", words, chosen === "api" ? "" : chosen)}
    ${field("caller_name", "Agent's short name", query.get("caller_name"), "None")}`;
}
