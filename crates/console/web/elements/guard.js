// Keeps a button from being pressed by accident: by a click or key that was meant for what stood there before.

/** Milliseconds that the button must have been in view, in a window with the focus. */
const IN_VIEW = 600;

/** Events of the window after which the time in view begins again. */
const RESTART = ["focus", "blur", "visibilitychange"];

/** A reactive controller of Lit. */
export class ViewGuard {
  /** @param {import("../vendor/lit.js").LitElement} host */
  constructor(host) {
    this.host = host;
    host.addController(this);
    /** @type {Element | null} */
    this.element = null;
    this.visible = false;
    /** When the button came into view. @type {number | null} */
    this.since = null;
    this.timer = 0;
    /** @param {IntersectionObserverEntry[]} all */
    const seen = (all) => this.set(all.at(-1)?.isIntersecting ?? false);
    this.observer = new IntersectionObserver(seen, { threshold: 0.9 });
    this.restart = () => this.set(this.visible);
  }

  hostConnected() {
    for (const type of RESTART) addEventListener(type, this.restart);
  }

  hostDisconnected() {
    for (const type of RESTART) removeEventListener(type, this.restart);
    this.watch(null);
  }

  /** Guards a button. Another one in its place counts from the start. @param {Element | null} element */
  watch(element) {
    if (element === this.element) return;
    this.element = element;
    this.observer.disconnect();
    this.set(false);
    if (element) this.observer.observe(element);
  }

  /** @param {boolean} visible */
  set(visible) {
    clearTimeout(this.timer);
    this.visible = visible;
    this.since = visible && document.hasFocus() ? performance.now() : null;
    if (this.since !== null) this.timer = window.setTimeout(() => this.host.requestUpdate(), IN_VIEW);
    this.host.requestUpdate();
  }

  /** Whether a press counts now. */
  get ready() {
    return this.since !== null && performance.now() - this.since >= IN_VIEW && document.hasFocus() && !document.hidden;
  }
}
