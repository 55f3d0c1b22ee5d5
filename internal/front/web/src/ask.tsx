// The input for questions to the model and for a person's own cells. Drafts are stored in this browser until they
// are sent.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, type About, type Budgets, type Settings } from "./api";
import type { Projection } from "./projection";
import { BudgetsForm } from "./budgets";
import { keep, kept } from "./drafts";
import type { EditorProps } from "./editor";
import { Prose, type Writing } from "./prose";
import { Recall, sentBefore, type Kind } from "./recall";
import { Choose } from "./settings";

let Loaded: typeof import("./editor").Editor | undefined;

// The editor for cells is large, so it is loaded only when a cell is written.
function Editor(props: EditorProps) {
  const [, draw] = useState(0);
  useEffect(() => { if (!Loaded) import("./editor").then((m) => { Loaded = m.Editor; draw(1); }); }, []);
  return Loaded ? <Loaded {...props} /> : <div class="editor" />;
}

/** Pen is the interface of the input for the rest of the page. */
export interface Pen {
  write: (kind: Kind, text: string, replaces?: number) => void;
  insert: (text: string) => void;
  focus: (kind: Kind) => void;
  past: () => void;
}

interface Draft {
  question: string; cell: string; kind: Kind; replaces?: number;
  chosen?: { model: string; subModel: string; budgets: Budgets; reviewed?: boolean };
}

interface Sent { text: string; before: number } // before: number of texts sent earlier

export function Ask(props: { id: string; projection: Projection; about?: About; ready: (p: Pen) => void;
    say: (e: unknown) => void; sent: () => void; stop: () => void; escape: () => void; v: number }) {
  const { id, projection, about } = props;
  const draft = useRef<Draft>({
    question: "", cell: "", kind: about?.no_model ? "cell" : "question", ...kept<Draft>(id),
  });
  const [kind, setKindState] = useState(draft.current.kind);
  const [replaces, setReplaces] = useState(draft.current.replaces);
  const [model, setModel] = useState(draft.current.chosen?.model ?? "");
  const [subModel, setSubModel] = useState(draft.current.chosen?.subModel ?? "");
  const [now, setNow] = useState<Settings>();
  const [budgets, setBudgets] = useState<Budgets>(draft.current.chosen?.budgets ?? {});
  const [reviewed, setReviewed] = useState(draft.current.chosen?.reviewed);
  const [more, setMore] = useState(false);
  const [empty, setEmpty] = useState(!draft.current[kind].trim());
  const [sending, setSending] = useState<Partial<Record<Kind, Sent>>>({}); // texts being sent
  const sent = useRef(sending);
  const pen = useRef<Writing>();
  const wanted = useRef<(() => void) | undefined>(); // what to do once the other editor is ready
  const later = useRef<ReturnType<typeof setTimeout>>();
  const save = () => {
    clearTimeout(later.current);
    later.current = undefined;
    const d = draft.current;
    keep(id, "", d.question || d.cell ? d : undefined);
  };
  useEffect(() => {
    const flush = () => { if (later.current) save(); }; // without changes here, another tab's draft may be newer
    addEventListener("pagehide", flush);
    return () => { removeEventListener("pagehide", flush); flush(); };
  }, [id]);
  const saveSoon = () => { later.current ??= setTimeout(save, 300); };
  const changed = (text: string) => {
    draft.current[kind] = text;
    setEmpty(!text.trim());
    saveSoon();
  };
  useEffect(() => { // the options are part of the draft
    const chosen = { model, subModel, budgets, reviewed };
    if (JSON.stringify(chosen) === JSON.stringify({
      model: "", subModel: "", budgets: {}, ...draft.current.chosen,
    })) return;
    draft.current.chosen = chosen;
    saveSoon();
  }, [model, subModel, budgets, reviewed]);
  const setKind = (k: Kind, then?: () => void) => {
    if (k === kind) return then?.();
    wanted.current = then ?? (() => pen.current?.focus());
    draft.current.kind = k;
    setEmpty(!draft.current[k].trim());
    setKindState(k);
    save();
  };
  const replace = (n?: number) => { draft.current.replaces = n; setReplaces(n); };
  useEffect(() => {
    props.ready({
      write: (k, text, n) => setKind(k, () => { pen.current!.set(text); pen.current!.focus(); replace(n); }),
      insert: (text) => pen.current?.insert(text),
      focus: (k) => setKind(k, () => pen.current?.focus()),
      past: () => setPast(true),
    });
  });
  useEffect(() => { if (about?.no_model && kind === "question" && !draft.current.question)
    setKind("cell", () => {}); }, [about?.no_model]);
  const options = () => { // unchanged options remain as they are in the session
    if (!more) api.settings(id).then(setNow, props.say);
    setMore(!more);
  };
  const choice = () => ({
    ...(model && { model }), ...(subModel && { sub_model: subModel }),
    ...(reviewed !== undefined && { mode: reviewed ? "task" : "response" }),
    ...(Object.keys(budgets).length && { budgets: { ...now?.budgets, ...budgets } }),
  });
  const onItsWay = (k: Kind, one?: Sent) => setSending(sent.current = { ...sent.current, [k]: one });
  const arrived = (k: Kind, { text }: Sent) => { // text typed meanwhile remains
    onItsWay(k);
    if (draft.current[k] === text) {
      draft.current[k] = "";
      if (draft.current.kind === k && pen.current?.text() === text) pen.current.set("");
      save();
    }
    if (k === "cell") replace(undefined);
    at.current = undefined;
    props.sent();
  };
  useLayoutEffect(() => { // the notebook may show the text before the response arrives
    for (const k of ["question", "cell"] as const) {
      const one = sent.current[k], all = one ? sentBefore(projection, k) : [];
      if (one && all.length > one.before && all[all.length - 1].trim() === one.text.trim()) arrived(k, one);
    }
  }, [props.v]);
  const send = async (text: string) => {
    if (!text.trim() || sent.current[kind]?.text === text) return;
    const one = { text, before: sentBefore(projection, kind).length };
    onItsWay(kind, one);
    try {
      if (kind === "cell") await api.cell(id, text, replaces);
      else await api.ask(id, { question: text, ...choice() });
      setNow((s) => s && { ...s, ...choice() }); // the choice also applies to later questions
      setBudgets({});
      if (sent.current[kind] === one) arrived(kind, one);
    } catch (e) {
      if (sent.current[kind] !== one) return; // the notebook has the text: only the response was lost
      props.say(e);
      onItsWay(kind);
    }
  };
  const at = useRef<number>(); // index in the texts sent before
  const recall = (from: string, step: number) => {
    const sent = sentBefore(projection, kind);
    if (at.current === undefined && step > 0) return undefined;
    if (at.current === undefined) typed.current = from;
    const next = (at.current ?? sent.length) + step;
    if (next < 0) return undefined;
    at.current = next < sent.length ? next : undefined;
    return next < sent.length ? sent[next] : typed.current;
  };
  const typed = useRef("");
  const [past, setPast] = useState(false);
  const picked = useRef(false);
  useLayoutEffect(() => { // not before the dialog is closed, because nothing behind it can have the focus
    if (!past && picked.current) pen.current?.focus();
    picked.current = false;
  }, [past]);
  const notebook = useMemo(() => ({
    complete: (b: string, a: string) => api.complete(id, b, a),
    signature: (b: string, a: string) => api.signature(id, b, a), check: (s: string) => api.check(id, s),
  }), [id]);
  const cell = kind === "cell", Write = cell ? Editor : Prose, busy = !!projection.busy;
  const none = !cell && about?.no_model;
  return (
    <div class="input" role="group" aria-label="write">
      <div class="kinds">
        <div role="radiogroup" aria-label="what you write" class="switch">
          <label>
            <input type="radio" name="kind" checked={!cell} onChange={() => setKind("question")} /> question
          </label>
          <label><input type="radio" name="kind" checked={cell} onChange={() => setKind("cell")} /> cell</label>
        </div>
        {replaces && cell && <span class="tag">
          instead of cell {replaces} <button class="link" aria-label="a new cell"
            onClick={() => replace(undefined)}>✕</button>
        </span>}
        {!cell && (about?.models?.length ?? 0) > 0
          && <Choose label="model" models={about!.models!} value={model} set={setModel}
            now={now?.model ?? projection.run?.model ?? about!.model} />}
        {!cell && <button class="link" aria-expanded={more} onClick={options}>options</button>}
        <button class="link" title="what was sent before (b)" onClick={() => setPast(true)}>earlier</button>
        {busy && <button class="danger" onClick={props.stop}>Stop</button>}
        <button class="main send" disabled={busy || empty || sending[kind] !== undefined || !!none}
          onClick={() => send(pen.current!.text())}>{cell ? "Run" : "Ask"}</button>
      </div>
      {more && !cell && <div class="options">
          <BudgetsForm label="budgets of the next question" now={now?.budgets ?? about?.budgets} budgets={budgets}
            set={setBudgets} />
        <div class="choices"><Choose label="model of sub-calls" models={about?.models ?? []} value={subModel}
            set={setSubModel} now={now?.sub_model} />
          <label class="dim"><input type="checkbox" checked={reviewed ?? now?.mode === "task"}
            onChange={(e) => setReviewed(e.currentTarget.checked)} /> I review the answer</label></div></div>}
      {none && <details class="dim">
        <summary>There is no model to ask; cells can be run.</summary>
        <pre>{about!.no_model}</pre>
      </details>}
      {past && <Recall what={cell ? "cells" : "questions"} sent={sentBefore(projection, kind)}
        pick={(text) => { picked.current = true; pen.current?.set(text); setPast(false); }}
        close={() => setPast(false)} />}
      <Write key={kind} first={draft.current[kind]} label={cell ? "cell" : "question"} notebook={notebook}
        hint={cell ? "Go; Shift-Enter runs it" : "Ask about the text; Enter sends it, > writes a cell"}
        ready={(w) => { pen.current = w; wanted.current?.(); wanted.current = undefined; }}
        changed={changed} send={(t) => {
          if (!busy && !none) send(t);
            else props.say(busy ? "The session is busy. What you typed stays here." : about!.no_model);
        }}
        escape={props.escape} toggle={() => setKind(cell ? "question" : "cell")} recall={recall} />
    </div>
  );
}
