// The header of a session: its name, its current task, its cost, and its actions.

import { useEffect, useRef } from "preact/hooks";
import { client, type About, type Session } from "./api";
import type { Projection } from "./projection";
import { Dialogs, type Asking } from "./dialogs";
import { against, count, money, named, time } from "./format";
import type { View } from "./route";

export function Header(props: {
  id: string; projection: Projection; view: View; open: (v: View) => void; online: boolean;
  act: (p: Promise<unknown>) => void; asking?: Asking; ask: (a?: Asking) => void;
  resume: () => void; session?: Session; renew: (s: Session) => void; about?: About; v: number;
}) {
  const { id, projection, view, open, act, ask, session, about } = props;
  const tab = (v: View, name: string) =>
    <button class="link" aria-pressed={view === v} onClick={() => open(v)}>{name}</button>;
  const others = session?.owner && about?.user && session.owner !== about.user ? session.owner : "";
  return (
    <header class="top">
      <div class="headline">
        <h1 title={named(projection.title)}>{named(projection.title)}</h1>
        <div class="tabs" role="group" aria-label="views">
          {tab("context", "Context")}
          {tab("variables", "Variables")}
          {tab("trace", "Trace")}
        </div>
      </div>
      <div class="headline">
        <span class="dim state" role="status">
          <span class={"dot " + (props.online ? (projection.busy ? "running" : "open") : "error")} aria-hidden="true" />
          {props.online ? stateOf(projection, about?.user) : "The connection is lost; trying again …"}
        </span>
        {(others || session?.shared) && <span class="tag">{others ? `of ${others}` : "shared"}</span>}
        <Spending projection={projection} />
        <div class="actions" role="group" aria-label="session">
          {projection.resumable && <button class="main" onClick={props.resume}>Resume</button>}
          <Menu projection={projection} shared={!!session?.shared} mine={!others || !!about?.owner} ask={ask} />
        </div>
      </div>
      <Dialogs id={id} projection={projection} asking={props.asking} about={about} act={act} renew={props.renew}
        close={() => ask(undefined)} />
    </header>
  );
}

function Menu({ projection, shared, mine, ask }: { projection: Projection; shared: boolean; mine: boolean;
    ask: (a: Asking) => void }) {
  const box = useRef<HTMLDetailsElement>(null);
  const free = !projection.busy, asked = !!projection.run;
  useEffect(() => { // closes like other menus
    const close = (e: Event) => {
      if (!(e instanceof KeyboardEvent) ? !box.current!.contains(e.target as Node) : e.key === "Escape")
        box.current!.open = false;
    };
    addEventListener("pointerdown", close);
    addEventListener("keydown", close);
    return () => { removeEventListener("pointerdown", close); removeEventListener("keydown", close); };
  }, []);
  const item = (name: string, key: string, what: Asking, can = true) =>
    <button disabled={!can} onClick={() => ask(what)}>
      <span>{name}</span>
      {key && <kbd aria-hidden="true">{key}</kbd>}
    </button>;
  return (
    <details class="menu-of" ref={box}>
      <summary aria-label="more">more ▾</summary>
      <div class="items" onClick={() => { box.current!.open = false; }}>
        {item("Add to the context …", "a", { what: "add" })}
        {item("Settings …", ",", { what: "settings" })}
        {item("Take back the last question …", "u", { what: "undo" }, free && asked)}
        <hr />
        {item("Fork …", "f", { what: "fork" })}
        {item("Replay …", "p", { what: "replay" }, free)}
        {item("Compare …", "w", { what: "compare" }, asked)}
        {item("Export …", "e", { what: "export" })}
        <hr />
        {item("Rename …", "m", { what: "rename" })}
        {item(shared ? "Stop sharing …" : "Share …", "h", { what: "share", shared }, mine)}
        {item("Delete …", "d", { what: "delete" }, mine)}
      </div>
    </details>
  );
}

const verbs: Record<string, string> = {
  ask: "answering a question", cell: "running a cell", resume: "resuming the run", undo: "taking back a question",
  review: "a review", add: "adding documents",
  remove: "removing a document", reread: "rereading the context", fork: "forking",
  replay: "replaying", settings: "changing settings",
};

function stateOf(b: Projection, user?: string): string {
  const s = b.state;
  if (b.gone) return "No more updates";
  if (!b.whole) return "reading …";
  if (b.root.restoring) return "Running earlier cells again: " + b.root.restoring;
  if (b.reading) return b.reading;
  if (s.ahead !== undefined) return `Waiting: ${count(s.ahead, "question")} ahead of it`;
  if (!s.doing) return s.open ? "Ready" : "At rest";
  const mine = !s.by || s.by === "you" || s.by === user;
  return `Busy: ${verbs[s.doing] ?? s.doing} (${!mine ? s.by : s.client === client ? "you" : s.client ? "you, in another window" : "you, elsewhere"})`;
}

// The cost of the current question, or of the session.
function Spending({ projection }: { projection: Projection }) {
  const s = ["ask", "resume", "review"].includes(projection.busy) ? projection.spent : undefined, run = projection.run;
  if (s) {
    const most = s.budgets?.cost;
    return <span class="spent dim">
      {most && most > 0 && s.known
        ? <progress max={most} value={s.cost} aria-label="cost against the budget" /> : null}
      {against(most, s.cost, !s.known)} · turn {s.turns}
      {s.limit ? ` of ${s.limit}` : ""}
      {s.sub_calls ? ` · ${count(s.sub_calls, "sub-call")}` : ""}
    </span>;
  }
  if (!run?.end) return null;
  let cost: number | null = 0;
  for (const i of projection.root.items)
    if (i.kind === "run" && i.end) cost = cost === null || i.end.cost === null ? null : cost + i.end.cost;
  return <span class="spent dim">{money(cost)} · {time(run.end.duration)}</span>;
}
