// The notebook's variables.

import { useEffect, useMemo, useState } from "preact/hooks";
import { api, type Variable } from "./api";
import type { Projection } from "./projection";
import { whole } from "./format";
import { Panel } from "./panel";

const step = 300; // number of rows shown at first, and added each time

type Column = "name" | "type" | "size" | "preview";
const columns: [Column, string][] = [["name", "name"], ["type", "type"], ["size", "size"], ["preview", "value"]];

/** VariablesPanel shows the notebook's variables, and fetches them again when at changes. */
export function VariablesPanel(
    { id, projection, pick, close, at }: { id: string; projection: Projection; pick: (name: string) => void;
      close: () => void; at: number }) {
  const [vars, setVars] = useState<Variable[]>();
  const [from, setFrom] = useState("");
  const [problem, setProblem] = useState("");
  const [filter, setFilter] = useState("");
  const [by, setBy] = useState<{ column: Column; down: boolean }>({ column: "name", down: false });
  const [most, setMost] = useState(step);
  const busy = !!projection.busy;
  useEffect(() => {
    let ended = false;
    const later = setTimeout(() => api.variables(id).then((r) => {
      if (ended) return;
      setVars(r.variables);
      setFrom(r.from ?? "");
      setProblem("");
    }, (e) => { if (!ended && e.code !== "busy") setProblem(e.message); }), 150);
    return () => { ended = true; clearTimeout(later); };
  }, [id, busy, at]);
  const q = filter.toLowerCase();
  const rows = useMemo(() =>
    (vars ?? []).filter((v) => !q || (v.name + v.type).toLowerCase().includes(q))
      .sort((a, b) => (by.down ? -1 : 1) * order(a, b, by.column)), [vars, q, by]);
  return (
    <Panel title="Variables" close={close}
        tools={<input type="search" aria-label="filter variables" placeholder="filter" value={filter}
          onInput={(e) => setFilter(e.currentTarget.value)} />}>
      {problem && <p class="problem">{problem}</p>}
      {from === "log" && <p class="dim">as recorded in the log: the notebook is busy or at rest</p>}
      {vars?.length === 0 && <p class="dim">There are no variables yet.</p>}
      {rows.length > 0 && <div class="scroll" tabIndex={0} role="region" aria-label="variables">
          <table class="data variables">
        <thead><tr>{columns.map(([c, name]) =>
          <th key={c} aria-sort={by.column === c ? (by.down ? "descending" : "ascending") : "none"}>
            <button class="link" onClick={() => setBy({ column: c, down: by.column === c && !by.down })}>
              {name}
              {by.column === c ? (by.down ? " ▼" : " ▲") : ""}
            </button>
          </th>)}</tr></thead>
        <tbody>{rows.slice(0, most)
          .map((v) => <tr key={v.name}>
            <td><button class="link" title="insert the name" onClick={() => pick(v.name)}>{v.name}</button></td>
            <td><code>{v.type}</code></td>
            <td>{v.size}</td>
            <td class="preview">{v.preview}</td>
          </tr>)}</tbody>
      </table></div>}
      {rows.length > most && <p class="dim">
        {whole(most)} of {whole(rows.length)} <button class="link" onClick={() => setMost(most + 10 * step)}>
          show more
        </button>
      </p>}
    </Panel>
  );
}

const collator = new Intl.Collator(undefined, { numeric: true }); // creating it is slower than comparing many texts

function order(a: Variable, b: Variable, by: Column): number {
  if (by === "size") return bytes(a.size) - bytes(b.size);
  return collator.compare(String(a[by]), String(b[by]));
}

const units: Record<string, number> = {
  B: 1, kB: 1e3, KB: 1e3, KiB: 1024, MB: 1e6, MiB: 1 << 20, GB: 1e9, GiB: 1 << 30,
};

// Converts sizes such as "1.2 MB" and "len 3" to numbers.
function bytes(size: string): number {
  const m = /([\d.,]+)\s*([kKMG]?i?B)?/.exec(size ?? "");
  return m ? parseFloat(m[1].replaceAll(",", "")) * (units[m[2]] ?? 1) : -1;
}
