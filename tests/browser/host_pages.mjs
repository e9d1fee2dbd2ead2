// Bundles the pages of `hosts` in a project that has the package installed: one script each, as their authors would.
// Usage: node host_pages.mjs PROJECT FOLDER
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { compile } from "svelte/compiler";
import { compileScript, parse } from "vue/compiler-sfc";

const [project, folder] = process.argv.slice(2);

/** Compiles a component of Vue, with its template. */
function vue(source, filename) {
  const { descriptor } = parse(source, { filename });
  return compileScript(descriptor, { id: "chat", inlineTemplate: true, templateOptions: {
    compilerOptions: { isCustomElement: (tag) => tag.startsWith("toolcrib-") } } }).content;
}

/** Compiles a component of Svelte. */
const svelte = (source, filename) => compile(source, { filename, generate: "client" }).js.code;

/** A plugin of esbuild: files of a kind become modules. */
const loader = (extension, compiled) => ({ name: extension, setup: (bundler) => bundler.onLoad(
  { filter: new RegExp(`\\.${extension}$`) },
  async ({ path }) => ({ contents: compiled(await readFile(path, "utf8"), path), loader: "ts" })) });

await build({
  entryPoints: ["react.tsx", "vue.ts", "svelte.ts"].map((name) => join(project, name)),
  outdir: folder, bundle: true, format: "esm", minify: true, target: "es2022", jsx: "automatic",
  conditions: ["svelte", "browser", "production"],
  define: { "process.env.NODE_ENV": '"production"', __VUE_OPTIONS_API__: "false", __VUE_PROD_DEVTOOLS__: "false",
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false" },
  plugins: [loader("vue", vue), loader("svelte", svelte)], logLevel: "warning",
});
