// How long everything took, what it cost, and what the model was sent.

import { useEffect, useMemo, useState } from "preact/hooks";
import { api, type Span, type Trace } from "./api";
import type { Projection } from "./projection";
import { count, money, time, whole } from "./format";
import { Panel } from "./panel";
import { address, go } from "./route";
import { Prompt } from "./prompt";
import { UsageTable } from "./usage";
import { Waterfall } from "./waterfall";

const pause = 1000; // milliseconds between updates of a running question

export function TracePanel(
    props: { id: string; projection: Projection; turn?: { run: number; turn: number }; close: () => void }) {
  const { id, projection, turn, close } = props;
  const [run, setRun] = useState(turn?.run);
  const [trace, setTrace] = useState<Trace>();
  const [problem, setProblem] = useState("");
  const [span, setSpan] = useState<Span>();
  const [calls, setCalls] = useState(true);
  const busy = !!projection.busy;
  const runs = projection.root.items.flatMap((i) => (i.kind === "run" ? [i] : []));
  // A single question needs no choice.
  const at = run ?? (runs.length > 1 ? runs[runs.length - 1].number : undefined);
  const [turnAt, setAt] = useState(turn);
  useEffect(() => { if (turn) { setRun(turn.run); setAt(turn); setSpan(undefined); } }, [turn]);
  useEffect(() => {
    let ended = false, later: ReturnType<typeof setTimeout>;
    const load = () => api.trace(id, at).then((t) => {
      if (ended) return;
      setTrace(t);
      setProblem("");
      if (busy) later = setTimeout(load, pause);
    }, (e) => { if (!ended) setProblem(e.message); });
    load();
    return () => { ended = true; clearTimeout(later); };
  }, [id, at, busy]);
  const spans = useMemo(() => trace?.spans.filter((s) => calls || (s.kind !== "call" && s.kind !== "child")) ?? [],
    [trace, calls]);
  const asked = span?.turn && !span.path ? { run: at ?? runs[0]?.number ?? 1, turn: span.turn } : turnAt;
  const turns = runs.filter((r) => !r.undone || r.number === asked?.run)
    .flatMap((r) => r.turns.map((t) => ({ run: r.number, turn: t.number })));
  const before = asked && turns[turns.findIndex((a) => a.run === asked.run && a.turn === asked.turn) - 1];
  return (
    <Panel title="Trace" close={close} tools={<>
      {runs.length > 1 && <select aria-label="question" value={at}
        onChange={(e) => { setRun(+e.currentTarget.value); setSpan(undefined); }}>
        {runs.map((r) => <option key={r.number} value={r.number}>{r.number}: {r.question.slice(0, 40)}</option>)}
        </select>}
      <label class="dim">
        <input type="checkbox" checked={calls} onChange={() => setCalls(!calls)} /> sub-calls
      </label></>}>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {trace?.more && <p class="dim">the first {whole(trace.spans.length)} spans</p>}
      {spans.length > 0 ? <Waterfall spans={spans} picked={span} pick={setSpan} open={(s) => inNotebook(id, s)} />
        : trace && <p class="dim">Nothing has happened yet.</p>}
      {span && <Details id={id} span={span} />}
      {trace && trace.models.length > 0
        && <><h3>By model</h3><UsageTable label="totals by model" used={trace.models} /></>}
      {asked && <Prompt id={id} run={asked.run} turn={asked.turn}
        turns={runs.find((r) => r.number === asked.run)?.turns.map((t) => t.number) ?? []} before={before}
        go={(n) => { setSpan(undefined); setAt({ run: asked.run, turn: n }); }} />}
    </Panel>
  );
}

// Scrolls to a span in the notebook: a call is shown in its cell.
function inNotebook(id: string, s: Span) {
  go(address(id, "trace", s.seq), true);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

function Details({ id, span: s }: { id: string; span: Span }) {
  return (
    <div class="details" role="status">
      <b>{s.name || s.kind}</b> <span class="dim">
        {[s.kind, s.status, s.model, time(s.duration), s.tokens ? count(s.tokens, "token") : "",
          s.cached_tokens ? `${whole(s.cached_tokens)} cached` : "", s.cost === undefined ? "" : money(s.cost),
          (s.attempts ?? 1) > 1 ? `${s.attempts} tries` : "", `begins at ${time(s.start) || "0 s"}`].filter(Boolean)
          .join(" · ")}
      </span>
      {" "}<button class="link" onClick={() => inNotebook(id, s)}>show it in the notebook</button>
      {s.error && <pre class="error">{s.error}</pre>}
    </div>
  );
}
