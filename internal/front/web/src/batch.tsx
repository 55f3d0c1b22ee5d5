// A batch: its progress, its jobs, and its commands.

import { useEffect, useState } from "preact/hooks";
import { api, type Batch } from "./api";
import { Bar, Dot, nameOf, progress, spending, stateOf } from "./batches";
import { Dialog, Sure } from "./dialog";
import { Download } from "./download";
import { useBatches } from "./batchupdates";
import { count, named, when } from "./format";
import { Jobs } from "./jobs";
import { addressOfBatch, go } from "./route";
import type { ViewKeys } from "./sessionview";

export function BatchDesk(
    props: { id: string; jobs: string; say: (e: unknown) => void; online: boolean; keys: (k: ViewKeys) => void }) {
  const { id, say } = props;
  const [b, setBatch] = useState<Batch>();
  const [gone, setGone] = useState("");
  const [asking, setAsking] = useState<"cancel" | "retry" | "results">();
  const ask = () => api.batch(id).then((found) => {
    if (found.id !== id) go(addressOfBatch(found.id, props.jobs), true);
    setBatch(found);
  }, (e) => { if (e.code === "not_found") setGone(e.message); else say(e); });
  useBatches((one) => { if (one.id === id) setBatch(one); },
    (one) => { if (one === id) setGone("The batch was deleted."); }, ask);
  useEffect(() => { document.title = b ? `${b.done + b.dead}/${b.jobs} ${nameOf(b)}` : "Batches"; });
  const open = b && b.done + b.dead < b.jobs && b.state !== "cancelled";
  useEffect(() => props.keys({
    s: () => { if (open) setAsking("cancel"); }, r: () => { if (b?.dead) setAsking("retry"); },
    e: () => setAsking("results"), Escape: () => go(addressOfBatch()),
  }));
  const act = (p: Promise<Batch>) => { p.then(setBatch, say); };
  if (gone) return <p class="problem" role="alert">{gone}</p>;
  if (!b) return <p class="dim" role="status">reading …</p>;
  return (
    <div class="middle batches" data-batch={b.id}>
      <header class="top">
        <div class="headline">
          <h1 title={named(b.name)}>{nameOf(b)}</h1>
          <a class="link" href={addressOfBatch()} onClick={(e) => { e.preventDefault(); go(addressOfBatch()); }}>
            all batches
          </a>
        </div>
        <div class="headline">
          <span class="dim state" role="status">
            <Dot b={b} />
            {props.online ? stateOf(b) : "The connection is lost; trying again …"}
          </span>
          <div class="actions" role="group" aria-label="batch">
            <button onClick={() => setAsking("results")} disabled={b.done + b.dead === 0}>Results …</button>
            <button onClick={() => setAsking("retry")} disabled={!b.dead}>Retry dead …</button>
            <button class="danger" onClick={() => setAsking("cancel")} disabled={!open}>Stop …</button>
          </div>
        </div>
      </header>
      <Bar b={b} />
      <p class="facts dim">{[...progress(b), b.queued ? `${count(b.queued, "job")} in the queue` : ""]
        .filter(Boolean).join(" · ")}</p>
      <p class="facts dim">{[...spending(b), `started ${when(b.created)}`, b.nodes > 1 ? `${b.nodes} nodes` : ""]
        .filter(Boolean).join(" · ")}</p>
      {b.slowest && <p class="facts dim">
        slowest: {named(b.slowest.id)}, turn {b.slowest.turn}, since {when(b.slowest.since)}
      </p>}
      {b.state !== "complete" && b.why
        && <p class="problem">{b.state === "running" ? "Jobs are waiting" : "Paused"}: {named(b.why)}.</p>}
      {b.nodes === 0 && b.state !== "complete" && b.command
        && <div class="goon">
          <p>To continue, run in {named(b.dir ?? "")}</p>
          <pre class="source" tabIndex={0} aria-label="command">{named(b.command)}</pre>
        </div>}
      <Jobs b={b} state={props.jobs} act={act} say={say} />
      {asking === "cancel" && <Sure title="Stop this batch?"
        text={`Running jobs are stopped, and ${count(b.queued, "job")} in the queue will not be started. Results are kept, and running the batch's command again continues it.`}
        yes="Stop the batch" does={() => act(api.cancelBatch(id))} close={() => setAsking(undefined)} />}
      {asking === "retry" && <Sure title={`Try ${count(b.dead, "dead job")} again?`}
        text={"They go back into the queue; runs continue where they can."
          + (b.nodes ? "" : " They run when the batch's command runs.")} yes="Try again"
        does={() => act(api.retryBatch(id).then((r) => r.batch))} close={() => setAsking(undefined)} />}
      {asking === "results" && <Results b={b} close={() => setAsking(undefined)} />}
    </div>
  );
}

function Results({ b, close }: { b: Batch; close: () => void }) {
  const [problem, setProblem] = useState("");
  const file = (format: string, name: string) =>
    <Download from={api.resultsURL(b.id, format)} name={name} done={close} say={setProblem} />;
  return (
    <Dialog title="Results" close={close}>
      <p>{count(b.done + b.dead, "result")} so far, in the order of the jobs.</p>
      <ul class="plain">
        <li>{file("jsonl", "JSON Lines")} <span class="dim">one complete line per result</span></li>
        <li>{file("csv", "CSV")} <span class="dim">one row per result, typed fields as columns</span></li>
      </ul>
      {problem && <p class="problem" role="alert">{problem}</p>}
    </Dialog>
  );
}
