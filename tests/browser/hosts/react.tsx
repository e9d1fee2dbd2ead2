// The element in a page of React.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import type { EndedDetail, Problem } from "toolcrib-elements/react";
import "toolcrib-elements/react";

const app = document.getElementById("app")!;
const { base = "", workspace = "" } = app.dataset;

function Chat() {
  const [count, setCount] = useState(0);
  const [ended, setEnded] = useState<EndedDetail[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  return <main>
    <h1>A chat</h1>
    <h2>What waits for you</h2>
    <p id="count">{count} waiting</p>
    <toolcrib-approvals base={base} workspace={workspace} session="talk-embed" theme="dark" headingLevel={3}
      token={async () => (await fetch("/token")).text()} strings={{ startDenial: "Say no" }}
      ontoolcrib-count={({ detail }) => setCount(detail.count)}
      ontoolcrib-ended={({ detail }) => setEnded((all) => [...all, detail])}
      ontoolcrib-error={({ detail }) => setProblem(detail.problem)}>
      <a href={`${base}/console/`}>Open what waits in Toolcrib</a>
    </toolcrib-approvals>
    <ul id="ended">{ended.map((one) => <li key={one.id}>{one.status}: {JSON.stringify(one.messages)}</li>)}</ul>
    <p id="problem">{problem?.detail}</p>
  </main>;
}

createRoot(app).render(<Chat />);
