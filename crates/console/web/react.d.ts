/** The element in JSX of React 19: `import "toolcrib-elements/react"`. */
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type { ToolcribApprovals, ToolcribApprovalsProperties, ToolcribEventMap } from "./approvals.js";

export * from "./approvals.js";

// The module `react` has an `Attributes` of its own.
type ElementAttributes = DetailedHTMLProps<HTMLAttributes<ToolcribApprovals>, ToolcribApprovals>;
/** React listens to the event whose name follows `on` as it is written. */
type Listeners = { [K in keyof ToolcribEventMap as `on${K}`]?: (event: ToolcribEventMap[K]) => void };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "toolcrib-approvals": ElementAttributes & Partial<ToolcribApprovalsProperties> & Listeners;
    }
  }
}
