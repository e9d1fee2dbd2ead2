// Example arguments of an action, made from its schema.

/**
 * Arguments to start from: the required ones, each with a value of its type that is to be replaced.
 * @param {any} schema of the parameters
 */
export function exampleArguments(schema) {
  const required = /** @type {string[]} */ (schema?.required ?? []);
  return Object.fromEntries(required.map((name) => [name, exampleValue(schema.properties?.[name] ?? {}, name)]));
}

/** @param {any} schema @param {string} name @returns {unknown} */
function exampleValue(schema, name) {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const one = (schema.anyOf ?? schema.oneOf ?? [])[0];
  if (one) return exampleValue(one, name);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "integer" || type === "number") return schema.minimum ?? 0;
  if (type === "boolean") return false;
  if (type === "array") return schema.items && schema.minItems ? [exampleValue(schema.items, name)] : [];
  if (type === "object") return exampleArguments(schema);
  return `<${name}>`;
}
