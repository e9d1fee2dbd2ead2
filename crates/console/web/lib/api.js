// Calls of the service: those of the console with its session, those of an element elsewhere with a token.
import { syncClock } from "./time.js";

/** @typedef {import("../types.d.ts").components["schemas"]["Problem"]} Problem */

/**
 * @typedef {object} CallOptions
 * @property {string | null} [workspace]
 * @property {string} [token] the console sends one only for signing in
 * @property {boolean} [signsIn] the call begins a sign-in: a 401 is not about the session
 * @property {string} [base] origin of the service, for pages of other origins; no cookie is sent then
 * @property {unknown} [body]
 * @property {string} [version] what a write replaces (`If-Match`)
 * @property {"text" | "blob"} [as] return a body as it came: numbers may lose their form when they are parsed
 */

/** Sends `signed-out` once the service refuses the session. */
export const sessionEvents = new EventTarget();

/** An answer that is no success, or no answer. */
export class ApiError extends Error {
  /** @param {Partial<Problem>} problem @param {number} status 0 if there was no answer */
  constructor(problem, status) {
    super(problem.detail ?? "the service answered without a reason");
    this.problem = { ...problem, status };
    this.status = status;
    // What is wrong with the arguments.
    this.errors = problem.errors ?? [];
  }
}

/** What an error says. A failure that is no answer of the service keeps its own message. @param {unknown} error */
export function asApiError(error) {
  return error instanceof ApiError ? error : new ApiError({ detail: String(error) }, 0);
}

/**
 * Sends one request, and never the same again. Returns the parsed body, the text of a body that is no JSON, or null
 * where there is none.
 * @param {string} method
 * @param {string} path of the service
 * @param {CallOptions} [options]
 */
export async function call(method, path, options = {}) {
  const sentAt = Date.now();
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const init = { method, body, headers: { Accept: "application/json", ...headers(options) } };
  const response = await send(path, init, options.base).catch(() => null);
  if (!response) {
    const elsewhere = options.base ? `; it must have \`${location.origin}\` in \`embed_origins\`` : "";
    const hint = method === "GET" ? `try again when it runs${elsewhere}`
      : "it is not known whether it happened: look again";
    throw new ApiError({ detail: "the service can't be reached", hint }, 0);
  }
  syncClock(response.headers.get("Date"), sentAt);
  if (response.ok) return bodyOf(response, options.as);
  throw errorOf(response, await bodyOf(response), Boolean(options.token) || Boolean(options.signsIn));
}

/** @param {CallOptions} options */
function headers({ workspace, token, version, body }) {
  return {
    ...(workspace ? { "X-Workspace-Id": workspace } : {}),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
    ...(version ? { "If-Match": version } : {}),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
}

/** @param {string} path @param {RequestInit} init @param {string} [base] origin of the service, if it is another */
const send = (path, init, base) => fetch((base ?? "") + path, {
  ...init, credentials: base === undefined ? "same-origin" : "omit", cache: "no-store", redirect: "error",
  referrerPolicy: "no-referrer",
});

/** @param {Response} response @param {"text" | "blob"} [as] also where it is JSON */
function bodyOf(response, as) {
  const type = as ?? (response.headers.get("Content-Type")?.startsWith("text/") ? "text" : "json");
  const problem = { detail: "the answer broke off before its end" };
  if (type === "json") return response.text().then((text) => parse(text)).catch(() => null);
  return response[type]().catch(() => Promise.reject(new ApiError(problem, 0)));
}

/**
 * @param {Response} response
 * @param {Partial<Problem> | string | null} body
 * @param {boolean} byToken a 401 is then about what was sent, and not about the session
 */
function errorOf(response, body, byToken) {
  const problem = body instanceof Object ? body : { detail: `the service answered with status ${response.status}` };
  problem.request_id ??= response.headers.get("X-Request-Id") ?? undefined;
  if (response.status === 401 && !byToken) sessionEvents.dispatchEvent(new Event("signed-out"));
  return new ApiError(problem, response.status);
}

/** @typedef {string | ((again: boolean) => string | Promise<string>)} Token a text, or what returns one */

export class Service {
  /** @param {{ workspace: string, base?: string, token?: Token }} options without a token: the session's */
  constructor({ workspace, base, token }) {
    this.workspace = workspace;
    this.base = base;
    this.token = token;
    /** @type {string | undefined} */
    this.lastToken = undefined;
  }

  /** @param {string} method @param {string} path @param {unknown} [body] */
  call(method, path, body) {
    const { workspace, base } = this;
    return this.withToken((token) => call(method, path, { workspace, base, token, body }));
  }

  /**
   * Opens a stream. Resolves once the service has accepted it.
   * @param {string} path @param {string | null} lastId id of the last event that was read @param {AbortSignal} signal
   * @param {unknown} [body] of a POST
   */
  stream(path, lastId, signal, body) {
    this.lastToken = undefined;
    return this.withToken(async (token) => {
      const usual = { Accept: "text/event-stream", ...headers({ workspace: this.workspace, token, body }) };
      const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
      const init = { ...sent, signal, headers: { ...usual, ...(lastId ? { "Last-Event-ID": lastId } : {}) } };
      const response = await send(path, init, this.base);
      if (response.ok && response.body) return response.body;
      // 204: there is nothing to read.
      if (response.ok) return new ReadableStream({ start: (controller) => controller.close() });
      throw errorOf(response, await response.json().catch(() => null), token !== undefined);
    });
  }

  /**
   * Does something with the token. After a 401 a function is asked for another token once.
   * @template T
   * @param {(token: string | undefined) => Promise<T>} work
   */
  async withToken(work) {
    try {
      return await work(await this.readToken(false));
    } catch (caught) {
      if (asApiError(caught).status !== 401 || typeof this.token !== "function") throw caught;
      return work(await this.readToken(true));
    }
  }

  /** @param {boolean} again whether the last token was refused */
  async readToken(again) {
    if (typeof this.token !== "function") return this.token;
    if (again || this.lastToken === undefined) this.lastToken = await this.token(again);
    return this.lastToken;
  }
}

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
