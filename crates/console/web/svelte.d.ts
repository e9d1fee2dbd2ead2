/** The element in components of Svelte 5: `import "toolcrib-elements/svelte"`. */
import type { HTMLAttributes } from "svelte/elements";
import type { ToolcribApprovals, ToolcribApprovalsProperties, ToolcribEventMap } from "./approvals.js";

export * from "./approvals.js";

type Listeners = { [K in keyof ToolcribEventMap as `on${K}`]?: (event: ToolcribEventMap[K]) => void };

declare module "svelte/elements" {
  interface SvelteHTMLElements {
    "toolcrib-approvals": HTMLAttributes<ToolcribApprovals> & Partial<ToolcribApprovalsProperties> & Listeners;
  }
}
