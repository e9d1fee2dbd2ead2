// Calls of the service that this page came from. The session cookie is the credential; no token is kept.
import { learn } from "./time.js";

/** @typedef {import("../types.d.ts").components["schemas"]["Problem"]} Problem */

/**
 * @typedef {object} CallOptions
 * @property {string | null} [workspace]
 * @property {string} [token] only for signing in
 * @property {unknown} [body]
 * @property {string} [version] what a write replaces (`If-Match`)
 * @property {boolean} [asText] return a body as it came: numbers may lose their form when they are parsed
 */

/** Sends `signed-out` once the service refuses the session. */
export const sessionEvents = new EventTarget();

/** An answer that is no success, or no answer. */
export class ApiError extends Error {
  /** @param {Partial<Problem>} problem @param {number} status 0 if there was no answer */
  constructor(problem, status) {
    super(problem.detail ?? "the service answered without a reason");
    this.status = status;
    this.code = problem.code;
    this.hint = problem.hint;
    this.requestId = problem.request_id;
    /** What is wrong with the arguments. @type {Problem["errors"]} */
    this.errors = problem.errors ?? [];
  }
}

/**
 * What an error says. A failure that is no answer of the service keeps its own message.
 * @param {unknown} error
 */
export function asApiError(error) {
  return error instanceof ApiError ? error : new ApiError({ detail: String(error) }, 0);
}

/**
 * Sends one request, and never the same again. Returns the parsed body, the text of a body that is no JSON, or null
 * where there is none.
 * @param {string} method
 * @param {string} path of this origin
 * @param {CallOptions} [options]
 */
export async function call(method, path, { workspace, token, body, version, asText } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (workspace) headers["X-Workspace-Id"] = workspace;
  if (token) headers.Authorization = `Bearer ${token}`;
  if (version) headers["If-Match"] = version;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const sent = Date.now();
  const answer = await fetch(path, {
    method, headers, body: body === undefined ? undefined : JSON.stringify(body),
    credentials: "same-origin", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer",
  }).catch(() => null);
  if (!answer) {
    const hint = method === "GET" ? "try again when it runs" : "it is not known whether it happened: look again";
    throw new ApiError({ detail: "the service can't be reached", hint }, 0);
  }
  learn(answer.headers.get("Date"), sent);
  const value = await bodyOf(answer, asText);
  if (answer.ok) return value;
  throw refused(answer, value, Boolean(token));
}

/** @param {Response} answer @param {boolean} [asText] also where it is JSON; a problem is always parsed */
function bodyOf(answer, asText) {
  const isText = answer.headers.get("Content-Type")?.startsWith("text/") || (asText && answer.ok);
  return isText ? answer.text() : answer.json().catch(() => null);
}

/**
 * @param {Response} answer
 * @param {Partial<Problem> | null} value
 * @param {boolean} signingIn a 401 is then about the token that was pasted
 */
function refused(answer, value, signingIn) {
  const problem = value ?? { detail: `the service answered with status ${answer.status}` };
  problem.request_id ??= answer.headers.get("X-Request-Id") ?? undefined;
  if (answer.status === 401 && !signingIn) sessionEvents.dispatchEvent(new Event("signed-out"));
  return new ApiError(problem, answer.status);
}
