// What is asked before a session is forked, named, deleted, exported or replayed.

import { useEffect, useState } from "preact/hooks";
import { api, type About, type Replayed } from "./api";
import type { Book } from "./book";
import { Dialog, Named, Sure } from "./dialog";
import { count } from "./format";
import { address, go } from "./route";
import type { Asking } from "./top";

export function Dialogs(props: { id: string; book: Book; asking?: Asking; about?: About; act: (p: Promise<unknown>) => void; close: () => void }) {
  const { id, book, asking, act, close } = props;
  switch (asking?.what) {
    case "rename": return <Named title="Name of the session" first={book.name} yes="Rename" does={(name) => act(api.rename(id, name))} close={close} />;
    case "delete": return <Sure title="Delete this session?" text="All that is recorded of it goes: questions, cells, answers, its copy of the context." yes="Delete" does={() => act(api.remove(id).then(() => go("/")))} close={close} />;
    case "undo": return <Sure title="Take back the last question?" text="Its messages, cells and variables no longer count. What happened stays readable." yes="Take back" does={() => act(api.undo(id))} close={close} />;
    case "fork": return <Fork {...props} at={asking} />;
    case "export": return <Export id={id} about={props.about} close={close} />;
    case "replay": return <Replay id={id} close={close} />;
  }
  return null;
}

function Fork({ id, book, about, at, close }: { id: string; book: Book; about?: About; at: Asking; close: () => void }) {
  const [model, setModel] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const run = book.root.items.find((i) => i.kind === "run" && i.number === at.run);
  const does = async () => {
    setBusy(true);
    try {
      const s = await api.fork(id, { ...(at.turn ? { run: at.run, turn: at.turn } : {}), ...(model ? { model } : {}) });
      close();
      go(address(s.id));
    } catch (e) { setProblem((e as Error).message); setBusy(false); }
  };
  return (
    <Dialog title={at.turn ? `Fork behind turn ${at.turn}` : "Fork this session"} close={close}>
      <p>{at.turn ? `A copy of the session that has question ${at.run}${run?.kind === "run" ? ` (“${run.question.slice(0, 80)}”)` : ""} up to turn ${at.turn} and goes on from there by itself.` : "A copy with the same context, variables and questions, that goes on by itself. This one stays as it is."}</p>
      {(about?.models?.length ?? 0) > 0 && <p><label>model <select value={model} onChange={(e) => setModel(e.currentTarget.value)}><option value="">as before</option>{about!.models!.map((m) => <option key={m}>{m}</option>)}</select></label></p>}
      {problem && <p class="problem" role="alert">{problem}</p>}
      <div class="buttons"><button onClick={close}>Cancel</button><button class="main" disabled={busy} onClick={does}>{busy ? "…" : "Fork"}</button></div>
    </Dialog>
  );
}

const formats: Record<string, string> = { html: "a page to read, one file", ipynb: "a Jupyter notebook", markdown: "Markdown", "rlm-jsonl": "events, for the official visualizer" };

function Export({ id, about, close }: { id: string; about?: About; close: () => void }) {
  return (
    <Dialog title="Export" close={close}>
      <ul class="plain">{(about?.formats ?? Object.keys(formats)).map((f) => <li key={f}><a href={api.exportURL(id, f)} download onClick={close}>{f}</a> <span class="dim">{formats[f]}</span></li>)}</ul>
    </Dialog>
  );
}

// Recorded cells run again with their recorded replies; what they put out is compared.
function Replay({ id, close }: { id: string; close: () => void }) {
  const [lines, setLines] = useState<Replayed[]>([]);
  const [ended, setEnded] = useState(false);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const got: Replayed[] = [];
    api.replay(id, (r) => {
      if (r.error) setProblem(r.error.message);
      else { got.push(r); setLines([...got]); }
    }).then(() => setEnded(true), (e) => { setProblem(e.message); setEnded(true); });
  }, [id]);
  const other = lines.filter((l) => !l.same && !l.skipped);
  return (
    <Dialog title="Replay" close={close} wide>
      <p role="status">{ended ? `${count(lines.length, "cell")} ran again; ${other.length ? `${other.length} put out something else` : "all did the same"}.` : `Cells run again with their recorded replies … ${lines.length}`}</p>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {lines.filter((l) => l.skipped).map((l) => <p class="dim" key={l.path + "/" + l.cell}>cell {l.cell}: {l.skipped}</p>)}
      {other.map((l) => <div key={l.path + "/" + l.cell} class="difference"><b>cell {l.cell}{l.path ? ` of ${l.path}` : ""}</b>
        <div class="two"><div><span class="dim">before</span><pre class="output" tabIndex={0}>{l.before}</pre></div><div><span class="dim">now</span><pre class="output" tabIndex={0}>{l.after}</pre></div></div></div>)}
    </Dialog>
  );
}
