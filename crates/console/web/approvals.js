// Defines `<toolcrib-approvals>`, for pages of other front ends.
import "./elements/approvals.js";
