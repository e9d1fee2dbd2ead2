// The base of pages: reads the data of an address, and shows why they could not be read.
import { LitElement, html } from "../vendor/lit.js";
import { asApiError, call } from "../lib/api.js";
import { word } from "../lib/text.js";
import { WHO_MAY } from "../routes.js";
import { announce } from "./console-parts.js";
import { mark, unmark } from "./feedback.js";
import { needs, problem } from "./parts.js";

/** @typedef {import("../lib/api.js").ApiError} ApiError */

/**
 * A page whose data come from one or a few calls.
 * @template T the data
 */
export class Page extends LitElement {
  static properties = {
    data: { state: true }, error: { state: true }, busy: { state: true }, failure: { state: true },
    said: { state: true },
  };

  constructor() {
    super();
    /** @type {import("../app.js").ConsoleApp | undefined} */
    this.app = undefined;
    /** Null until they are read. @type {T | null} */
    this.data = null;
    /** Why they could not be read. @type {ApiError | null} */
    this.error = null;
    /** Whether something that the person asked for is under way. */
    this.busy = false;
    /** Why it failed. @type {ApiError | null} */
    this.failure = null;
    /** What was done, if it worked, and by which of the page's buttons. */
    this.said = this.place = "";
    /** What the data were read for. */
    this.key = "";
  }

  createRenderRoot() {
    return this;
  }

  get workspace() {
    return this.app?.state.workspace ?? "";
  }

  get query() {
    return new URLSearchParams(location.search);
  }

  /** What the data depend on, besides the workspace. They are read again when it changes. */
  dataKey() {
    return location.search;
  }

  /** @returns {Promise<T>} */
  read() {
    throw new Error("a page defines what it reads");
  }

  /** @param {string} method @param {string} path @param {import("../lib/api.js").CallOptions} [options] */
  call(method, path, options) {
    return call(method, path, { workspace: this.workspace, ...options });
  }

  /** @param {string} permission */
  may(permission) {
    return Boolean(this.app?.state.may(permission));
  }

  /**
   * The tab in the address, or the first where it has none of them.
   * @param {[string, string][]} tabs @param {string} [parameter]
   */
  tabOf(tabs, parameter = "tab") {
    const value = this.query.get(parameter);
    return tabs.find(([one]) => one === value)?.[0] ?? tabs[0][0];
  }

  /** A part of the path, by its name in the route. @param {string} group */
  pathPart(group) {
    return decodeURIComponent(this.app?.route?.path.exec(location.pathname)?.groups?.[group] ?? "");
  }

  willUpdate() {
    const key = `${this.workspace} ${this.dataKey()}`;
    if (!this.app || key === this.key) return;
    this.key = key;
    [this.failure, this.said] = [null, ""];
    this.load();
  }

  /** Reads the data. An answer that comes after the person went on is dropped. */
  async load() {
    const key = this.key;
    [this.data, this.error] = [null, null];
    try {
      const data = await this.read();
      if (key === this.key) this.data = data;
    } catch (caught) {
      if (key === this.key) this.error = await this.errorOf(caught);
    }
  }

  /**
   * Does what the person asked for, one at a time. Returns whether it worked; `feedback` of the same place says so.
   * @param {() => Promise<unknown>} work @param {string} [place] of the button
   * @param {string | (() => string)} [said] what was done
   */
  async act(work, place = "", said = "") {
    if (this.busy) return false;
    [this.busy, this.failure, this.said, this.place] = [true, null, "", place];
    unmark(this);
    try {
      await work();
      this.said = typeof said === "string" ? said : said();
      if (this.said) announce(this.said);
    } catch (caught) {
      this.failure = await this.errorOf(caught);
    }
    this.busy = false;
    await this.updateComplete;
    mark(this, this.failure?.errors ?? []);
    return !this.failure;
  }

  /** What the last press of a button led to, for beside it. @param {string} [place] @param {() => void} [again] */
  feedback(place = "", again) {
    if (place !== this.place || !(this.failure || this.said)) return "";
    return html`<div class="feedback">${this.failure ? problem(this.failure, again)
      : html`<p class="notice good"><strong>${this.said}</strong></p>`}</div>`;
  }

  /** The error. After a refusal the rights are read again, because they may have changed. @param {unknown} caught */
  async errorOf(caught) {
    const error = asApiError(caught);
    if (error.status === 403) await this.app?.state.readRights().catch(() => null);
    return error;
  }

  /** What stands in place of a part of the page that needs a permission. @param {string} permission */
  forbidden(permission) {
    return needs(permission, word(WHO_MAY, permission));
  }

  /** The data, or what stands in their place. @param {(data: T) => unknown} show */
  renderData(show) {
    if (this.error) return problem(this.error, () => this.load());
    return this.data === null ? html`<p class="muted">Loading…</p>` : show(this.data);
  }
}
