/** The element in templates of Vue 3: `import "toolcrib-elements/vue"`. */
import type { DefineComponent } from "vue";
import type { ToolcribApprovalsProperties, ToolcribEventMap } from "./approvals.js";

export * from "./approvals.js";

type Listeners = { [K in keyof ToolcribEventMap]: (event: ToolcribEventMap[K]) => void };

declare module "vue" {
  interface GlobalComponents {
    "toolcrib-approvals": DefineComponent<Partial<ToolcribApprovalsProperties>, {}, {}, {}, {}, {}, {}, Listeners>;
  }
}
