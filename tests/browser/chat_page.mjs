// Bundles the chat of `docs/assistant.md` with one version of the AI SDK.
// Usage: node chat_page.mjs FOLDER VERSION, such as `6-oldest`. FOLDER has `Chat.tsx` and `page.tsx`; writes
// `VERSION.js`.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const [folder, version] = process.argv.slice(2);
await build({
  entryPoints: [join(folder, "page.tsx")], outfile: join(folder, `${version}.js`), bundle: true, format: "esm", minify: true,
  target: "es2022", jsx: "automatic", nodePaths: [fileURLToPath(new URL("node_modules", import.meta.url))],
  alias: { ai: `ai-${version}`, "@ai-sdk/react": `ai-react-${version}` },
  define: { "process.env.NODE_ENV": '"production"' }, logLevel: "error",
});
