// The messages that the model was sent in a turn, and which of them were new.

import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Message } from "./api";
import { Changes } from "./changes";
import type { Text } from "./event";
import { count, size } from "./format";
import { Stored } from "./long";
import { Fold } from "./memo";

/** At is a turn of a question. */
export interface At { run: number; turn: number }

/** Prompt shows the messages of a turn. before is the previous turn, if there is one. */
export function Prompt({ id, run, turn, turns, before, go }: { id: string; run: number; turn: number; turns: number[];
    before?: At; go: (turn: number) => void }) {
  const [compared, setCompared] = useState(false);
  const [prompt, setPrompt] = useState<{ messages: Message[]; removed: number; turn: number }>();
  const [problem, setProblem] = useState("");
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    let ended = false;
    setProblem("");
    api.messages(id, run, turn)
      .then((t) => { if (!ended) setPrompt({ ...t, turn }); }, (e) => { if (!ended) setProblem(e.message); });
    return () => { ended = true; };
  }, [id, run, turn]);
  useEffect(() => { if (prompt) box.current?.scrollIntoView({ block: "nearest" }); }, [prompt?.turn]);
  const at = turns.indexOf(turn);
  const step = (by: number, name: string) =>
    <button class="link" disabled={turns[at + by] === undefined} onClick={() => go(turns[at + by])}>{name}</button>;
  const old = prompt?.messages.filter((m) => !m.new) ?? [], fresh = prompt?.messages.filter((m) => m.new) ?? [];
  return (
    <section class="told" aria-label={`what the model was told at turn ${turn}`} ref={box}>
      <h3>Told at turn {turn} {at >= 0 && turns.length > 1
        && <span class="steps">{step(-1, "‹ turn before")}{step(1, "next turn ›")}</span>}</h3>
      {problem && <p class="problem">{problem}</p>}
      {!prompt && !problem && <p class="dim">reading …</p>}
      {prompt && <>
        <p class="dim">{count(prompt.messages.length, "message")}: {old.length
          ? `${old.length} as in the previous turn, ${fresh.length} new` : "all are new"}
          {prompt.removed ? `; a summary replaced ${prompt.removed}` : ""}</p>
        <p class="forms" role="group" aria-label="how they are shown">
          <button class="link" aria-pressed={!compared} onClick={() => setCompared(false)}>messages</button>
          <button class="link" aria-pressed={compared} onClick={() => setCompared(true)}>changes</button>
        </p>
        {compared ? <Changed key={`${run} ${turn}`} id={id} now={prompt.messages} before={before} /> : <>
        {old.length > 0 && <Fold summary={<span class="dim">{count(old.length, "message")} as before</span>}>
          {() => old.map((m, i) => <One key={`${m.seq} ${i}`} id={id} m={m} />)}
        </Fold>}
        {fresh.map((m, i) => <One key={`${prompt.turn} ${m.seq} ${i}`} id={id} m={m} open={m.kind !== "system"} />)}</>}
      </>}
    </section>
  );
}

// Compares all messages with those of the previous turn, so that messages that are no longer sent are visible too.
function Changed({ id, now, before }: { id: string; now: Message[]; before?: At }) {
  const [then, setThen] = useState<Message[] | undefined>(before ? undefined : []);
  const [problem, setProblem] = useState("");
  useEffect(() => { if (before)
    api.messages(id, before.run, before.turn).then((t) => setThen(t.messages), (e) => setProblem(e.message)); }, []);
  if (problem) return <p class="problem">{problem}</p>;
  return then ? <Changes before={written(then)} after={written(now)} label="what changed since the turn before" />
    : <p class="dim">reading …</p>;
}

const written = (all: Message[]) =>
  all.map((m) => `=== ${m.role}${m.kind === m.role ? "" : `: ${m.kind}`} ===\n${m.content}\n`).join("\n");

function One({ id, m, open }: { id: string; m: Message; open?: boolean }) {
  return (
    <Fold class={m.new ? "message new" : "message"} open={open}
        summary={<><b>{m.role}</b> {m.kind === m.role ? "" : m.kind} <span class="dim">{size(m.size)}</span></>}>
      {() => <Stored id={id} seq={m.seq} text={m.content as Text} pick={(d) => d.content} label="message" now />}
    </Fold>
  );
}
