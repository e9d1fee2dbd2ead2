// The time left until an instant, by the server's clock. All on a page tick together.
import { LitElement, html } from "../vendor/lit.js";
import { left } from "../lib/time.js";

/** @type {Set<TimeLeft>} */
const ticking = new Set();
setInterval(() => { for (const one of ticking) one.requestUpdate(); }, 1000);

/** Sends `time-over` when the time is over. */
class TimeLeft extends LitElement {
  static properties = { until: {} };

  constructor() {
    super();
    this.until = "";
    this.over = false;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    ticking.add(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    ticking.delete(this);
  }

  updated() {
    const over = left(this.until) === null;
    if (over && !this.over) this.dispatchEvent(new Event("time-over"));
    this.over = over;
  }

  render() {
    const time = left(this.until);
    return time ? html`<time datetime=${this.until}>${time} left</time>` : html`<span>time is over</span>`;
  }
}

if (!customElements.get("toolcrib-time-left")) customElements.define("toolcrib-time-left", TimeLeft);
