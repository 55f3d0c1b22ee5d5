// Output of a cell that is not only text: each piece in the best of its formats that can be shown.

import { useState } from "preact/hooks";
import { Chart } from "./chart";
import { LongText } from "./long";
import { Markdown } from "./markdown";
import { Table } from "./table";
import { Tree } from "./tree";

export interface Piece { data: Record<string, any>; value?: boolean }

const forms: [media: string, name: string][] = [
  ["application/vnd.rlm.table+json", "table"], ["application/vnd.rlm.chart+json", "chart"],
  ["text/markdown", "Markdown"], ["application/json", "JSON"], ["text/plain", "text"],
];

/** Bundle shows a piece of output in one of its formats, which can be chosen. */
export function Bundle({ piece }: { piece: Piece }) {
  const there = forms.filter(([media]) => piece.data[media] !== undefined);
  const [form, setForm] = useState(there[0]?.[1]);
  const chosen = there.find(([, name]) => name === form);
  if (!chosen) return null;
  return (
    <div class="bundle">
      {there.length > 1 && <div class="forms" role="group" aria-label="form">{there.map(([, name]) => (
        <button key={name} class="link" aria-pressed={name === form} onClick={() => setForm(name)}>
          {name}
        </button>))}</div>}
      <Form name={chosen[1]} data={piece.data[chosen[0]]} />
    </div>
  );
}

function Form({ name, data }: { name: string; data: any }) {
  if (name === "table") return <Table table={data} />;
  if (name === "chart") return <Chart chart={data} />;
  if (name === "Markdown") return <Markdown text={data} />;
  if (name === "JSON") return <Tree value={data} />;
  return <LongText text={data} label="text" />;
}
