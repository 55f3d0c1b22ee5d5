// What the model was told at a turn, and what of it was new.

import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Message } from "./api";
import type { Text } from "./event";
import { count, size } from "./format";
import { Stored } from "./long";
import { Fold } from "./still";

export function Told({ id, run, turn, turns, go }: { id: string; run: number; turn: number; turns: number[]; go: (turn: number) => void }) {
  const [told, setTold] = useState<{ messages: Message[]; removed: number; turn: number }>();
  const [problem, setProblem] = useState("");
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    let ended = false;
    setProblem("");
    api.messages(id, run, turn).then((t) => { if (!ended) setTold({ ...t, turn }); }, (e) => { if (!ended) setProblem(e.message); });
    return () => { ended = true; };
  }, [id, run, turn]);
  useEffect(() => { if (told) box.current?.scrollIntoView({ block: "nearest" }); }, [told?.turn]);
  const at = turns.indexOf(turn);
  const step = (by: number, name: string) => <button class="link" disabled={turns[at + by] === undefined} onClick={() => go(turns[at + by])}>{name}</button>;
  const old = told?.messages.filter((m) => !m.new) ?? [], fresh = told?.messages.filter((m) => m.new) ?? [];
  return (
    <section class="told" aria-label={`what the model was told at turn ${turn}`} ref={box}>
      <h3>Told at turn {turn} {at >= 0 && turns.length > 1 && <span class="steps">{step(-1, "‹ turn before")}{step(1, "next turn ›")}</span>}</h3>
      {problem && <p class="problem">{problem}</p>}
      {!told && !problem && <p class="dim">reading …</p>}
      {told && <>
        <p class="dim">{count(told.messages.length, "message")}: {old.length ? `${old.length} as at the turn before, ${fresh.length} new` : "all are new"}{told.removed ? `; a summary took the place of ${told.removed}` : ""}</p>
        {old.length > 0 && <Fold summary={<span class="dim">{count(old.length, "message")} as before</span>}>{() => old.map((m, i) => <One key={`${m.seq} ${i}`} id={id} m={m} />)}</Fold>}
        {fresh.map((m, i) => <One key={`${told.turn} ${m.seq} ${i}`} id={id} m={m} open={m.kind !== "system"} />)}
      </>}
    </section>
  );
}

function One({ id, m, open }: { id: string; m: Message; open?: boolean }) {
  return (
    <Fold class={m.new ? "message new" : "message"} open={open} summary={<><b>{m.role}</b> {m.kind === m.role ? "" : m.kind} <span class="dim">{size(m.size)}</span></>}>
      {() => <Stored id={id} seq={m.seq} text={m.content as Text} pick={(d) => d.content} label="message" now />}
    </Fold>
  );
}
