// The batches of "rlm batch" and their progress.

import { useEffect, useState } from "preact/hooks";
import { api, type Batch } from "./api";
import { useBatches } from "./batchupdates";
import { against, count, firstLine, named, time, when, whole } from "./format";
import { addressOfBatch, go } from "./route";

const step = 50; // number of batches listed at first, and added each time

export function Batches({ say, online }: { say: (e: unknown) => void; online: boolean }) {
  const [list, setList] = useState<Batch[]>();
  const [total, setTotal] = useState(0);
  const [most, setMost] = useState(step);
  const load = () => api.batches(0, most).then((r) => { setList(r.batches); setTotal(r.total); }, say);
  useEffect(() => { document.title = "Batches"; }, []);
  useEffect(() => { if (most > step) load(); }, [most]);
  useBatches((b) => setList((old) => {
    const all = old ?? [], known = all.some((o) => o.id === b.id);
    if (known) return all.map((o) => (o.id === b.id ? b : o));
    if (old && (old.length < most || b.created > old[old.length - 1].created))
      return [...old, b].sort((x, y) => (x.created < y.created ? 1 : -1));
    return old;
  }), (id) => setList((all) => all?.filter((b) => b.id !== id)), load);
  return (
    <div class="middle batches">
      <header class="top"><div class="headline">
        <h1>Batches</h1>
        {!online && <span class="dim" role="status">The connection is lost; trying again …</span>}
      </div></header>
      {!list && <p class="dim" role="status">reading …</p>}
      {list?.length === 0 && <div class="empty">
          <p>
            A batch answers many questions, or one question over many files, unattended. There are none yet; start one
            in a terminal:
          </p>
        <pre class="source">
          rlm batch jobs.jsonl -o results.jsonl{"\n"}rlm batch "Who signed it?" --each 'contracts/*.pdf' -o answers.csv
        </pre></div>}
      <ul class="plain">{list?.map((b) => <OneBatch key={b.id} b={b} />)}</ul>
      {list && total > list.length
        && <p><button class="link" onClick={() => setMost(Math.min(500, most + 2 * step))}>
          more batches
        </button> <span class="dim">{whole(list.length)} of {whole(total)}</span></p>}
    </div>
  );
}

function OneBatch({ b }: { b: Batch }) {
  const to = addressOfBatch(b.id);
  return (
    <li><a class="batch" href={to}
        onClick={(e) => { if (!e.metaKey && !e.ctrlKey && !e.shiftKey) { e.preventDefault(); go(to); } }}>
      <span class="what"><Dot b={b} />{nameOf(b)}</span>
      <Bar b={b} />
      <span class="dim facts">
        {[stateOf(b), ...progress(b), ...spending(b), when(b.created)].filter(Boolean).join(" · ")}
      </span>
      {b.state !== "complete" && b.why && <span class="facts bad">{firstLine(b.why, 300)}</span>}
    </a></li>
  );
}

export function Dot({ b }: { b: Batch }) {
  return <span class={"dot "
    + (b.state === "running" ? "running"
      : b.dead || b.state === "stopped" ? "error" : b.state === "complete" ? "completed" : "")} aria-hidden="true" />;
}

/** nameOf returns a short name for a batch: the end of a path is its most specific part. */
export function nameOf(b: Batch): string { return named(b.name.split("/").pop() || b.id); }

const states: Record<string, string> = { waiting: "waiting: no process is running it" };

export function stateOf(b: Batch): string { return states[b.state] ?? b.state; }

/** progress describes the progress of a batch. */
export function progress(b: Batch): string[] {
  return [
    `${whole(b.done)} of ${count(b.jobs, "job")} done`, b.running ? `${whole(b.running)} running` : "",
    b.failed ? `${whole(b.failed)} to be tried again` : "", b.dead ? `${whole(b.dead)} dead` : "",
    b.left ? `about ${time(b.left)} left` : "",
  ];
}

/** spending describes the cost and the budget of a batch. */
export function spending(b: Batch): string[] {
  return [
    against(b.budget.cost, b.cost, !!b.unpriced),
    b.budget.tokens ? `${whole(b.tokens)} of ${count(b.budget.tokens, "token")}` : count(b.tokens, "token"),
    b.tokens_per_minute >= 1 ? `${whole(Math.round(b.tokens_per_minute))} tokens/min` : "",
  ];
}

/** Bar shows how many jobs of a batch are in each state. */
export function Bar({ b }: { b: Batch }) {
  const of = Math.max(1, b.jobs),
    parts: [string, number][] = [["done", b.done], ["dead", b.dead], ["failed", b.failed], ["running", b.running]];
  return (
    <span class="jobsbar" role="img" aria-label={progress(b).filter(Boolean).join(", ")}>
      {parts.map(([state, n]) => n > 0 && <span key={state} class={state} style={{ width: (100 * n) / of + "%" }} />)}
    </span>
  );
}
