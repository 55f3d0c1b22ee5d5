// The jobs of a batch as a list of any length, and a single job.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { api, type Batch, type Job } from "./api";
import { Sure } from "./dialog";
import { count, firstLine, money, named, plain, time, when, whole } from "./format";
import { Rows } from "./list";
import { address, addressOfBatch, go } from "./route";

const pageSize = 100;

export function Jobs({ b, state, act, say }: { b: Batch; state: string; act: (p: Promise<Batch>) => void;
    say: (e: unknown) => void }) {
  const [total, setTotal] = useState(b.jobs);
  const [open, setOpen] = useState<Job>();
  const [, show] = useState(0);
  const pages = useRef(new Map<number, Job[]>());
  const asked = useRef(new Set<number>());
  const seen = useRef<[number, number]>([0, pageSize]);
  const was = useRef(b);
  const turn = useRef(0); // responses for earlier values are outdated
  const ask = async (n: number) => {
    const now = turn.current;
    asked.current.add(n);
    try {
      const got = await api.jobs(b.id, state, n * pageSize, pageSize);
      if (now !== turn.current) return;
      pages.current.set(n, got.jobs);
      setTotal(got.total);
      if (!state && got.total < was.current.jobs) later(); // jobs are still being submitted
      setOpen((old) => got.jobs.find((j) => j.id === old?.id) ?? old);
    } catch (e) { if (now === turn.current) say(e); }
    asked.current.delete(n);
    show((n) => n + 1);
  };
  const need = useCallback((from: number, to: number) => {
    seen.current = [from, to];
    for (let n = Math.floor(from / pageSize); n <= Math.floor(Math.max(from, to - 1) / pageSize); n++)
      if (!pages.current.has(n) && !asked.current.has(n)) ask(n);
  }, [b.id, state]);
  const due = useRef<ReturnType<typeof setTimeout>>();
  const later = () => {
    clearTimeout(due.current);
    due.current = setTimeout(() => { pages.current.clear(); need(...seen.current); }, 1000);
  };
  useEffect(() => () => { turn.current++; clearTimeout(due.current); }, []);
  useEffect(() => {
    turn.current++;
    clearTimeout(due.current);
    pages.current.clear();
    asked.current.clear();
    setOpen(undefined);
    need(...seen.current);
  }, [need]);
  useEffect(() => { // after changes, fetch the visible part now, and other parts when they become visible
    const [from, to] = seen.current.map((i) => Math.floor(i / pageSize));
    const others = b.jobs !== was.current.jobs || b.done < was.current.done; // the batch has other jobs now
    was.current = b;
    for (const [n, page] of [...pages.current]) {
      if (!state && !others && page.length === pageSize && page.every((j) => j.state === "done")) continue;
      if (n >= from && n <= to) { if (!asked.current.has(n)) ask(n); } else pages.current.delete(n);
    }
  }, [b]);
  const at = (i: number) => pages.current.get(Math.floor(i / pageSize))?.[i % pageSize];
  const rows = state ? total : Math.max(total, b.jobs);
  const tab = (of: string, name: string, n: number) =>
    <button class="link" aria-pressed={state === of} onClick={() => go(addressOfBatch(b.id, of), true)}>
      {name} {whole(n)}
    </button>;
  return (
    <section class="jobs" aria-label="jobs">
      <div class="find" role="group" aria-label="jobs that are shown">
        {tab("", "all", b.jobs)}{tab("queued", "queued", b.queued)}{tab("running", "running", b.running)}
        {tab("failed", "to be tried again", b.failed)}{tab("done", "done", b.done)}{tab("dead", "dead", b.dead)}
      </div>
      {rows === 0 ? <p class="dim">There are none{state ? " in this state" : ""}.</p>
        : <Rows key={state} count={rows} height={32} label="jobs" most={480} need={need}
          row={(i) => <OneJob job={at(i)} i={i} here={open?.id === at(i)?.id} open={setOpen} />} />}
      {open && <JobOf key={open.id} b={b} job={open} act={act} say={say} close={() => setOpen(undefined)} />}
    </section>
  );
}

const words: Record<string, string> = { failed: "again" };

function OneJob({ job: j, i, here, open }: { job?: Job; i: number; here: boolean; open: (j: Job) => void }) {
  if (!j) return <span class="dim">{whole(i + 1)} …</span>;
  return (
    <button class="callrow jobrow" aria-pressed={here} onClick={() => open(j)}>
      <span class={"state " + (j.state === "dead" ? "failed" : j.state)}>{words[j.state] ?? j.state}</span>
      <span class="words" title={named(j.id)}>{short(named(j.id))}</span>
      <span class="words dim">
        {j.state === "dead" ? <span class="bad">{firstLine(j.reason ?? "", 160)}</span>
          : plain(firstLine(j.answer || (j.turn ? `turn ${j.turn}` : j.question), 160))}
      </span>
      <span class="num dim">{j.cost ? money(j.cost) : ""}</span><span class="num dim">{time(j.duration)}</span>
    </button>
  );
}

/** short shortens an id; its end is the most specific part, as in a path. */
function short(id: string): string {
  const most = matchMedia("(max-width: 700px)").matches ? 21 : 44;
  return id.length > most && id.includes("/") ? "…" + id.slice(1 - most) : id;
}

/** JobOf shows a job: its question, its result, and its run. */
function JobOf({ b, job: j, act, say, close }: { b: Batch; job: Job; act: (p: Promise<Batch>) => void;
    say: (e: unknown) => void; close: () => void }) {
  const [asking, setAsking] = useState(false);
  const openRun = (e: MouseEvent) => {
    if (e.metaKey || e.ctrlKey || e.shiftKey) return;
    e.preventDefault();
    api.runOfJob(b.id, j.run!).then((s) => go(address(s.id)), say);
  };
  return (
    <div class="exchange" role="region" aria-label="job">
      <header><b>{named(j.id)}</b> <span class="dim">{[
        words[j.state] ? "to be tried again" : j.state,
        j.turn ? `turn ${j.turn}` : j.turns ? count(j.turns, "turn") : "",
        j.sub_calls ? count(j.sub_calls, "sub-call") : "", j.tokens ? count(j.tokens, "token") : "",
        j.tokens ? money(j.cost) : "", time(j.duration), (j.attempts ?? 1) > 1 ? `${j.attempts} attempts` : "",
        j.since ? `since ${when(j.since)}` : "",
      ].filter(Boolean).join(" · ")}</span><button class="link" onClick={close}>close</button></header>
      <h4>Question</h4><p class="words">{named(j.question)}</p>
      {j.answer && <><h4>Answer</h4><p class="words">{named(j.answer)}</p></>}
      {j.reason && <>
        <h4>{j.state === "dead" ? "Why it is dead" : "Why it ended"}</h4>
        <pre class={j.state === "dead" ? "error" : ""}>{named(j.reason)}</pre>
      </>}
      <p class="buttons">
        {j.state === "dead" && <button onClick={() => setAsking(true)}>Try it again …</button>}
        {j.run && <a class="link" href={address(j.run)} onClick={openRun}>Open its run</a>}
      </p>
      {asking && <Sure title="Try this job again?"
        text={"It goes back into the queue." + (b.nodes ? "" : " It runs when the batch's command runs.")}
        yes="Try again" does={() => act(api.retryBatch(b.id, [j.id]).then((r) => r.batch))}
        close={() => setAsking(false)} />}
    </div>
  );
}
