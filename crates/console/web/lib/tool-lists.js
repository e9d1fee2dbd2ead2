// Tool lists: their options, and what is in a list of each provider's format.

/**
 * @typedef {import("../types.d.ts").paths} Paths
 * @typedef {Paths["/v1/tools"]["post"]} Post
 * @typedef {Post["responses"][200]["content"]["application/json"] & { bytes: number }} ToolList `bytes` of the answer
 * @typedef {Paths["/v1/access/tools"]["get"]["responses"][200]["content"]["application/json"]} ListOfOther
 * @typedef {ListOfOther["strategies"][number]} StrategySize
 * @typedef {NonNullable<Post["requestBody"]>["content"]["application/json"]} ListOptions
 * @typedef {object} Tool
 * @property {string} name
 * @property {string} description
 * @property {unknown} schema of the parameters
 * @property {unknown} value as the provider gets it
 */

/** @type {Record<string, string>} */
export const FORMAT = {
  openai: "OpenAI Chat", openai_responses: "OpenAI Responses", anthropic: "Anthropic", gemini: "Gemini", mcp: "MCP",
};

/** Strategies, and what is in their lists. @type {Record<string, string>} */
export const STRATEGY = {
  full: "Promoted actions as tools, the others through the dispatcher",
  filtered: "What the user's words need",
  dispatcher_only: "One tool that runs every action",
  all: "Every action as a tool of its own",
  none: "Nothing",
};

/** @type {Record<string, string>} */
export const DETAIL = { signatures: "Signatures", names: "Names only" };

/** @type {Record<string, string>} */
export const STRICT = { off: "Off", auto: "Auto" };

/** Options that are left out of the address. @type {Record<string, string>} */
export const DEFAULTS = { format: "openai", strategy: "full", detail: "signatures", strict: "off" };

/** Strategies side by side, with their detail; null is the one that was chosen. @type {[string, string | null][]} */
const COMPARED = [
  ["full", "signatures"], ["full", "names"], ["filtered", null], ["dispatcher_only", null], ["all", null],
];

/**
 * The options that an address names. Words that are not known go to the service, which says what is wrong.
 * @param {URLSearchParams} query
 */
export function optionsOf(query) {
  const words = query.get("query");
  const budget = query.get("max_tokens");
  const chosen = Object.entries(DEFAULTS).map(([name, value]) => [name, query.get(name) ?? value]);
  return /** @type {ListOptions} */ ({
    ...Object.fromEntries(chosen),
    ...(words ? { query: words } : {}),
    ...(budget ? { max_tokens: Number(budget) } : {}),
  });
}

/** The options of each strategy that is compared with these. @param {ListOptions} options */
export function comparedOptions(options) {
  return COMPARED.map(([strategy, detail]) => /** @type {ListOptions} */ (
    { ...options, strategy, detail: detail ?? options.detail }));
}

/** A text that is the same for the same list: `all` has no dispatcher and so no detail. @param {ListOptions} options */
export const keyOf = ({ detail, ...others }) =>
  JSON.stringify({ ...others, detail: others.strategy === "all" ? null : detail });

/**
 * The tools of a list, in its order.
 * @param {ToolList} list
 * @returns {Tool[]}
 */
export function toolsOf({ tools, format }) {
  const all = /** @type {any[]} */ (tools ?? []);
  const flat = format === "gemini" ? all.flatMap((one) => one.functionDeclarations ?? [one]) : all;
  return flat.map((value) => {
    const body = value.function ?? value;
    const schema = body.parameters ?? body.input_schema ?? body.inputSchema ?? body.parametersJsonSchema ?? null;
    return { name: String(body.name ?? value.type), description: String(body.description ?? ""), schema, value };
  });
}

/** @param {string} text the answer as it came @returns {ToolList} */
export const parse = (text) => ({ ...JSON.parse(text), bytes: new TextEncoder().encode(text).length });

/** About how many tokens a value costs: four characters of JSON are one. @param {unknown} value */
export const tokens = (value) => Math.round(JSON.stringify(value).length / 4);

/**
 * The size of a list, as the service returns it for the lists of others. A list that was not read has none.
 * @param {ListOptions} options @param {ToolList | undefined} list @returns {StrategySize}
 */
export const sizeOf = ({ strategy = "full", detail = "signatures" }, list) => ({
  strategy, detail, tools: list ? toolsOf(list).length : null, tokens: list?.tokens ?? null, reason: null,
});
