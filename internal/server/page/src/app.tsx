// The page: sessions at the left, one of them in the middle.

import { render } from "preact";
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { api, Failed, follow, type Session, type Variable } from "./api";
import { Editor } from "./code";
import { Notebook } from "./model";
import { count, Items, money } from "./notebook";

function idOfPage(): string { return decodeURIComponent(location.pathname.match(/^\/s\/([^/]+)/)?.[1] ?? ""); }

function go(id: string) {
  history.pushState(null, "", id ? "/s/" + encodeURIComponent(id) : "/");
  dispatchEvent(new PopStateEvent("popstate"));
}

function App() {
  const [id, setID] = useState(idOfPage());
  const [sessions, setSessions] = useState<Session[]>([]);
  const [models, setModels] = useState<string[]>([]);
  const [query, setQuery] = useState("");
  const [problem, setProblem] = useState("");
  const [menu, setMenu] = useState(false);
  const say = (e: unknown) => setProblem(e instanceof Error ? e.message : String(e));
  const refresh = () => api.sessions(query).then(setSessions, say);
  useEffect(() => {
    const moved = () => setID(idOfPage());
    addEventListener("popstate", moved);
    api.about().then((a) => setModels(a.models ?? []), say);
    return () => removeEventListener("popstate", moved);
  }, []);
  useEffect(() => {
    refresh();
    const again = setInterval(refresh, 3000);
    return () => clearInterval(again);
  }, [query, id]);
  const create = () => api.create().then((s) => (refresh(), go(s.id), setMenu(false)), say);
  return (
    <div class={"page" + (menu ? " menu" : "")}>
      <nav aria-label="sessions">
        <h1><button class="link" onClick={() => go("")}>rlm</button></h1>
        <button class="new" onClick={create}>New session</button>
        <input type="search" aria-label="search sessions" placeholder="search" value={query} onInput={(e) => setQuery(e.currentTarget.value)} />
        <ul>{sessions.map((s) => <Listed key={s.id} s={s} here={s.id === id} open={() => (go(s.id), setMenu(false))} />)}</ul>
      </nav>
      <main>
        <button class="hamburger" aria-label="sessions" aria-expanded={menu} onClick={() => setMenu(!menu)}>☰</button>
        {problem && <p class="problem" role="alert">{problem} <button class="link" onClick={() => setProblem("")}>close</button></p>}
        {id ? <Desk key={id} id={id} models={models} say={say} /> : <Welcome create={create} />}
      </main>
    </div>
  );
}

function Welcome({ create }: { create: () => void }) {
  return <div class="welcome"><p>A session is a Go notebook over a text of any size. You and a model write cells in it.</p><button onClick={create}>New session</button></div>;
}

function Listed({ s, here, open }: { s: Session; here: boolean; open: () => void }) {
  const status = s.state.doing ? "running" : s.status;
  return (
    <li class={here ? "here" : ""}>
      <a href={"/s/" + s.id} aria-current={here ? "page" : undefined} onClick={(e) => { if (!e.metaKey && !e.ctrlKey) { e.preventDefault(); open(); } }}>
        <span class="what">{s.name || s.question || "a session without a question"}</span>
        <span class="dim">{status}{s.model ? " · " + s.model : ""} · {money(s.cost)}</span>
      </a>
    </li>
  );
}

// What was typed stays in this browser until it is sent.
function draftOf(id: string): { text: string; cell: boolean } {
  try { return JSON.parse(localStorage.getItem("draft " + id) ?? "") as any; } catch { return { text: "", cell: false }; }
}

function Desk({ id, models, say }: { id: string; models: string[]; say: (e: unknown) => void }) {
  const book = useRef(new Notebook());
  const [, show] = useReducer((n: number) => n + 1, 0);
  const [online, setOnline] = useState(true);
  const [draft, setDraftState] = useState(draftOf(id));
  const [model, setModel] = useState("");
  const [vars, setVars] = useState<Variable[]>();
  const bottom = useRef<HTMLDivElement>(null);
  const setDraft = (d: { text: string; cell: boolean }) => {
    setDraftState(d);
    localStorage.setItem("draft " + id, JSON.stringify(d));
  };
  useEffect(() => {
    let due = false; // many events come at once: one picture shows them
    const stop = follow(id, 0, (e) => {
      book.current.hear(e);
      if (!due) {
        due = true;
        requestAnimationFrame(() => { due = false; show(0); });
      }
    }, setOnline);
    return stop;
  }, [id]);
  useEffect(() => {
    const near = innerHeight + scrollY > document.body.scrollHeight - 300;
    if (near) bottom.current?.scrollIntoView({ block: "end" });
  });
  const b = book.current;
  const busy = !!b.state.doing;
  const send = async (text: string) => {
    if (!text.trim()) return;
    try {
      await (draft.cell ? api.cell(id, text) : api.ask(id, text, model));
      setDraft({ text: "", cell: draft.cell });
    } catch (e) {
      say(e); // what was typed stays
    }
  };
  const look = () => api.variables(id).then(setVars, say);
  const act = (p: Promise<unknown>) => { p.catch(say); };
  const drop = async (e: DragEvent) => {
    e.preventDefault();
    const files = [...(e.dataTransfer?.files ?? [])];
    try {
      await api.add(id, await Promise.all(files.map(async (f) => ({ name: f.name, text: await f.text() }))));
    } catch (err) { say(err); }
  };
  return (
    <div class="desk" onDragOver={(e) => e.preventDefault()} onDrop={drop}>
      <header class="top">
        <h1>{b.name || b.items.find((i) => i.kind === "run")?.question || "New session"}</h1>
        <span class="dim" role="status">{online ? stateOf(b) : "the connection is lost; trying again …"}</span>
        <span class="actions">
          {busy && <button onClick={() => act(api.stop(id))}>Stop</button>}
          <button class="link" onClick={() => (vars ? setVars(undefined) : look())} aria-expanded={!!vars}>variables</button>
          <button class="link" onClick={() => act(api.undo(id))}>undo</button>
          <button class="link" onClick={() => act(api.fork(id).then((s) => go(s.id)))}>fork</button>
          <button class="link" onClick={() => { const n = prompt("Name of the session", b.name); if (n) act(api.rename(id, n)); }}>rename</button>
          <a class="link" href={api.exportURL(id, "html")}>export</a>
          <button class="link" onClick={() => { if (confirm("Delete this session and all that is recorded of it?")) act(api.remove(id).then(() => go(""))); }}>delete</button>
        </span>
      </header>
      {vars && <Variables vars={vars} pick={(name) => setDraft({ ...draft, text: draft.text + name })} />}
      <Items book={b} id={id} review={(ok, note) => act(api.review(id, ok, note))} />
      {b.failed && <p class="problem" role="alert">{b.failed}</p>}
      <div class="input">
        <div class="kinds" role="radiogroup" aria-label="what you write">
          <label><input type="radio" name="kind" checked={!draft.cell} onChange={() => setDraft({ ...draft, cell: false })} /> question</label>
          <label><input type="radio" name="kind" checked={draft.cell} onChange={() => setDraft({ ...draft, cell: true })} /> cell</label>
          {models.length > 1 && !draft.cell && <select aria-label="model" value={model} onChange={(e) => setModel(e.currentTarget.value)}>
            <option value="">model as before</option>{models.map((m) => <option key={m}>{m}</option>)}</select>}
          <button class="send" disabled={busy || !draft.text.trim()} onClick={() => send(draft.text)}>{draft.cell ? "Run" : "Ask"}</button>
        </div>
        <Editor key={String(draft.cell)} text={draft.text} cell={draft.cell} label={draft.cell ? "cell" : "question"}
          hint={draft.cell ? "Go; Shift-Enter runs it" : "Ask about the text; Enter sends it"}
          onChange={(text) => setDraft({ ...draft, text })} onSend={send} onEscape={() => { if (busy) act(api.stop(id)); }}
          members={(operand) => api.members(id, operand)} />
      </div>
      <div ref={bottom} />
    </div>
  );
}

function stateOf(b: Notebook): string {
  const s = b.state;
  if (b.restoring) return "running earlier cells again: " + b.restoring;
  if (s.ahead !== undefined) return `waits, ${count(s.ahead, "question")} ahead`;
  if (s.doing) return `${s.by}: ${s.doing} …`;
  return s.open ? "ready" : "at rest";
}

function Variables({ vars, pick }: { vars: Variable[]; pick: (name: string) => void }) {
  if (vars.length === 0) return <p class="dim">there are no variables yet</p>;
  return (
    <table class="variables"><thead><tr><th>name</th><th>type</th><th>size</th><th>value</th></tr></thead>
      <tbody>{vars.map((v) => <tr key={v.name}><td><button class="link" onClick={() => pick(v.name)}>{v.name}</button></td><td><code>{v.type}</code></td><td>{v.size}</td><td class="preview">{v.preview}</td></tr>)}</tbody></table>
  );
}

// A question or a cell that is linked to is where the page begins, when it is there.
addEventListener("hashchange", () => document.querySelector(location.hash)?.scrollIntoView());
export { Failed };
render(<App />, document.getElementById("app")!);
