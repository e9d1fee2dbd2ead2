// How a page reaches the service in one workspace: the console by its session, an element elsewhere by a token.
import { asApiError, call, headers, refused, send } from "./api.js";

/** @typedef {string | ((again: boolean) => string | Promise<string>)} Token a text, or what returns one */

export class Service {
  /** @param {{ workspace: string, base?: string, token?: Token }} options without a token: the session's */
  constructor({ workspace, base, token }) {
    this.workspace = workspace;
    this.base = base;
    this.token = token;
    /** The last token. @type {string | undefined} */
    this.known = undefined;
  }

  /** @param {string} method @param {string} path @param {unknown} [body] */
  call(method, path, body) {
    const { workspace, base } = this;
    return this.withToken((token) => call(method, path, { workspace, base, token, body }));
  }

  /**
   * Opens a stream. Resolves once the service has accepted it.
   * @param {string} path @param {string | null} last id of the last event that was read @param {AbortSignal} signal
   */
  stream(path, last, signal) {
    this.known = undefined;
    return this.withToken(async (token) => {
      const sent = { Accept: "text/event-stream", ...headers({ workspace: this.workspace, token }) };
      const init = { signal, headers: { ...sent, ...(last ? { "Last-Event-ID": last } : {}) } };
      const answer = await send(path, init, this.base);
      if (answer.ok && answer.body) return answer.body;
      throw refused(answer, await answer.json().catch(() => null), token !== undefined);
    });
  }

  /**
   * Does something with the token. After a 401 a function is asked for another token once.
   * @template T
   * @param {(token: string | undefined) => Promise<T>} work
   */
  async withToken(work) {
    try {
      return await work(await this.read(false));
    } catch (caught) {
      if (asApiError(caught).status !== 401 || typeof this.token !== "function") throw caught;
      return work(await this.read(true));
    }
  }

  /** @param {boolean} again whether the last token was refused */
  async read(again) {
    if (typeof this.token !== "function") return this.token;
    if (again || this.known === undefined) this.known = await this.token(again);
    return this.known;
  }
}
