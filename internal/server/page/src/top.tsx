// The head of a session: its name, what goes on in it, what it cost, and what can be done with it.

import type { About } from "./api";
import { api } from "./api";
import type { Book } from "./book";
import { Dialogs } from "./dialogs";
import { count, money, time } from "./format";
import type { View } from "./route";
import { client } from "./api";

export interface Asking { what: "fork" | "rename" | "delete" | "export" | "replay" | "add" | "undo"; run?: number; turn?: number }

export function Top(props: {
  id: string; book: Book; view: View; open: (v: View) => void; online: boolean; act: (p: Promise<unknown>) => void; asking?: Asking; ask: (a?: Asking) => void;
  about?: About; v: number;
}) {
  const { id, book, view, open, act, ask } = props;
  const tab = (v: View, name: string) => <button class="link" aria-pressed={view === v} onClick={() => open(v)}>{name}</button>;
  const free = !book.busy;
  return (
    <header class="top">
      <div class="headline">
        <h1 title={book.title}>{book.title}</h1>
        <div class="tabs" role="group" aria-label="views">{tab("context", "Context")}{tab("variables", "Variables")}{tab("trace", "Trace")}</div>
      </div>
      <div class="headline">
        <span class="dim state" role="status"><span class={"dot " + (props.online ? (book.busy ? "running" : "open") : "error")} aria-hidden="true" />{props.online ? stateOf(book) : "The connection is lost; trying again …"}</span>
        <Spending book={book} />
        <div class="actions" role="group" aria-label="session">
          {book.resumable && <button class="main" onClick={() => act(api.resume(id))}>Resume</button>}
          <details class="menu-of">
            <summary aria-label="more">more ▾</summary>
            <div class="items" onClick={(e) => (e.currentTarget.parentElement as HTMLDetailsElement).removeAttribute("open")}>
              <button class="link" onClick={() => ask({ what: "add" })}>Add to the context …</button>
              <button class="link" disabled={!free || !book.run} onClick={() => ask({ what: "undo" })}>Take back the last question …</button>
              <button class="link" onClick={() => ask({ what: "fork" })}>Fork …</button>
              <button class="link" disabled={!free} onClick={() => ask({ what: "replay" })}>Replay …</button>
              <button class="link" onClick={() => ask({ what: "export" })}>Export …</button>
              <button class="link" onClick={() => ask({ what: "rename" })}>Rename …</button>
              <button class="link" onClick={() => ask({ what: "delete" })}>Delete …</button>
            </div>
          </details>
        </div>
      </div>
      <Dialogs id={id} book={book} asking={props.asking} about={props.about} act={act} close={() => ask(undefined)} />
    </header>
  );
}

const verbs: Record<string, string> = { ask: "a question is answered", cell: "a cell runs", resume: "the run goes on", undo: "a question is taken back", review: "a review", add: "documents are added", remove: "a document is removed", reread: "the context is read again", fork: "it is forked", replay: "it is replayed" };

function stateOf(b: Book): string {
  const s = b.state;
  if (b.root.restoring) return "Earlier cells run again: " + b.root.restoring;
  if (b.reading) return b.reading;
  if (s.ahead !== undefined) return `Waits its turn: ${count(s.ahead, "question")} before it`;
  if (!s.doing) return s.open ? "Ready" : "At rest";
  const who = s.client && s.client !== client ? (s.by && s.by !== "you" ? s.by : "you, in another window") : s.by || "you";
  return `Busy: ${verbs[s.doing] ?? s.doing} (${who})`;
}

// What the question that is answered, or the session, cost so far.
function Spending({ book }: { book: Book }) {
  const s = book.busy ? book.spent : undefined, run = book.run;
  if (s) {
    const most = s.budgets?.cost;
    return <span class="spent dim">{most && most > 0 ? <progress max={most} value={s.cost} aria-label="cost against the budget" /> : null}{s.known === false ? "cost unknown" : money(s.cost)}{most && most > 0 ? ` of ${money(most)}` : ""} · turn {s.turns}{s.limit ? ` of ${s.limit}` : ""}{s.sub_calls ? ` · ${count(s.sub_calls, "sub-call")}` : ""}</span>;
  }
  if (!run?.end) return null;
  let cost: number | null = 0;
  for (const i of book.root.items) if (i.kind === "run" && i.end) cost = cost === null || i.end.cost === null ? null : cost + i.end.cost;
  return <span class="spent dim">{money(cost)} · {time(run.end.duration)}</span>;
}
