// Defines `<toolcrib-approvals>`, for pages of other front ends.
export { ToolcribApprovals } from "./elements/approvals.js";
