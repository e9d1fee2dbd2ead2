// A form for the arguments of an action: its fields from the schema, and the arguments from what was typed.
import { parse } from "./api.js";

/**
 * @typedef {any} Schema a JSON schema of an object, or of a part of one
 * @typedef {"choice" | "text" | "long" | "whole" | "number" | "list" | "json"} Kind
 * @typedef {object} Field
 * @property {string} name
 * @property {Kind} kind
 * @property {boolean} required
 * @property {string} description
 * @property {string[]} options of a choice, as JSON
 * @property {Schema} schema
 * @typedef {{ pointer: string, message: string }} FieldError
 */

/** Texts up to this length have a field of one line. */
const ONE_LINE = 300;

/** @param {Schema} schema @returns {Kind} */
function kindOf(schema) {
  if (schema.enum || schema.type === "boolean") return "choice";
  if (schema.type === "string") return (schema.maxLength ?? ONE_LINE) > ONE_LINE ? "long" : "text";
  if (schema.type === "integer") return "whole";
  if (schema.type === "number") return "number";
  const { items } = schema;
  return schema.type === "array" && items?.type === "string" && !items.enum ? "list" : "json";
}

/**
 * The fields of a schema, required ones first. Those that hold secrets are left out: they are not shown.
 * @param {Schema} schema
 * @returns {Field[]}
 */
export function fields(schema) {
  const required = new Set(schema?.required ?? []);
  const all = Object.entries(/** @type {Record<string, Schema>} */ (schema?.properties ?? {}))
    .filter(([, one]) => !one["x-sensitive"])
    .map(([name, one]) => ({
      name, kind: kindOf(one), required: required.has(name), description: one.description ?? "", schema: one,
      options: (one.enum ?? [true, false]).map((/** @type {unknown} */ value) => JSON.stringify(value)),
    }));
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

/**
 * What stands in a field for a value. `undefined` stands for no value.
 * @param {Field} field @param {unknown} value
 */
export function written({ kind }, value) {
  if (value === undefined) return "";
  if (kind === "list" && isList(value)) return value.join("\n");
  if ((kind === "text" || kind === "long") && typeof value === "string") return value;
  return JSON.stringify(value, null, kind === "json" ? 2 : 0);
}

/**
 * Texts without line breaks, which can stand on a line each.
 * @param {unknown} value @returns {value is string[]}
 */
const isList = (value) => Array.isArray(value) && value.every((one) => typeof one === "string" && !/[\r\n]/.test(one));

/**
 * The arguments that were typed. A field that was not changed keeps its value, and so does what has no field.
 * @param {Field[]} all @param {Record<string, unknown>} before @param {Record<string, string>} typed by name
 * @returns {{ values: Record<string, unknown>, errors: FieldError[] }}
 */
export function read(all, before, typed) {
  const values = { ...before };
  /** @type {FieldError[]} */
  const errors = [];
  for (const field of all) {
    const text = typed[field.name] ?? "";
    if (text === written(field, before[field.name])) continue;
    try {
      const value = valueOf(field, text);
      if (value === undefined) delete values[field.name];
      else values[field.name] = value;
    } catch (caught) {
      errors.push({ pointer: `/${field.name}`, message: caught instanceof Error ? caught.message : String(caught) });
    }
  }
  return { values, errors };
}

/** @param {Field} field @param {string} text @returns {unknown} `undefined` for none */
function valueOf({ kind, name }, text) {
  if (kind === "text" || kind === "long") return text === "" ? undefined : text;
  if (kind === "list") return text === "" ? undefined : text.split("\n").filter((line) => line !== "");
  if (text.trim() === "") return undefined;
  if (kind === "whole" && !/^\s*-?\d+\s*$/.test(text)) throw new Error(`\`${name}\` is a whole number`);
  try {
    return parse(text);
  } catch {
    throw new Error(kind === "number" || kind === "whole" ? `\`${name}\` is a number` : `\`${name}\` is no JSON`);
  }
}

/** The argument that an error is about, from its pointer. @param {string} pointer */
export const argumentOf = (pointer) => (pointer.split("/")[1] ?? "").replaceAll("~1", "/").replaceAll("~0", "~");
