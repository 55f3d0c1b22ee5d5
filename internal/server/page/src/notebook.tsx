// The notebook: questions, the model's words, cells with what they did, answers.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api, type Text } from "./api";
import { Source } from "./code";
import { Markdown } from "./markdown";
import type { Cell, Item, Note, Notebook, Run, SubCall, Turn } from "./model";

export function count(n: number, word: string): string { return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`; }

export function money(cost: number | null | undefined): string {
  if (cost === null || cost === undefined) return "cost unknown";
  return "$" + (cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2));
}

export function time(ns: number | undefined): string {
  if (!ns) return "";
  const s = ns / 1e9;
  return s < 1 ? `${Math.round(s * 1000)} ms` : s < 60 ? `${s.toFixed(1)} s` : `${Math.floor(s / 60)} m ${Math.round(s % 60)} s`;
}

export function Items(props: { book: Notebook; id: string; review: (ok: boolean, note: string) => void }) {
  return <>{props.book.items.map((i) => <OneItem key={i.seq} item={i} {...props} />)}</>;
}

function OneItem(props: { item: Item; book: Notebook; id: string; review: (ok: boolean, note: string) => void }) {
  const i = props.item;
  if (i.kind === "note") return <OneNote note={i} />;
  if (i.kind === "cell") return <OneCell cell={i} id={props.id} book={props.book} />;
  return <OneRun run={i} {...props} />;
}

function OneNote({ note }: { note: Note }) {
  return <div class={"note note-" + note.about} id={"e" + note.seq}><b>{note.about}</b> {note.text}</div>;
}

function OneRun({ run, id, book, review }: { run: Run; id: string; book: Notebook; review: (ok: boolean, note: string) => void }) {
  return (
    <section class={"run" + (run.undone ? " undone" : "")} id={"e" + run.seq} aria-label={"question " + run.number}>
      <h2 class="question"><a href={"#e" + run.seq} class="anchor" aria-label="link to this question">{run.number}</a> {run.question}{run.undone && <i> (taken back)</i>}</h2>
      {run.notes.map((n) => <OneNote key={n.seq} note={n} />)}
      {run.turns.map((t) => <OneTurn key={t.seq} turn={t} id={id} book={book} />)}
      {run.end && <End run={run} review={review} />}
    </section>
  );
}

function OneTurn({ turn, id, book }: { turn: Turn; id: string; book: Notebook }) {
  const what = turn.what === "last" ? " · the last one" : turn.what === "summary" ? " · summary" : turn.what === "retry" ? " · again" : "";
  return (
    <article class="turn" id={"e" + turn.seq}>
      <header><a href={"#e" + turn.seq} class="anchor">turn {turn.number}{what}</a>{turn.model && <span class="dim"> {turn.model}</span>}</header>
      {turn.reasoning && <details class="reasoning"><summary>thinking</summary><Markdown text={turn.reasoning} /></details>}
      {turn.streaming && !turn.content && <p class="dim waiting">{turn.retry ?? "waiting for the model …"}</p>}
      <Markdown text={turn.content} skipCells={turn.cells.length > 0} />
      {typeof turn.reply === "object" && !turn.content && <LongText id={id} seq={turn.seq} text={turn.reply} pick={(d) => d.content} />}
      {turn.cells.map((c) => <OneCell key={c.seq} cell={c} id={id} book={book} />)}
      {turn.notes.map((n) => <OneNote key={n.seq} note={n} />)}
    </article>
  );
}

/** LongText is a text that the server has: it is fetched when somebody wants to read it. */
function LongText(props: { id: string; seq: number; text: Text; pick: (data: any) => Text }) {
  const [whole, setWhole] = useState<string>();
  if (typeof props.text === "string") return <pre class="output">{props.text}</pre>;
  if (whole !== undefined) return <pre class="output">{whole}</pre>;
  const fetchIt = async () => {
    try { setWhole(String(props.pick((await api.event(props.id, props.seq)).data))); } catch (e) { setWhole(String(e)); }
  };
  return <button class="link" onClick={fetchIt}>show {props.text.size.toLocaleString("en")} bytes</button>;
}

function OneCell({ cell, id, book }: { cell: Cell; id: string; book: Notebook }) {
  const r = cell.result ?? {};
  const state = !cell.ended ? "running" : cell.ok ? "ok" : "failed";
  return (
    <div class={"cell " + state} id={"e" + cell.seq}>
      <header>
        <a class="anchor" href={"#e" + cell.seq}>cell {cell.number}{cell.own ? " (yours)" : ""}</a>
        <span class="dim"> {state === "running" ? "runs …" : time(r.duration)}{cell.moved ? ` · went on in the exact engine: ${cell.moved}` : ""}</span>
        <button class="link copy" onClick={() => navigator.clipboard?.writeText(cell.source)} aria-label="copy this cell">copy</button>
      </header>
      <Source text={cell.source} />
      {cell.calls.length > 0 && <Calls cell={cell} id={id} book={book} />}
      {cell.output && <pre class="output" tabIndex={0} aria-label="output">{cell.output}</pre>}
      {cell.truncated > 0 && <p class="dim">{count(cell.truncated, "byte")} cut out of the middle</p>}
      {r.value && <pre class="value" aria-label="value">{r.value}</pre>}
      {r.error && <pre class="error" role="alert">{r.error.message ?? r.error.text ?? JSON.stringify(r.error)}</pre>}
      {(r.notes ?? []).map((n: string) => <p class="dim" key={n}>{n}</p>)}
      {r.changed?.length > 0 && <Changed vars={r.changed} />}
    </div>
  );
}

function Changed({ vars }: { vars: any[] }) {
  return (
    <details class="changed"><summary>{vars.map((v) => v.name).join(", ")}</summary>
      <table><tbody>{vars.map((v) => <tr key={v.name}><td><code>{v.name}</code></td><td><code>{v.type}</code></td><td>{v.size}</td><td class="preview">{v.preview}</td></tr>)}</tbody></table>
    </details>
  );
}

const page = 100;

function Calls({ cell, id, book }: { cell: Cell; id: string; book: Notebook }) {
  const [shown, setShown] = useState(0);
  const [only, setOnly] = useState(false);
  const done = cell.calls.filter((c) => c.ended).length;
  const failed = cell.calls.filter((c) => c.error).length;
  const tokens = cell.calls.reduce((n, c) => n + c.tokens, 0);
  const list = only ? cell.calls.filter((c) => c.error) : cell.calls;
  return (
    <div class="calls">
      <button class="bar" aria-expanded={shown > 0} onClick={() => setShown(shown ? 0 : page)}>
        <progress max={cell.calls.length} value={done} aria-label="sub-calls" />
        <span>{done} of {count(cell.calls.length, "sub-call")}{failed > 0 && <b class="bad"> · {failed} failed</b>} · {tokens.toLocaleString("en")} tokens</span>
      </button>
      {shown > 0 && failed > 0 && <label><input type="checkbox" checked={only} onChange={() => setOnly(!only)} /> only failed</label>}
      {shown > 0 && <ol class="calllist">{list.slice(0, shown).map((c) => <OneCall key={c.key} call={c} id={id} book={book} />)}</ol>}
      {shown > 0 && list.length > shown && <button class="link" onClick={() => setShown(shown + page)}>{count(list.length - shown, "more sub-call")}</button>}
    </div>
  );
}

function OneCall({ call, id, book }: { call: SubCall; id: string; book: Notebook }) {
  const [open, setOpen] = useState(false);
  const child = call.child ? book.children.get(call.child) : undefined;
  const state = call.error ? "failed" : call.ended ? "done" : "running";
  return (
    <li class={state}>
      <button class="link" aria-expanded={open} onClick={() => setOpen(!open)}>{call.impl} {call.model} · {state} · {call.tokens} tokens {time(call.duration)}{child ? ` · ${count(child.turns, "turn")}` : ""}{call.cached ? " · answered before" : ""}</button>
      {open && <div class="exchange"><b>prompt</b><LongText id={id} seq={call.seq} text={call.prompt} pick={(d) => d.prompt} />
        {call.error && <><b>error</b><pre class="error">{call.error}</pre></>}
        {call.ended && !call.error && <><b>reply</b><LongText id={id} seq={call.ended} text={call.reply ?? ""} pick={(d) => d.reply} /></>}</div>}
    </li>
  );
}

function End({ run, review }: { run: Run; review: (ok: boolean, note: string) => void }) {
  const d = run.end;
  const [note, setNote] = useState("");
  return (
    <footer class={"end " + (d.has_answer ? "answered" : "unanswered")}>
      {d.has_answer && <Answer end={d} />}
      <p class="dim">{d.status}{d.reason ? `: ${d.reason}` : ""} · {count(d.turns, "turn")} · {count(d.sub_calls, "sub-call")} · {money(d.cost)} · {time(d.duration)}</p>
      {d.requires_review && !run.reviewed && (
        <div class="review"><input aria-label="what is missing" placeholder="what is missing" value={note} onInput={(e) => setNote(e.currentTarget.value)} />
          <button onClick={() => review(true, note)}>Approve</button><button disabled={!note.trim()} onClick={() => review(false, note)}>Send back</button></div>
      )}
      {run.reviewed && <p class="dim">{run.reviewed.approved ? "approved" : "sent back"}{run.reviewed.note ? `: ${run.reviewed.note}` : ""}</p>}
    </footer>
  );
}

function Answer({ end }: { end: any }): ComponentChildren {
  return (
    <div class="answer" role="region" aria-label="answer">
      {end.typed ? <pre class="output">{pretty(end.answer)}</pre> : <Markdown text={end.answer} />}
      {end.evidence?.length > 0 && <ol class="evidence">{end.evidence.map((e: any) => (
        <li key={e.mark}><code>{e.mark}</code> {e.document}, line {e.line}: <q>{e.quote}</q></li>))}</ol>}
      <button class="link copy" onClick={() => navigator.clipboard?.writeText(end.answer)}>copy the answer</button>
    </div>
  );
}

function pretty(json: string): string {
  try { return JSON.stringify(JSON.parse(json), null, 2); } catch { return json; }
}
