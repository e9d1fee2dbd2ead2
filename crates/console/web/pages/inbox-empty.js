// What an empty tab of the inbox says: what would fill it. In a demo a button does.
import { LitElement, html } from "../vendor/lit.js";
import { asApiError } from "../lib/api.js";
import { pageAddress } from "../routes.js";
import { problem } from "../elements/parts.js";

/** @typedef {import("../lib/state.js").State} State */

class InboxEmpty extends LitElement {
  static properties = { app: {}, tab: {}, error: { state: true } };

  constructor() {
    super();
    /** @type {import("../app.js").ConsoleApp | undefined} */
    this.app = undefined;
    this.tab = "";
    /** @type {import("../lib/api.js").ApiError | null} */
    this.error = null;
  }

  createRenderRoot() {
    return this;
  }

  render() {
    const { state } = this.app ?? {};
    if (!state) return "";
    return html`<div class="empty"><p><strong>${this.said(state)}</strong></p><p>${this.filledBy(state)}</p>
      ${this.tab !== "others" ? this.first(state) : ""}</div>`;
  }

  /** @param {State} state */
  said(state) {
    if (this.tab === "decided") return "Nothing was decided yet.";
    if (this.tab === "others") return "Nothing waits for others.";
    return this.tab === "mine" || state.onlyAsks ? "None of your calls waits." : "Nothing waits for you.";
  }

  /** @param {State} state */
  filledBy(state) {
    if (this.tab === "others") return "What other people may decide, and you may not, appears here.";
    if (this.tab === "mine" || state.onlyAsks) {
      return "A call that you or a program of yours made appears here while it waits for a person's decision.";
    }
    return "A call that needs a person's decision appears here: a destructive one, and in some workspaces every write.";
  }

  /** How to make the first one. @param {State} state */
  first(state) {
    if (!state.session?.people?.length || !state.may("missions:use")) {
      const connect = pageAddress(state.workspace ?? "", "connect");
      return html`<p><a href=${connect}>Connect a program that makes calls</a></p>`;
    }
    return html`<p><button type="button" @click=${() => this.make(state)}>Make a call that waits</button></p>
      ${this.error ? problem(this.error) : ""}`;
  }

  /** Plans a mission and asks to cancel it: a cancellation waits for a person. @param {State} state */
  async make({ service }) {
    this.error = null;
    try {
      const planned = await service?.call("POST", "/v1/actions/platform_create_mission", { goal: "Try out the inbox" });
      // Where every write waits, the plan does.
      const mission = planned.data?.id;
      if (mission) await service?.call("POST", "/v1/actions/platform_cancel_mission", { mission_id: mission });
    } catch (caught) {
      this.error = asApiError(caught);
    }
  }
}

customElements.define("inbox-empty", InboxEmpty);
