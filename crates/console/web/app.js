// The console: finds the page of the address, and shows it inside the frame.
import { LitElement, html } from "./vendor/lit.js";
import { WHO_MAY, home, match, pageAddress } from "./routes.js";
import { asApiError, sessionEvents } from "./lib/api.js";
import { loginAddress } from "./lib/session.js";
import { State, arrivalMessage, endMessage } from "./lib/state.js";
import { plain, word } from "./lib/text.js";
import * as frame from "./elements/frame.js";
import { announce } from "./elements/console-parts.js";
import { problem } from "./elements/parts.js";

export class ConsoleApp extends LitElement {
  static properties = { view: { state: true } };

  constructor() {
    super();
    this.state = new State((change) => this.announceChange(change));
    /** @type {import("./routes.js").Route | null} */
    this.route = null;
    this.address = "";
    this.hasView = false;
    this.signedOut = false;
    /** The page's element, or a template in its place. @type {unknown} */
    this.view = html`<h1 tabindex="-1" class="unseen">Toolcrib</h1><p class="muted">Loading…</p>`;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    document.addEventListener("click", (event) => this.openLink(event));
    addEventListener("popstate", () => this.navigate());
    sessionEvents.addEventListener("signed-out", () => this.end());
    this.navigate();
  }

  /** Opens a link of the console in this document. @param {MouseEvent} event */
  openLink(event) {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const modified = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (!link || link.target || link.hash || modified || event.defaultPrevented || this.signedOut) return;
    if (link.origin !== location.origin || !/^\/console\/(?!login$)/.test(link.pathname)) return;
    event.preventDefault();
    this.go(link.href, false);
  }

  /** @param {string} address @param {boolean} replace */
  go(address, replace) {
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    return this.navigate();
  }

  /** Shows the page of the address. An address that differs in its fragment alone is the same page. */
  async navigate() {
    const [before, address] = [this.address, location.pathname + location.search];
    if (before === address || this.signedOut) return;
    this.address = address;
    const view = await this.attempt(() => this.resolve());
    // The address changed meanwhile, or the session ended.
    if (!view || this.signedOut || this.address !== address) return;
    this.view = view;
    const moved = this.hasView && before.split("?")[0] !== location.pathname;
    this.hasView = true;
    this.requestUpdate();
    // The first page takes no focus.
    if (moved) this.updateComplete.then(() => this.focusHeading());
  }

  /** Shows what waits now, and says what is new. @param {import("./lib/confirmations.js").Change} change */
  announceChange({ arrived, ended }) {
    const forMe = arrived.filter((one) => this.state.isForMe(one));
    if (arrived.length || ended.length) this.state.readRights().then(() => this.requestUpdate(), () => null);
    announce(arrivalMessage(forMe, this.state.forMe.length) ?? endMessage(ended));
    this.requestUpdate();
  }

  /** What `main` shows. */
  async resolve() {
    const session = await this.state.readSession();
    if (!session.signed_in) return void location.replace(loginAddress());
    const { route, workspace } = match(location.pathname);
    this.route = route;
    const refused = await this.state.enter(workspace);
    if (refused) return frame.noMember(refused);
    const front = location.pathname === "/console/" || (!route && workspace);
    const first = this.state.workspace ? home(this.state.workspace) : session.system_admin ? "/console/system" : "";
    if (front && first) return void this.go(first, true);
    if (front) return frame.noWorkspace(session.user);
    if (!route) return frame.notFound(location.pathname);
    if (route.permission && !this.state.may(route.permission)) {
      return frame.forbidden(route.title, route.permission, word(WHO_MAY, route.permission));
    }
    if (route.pack && !this.state.has(route.pack)) {
      const may = this.state.may("settings:manage");
      return frame.packOff(route.title, may ? pageAddress(this.state.workspace ?? "", "settings", "packs") : "");
    }
    return this.page(route.name);
  }

  /** The element of a page; the one in view if it is of it. @param {string} name */
  async page(name) {
    if (this.view instanceof HTMLElement && this.view.localName === `${name}-page`) return this.view;
    await import(`./pages/${name}.js`);
    return Object.assign(document.createElement(`${name}-page`), { app: this });
  }

  /**
   * Does something that may fail, and shows why it failed. After a refusal the rights are read again.
   * @template T @param {() => Promise<T>} work
   */
  async attempt(work) {
    try {
      return await work();
    } catch (caught) {
      const error = asApiError(caught);
      if (this.signedOut || error.status === 401) return;
      this.view = html`<h1 tabindex="-1">That did not work</h1>${problem(error, () => location.reload())}`;
      if (error.status === 403) await this.state.readRights().catch(() => null);
    }
  }

  /** The session has ended, here or in another tab: the data go, and one notice stays. */
  end() {
    if (this.signedOut) return;
    this.signedOut = true;
    this.state.leave();
    this.state = new State(() => {});
    this.view = frame.signedOut(loginAddress());
    this.updateComplete.then(() => this.focusHeading());
  }

  /** The heading of a page that was opened by a link takes the focus, as a new document would. */
  focusHeading() {
    const heading = this.querySelector("h1");
    scrollTo(0, 0);
    heading?.focus({ preventScroll: true });
    announce(heading?.textContent ?? "");
  }

  updated() {
    const heading = this.querySelector("h1")?.textContent?.trim() ?? "";
    const count = this.state.forMe.length ? `(${this.state.forMe.length}) ` : "";
    document.title = [count + heading, plain(this.state.workspaceName), "Toolcrib"].filter(Boolean).join(" · ");
  }

  render() {
    if (this.view instanceof LitElement) this.view.requestUpdate();
    const main = html`<main id="main" tabindex="-1">${this.view}</main>`;
    return html`${frame.bar(this)}<div class="frame">${frame.navigation(this)}${main}</div>`;
  }
}

customElements.define("console-app", ConsoleApp);
