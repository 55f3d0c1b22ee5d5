// What the model was told at a turn, and what of it was new.

import { useEffect, useState } from "preact/hooks";
import { api, type Message } from "./api";
import type { Text } from "./event";
import { count, size } from "./format";
import { Stored } from "./long";
import { Fold } from "./still";

export function Told({ id, run, turn }: { id: string; run: number; turn: number }) {
  const [told, setTold] = useState<{ messages: Message[]; removed: number }>();
  const [problem, setProblem] = useState("");
  useEffect(() => { api.messages(id, run, turn).then(setTold, (e) => setProblem(e.message)); }, [id, run, turn]);
  if (problem) return <p class="problem">{problem}</p>;
  if (!told) return <p class="dim">reading …</p>;
  const old = told.messages.filter((m) => !m.new);
  return (
    <section class="told" aria-label={`what the model was told at turn ${turn}`}>
      <h3>Told at turn {turn}</h3>
      <p class="dim">{count(told.messages.length, "message")}, {told.messages.length - old.length} new{told.removed ? `; a summary took the place of ${told.removed}` : ""}</p>
      {told.messages.map((m) => <Fold key={m.seq} class={m.new ? "message new" : "message"} open={m.new && m.kind !== "system"} summary={<><b>{m.role}</b> {m.kind} <span class="dim">{size(m.size)}{m.new ? ", new" : ""}</span></>}>
        {() => <Stored id={id} seq={m.seq} text={m.content as Text} pick={(d) => d.content} label="message" now />}</Fold>)}
    </section>
  );
}
