// The notebook: questions, the text of replies, cells with their results, and answers.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Projection } from "./projection";
import { Answer } from "./answer";
import { OneCell } from "./cell";
import type { Doing } from "./actions";
import { count, money, time, whole } from "./format";
import { LongText, Stored } from "./long";
import { Markdown } from "./markdown";
import type { First, Run, Turn } from "./model";
import { Remark } from "./remark";
import { Fold, Guarded, memo, useFrom } from "./memo";

export function Items({ projection, doing }: { projection: Projection; doing: Doing }) {
  const from = useFrom(projection.root.items.length), last = projection.run;
  return (
    <>
      {projection.root.items.slice(from).map((i) => {
        if (i.kind === "note") return <Remark key={i.seq} v={i.v} note={i} doing={doing} />;
        if (i.kind === "cell") return <Guarded key={i.seq} what={`Cell ${i.number}`}>
          <OneCell v={i.v} cell={i} doing={doing} />
        </Guarded>;
        return <Guarded key={i.seq} what={`Question ${i.number}`}>
          <OneRun v={i.v} run={i} doing={doing} last={i === last} />
        </Guarded>;
      })}
    </>
  );
}

export const OneRun = memo<{ v: number; run: Run; doing: Doing; last?: boolean }>(({ run, doing, last }) => {
  const from = useFrom(run.turns.length);
  return <section class={"run" + (run.undone ? " undone" : "")} id={"e" + run.seq}
      aria-label={"question " + run.number}>
    <h2 class="question"><a href={"#e" + run.seq} class="anchor" aria-label={`link to question ${run.number}`}>
      {run.review ? "sent back" : run.number}
    </a> {run.question}{run.undone && <i> (taken back)</i>}</h2>
    {run.first && <FirstMessage first={run.first} doing={doing} />}
    {run.notes.map((n) => <Remark key={n.seq} v={n.v} note={n} doing={doing} />)}
    {run.turns.slice(from).map((t) => <OneTurn key={t.seq} v={t.v} turn={t} doing={doing} />)}
    {run.end && <Answer run={run} v={run.v} doing={doing} last={!!last} />}
  </section>;
});

// The first message of a question, which is shown only when a value of an answer refers to it.
function FirstMessage({ first, doing }: { first: First; doing: Doing }) {
  const [sought, seek] = useState<{ value: string }>();
  useEffect(() => { first.find = (value) => seek({ value }); }, [first]);
  return sought ? <section class="first" aria-label="the first message">
    <header><b>The first message</b> <span class="dim">what the model was shown before its first turn</span>
      <button class="link" onClick={() => seek(undefined)}>close</button></header>
    <Stored id={doing.id} seq={first.seq} text={first.text} pick={(d) => d.content} label="the first message" now
      draw={(t) => <Sought text={t} sought={sought} />} />
  </section> : null;
}

function Sought({ text, sought }: { text: string; sought: { value: string } }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => { (box.current!.querySelector("mark") ?? box.current!).scrollIntoView({ block: "center" }); },
    [sought]);
  return <div ref={box}>
    <LongText key={sought.value} text={text} find={sought.value} label="the first message" />
  </div>;
}

const OneTurn = memo<{ v: number; turn: Turn; doing: Doing }>(({ turn: t, doing }) => {
  const stored = typeof t.reply === "object" && !t.content;
  // the reply is shown below as the answer
  const end = t.run.end, last = end?.has_answer ? end.answer : end?.status === "needs_input" ? end.reply : undefined;
  const answers = !t.cells.length && last !== undefined && t.content.trim() === String(last).trim();
  return (
    <article class="turn" id={"e" + t.seq} aria-label={`turn ${t.number}`}>
      <header>
        <a href={"#e" + t.seq} class="anchor">turn {t.number}</a>{t.what && <span class="tag">{t.what}</span>}
        <span class="dim">{usageOf(t)}</span>
        {!doing.readOnly && !t.streaming
          && <span class="does">
            <button class="link" onClick={() => doing.prompt(t)}>what it was told</button>
            <button class="link" onClick={() => doing.forkAt(t)}>fork here</button>
          </span>}
      </header>
      {(t.reasoning || t.thought)
        && <Fold class="reasoning" summary="thinking" >
          {() => t.reasoning ? <Markdown text={t.reasoning} />
            : <Stored id={doing.id} seq={t.replySeq!} text={t.thought} pick={(d) => d.reasoning} label="thinking"
              now draw={(s) => <Markdown text={s} />} />}
        </Fold>}
      {t.streaming && <p class="dim waiting" role="status">
        {t.retry ?? (t.content ? "writing …" : "waiting for the model …")}
      </p>}
      {t.content && !answers && <Markdown text={t.content} skipCells={t.cells.length > 0} />}
      {stored && (t.cells.length ? <Long turn={t} doing={doing} />
        : <Stored id={doing.id} seq={t.replySeq!} text={t.reply} pick={(d) => d.content} label="reply" now
          draw={(s) => <Markdown text={s} />} />)}
      {t.finish === "length" && <p class="bad">the reply was cut off at its token limit</p>}
      {t.cells.map((c) => <OneCell key={c.seq} v={c.v} cell={c} doing={doing} />)}
      {t.notes.map((n) => <Remark key={n.seq} v={n.v} note={n} doing={doing} />)}
    </article>
  );
});

// The cells of a long reply are shown; the text around them is fetched when it becomes visible.
function Long({ turn, doing }: { turn: Turn; doing: Doing }) {
  return <Stored id={doing.id} seq={turn.replySeq!} text={turn.reply} pick={(d) => d.content}
    label="the words around the cells" draw={(s) => <Markdown text={s} skipCells />} />;
}

function usageOf(t: Turn): string {
  const u = t.usage;
  return [
    t.model, u
      ? `${whole(u.prompt ?? 0)} + ${count(u.completion ?? 0, "token")}${u.cached ? ` (${whole(u.cached)} cached)` : ""}${u.reasoning ? ` (${whole(u.reasoning)} thinking)` : ""}`
      : "",
    u?.cost !== undefined && u?.cost !== null ? money(u.cost) : "", time(t.duration),
    (t.attempts ?? 1) > 1 ? `${t.attempts} tries` : "",
  ].filter(Boolean).join(" · ");
}
