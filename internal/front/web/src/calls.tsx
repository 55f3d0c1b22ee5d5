// The sub-calls of a cell: a bar that opens into a list of any length.

import { createContext, type ComponentType } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { api, type Call } from "./api";
import type { Doing } from "./actions";
import type { CellCalls } from "./event";
import { count, firstLine, money, time, whole } from "./format";
import { Rows } from "./list";
import { Stored } from "./long";
import type { Cell } from "./model";
import { memo } from "./memo";

/**
 * Children is the component for child runs of sub-calls. A child run shows a notebook with cells, so the outermost
 * notebook provides the component, to avoid a cycle of imports.
 */
export const Children = createContext<ComponentType<{ path: string; doing: Doing; live: boolean }> | undefined>(
  undefined);

export const CallsBar = memo<{ v: number; calls: CellCalls; cell: Cell;
    doing: Doing }>(({ calls: s, cell, doing }) => {
  const [open, setOpen] = useState(false);
  const under = s.started - s.ended, over = cell.ended || cell.stopped;
  return (
    <div class="calls">
      <button class="bar" aria-expanded={open} onClick={() => setOpen(!open)}>
        <progress max={Math.max(1, s.total)} value={s.ended} aria-label="sub-calls that are done" />
        <span>{whole(s.ended)} of {count(s.total, "sub-call")}</span>
        {under > 0 && <span class="dim">{whole(under)} {over ? "cut off" : "running"}</span>}
        {over && s.total > s.started && <span class="dim">{whole(s.total - s.started)} not made</span>}
        {s.failed > 0 && <b class="bad">{whole(s.failed)} failed</b>}
        {!!s.cached && <span class="dim">{whole(s.cached)} answered before</span>}
        {!!s.children && <span class="dim">{count(s.children, "child run")}</span>}
        <span class="dim">{count(s.tokens, "token")}, {money(s.cost)}{left(s, cell)}</span>
      </button>
      {open && <CallList key={cell.seq} s={s} cell={cell} doing={doing} />}
    </div>
  );
});

// Estimates the remaining time.
function left(s: CellCalls, cell: Cell): string {
  if (cell.ended || cell.stopped || !s.first || s.ended < 3 || s.ended >= s.total) return "";
  const took = (s.last ? Date.parse(s.last) : Date.now()) - Date.parse(s.first);
  const ns = (took / s.ended) * (s.total - s.ended) * 1e6;
  return ns > 0 ? `, about ${time(ns)} left` : "";
}

const pageSize = 100;
const sorts: [string, string][] = [["", "in order"], ["-duration", "slowest first"],
  ["-tokens", "most tokens first"], ["-cost", "dearest first"]];

function CallList({ s, cell, doing }: { s: CellCalls; cell: Cell; doing: Doing }) {
  const [status, setStatus] = useState("");
  const [sort, setSort] = useState("");
  const [total, setTotal] = useState(s.total);
  const [open, setOpen] = useState<Call>();
  const [problem, setProblem] = useState("");
  const [, show] = useState(0);
  const pages = useRef(new Map<number, Call[] | "asked">());
  useEffect(() => { pages.current.clear(); setOpen(undefined); show((n) => n + 1); }, [status, sort]);
  useEffect(() => { // running calls change, so their pages are fetched again
    for (const [n, p] of pages.current)
      if (p !== "asked" && (p.length < pageSize || p.some((c) => c.status === "running"))) pages.current.delete(n);
    show((n) => n + 1);
  }, [s.ended, s.started, cell.stopped]);
  const ask = async (n: number) => {
    pages.current.set(n, "asked");
    try {
      const got = await api.calls(doing.id,
        { cell: cell.number, path: cell.path, offset: n * pageSize, limit: pageSize, status, sort });
      pages.current.set(n, got.calls);
      setTotal(got.total);
      setProblem("");
    } catch (e) { setProblem((e as Error).message); }
    show((n) => n + 1);
  };
  const seen = useRef<[number, number]>([0, pageSize]);
  const need = useCallback((from: number, to: number) => {
    seen.current = [from, to];
    for (let n = Math.floor(from / pageSize); n <= Math.floor(Math.max(from, to - 1) / pageSize); n++)
      if (!pages.current.has(n)) ask(n);
  }, [status, sort]);
  useEffect(() => need(...seen.current), [need, s.ended, s.started, cell.stopped]);
  const at = (i: number) => {
    const p = pages.current.get(Math.floor(i / pageSize));
    return p && p !== "asked" ? p[i % pageSize] : undefined;
  };
  return (
    <div class="calllist">
      <div class="find">
        <label>show <select value={status} onChange={(e) => setStatus(e.currentTarget.value)}>
          <option value="">all</option>
          <option value="failed">failed</option>
          <option value="running">running</option>
          <option value="stopped">cut off</option>
          <option value="done">done</option>
        </select></label>
        <label>sorted <select value={sort} onChange={(e) => setSort(e.currentTarget.value)}>
          {sorts.map(([v, name]) => <option key={v} value={v}>{name}</option>)}
        </select></label>
        {problem && <span class="bad" role="alert">{problem}</span>}
      </div>
      <Rows count={status ? total : Math.max(total, s.started)} height={30} label="sub-calls" most={360} need={need}
        row={(i) => <OneRow call={at(i)} i={i} here={open?.seq === at(i)?.seq} open={setOpen} />} />
      {open && <Exchange key={open.seq} call={open} doing={doing} close={() => setOpen(undefined)} />}
    </div>
  );
}

function OneRow({ call: c, i, here, open }: { call?: Call; i: number; here: boolean; open: (c: Call) => void }) {
  if (!c) return <span class="dim">{whole(i + 1)} …</span>;
  return (
    <button class={"callrow " + c.status} aria-pressed={here} onClick={() => open(c)}>
      <span class="num">{whole((c.index ?? i) + 1)}</span>
      <span class={"state " + c.status}>{c.cached ? "before" : c.status === "stopped" ? "cut off" : c.status}</span>
      <span class="words">{firstLine(c.prompt, 120)}</span>
      <span class="words dim">
        {c.error ? <span class="bad">{firstLine(c.error, 120)}</span> : firstLine(c.reply ?? "", 120)}
      </span>
      <span class="num dim">{c.tokens ? whole(c.tokens) : ""}</span><span class="num dim">{time(c.duration)}</span>
    </button>
  );
}

/** Exchange shows a sub-call: its prompt and its reply, or its child run. */
function Exchange({ call: c, doing, close }: { call: Call; doing: Doing; close: () => void }) {
  const Child = useContext(Children);
  return (
    <div class="exchange" role="region" aria-label="sub-call">
      <header><b>{c.impl}{c.tool ? ` ${c.tool}` : ""}</b> <span class="dim">
        {[c.model, c.status, c.tokens ? count(c.tokens, "token") : "", c.cost === undefined ? "" : money(c.cost),
          time(c.duration), (c.attempts ?? 1) > 1 ? `${c.attempts} tries` : "", c.cached ? "answered before" : ""]
          .filter(Boolean).join(" · ")}
      </span>
        <button class="link" onClick={close}>close</button></header>
      <h4>Prompt</h4>
      <Stored id={doing.id} seq={c.seq}
        text={c.prompt_size > c.prompt.length ? { sha256: "", size: c.prompt_size } : c.prompt}
        pick={(d) => d.prompt} label="prompt" now />
      {c.error && <><h4>Error</h4><pre class="error">{c.error}</pre></>}
      {c.ended && !c.error && <>
        <h4>Reply</h4>
        <Stored id={doing.id} seq={c.ended}
          text={(c.reply_size ?? 0) > (c.reply ?? "").length ? { sha256: "", size: c.reply_size! } : c.reply ?? ""}
          pick={(d) => d.reply} label="reply" now />
      </>}
      {c.child && Child && <Child path={c.child} doing={doing} live={c.status === "running"} />}
    </div>
  );
}
