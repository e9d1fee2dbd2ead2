// The tabs of the pages about the audit log.
import { tabs } from "../elements/blocks.js";
import { pageAddress } from "../routes.js";

/** @param {string} workspace @param {string} chosen */
export const auditTabs = (workspace, chosen) => tabs("Audit", [["", "Calls"], ["chain", "Chain"]], chosen,
  (tab) => pageAddress(workspace, "audit", ...(tab ? [tab] : [])));
