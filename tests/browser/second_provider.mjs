// A provider of models that somebody else wrote: `aimock`, with the models' APIs as it understands them. Prints its
// address, and serves until its input ends. For a message about agents it calls `platform_list_agents`, and tells the
// result.
import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0 });
const call = { name: "platform_list_agents", arguments: JSON.stringify({ limit: 2 }) };
const about = { userMessage: "Which agents" };
mock.on({ ...about, hasToolResult: false }, { content: "I look.", reasoning: "There is a tool.", toolCalls: [call] });
mock.on({ ...about, hasToolResult: true }, { content: "There are two." });
await mock.start();
console.log(mock.url);
process.stdin.resume().on("end", () => mock.stop().then(() => process.exit()));
