// The form that makes a webhook, and a webhook in the list.
import { html, repeat } from "../vendor/lit.js";
import { field, fact, tabs } from "../elements/blocks.js";
import { withQuery } from "../lib/address.js";
import { name, plain } from "../lib/text.js";

/**
 * @typedef {import("../types.d.ts").paths["/v1/webhooks"]["get"]["responses"][200]["content"]} Content
 * @typedef {Content["application/json"]["items"][number]} Webhook
 * @typedef {{ ok: boolean, problem: string | null }} Tested
 * @typedef {object} Context of the list
 * @property {boolean} busy
 * @property {string} removing id of the webhook that is about to be removed
 * @property {(id: string) => unknown} feedback
 * @property {(one: Webhook) => void} test
 * @property {(one: Webhook) => void} toggle
 * @property {(one: Webhook) => void} remove
 */

/** @typedef {[string, string, string]} Needed name in the API, label, and an example */

/** What each format needs. @type {Record<string, Needed[]>} */
const NEEDS = {
  slack: [["secret", "URL of the incoming webhook", "…/services/…"]],
  telegram: [["secret", "Token of the bot", "123456:ABC…"], ["chat_id", "Chat", "-100200 or @channel"],
    ["url", "Address", "that of Telegram"]],
  twilio: [["secret", "Auth token", ""], ["account_sid", "Account SID", "AC…"], ["from", "From", "+15005550006"],
    ["to", "To", "+15005550010"], ["url", "Address", "that of Twilio"]],
  standard: [["url", "Address", "that of the program"]],
};

/** @type {[string, string][]} */
export const FORMATS = [["slack", "Slack"], ["telegram", "Telegram"], ["twilio", "Twilio"], ["standard", "A program"]];

/** @param {string} format */
export function form(format) {
  const types = format === "standard" ? field("types", "Events, such as agent.* or *", "*")
    : html`<label class="check"><input type="checkbox" name="all" checked> <span>All notifications of admins, not
        only the calls that wait for a decision</span></label>`;
  return html`${tabs("Services", FORMATS, format, (chosen) => withQuery({ format: chosen }))}
    ${repeat(NEEDS[format], ([one]) => `${format} ${one}`, ([one, label, example]) =>
      field(one, label, null, example, one === "secret" ? "password" : "text"))} ${types}`;
}

/** The body of the call. @param {string} format @param {FormData} typed */
export function bodyOf(format, typed) {
  const value = (/** @type {string} */ one) => String(typed.get(one) ?? "").trim();
  const given = NEEDS[format].map(([one]) => [one, value(one)]).filter(([, text]) => text);
  const isReceiver = (/** @type {string[]} */ [one]) => one !== "secret" && one !== "url";
  const receiver = Object.fromEntries(given.filter(isReceiver));
  const types = format === "standard" ? value("types").split(/[\s,]+/).filter(Boolean)
    : [typed.get("all") ? "notification.created" : "awaiting_permission"];
  return {
    format, types, ...Object.fromEntries(given.filter((one) => !isReceiver(one))),
    ...(Object.keys(receiver).length ? { receiver } : {}),
  };
}

/** @param {Webhook} one @param {Context} list */
export function webhookRow(one, list) {
  const id = `webhook-${plain(one.id)}`;
  const label = FORMATS.find(([format]) => format === one.format)?.[1] ?? one.format;
  return html`<section class="card" aria-labelledby=${id}>
    <h2 id=${id}>${name(label)} <span class="muted">${one.enabled ? "on" : "off"}</span></h2>
    <dl class="facts">${fact("Address", html`<code>${plain(one.url)}</code>`)}
      ${Object.entries(one.receiver ?? {}).map(([term, value]) =>
        fact(plain(term), html`<code>${plain(value)}</code>`))}
      ${fact("Events", one.types.map((type) => html`<code>${plain(type)}</code> `))}</dl>
    ${list.feedback(one.id)}
    <div class="actions">
      <button type="button" ?disabled=${list.busy} @click=${() => list.test(one)}>Send a test</button>
      <button type="button" ?disabled=${list.busy} @click=${() => list.toggle(one)}>Switch ${
        one.enabled ? "off" : "on"}</button>
      <button type="button" class="danger" ?disabled=${list.busy} @click=${() => list.remove(one)}>${
        list.removing === one.id ? "Remove for good" : "Remove…"}</button></div></section>`;
}
