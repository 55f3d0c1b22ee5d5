// The end of a question: the answer with its sources, or why there is no answer.

import { useState } from "preact/hooks";
import { api, type Verified } from "./api";
import type { Doing } from "./actions";
import { useKept } from "./drafts";
import { count, money, named, sourceOf, time, whole } from "./format";
import { Copy, LongText } from "./long";
import type { Place, Value } from "./event";
import { Markdown } from "./markdown";
import type { First, Run } from "./model";
import { show } from "./route";
import { Fold, memo } from "./memo";
import { Tree, type Leaf } from "./tree";

export const Answer = memo<{ v: number; run: Run; doing: Doing; last: boolean }>(({ run, doing, last }) => {
  const d = run.end, cut = run.turns.flatMap((t) => t.cells).filter((c) => c.stopped).length,
    granted = run.turns.some((t) => t.what === "the last one");
  const doubted = d.guess || d.unsupported || d.cut_replies > 0 || d.unverified?.length > 0
    || d.unknown_marks?.length > 0 || d.grounding?.values?.some((v: Value) => !v.grounded) || d.grounding?.untraced > 0
    || (d.requires_review && !run.reviewed?.approved);
  const shown = d.reason?.startsWith("not found in this run") || (d.unsupported && d.reason?.endsWith(d.unsupported));
  return (
    <footer class={"end " + (d.has_answer ? "answered" : "unanswered") + (doubted ? " doubted" : "")}
        id={"e" + run.endSeq}>
      {d.has_answer ? <Text run={run} doing={doing} last={last} />
        : d.status === "needs_input" ? <div class="answer" role="region" aria-label="the model asks">
          <p class="dim">The model asks:</p><Markdown text={d.reply ?? ""} />
        </div>
        : <p class="problem" role="alert"><b>No answer: {words(d.status)}.</b> {d.reason}</p>}
      <p class="dim">{d.has_answer && d.status !== "completed"
          && <b>{words(d.status)}{d.reason && !shown ? `: ${d.reason}` : ""} · </b>}
        {count(d.turns, "turn")}{granted ? " and a last one" : ""} · {count(d.cells ?? 0, "cell")}
        {cut ? ` and ${count(cut, "stopped one")}`
          : ""} · {count(d.sub_calls, "sub-call")} · {money(d.cost)} · {time(d.duration)}</p>
      {d.unsupported && <p class="bad">{d.unsupported}</p>}
      {d.guess && <p class="bad">a guess: it was given before any of the text was looked at</p>}
      {d.cut_replies > 0 && <p class="bad">
        incomplete replies: {whole(d.cut_replies)} (cut off, filtered or refused)
      </p>}
      {d.requires_review && !run.reviewed && !doing.readOnly && <Review run={run} doing={doing} />}
      {run.reviewed && <p class="dim">
        {run.reviewed.approved ? "approved" : "sent back"}
        {run.reviewed.note ? `: ${run.reviewed.note}` : ""}
      </p>}
      <Usage usage={d.usage} />
    </footer>
  );
});

const words = (status: string) => status.replaceAll("_", " ");

function Text({ run, doing, last }: { run: Run; doing: Doing; last: boolean }) {
  const d = run.end, evidence: any[] = d.evidence ?? [];
  const [checked, setChecked] = useState<Verified>();
  const stateOf = (mark: string) => checked?.passages.find((p) => p.mark === mark);
  const open = (mark: string) => {
    const e = evidence.find((e) => e.mark === mark);
    if (e) doing.source(run, e);
  };
  return (
    <div class="answer" role="region" aria-label="answer">
      <Copy text={() => d.answer} what="the answer" />
      {d.typed ? <Typed json={d.answer} about={(leaf) => about(run, leaf, d.grounding?.values ?? [])} />
        : <Markdown text={d.answer} marks={evidence.map((e) => e.mark)} onMark={open} values={d.grounding?.values}
          leads={(v) => leads(run, v)} onValue={(v) => toPlace(run, v)} />}
      {d.grounding?.values?.length > 0 && <Grounding run={run} values={d.grounding.values} />}
      {d.grounding?.verdict === "untraced" && !d.grounding.untraced
        && <p class="dim">nothing to trace: the answer has no name, number or quotation of its own</p>}
      {d.grounding?.untraced > 0 && <p class="bad">not traced: {count(d.grounding.untraced, "further value")}</p>}
      {evidence.length > 0 && <h3 class="sources">Sources</h3>}
      {evidence.length > 0 && <ol class="evidence" aria-label="sources">{evidence.map((e, i) => (
        <li key={e.mark}><button class="mark" title={e.mark} aria-label={`source ${i + 1}`}
          onClick={() => open(e.mark)} disabled={e.gone}>{i + 1}</button> <span>
            {sourceOf(e)}
            {e.occurrences > 1 ? ` (the first of ${count(e.occurrences, "place")})` : ""}
            {e.gone ? " (no longer in the context)" : ""}
          </span> <q>{e.quote}</q>{stateOf(e.mark) && <Found passage={stateOf(e.mark)!} />}
        {e.notes?.length > 0 && <span class="caveat">about this document: {named(e.notes.join("; "))}</span>}
        </li>))}</ol>}
      {d.unknown_marks?.length > 0 && <p class="bad">marks that refer to no passage: {d.unknown_marks.join(", ")}</p>}
      {d.unverified?.length > 0 && <p class="bad">quotations not in the context: {d.unverified.join("; ")}</p>}
      {last && !doing.readOnly && (evidence.length > 0 || d.unverified?.length > 0 || d.unknown_marks?.length > 0)
        && <Verify id={doing.id} done={setChecked} known={d.unverified} />}
    </div>
  );
}

// The evidence for the values of an answer. Values without evidence are listed first.
function Grounding({ run, values }: { run: Run; values: Value[] }) {
  const missing = [...new Set(values.filter((v) => !v.grounded).map((v) => v.value))],
    neutral = values.filter((v) => v.neutral).length, found = values.filter((v) => v.grounded).length - neutral;
  return (
    <>
      {missing.length > 0 && <p class="bad">
        not found in this run: {missing.slice(0, 8).join(", ")}
        {missing.length > 8 ? ` and ${missing.length - 8} more` : ""}
      </p>}
      <Fold class="grounding" summary={`what it rests on: ${found} of ${count(values.length - neutral, "value")} found`
          + (neutral ? `, ${neutral} of the question` : "")}>
        {() => <ul>{values.map((v, i) => (
          <li key={i}>{leads(run, v) ? <button class="link" onClick={() => toPlace(run, v)}>{v.value}</button>
            : <b>{v.value}</b>} <span class={v.grounded ? "dim" : "bad"}>{v.where ? inWords(v.where) : v.why}</span>
            </li>))}</ul>}
      </Fold>
    </>
  );
}

function inWords(w: Place): string {
  const cell = `cell ${w.cell}`, kinds: Record<string, string> = {
    output: `the output of ${cell}`, value: `the value of ${cell}`, variable: `${w.variable} in ${cell}`,
    computed: `computed in ${cell}`,
    subcall: `sub-call ${w.call} of ${cell}`, shown: "the first message", list: "the answer's own list",
  };
  return (kinds[w.kind] ?? "the " + w.kind) + (w.document ? `, ${named(w.document)}` : "")
    + (w.line ? `, line ${whole(w.line)}` : "");
}

const leads = (run: Run, v: Value) =>
  !!v.where?.cell || v.where?.kind === "question" || (v.where?.kind === "shown" && !!firstOf(run, v.value));

// The first message that contains a value: that of the answer's question or of an earlier one. A text that has not
// been fetched counts, since it may contain the value.
function firstOf(run: Run, value: string): First | undefined {
  let first: First | undefined;
  for (let r: Run | undefined = run; r; r = r.earlier) {
    if (r.undone || !r.first) continue;
    first = r.first;
    if (typeof first.text !== "string" || first.text.includes(value)) break;
  }
  return first;
}

// Scrolls to a value: to the cell whose output, value or sub-call contains it, or to the first message.
function toPlace(run: Run, v: Value) {
  const kind = v.where?.kind, first = kind === "shown" && firstOf(run, v.value);
  if (first) return first.find?.(v.value);
  const cell = run.turns.flatMap((t) => t.cells).find((c) => c.number === v.where?.cell);
  // if cell is undefined, an earlier question has the cell
  const place = cell || kind === "question" ? document.getElementById("e" + (cell ?? run).seq)
    : document.querySelector(`[aria-label^="cell ${v.where?.cell},"]`);
  if (place) { location.hash = place.id; show(); }
}

// Checks whether the passages are still in the documents.
function Verify({ id, done, known }: { id: string; done: (v: Verified) => void; known?: string[] }) {
  const [checked, setChecked] = useState<Verified>();
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const ask = async () => {
    setBusy(true);
    try {
      const v = await api.verify(id);
      setChecked(v);
      done(v);
      setProblem("");
    } catch (e) { setProblem((e as Error).message); }
    setBusy(false);
  };
  const gone = (checked?.unverified ?? []).filter((q) => !known?.includes(q)); // known ones are listed above
  return (
    <p class="verify"><button class="link" id="verify" disabled={busy} onClick={ask}>
      {busy ? "checking …" : "check the sources"}
    </button>
      {problem && <span class="bad" role="alert">{problem}</span>}
      {checked && <span role="status" class={checked.holds ? "good" : "bad"}>
        {checked.holds ? "All of it holds: every passage is still in the documents."
          : "Not all of it holds."}
      </span>}
      {gone.length > 0 && <span class="bad"> Quotations not found: {gone.join("; ")}.</span>}</p>
  );
}

function Found({ passage: p }: { passage: Verified["passages"][number] }) {
  const good = p.state === "holds" || p.state === "moved";
  return <span class={"tag " + (good ? "good" : "bad")}>
    {p.state}
    {p.state === "moved" && p.line_now ? ` to line ${whole(p.line_now)}` : ""}
  </span>;
}

function Typed({ json, about }: { json: string; about: (leaf: unknown) => Leaf | undefined }) {
  try { return <Tree value={JSON.parse(json)} about={about} />; }
  catch { return <LongText text={json} label="answer" />; }
}

// What a member of a typed answer rests on: a value of it that was not found, otherwise its own.
function about(run: Run, leaf: unknown, values: Value[]): Leaf | undefined {
  const text = String(leaf), within = typeof leaf === "string";
  const v = values.find((v) => !v.grounded && (v.value === text || (within && text.includes(v.value))))
    ?? values.find((v) => v.value === text);
  return v && {
    title: v.why, missing: !v.grounded, go: v.grounded && leads(run, v) ? () => toPlace(run, v) : undefined,
  };
}

function Review({ run, doing }: { run: Run; doing: Doing }) {
  const [note, setNote] = useKept(doing.id, `note ${run.number}`);
  const send = (approved: boolean) => doing.review(approved, note).then((sent) => { if (sent) setNote(""); });
  return (
    <div class="review" role="group" aria-label="review">
      <textarea rows={Math.min(8, 1 + note.split("\n").length)} aria-label="what is missing"
        placeholder="what is missing" value={note} onInput={(e) => setNote(e.currentTarget.value)} />
      <button onClick={() => send(true)}>Approve</button>
      <button disabled={!note.trim()} onClick={() => send(false)}>Send back</button>
    </div>
  );
}

function Usage({ usage }: { usage?: Record<string, any> }) {
  const models = Object.entries(usage ?? {});
  if (models.length < 2) return null;
  return <p class="dim">{models
    .map(([m, u]) =>
      `${m}: ${whole(u.prompt + u.completion)} tokens${u.cached ? ` (${whole(u.cached)} cached)` : ""}${u.cost === undefined || u.cost === null ? "" : `, ${money(u.cost)}`}`)
    .join(" · ")}</p>;
}
