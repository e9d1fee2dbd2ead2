// The element in a page without a framework.
import { ToolcribApprovals, type EndedDetail, type Problem } from "toolcrib-elements";

const approvals: ToolcribApprovals = document.createElement("toolcrib-approvals");
approvals.token = async (again) => (await fetch(`/token?again=${again}`)).text();
approvals.strings = { approve: "Do it" };
approvals.headingLevel = 3;
document.body.append(approvals);

const ended: EndedDetail[] = [];
const problems: Problem[] = [];
approvals.addEventListener("toolcrib-count", ({ detail }) => { document.title = `${detail.count} waiting`; });
approvals.addEventListener("toolcrib-ended", ({ detail }) => ended.push(detail));
// Events bubble, so that a page may listen above the element.
document.body.addEventListener("toolcrib-error", ({ detail }) => problems.push(detail.problem));
document.querySelector("toolcrib-approvals")?.refresh().then(() => console.log(ended, problems));
