// A cell: its source, its output, and what a person can do with it.

import { CallsBar } from "./calls";
import { Bundle, type Piece } from "./output";
import type { Doing } from "./actions";
import { count, firstLine, time } from "./format";
import { Copy, LongText } from "./long";
import type { Cell } from "./model";
import { Remark } from "./remark";
import { Source } from "./source";
import { Fold, memo } from "./memo";

export const OneCell = memo<{ v: number; cell: Cell; doing: Doing }>(({ cell, doing }) => {
  const r = cell.result ?? {};
  const state = cell.stopped || r.error?.kind === "Cancelled" ? "stopped"
    : !cell.ended ? "running" : cell.ok ? "ok" : "failed";
  return (
    <div class={"cell " + state} id={"e" + cell.seq} aria-label={`cell ${cell.number}, ${state}`} role="group">
      <header>
        <a class="anchor" href={"#e" + cell.seq}>cell {cell.number}</a>
        {cell.own && <span class="tag">yours{cell.replaces ? `, instead of cell ${cell.replaces}` : ""}</span>}
        <span class="dim">{state === "running" ? "runs …"
          : cell.stopped ? "stopped before its end" : state === "stopped" ? "cancelled" : time(cell.duration)}
          {state === "failed" && <b class="bad"> {r.error?.kind ?? "failed"}</b>}</span>
        {cell.moved && <span class="dim" title={cell.moved}>exact engine: {firstLine(cell.moved, 60)}</span>}
        <span class="does">
          {!doing.readOnly && cell.own && <button class="link" onClick={() => doing.edit(cell)}>edit</button>}
          {!doing.readOnly && <button class="link" onClick={() => doing.again(cell.source)}>
            {cell.own ? "run again" : "to the editor"}
          </button>}
          <Copy text={() => cell.source} what={`cell ${cell.number}`} />
        </span>
      </header>
      <Source text={cell.source.replace(/\n+$/, "")} wrong={cell.ok ? undefined : wrongLines(cell)} />
      {cell.calls && cell.calls.total > 0 && <CallsBar calls={cell.calls} cell={cell} doing={doing} v={cell.v} />}
      {cell.notes.map((n) => <Remark key={n.seq} v={n.v} note={n} doing={doing} />)}
      <Output cell={cell} />
      {r.error && <div class="error" role="alert">
        <pre tabIndex={0} aria-label="error">{r.error.message}</pre>
        {!doing.readOnly && doing.canAsk && state === "failed"
          && <button onClick={() => doing.askAbout(cell)}>Ask the model</button>}
      </div>}
      {(r.notes ?? []).map((n: string) => <p class="dim" key={n}>{n}</p>)}
      {r.changed?.length > 0 && <Changed vars={r.changed} />}
    </div>
  );
});

// Returns the lines that an error names; a compiler may report several.
function wrongLines(cell: Cell): number[] {
  const error = cell.result?.error ?? {},
    named = String(error.message ?? "").matchAll(new RegExp(`^cell ${cell.number}, line (\\d+)`, "gm"));
  return [error.line, ...[...named].map((m) => +m[1])];
}

// The output, with each piece in one of its formats.
function Output({ cell }: { cell: Cell }) {
  const items: Piece[] = cell.result?.items ?? [];
  const printed = items.filter((i) => !i.value), value = items.find((i) => i.value);
  return (
    <>
      {cell.output && <Printed output={cell.output} pieces={printed} />}
      {cell.truncated > 0 && <p class="dim">{count(cell.truncated, "byte")} are cut out of the middle</p>}
      {value ? <Bundle piece={value} />
        : cell.result?.value && <LongText text={cell.result.value} label="value" class="value" />}
    </>
  );
}

// Text between pieces that have other formats stays where it is.
function Printed({ output, pieces }: { output: string; pieces: Piece[] }) {
  const out: preact.ComponentChildren[] = [];
  let rest = output;
  pieces.forEach((p, i) => {
    const text = String(p.data["text/plain"] ?? "").trimEnd(), at = text ? rest.indexOf(text) : -1;
    if (at < 0) return;
    if (rest.slice(0, at).trim())
      out.push(<LongText key={"t" + i} text={rest.slice(0, at).trimEnd()} label="output" />);
    out.push(<Bundle key={i} piece={p} />);
    rest = rest.slice(at + text.length).replace(/^\n/, "");
  });
  if (rest.trim()) out.push(<LongText key="rest" text={rest} label="output" />);
  return <div aria-live="off">{out}</div>;
}

function Changed({ vars }: { vars: { name: string; type: string; size?: string; preview: string }[] }) {
  return (
    <Fold class="changed" summary={<>
      <span class="dim">changed</span> {vars.slice(0, 12).map((v) => <code key={v.name}>{v.name}</code>)}
      {vars.length > 12 ? ` and ${vars.length - 12} more` : ""}
    </>}>
      {() => <div class="scroll" tabIndex={0} role="region" aria-label="changed variables">
          <table class="data"><thead><tr><th>name</th><th>type</th><th>size</th><th>value</th></tr></thead>
        <tbody>{vars.map((v) => <tr key={v.name}>
          <td><code>{v.name}</code></td>
          <td><code>{v.type}</code></td>
          <td>{v.size}</td>
          <td class="preview">{v.preview}</td>
        </tr>)}</tbody></table></div>}
    </Fold>
  );
}
