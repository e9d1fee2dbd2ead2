// Writes the files of `crates/console/web` that are made from others into a folder: `vendor/lit.js` and its
// licence from the npm package `lit`, `types.d.ts` from `openapi/openapi.json`, `elements/style.js` from `app.css`, and
// the licence of the package.
// Usage: node web_files.mjs FOLDER
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import openapiTS, { astToString } from "openapi-typescript";
import { elementStyle } from "./element_style.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const web = join(here, "../../crates/console/web");
const folder = process.argv[2];
/** The routes that the console's modules call. Types of all routes would be 30 times as long. */
const ROUTES = [
  "/v1/me",
  "/v1/confirmations",
  "/v1/confirmations/{id}",
  "/v1/tools",
  "/v1/tools/search",
  "/v1/actions",
  "/v1/actions/{name}",
  "/v1/actions/{name}/check",
  "/v1/access/explain",
  "/v1/access/matrix",
  "/v1/access/report",
  "/v1/access/scopes",
  "/v1/access/tools",
  "/v1/assistant/threads",
  "/v1/assistant/threads/{thread}",
  "/v1/audit",
  "/v1/audit/stats",
  "/v1/audit/verify",
  "/v1/audit/{call_id}",
  "/v1/members",
  "/v1/invitations",
  "/v1/workspaces",
  "/v1/members/{user_id}",
  "/v1/keys",
  "/v1/keys/{id}/adopt",
  "/v1/settings",
  "/v1/packs",
  "/v1/promotions",
  "/v1/notifications",
  "/v1/webhooks",
];

/** Without `static styles`, which no element here has: 400 bytes less are sent. An element that had them would fail. */
const withoutStyles = {
  name: "without styles",
  setup({ onLoad }) {
    const contents = `export const adoptStyles = () => {};
      export const getCompatibleStyle = () => { throw new Error("this Lit is without styles"); };
      export const css = null, unsafeCSS = null, CSSResult = null, supportsAdoptingStyleSheets = null;`;
    onLoad({ filter: /css-tag\.js$/ }, () => ({ contents }));
  },
};

/** Bundles the parts of Lit that `vendor/lit.d.ts` lists: its text is a module too. */
async function lit() {
  await mkdir(join(folder, "vendor"), { recursive: true });
  const { version } = JSON.parse(await readFile(join(here, "node_modules/lit/package.json"), "utf8"));
  const contents = await readFile(join(web, "vendor/lit.d.ts"), "utf8");
  await build({
    stdin: { contents, resolveDir: here },
    bundle: true, format: "esm", minify: true, target: "es2022", legalComments: "none",
    banner: { js: `// Lit ${version}, BSD-3-Clause: see LICENSE. Made by scripts/gen-web.` },
    outfile: join(folder, "vendor/lit.js"), logLevel: "warning", plugins: [withoutStyles],
  });
  await copyFile(join(here, "node_modules/lit/LICENSE"), join(folder, "vendor/LICENSE"));
}

/** The parts of `components` that a value names, directly or through other parts. */
function named(document, value, found = new Map()) {
  for (const [, pointer] of JSON.stringify(value).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)) {
    if (found.has(pointer)) continue;
    const [kind, name] = pointer.split("/");
    found.set(pointer, document.components[kind][name]);
    named(document, found.get(pointer), found);
  }
  return found;
}

async function types() {
  const document = JSON.parse(await readFile(join(here, "../../openapi/openapi.json"), "utf8"));
  const paths = Object.fromEntries(ROUTES.map((route) => [route, document.paths[route]]));
  const components = {};
  for (const [pointer, part] of named(document, paths)) {
    const [kind, name] = pointer.split("/");
    (components[kind] ??= {})[name] = part;
  }
  const ast = await openapiTS({ openapi: document.openapi, info: document.info, paths, components });
  const head = "// Made from openapi/openapi.json by scripts/gen-web.\n";
  await writeFile(join(folder, "types.d.ts"), head + astToString(ast));
}

/** A module with the style of the element: every bundler takes a module along, and not every one a style sheet. */
async function style() {
  const text = (await elementStyle(web)).replace(/[\\`$]/g, "\\$&");
  await mkdir(join(folder, "elements"), { recursive: true });
  const head = "// Made from app.css by scripts/gen-web.\n";
  await writeFile(join(folder, "elements/style.js"), `${head}export const STYLE = \`${text}\`;\n`);
}

await lit();
await types();
await style();
await copyFile(join(here, "../../LICENSE"), join(folder, "LICENSE"));
