export * from "lit";
export * from "lit/directives/repeat.js";
