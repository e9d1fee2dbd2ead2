export { LitElement, html, nothing } from "lit";
export { repeat } from "lit/directives/repeat.js";
