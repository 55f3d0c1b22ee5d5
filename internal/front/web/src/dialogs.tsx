// The dialogs for actions in a session.

import { useState } from "preact/hooks";
import { api, type About, type Budgets, type Session } from "./api";
import type { Projection } from "./projection";
import { BudgetsForm } from "./budgets";
import { Compare } from "./compare";
import { Dialog, Named, Sure } from "./dialog";
import { Download } from "./download";
import { Replay } from "./replay";
import { address, go } from "./route";
import { Choose, SettingsOf } from "./settings";

/** Asking is the open dialog and what it is about. */
export interface Asking {
  what: "fork" | "rename" | "delete" | "export" | "replay" | "add" | "undo" | "settings" | "compare" | "share"
    | "resume"; run?: number; turn?: number; shared?: boolean;
}

export function Dialogs(
    props: { id: string; projection: Projection; asking?: Asking; about?: About; act: (p: Promise<unknown>) => void;
      renew: (s: Session) => void; close: () => void }) {
  const { id, projection, asking, act, close } = props;
  switch (asking?.what) {
    case "rename": return <Named title="Name of the session" first={projection.name} yes="Rename"
      does={(name) => act(api.rename(id, name))} close={close} />;
    case "delete": return <Sure title="Delete this session?"
      text="Everything recorded in it is deleted: questions, cells, answers and its copy of the context." yes="Delete"
      does={() => act(api.remove(id).then(() => go("/")))} close={close} />;
    case "undo": return <Sure title="Take back the last question?"
      text="Its messages, cells and variables no longer count. The record of them stays readable." yes="Take back"
      does={() => act(api.undo(id))} close={close} />;
    case "fork": return <Fork {...props} at={asking} />;
    case "export": return <Export id={id} about={props.about} close={close} />;
    case "replay": return <Replay id={id} close={close} />;
    case "compare": return <Compare id={id} projection={projection} close={close} />;
    case "settings": return <SettingsOf id={id} about={props.about} close={close} />;
    case "share": return asking.shared
      ? <Sure title="Stop sharing this session?" text="Then only its owner sees it." yes="Stop sharing"
        does={() => act(api.share(id, false).then(props.renew))} close={close} />
      : <Sure title="Share this session?"
        text="Then all users of this server see it, and can ask questions and run cells in it. The server's owner adds users with “rlm serve users add NAME”."
        yes="Share" does={() => act(api.share(id, true).then(props.renew))} close={close} />;
    case "resume": return <More id={id} projection={projection} about={props.about} act={act} close={close} />;
  }
  return null;
}

function Fork({ id, projection, about, at, close }: { id: string; projection: Projection; about?: About; at: Asking;
    close: () => void }) {
  const [model, setModel] = useState("");
  const [subModel, setSubModel] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const run = projection.root.items.find((i) => i.kind === "run" && i.number === at.run);
  const does = async () => {
    setBusy(true);
    try {
      const s = await api.fork(id,
        {
          ...(at.turn ? { run: at.run, turn: at.turn } : {}), ...(model && { model }),
          ...(subModel && { sub_model: subModel }),
        });
      close();
      go(address(s.id));
    } catch (e) { setProblem((e as Error).message); setBusy(false); }
  };
  return (
    <Dialog title={at.turn ? `Fork after turn ${at.turn}` : "Fork this session"} close={close}>
      <p>{at.turn
        ? `A copy of the session that contains question ${at.run}${run?.kind === "run" ? ` (“${run.question.slice(0, 80)}”)` : ""} up to turn ${at.turn} and continues from there on its own.`
        : "A copy with the same context, variables and questions that continues on its own. This session stays as it is."}
        </p>
      {(about?.models?.length ?? 0) > 0
        && <div class="choices">
          <Choose label="model" models={about!.models!} value={model} set={setModel} />
          <Choose label="model of sub-calls" models={about!.models!} value={subModel} set={setSubModel} />
        </div>}
      {problem && <p class="problem" role="alert">{problem}</p>}
      <div class="buttons">
        <button onClick={close}>Cancel</button>
        <button class="main" disabled={busy} onClick={does}>{busy ? "…" : "Fork"}</button>
      </div>
    </Dialog>
  );
}

const formats: Record<string, string> = {
  html: "a page to read, one file", ipynb: "a Jupyter notebook", markdown: "Markdown",
  "rlm-jsonl": "events, for the official visualizer",
};

function Export({ id, about, close }: { id: string; about?: About; close: () => void }) {
  const [problem, setProblem] = useState("");
  return (
    <Dialog title="Export" close={close}>
      <ul class="plain">{(about?.formats ?? Object.keys(formats)).map((f) =>
        <li key={f}><Download from={api.exportURL(id, f)} name={f} done={close}
          say={setProblem} /> <span class="dim">{formats[f]}</span></li>)}</ul>
      {problem && <p class="problem" role="alert">{problem}</p>}
    </Dialog>
  );
}

// Resumes a question that reached a limit, with a larger budget.
function More({ id, projection, about, act, close }: { id: string; projection: Projection; about?: About;
    act: (p: Promise<unknown>) => void; close: () => void }) {
  const [budgets, setBudgets] = useState<Budgets>({});
  const reason = projection.run?.end?.reason as string | undefined;
  const go = async () => api.resume(id,
    Object.keys(budgets).length ? { budgets: { ...(await api.settings(id)).budgets, ...budgets } } : {});
  return (
    <Dialog title="Continue this question" close={close}>
      <p>
        {reason && `${reason[0].toUpperCase()}${reason.slice(1)}. `}
        The question continues with what it has found so far, and with its own budgets.
      </p>
      <BudgetsForm label="budgets from here on" now={about?.budgets} budgets={budgets} set={setBudgets} />
      <div class="buttons">
        <button onClick={close}>Cancel</button>
        <button class="main" onClick={() => { act(go()); close(); }}>Resume</button>
      </div>
    </Dialog>
  );
}
