// The notifications of the person in the workspace in view.
import { LitElement, html } from "../vendor/lit.js";
import "../elements/notifications.js";

class NotificationsPage extends LitElement {
  /** @type {import("../app.js").ConsoleApp | undefined} */
  app;

  createRenderRoot() {
    return this;
  }

  /** The bell counts anew. */
  async counted() {
    await this.app?.state.readRights().catch(() => null);
    this.app?.requestUpdate();
  }

  render() {
    return html`<h1 tabindex="-1">Notifications</h1>
      <notification-list .workspace=${this.app?.state.workspace ?? ""} @read=${this.counted}></notification-list>`;
  }
}

customElements.define("notifications-page", NotificationsPage);
