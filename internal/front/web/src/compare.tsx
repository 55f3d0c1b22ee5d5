// Two questions side by side, with their answers, costs and cells.

import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { api, type Session } from "./api";
import { Projection } from "./projection";
import { Changes } from "./changes";
import { Dialog } from "./dialog";
import { count, firstLine, money, time, whole } from "./format";
import type { Run } from "./model";
import { follow } from "./stream";

const runsOf = (b: Projection) => b.root.items.filter((i): i is Run => i.kind === "run");

export function Compare({ id, projection, close }: { id: string; projection: Projection; close: () => void }) {
  const [sessions, setSessions] = useState<Session[]>();
  const [problem, setProblem] = useState("");
  const [other, setOther] = useState("");
  const [left, setLeft] = useState<number>();
  const [right, setRight] = useState<number>();
  useEffect(() => {
    api.sessions("", 200).then((r) => {
      const some = r.sessions.filter((s) => s.questions > 0);
      setSessions(some);
      const next = runsOf(projection).length > 1 ? id
        : (some.find((s) => s.id !== id && s.question === projection.run?.question)
          ?? some.find((s) => s.id !== id))?.id;
      setOther(next ?? id);
    }, (e) => setProblem(e.message));
  }, [id]);
  const theirs = useProjection(other === id ? "" : other) ?? (other === id ? projection : undefined);
  const mine = runsOf(projection), others = theirs ? runsOf(theirs) : [];
  const a = mine.find((r) => r.number === left) ?? mine[mine.length - 1];
  const b = others.find((r) => r.number === right)
    ?? (other === id && others.length > 1 ? others[others.length - 2] : others[others.length - 1]);
  const pick = (label: string, runs: Run[], at: Run | undefined, set: (n: number) => void) =>
      <select aria-label={label} value={at?.number} onChange={(e) => set(+e.currentTarget.value)}>
    {runs.map((r) => <option key={r.seq} value={r.number}>
      {r.number}: {firstLine(r.question, 60)}
      {r.undone ? " (taken back)" : ""}
    </option>)}</select>;
  return (
    <Dialog title="Compare two questions" close={close} wide>
      {problem && <p class="problem" role="alert">{problem}</p>}
      <div class="two">
        <div class="choices"><span class="dim">this session</span>{pick("question here", mine, a, setLeft)}</div>
        <div class="choices"><select aria-label="session to compare with" value={other}
            onChange={(e) => { setOther(e.currentTarget.value); setRight(undefined); }}>
          {sessions?.map((s) => <option key={s.id} value={s.id}>
            {s.id === id ? "this session" : firstLine(s.name || s.question, 50)}
            {s.model ? ` (${s.model})` : ""}
          </option>)}</select>
          {pick("question there", others, b, setRight)}</div>
      </div>
      {a && b ? <Both a={a} b={b} />
        : <p class="dim">{sessions ? (mine.length ? "reading …" : "This session has no question yet.")
          : "reading …"}</p>}
    </Dialog>
  );
}

// Follows the session that is shown beside this one.
function useProjection(id: string): Projection | undefined {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  const projection = useRef<Projection>();
  useEffect(() => {
    projection.current = undefined;
    if (!id) return;
    const b = (projection.current = new Projection());
    return follow(id, (events) => { for (const e of events) b.hear(e); draw(0); });
  }, [id]);
  return id ? projection.current : undefined;
}

const tokens = (r: Run) =>
  Object.values(r.end?.usage ?? {}).reduce((n: number, u: any) => n + (u.prompt ?? 0) + (u.completion ?? 0), 0);

const facts: [string, (r: Run) => string][] = [
  ["model", (r) => r.model], ["ended", (r) => (r.end?.status ?? "not ended").replaceAll("_", " ")],
  ["turns", (r) => whole(r.turns.length)], ["cells", (r) => whole(cellsOf(r).length)],
  ["failed cells", (r) => whole(cellsOf(r).filter((c) => !c.ok).length)],
  ["sub-calls", (r) => whole(r.end?.sub_calls ?? 0)], ["tokens", (r) => whole(tokens(r))],
  ["cost", (r) => (r.end ? money(r.end.cost) : "")], ["duration", (r) => time(r.end?.duration)],
];

const cellsOf = (r: Run) => r.turns.flatMap((t) => t.cells);

function Both({ a, b }: { a: Run; b: Run }) {
  const left = cellsOf(a), right = cellsOf(b);
  const pairs = useMemo(() =>
    Array.from({ length: Math.max(left.length, right.length) }, (_, i) => [left[i], right[i]] as const),
    [a.v, b.v, a, b]);
  const answer = (r: Run) =>
    (r.end?.has_answer ? String(r.end.answer) : r.end ? `no answer: ${r.end.reason ?? r.end.status}` : "");
  return (
    <div class="compared">
      <table class="data"><thead><tr><th /><th>here</th><th>there</th></tr></thead>
        <tbody>{facts.map(([name, of]) =>
          <tr key={name} class={of(a) === of(b) ? "" : "other"}>
            <th scope="row">{name}</th>
            <td>{of(a)}</td>
            <td>{of(b)}</td>
          </tr>)}</tbody></table>
      {a.question !== b.question
        && <><h3>Question</h3><Changes before={a.question} after={b.question} label="questions" /></>}
      <h3>Answer{answer(a) === answer(b) ? ": the same" : ""}</h3>
      {answer(a) === answer(b) ? <pre class="output" tabIndex={0} aria-label="answer">{answer(a)}</pre>
        : <Changes before={answer(a)} after={answer(b)} label="answers" />}
      <h3>{count(left.length, "cell")} here, {whole(right.length)} there</h3>
      {pairs.map(([x, y], i) => {
        // the numbers of the cells may differ
        const out = (c?: typeof x) =>
          (c ? c.output + (c.result?.value ?? "") + (c.result?.error?.message ?? "").replace(/^cell \d+, /, "") : "");
        if (x && y && x.source === y.source && out(x) === out(y))
          return <p key={i} class="dim">cell {x.number} here, {y.number} there: the same</p>;
        return <section key={i}>
            <h4>{x ? `cell ${x.number} here` : "nothing here"}, {y ? `cell ${y.number} there` : "nothing there"}</h4>
          <Changes before={x?.source ?? ""} after={y?.source ?? ""} label={`sources of pair ${i + 1}`} />
          {out(x) !== out(y) && <Changes before={out(x)} after={out(y)} label={`outputs of pair ${i + 1}`} />}
          </section>;
      })}
    </div>
  );
}
