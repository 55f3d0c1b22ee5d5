// A table to sort and filter, and to take away as CSV.

import { useMemo, useState } from "preact/hooks";
import { count } from "./format";
import { Copy } from "./long";

type Value = string | number | null;

export interface TableData { columns: { name: string; type: string }[]; rows: Value[][]; more?: number }

const step = 200; // rows that are shown at once

export function Table({ table }: { table: TableData }) {
  const [by, setBy] = useState<{ column: number; down: boolean }>();
  const [filter, setFilter] = useState("");
  const [shown, setShown] = useState(step);
  const rows = useMemo(() => {
    const q = filter.toLowerCase();
    const some = q ? table.rows.filter((r) => r.some((v) => String(v ?? "").toLowerCase().includes(q))) : [...table.rows];
    return by ? some.sort((a, b) => (by.down ? -1 : 1) * compare(a[by.column], b[by.column])) : some;
  }, [table, by, filter]);
  const sort = (column: number) => setBy(by?.column === column ? (by.down ? undefined : { column, down: true }) : { column, down: false });
  const order = (i: number) => (by?.column === i ? (by.down ? "descending" : "ascending") : "none");
  return (
    <div class="tablebox">
      <div class="find">
        {table.rows.length > 8 && <input type="search" aria-label="filter rows" placeholder="filter" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />}
        <span class="dim">{rows.length < table.rows.length ? `${rows.length} of ` : ""}{count(table.rows.length + (table.more ?? 0), "row")}{table.more ? `, the first ${table.rows.length} here` : ""}</span>
        <Copy what="as CSV" text={() => csv(table, rows)} />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="table">
        <table class="data">
          <thead><tr>{table.columns.map((c, i) => <th key={i} aria-sort={order(i)} class={c.type}><button class="link" onClick={() => sort(i)}>{c.name || i + 1}<span aria-hidden="true">{by?.column === i ? (by.down ? " ▼" : " ▲") : ""}</span></button></th>)}</tr></thead>
          <tbody>{rows.slice(0, shown).map((r, i) => <tr key={i}>{r.map((v, j) => <td key={j} class={table.columns[j]?.type}>{v === null ? "" : String(v)}</td>)}</tr>)}</tbody>
        </table>
      </div>
      {rows.length > shown && <button class="link" onClick={() => setShown(shown + 5 * step)}>{count(rows.length - shown, "more row")}</button>}
    </div>
  );
}

// Nothing stands behind everything, numbers by their size, texts by their words with the numbers in them.
function compare(a: Value, b: Value): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

// A text that a spreadsheet would take for a formula is marked as a text: documents and models wrote it.
function csv(table: TableData, rows: Value[][]): string {
  const text = (v: Value) => (typeof v === "string" && /^[=+\-@\t\r]/.test(v) && !/^[+-]?[\d.,]+(e[+-]?\d+)?%?$/i.test(v) ? "'" + v : String(v ?? ""));
  const field = (v: Value) => (/[",\r\n]/.test(text(v)) ? `"${text(v).replaceAll('"', '""')}"` : text(v));
  return [table.columns.map((c) => c.name), ...rows].map((r) => r.map(field).join(",")).join("\r\n") + "\r\n";
}
