// The part of `app.css` that `<toolcrib-approvals>` can use: the rules whose names its modules write.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { transform } from "esbuild";

/** The members of a list: commas inside of brackets separate none. */
const members = (list) => list.match(/(?:[^,()]|\((?:[^()]|\([^()]*\))*\))+/g) ?? [];

/** The text of a module and of those that it imports when it is loaded, but the vendored ones. */
async function source(path, seen = new Set()) {
  if (seen.has(path) || path.includes("/vendor/")) return "";
  seen.add(path);
  const text = await readFile(path, "utf8");
  const others = [];
  for (const [, name] of text.matchAll(/^(?:import|export) [^;]*?"(\.[^"]+)";/gm)) {
    others.push(await source(join(dirname(path), name), seen));
  }
  return [text, ...others].join("\n");
}

/** What a selector may name: the tags, classes and attributes of the templates. */
function names(text) {
  const tags = [...text.matchAll(/<([a-z][\w-]*)/g)].map(([, tag]) => tag);
  const classes = [...text.matchAll(/ class=("[^"]*"|\$\{[^}]*\})/g)]
    .flatMap(([, value]) => value.replace(/\$\{[^"}]*\}/g, "").match(/[\w-]+/g) ?? []);
  // A status or a level is a class too.
  const states = [...text.matchAll(/ const (?:STATUS|SIGN) = \{([^}]*)\}/g)]
    .flatMap(([, table]) => table.match(/\w+(?=:)/g) ?? []);
  const attributes = [...text.matchAll(/ ([a-z-]+)=(?:"([^"]*)"|\$)/g)]
    .map(([, name, value]) => (value === undefined ? `[${name}]` : `[${name}=${value}]`));
  return new Set([...tags, ...[...classes, ...states].map((one) => `.${one}`), ...attributes]);
}

/** Whether a selector can match in the element. Of `:not()` nothing is known. */
function possible(selector, known) {
  let can = true;
  const plain = selector.replace(/:(is|has|not|host)\(((?:[^()]|\([^()]*\))*)\)/g, (_, kind, list) => {
    if (kind === "is" || kind === "has") can &&= members(list).some((one) => possible(one, known));
    return "";
  });
  const bare = plain.replace(/\[([a-z-]+)(?:=("?)([^\]"]*)\2)?\]/g, (_, name, __, value) => {
    can &&= value === undefined || known.has(`[${name}]`) || known.has(`[${name}=${value}]`);
    return "";
  });
  if (bare.includes(":root") || bare.includes("#")) return false;
  return can && (bare.replace(/::?[a-z-]+/g, "").match(/\.?[a-z][\w-]*/g) ?? []).every((one) => known.has(one));
}

/** The rules of a minified style sheet that can match. */
function used(css, known) {
  return [...css.matchAll(/([^{}]+)\{((?:[^{}]|\{[^{}]*\})*)\}/g)].map(([, head, body]) => {
    const inner = head.startsWith("@") ? used(body, known) : body;
    const kept = head.startsWith("@") ? head : members(head).filter((one) => possible(one, known)).join();
    return kept && inner ? `${kept}{${inner}}` : "";
  }).join("");
}

/** Without custom properties that nothing reads. */
function withoutUnread(css) {
  const less = css.replace(/(--[\w-]+):[^;}]*;?/g, (all, name) => (css.includes(`var(${name})`) ? all : ""));
  return less === css ? css : withoutUnread(less);
}

/** The style sheet of the element, on one line, from the folder of the console. */
export async function elementStyle(web) {
  const whole = await readFile(join(web, "app.css"), "utf8");
  const { code } = await transform(whole, { loader: "css", minify: true, target: "es2022" });
  // esbuild keeps the spaces in the value of a custom property.
  const short = code.trim().replace(/(?<=--[\w-]+): /g, ":").replace(/, /g, ",");
  return withoutUnread(used(short, names(await source(join(web, "approvals.js")))));
}
