// The settings for later questions, and what the session has used so far.

import { useEffect, useState } from "preact/hooks";
import { api, type About, type Budgets, type Settings } from "./api";
import { BudgetsForm } from "./budgets";
import { Dialog } from "./dialog";
import { money } from "./format";
import { UsageTable } from "./usage";

/** Choose is a choice of models. The empty choice changes nothing. */
export function Choose({ label, models, value, set, now }: { label: string; models: string[]; value: string;
    set: (m: string) => void; now?: string }) {
  return <label class="dim">
    {label} <select value={value} onChange={(e) => set(e.currentTarget.value)}>
      <option value="">{now ? `as before (${now})` : "as before"}</option>
      {models.map((m) => <option key={m}>{m}</option>)}
    </select>
  </label>;
}

export function SettingsOf({ id, about, close }: { id: string; about?: About; close: () => void }) {
  const [now, setNow] = useState<Settings>();
  const [model, setModel] = useState("");
  const [subModel, setSubModel] = useState("");
  const [mode, setMode] = useState("");
  const [budgets, setBudgets] = useState<Budgets>({});
  const [problem, setProblem] = useState("");
  useEffect(() => { api.settings(id).then(setNow, (e) => setProblem(e.message)); }, [id]);
  const change = {
    ...(model && { model }), ...(subModel && { sub_model: subModel }), ...(mode && mode !== now?.mode && { mode }),
    ...(Object.keys(budgets).length && { budgets: { ...now?.budgets, ...budgets } }),
  };
  const save = (e: Event) => {
    e.preventDefault();
    api.change(id, change).then(close, (e) => setProblem(e.message));
  };
  const models = about?.models ?? [], usage = Object.entries(now?.totals?.usage ?? {});
  return (
    <Dialog title="Settings for the next questions" close={close} wide>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {!now && !problem && <p class="dim">reading …</p>}
      {now && <form onSubmit={save}>
        <div class="choices">
          <Choose label="model" models={models} value={model} set={setModel} now={now.model} />
          <Choose label="model of sub-calls" models={models} value={subModel} set={setSubModel} now={now.sub_model} />
          <label class="dim">the answer <select value={mode || now.mode}
            onChange={(e) => setMode(e.currentTarget.value)}><option value="response">counts as it comes</option>
            <option value="task">waits for my review</option></select></label>
        </div>
        <h3>Budgets of a question</h3>
        <BudgetsForm label="budgets of the questions to come" now={now.budgets} budgets={budgets} set={setBudgets} />
        <p class="dim">
          Cells run in a sandbox of
          level {now.level}. {usage.length
            ? `So far: ${now.totals?.known ? money(now.totals.cost) : "cost unknown"}.` : ""}
        </p>
        {usage.length > 0 && <UsageTable label="used so far" used={usage.map(([model, u]) => ({ model, usage: u }))} />}
        <div class="buttons">
          <button type="button" onClick={close}>Cancel</button>
          <button class="main" disabled={!Object.keys(change).length}>Save</button>
        </div>
      </form>}
    </Dialog>
  );
}
