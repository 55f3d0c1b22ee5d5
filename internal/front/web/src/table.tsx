// A table that can be sorted, filtered and downloaded as CSV. If it is long, the notebook has all rows: it sorts
// and filters them, and the visible ones are fetched. Without a notebook, only the rows in the event are sorted
// and filtered, and the table says so.

import { createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TablePage, TableQuery } from "./api";
import { csv, type Value } from "./csv";
import { count, whole } from "./format";
import { Copy } from "./long";

export interface TableData { columns: { name: string; type: string }[]; rows: Value[][]; more?: number; key?: string }

/** Whole fetches rows of a table from the notebook; undefined in an export. */
export const Whole = createContext<((q: TableQuery) => Promise<TablePage>) | undefined>(undefined);

const step = 200; // rows shown at a time
const most = 1000; // rows fetched at a time

interface By { column: number; down: boolean }

export function Table({ table }: { table: TableData }) {
  const [by, setBy] = useState<By>();
  const [filter, setFilter] = useState("");
  const [shown, setShown] = useState(step);
  const ask = useContext(Whole), [problem, setProblem] = useState("");
  const all = table.rows.length + (table.more ?? 0), asks = !!table.more && !!table.key && !!ask && !problem;
  const here = useMemo(() => sorted(table.rows, filter, by), [table, by, filter]);
  const [far, setFar] = useState<TablePage>();
  const plain = !filter && !by && shown <= table.rows.length;
  const query = (offset: number, limit: number): TableQuery =>
    ({ key: table.key!, filter, sort: by ? by.column + 1 : 0, down: !!by?.down, offset, limit });
  const fetched = async (from: number, to: number): Promise<TablePage> => {
    const rows: Value[][] = [];
    for (let page: TablePage | undefined; ; ) {
      page = await ask!(query(from + rows.length, Math.min(most, to - from - rows.length)));
      rows.push(...page.rows);
      if (!page.rows.length || from + rows.length >= Math.min(to, page.matched)) return { ...page, rows };
    }
  };
  const latest = useRef(0);
  useEffect(() => {
    const mine = ++latest.current;
    if (!asks || plain) return setFar(undefined);
    const later = setTimeout(() =>
      fetched(0, shown).then((p) => { if (mine === latest.current) setFar(p); },
        (e) => { if (mine === latest.current) setProblem((e as Error).message); }), filter ? 200 : 0);
    return () => clearTimeout(later);
  }, [table, by, filter, shown, asks]);
  const waits = asks && !plain && !far;
  const rows = asks ? (plain ? table.rows : far?.rows ?? []) : here,
    matched = asks ? (plain ? all : far?.matched ?? 0) : here.length;
  const part = !asks && table.more
    ? `of the first ${count(table.rows.length, "row")}; ${whole(table.more)} more are not here` : "";
  const sort = (column: number) => {
    setProblem("");
    setBy(by?.column === column ? (by.down ? undefined : { column, down: true }) : { column, down: false });
  };
  const order = (i: number) => (by?.column === i ? (by.down ? "descending" : "ascending") : "none");
  const names = table.columns.map((c) => c.name);
  const text = async () => csv(names, asks ? (await fetched(0, Infinity)).rows : here);
  return (
    <div class="tablebox">
      <div class="find">
        {all > 8 && <input type="search" aria-label="filter rows" placeholder="filter" value={filter}
          onInput={(e) => { setProblem(""); setFilter(e.currentTarget.value); setShown(step); }} />}
        <span class="dim" role="status">
          {waits ? "looking …" : part ? `${whole(matched)} ${part}`
            : (matched < all ? `${whole(matched)} of ` : "") + count(all, "row")}
        </span>
        <Copy what="as CSV" text={text} />
        {all > step && <button class="link"
          onClick={() => text().then(save, (e) => setProblem((e as Error).message))}>download</button>}
      </div>
      {problem && <p class="dim">{problem}</p>}
      <div class="scroll" tabIndex={0} role="group" aria-label="table">
        <table class="data">
          <thead><tr>{table.columns.map((c, i) =>
            <th key={i} aria-sort={order(i)} class={c.type}>
              <button class="link" onClick={() => sort(i)}>
                {c.name || i + 1}
                <span aria-hidden="true">{by?.column === i ? (by.down ? " ▼" : " ▲") : ""}</span>
              </button>
            </th>)}</tr></thead>
          <tbody>{rows.slice(0, shown)
            .map((r, i) => <tr key={i}>
              {r.map((v, j) => <td key={j}
                class={`${table.columns[j]?.type ?? ""}${String(v).length > 16 ? "" : " short"}`}>
                {v === null ? "" : String(v)}</td>)}
            </tr>)}</tbody>
        </table>
      </div>
      {matched > shown && <button class="link" onClick={() => setShown(shown + 5 * step)}>
        {count(matched - shown, "more row")}
      </button>}
    </div>
  );
}

function save(text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = "table.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // by then the browser has read the file
}

function sorted(all: Value[][], filter: string, by?: By): Value[][] {
  const q = filter.toLowerCase();
  const some = q ? all.filter((r) => r.some((v) => String(v ?? "").toLowerCase().includes(q))) : [...all];
  return by ? some.sort((a, b) => compare(a[by.column], b[by.column], by.down)) : some;
}

// Empty values are last. Numbers are ordered by size, and texts by their words and the numbers in them.
function compare(a: Value, b: Value, down: boolean): number {
  if (a === null || b === null || a === "" || b === "")
    return (a === null || a === "" ? 1 : 0) - (b === null || b === "" ? 1 : 0);
  const c = typeof a === "number" && typeof b === "number" ? a - b
    : String(a).localeCompare(String(b), undefined, { numeric: true });
  return down ? -c : c;
}
