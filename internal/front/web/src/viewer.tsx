// A view of a text of any size: the page contains only the lines near the visible ones.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, type Document, type Passage } from "./api";
import { named, size as bytes, whole } from "./format";

const lines = 150; // lines of a loaded part
const kept = 6; // maximum number of loaded parts

/** Place is a passage of the context; offset and length are in bytes. */
export interface Place { offset: number; length: number }

export interface Lit extends Place { title?: string }

export function Viewer(props: { id: string; docs: Document[]; size: number; place?: Place; lit: Lit[] }) {
  const { id, size, place } = props;
  const [pages, setPages] = useState<Passage[]>([]);
  const [at, setAt] = useState(place?.offset ?? 0);
  const [problem, setProblem] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const loading = useRef(false);
  const jumps = useRef(0); // counts jumps: responses to earlier requests are outdated
  // the line that stays where it is when parts above it are added or removed
  const anchor = useRef<{ offset: number; top: number }>();
  const target = useRef<Place>();
  const lead = useRef(false); // also show some lines above the target
  const numbers = useNumbers(id, props.docs, pages);
  const ask = async (what: Parameters<typeof api.text>[1], then: (p: Passage) => void) => {
    if (loading.current) return;
    loading.current = true;
    const made = jumps.current;
    let why = "", passage: Passage | undefined;
    try { passage = await api.text(id, what); } catch (e) { why = (e as Error).message; }
    if (made !== jumps.current || !box.current) return; // another text, or none, is shown by now
    loading.current = false;
    setProblem(why);
    if (passage) then(passage);
  };
  const jump = (p: Place) => {
    target.current = p;
    lead.current = p.length > 0;
    setAt(p.offset);
    loading.current = false;
    jumps.current++;
    ask({ offset: Math.min(p.offset, Math.max(0, size - 1)), lines }, (first) => setPages([first]));
  };
  useEffect(() => jump(place ?? { offset: 0, length: 0 }), [place, id]);
  useLayoutEffect(() => {
    const el = box.current!;
    if (target.current && pages.length === 1) {
      el.scrollTop = 0;
      el.querySelector("mark.now")?.scrollIntoView({ block: "nearest" });
    } else if (anchor.current) {
      const row = el.querySelector<HTMLElement>(`[data-offset="${anchor.current.offset}"]`);
      if (row) el.scrollTop += row.getBoundingClientRect().top - anchor.current.top;
      if (lead.current && pages[0].offset < target.current!.offset) {
        lead.current = false;
        el.scrollTop -= el.clientHeight / 4;
      }
    }
    anchor.current = undefined;
    fill();
  }, [pages]);
  const hold = () => {
    const top = box.current!.getBoundingClientRect().top;
    for (const el of box.current!.querySelectorAll<HTMLElement>("[data-offset]")) {
      const r = el.getBoundingClientRect();
      if (r.bottom > top) { anchor.current = { offset: +el.dataset.offset!, top: r.top }; return; }
    }
  };
  const fill = () => {
    const el = box.current, first = pages[0], last = pages[pages.length - 1];
    if (!el || !first) return;
    if (el.scrollHeight - el.scrollTop - el.clientHeight < 800 && last.end < size) {
      ask({ offset: last.end, lines },
        (p) => { hold(); if (p.end > last.end) setPages((all) => [...all, p].slice(-kept)); });
    } else if (el.scrollTop < 800 && first.offset > 0) {
      ask({ offset: first.offset, lines: -lines },
        (p) => { hold(); if (p.offset < first.offset) setPages((all) => [p, ...all].slice(0, kept)); });
    }
  };
  const scrolled = () => {
    hold();
    if (anchor.current) setAt(anchor.current.offset);
    anchor.current = undefined;
    fill();
  };
  const doc = documentAt(props.docs, at) ?? props.docs.find((d) => d.offset > at);
  return (
    <div class="viewer">
      <div class="find dim">
        <span class="words" title={named(doc?.name ?? "")}>{named(doc?.name ?? "")}</span>
        <span>{bytes(at)} of {bytes(size)}</span>
      </div>
      {problem && <p class="problem">{problem}</p>}
      <div class="viewed">
        <div class="text" ref={box} onScroll={scrolled} tabIndex={0} role="region" aria-label="text of the context">
          {pages.map((p) => <Page key={p.offset} page={p} lit={props.lit} now={target.current} number={numbers} />)}
        </div>
        <input type="range" class="scrub" aria-label="place in the context" min={0} max={size} value={at}
          onChange={(e) => jump({ offset: +e.currentTarget.value, length: 0 })} />
      </div>
    </div>
  );
}

function documentAt(docs: Document[], offset: number): Document | undefined {
  let from = 0, to = docs.length;
  while (from < to) {
    const mid = (from + to) >> 1;
    if (docs[mid].offset <= offset) from = mid + 1; else to = mid;
  }
  const d = docs[from - 1];
  return d && offset < d.offset + d.size ? d : undefined;
}

const enc = new TextEncoder(), dec = new TextDecoder();

interface Row { bytes: Uint8Array; offset: number; n: number }

function rowsOf(page: Passage): Row[] {
  const all = enc.encode(page.text), rows: Row[] = [];
  for (let from = 0, n = 0; from < all.length; n++) {
    let to = all.indexOf(10, from);
    if (to < 0) to = all.length;
    rows.push({ bytes: all.subarray(from, to), offset: page.offset + from, n: page.line + n });
    from = to + 1;
  }
  return rows;
}

// useNumbers returns the numbers of lines within their document, as marks and cells use them. If the beginning of
// the document is not loaded, it asks the server.
function useNumbers(id: string, docs: Document[], pages: Passage[]): (row: Row) => number | undefined {
  const [above, setAbove] = useState<Map<number, number>>(new Map());
  const first = pages[0] && documentAt(docs, pages[0].offset);
  const asked = first && first.offset < pages[0].offset && !above.has(first.offset) ? first.offset : undefined;
  useEffect(() => {
    if (asked === undefined) return;
    let ended = false;
    api.text(id, { offset: asked, lines: 1 })
      .then((p) => { if (!ended) setAbove((m) => new Map(m).set(asked, p.line)); }, () => {});
    return () => { ended = true; };
  }, [id, asked]);
  return useMemo(() => {
    const begins = new Map(above);
    for (const p of pages) for (const r of rowsOf(p)) begins.set(r.offset, r.n);
    return (row) => {
      const d = documentAt(docs, row.offset), begin = d && begins.get(d.offset);
      return begin === undefined ? undefined : row.n - begin + 1;
    };
  }, [above, pages, docs]);
}

// The lines of a loaded part, with their numbers and with passages highlighted.
function Page({ page, lit, now, number }: { page: Passage; lit: Lit[]; now?: Place;
    number: (row: Row) => number | undefined }) {
  const some = [...(now ? [{ offset: now.offset, length: now.length, title: "now" }] : []), ...lit].filter((l) =>
    l.length > 0 && l.offset < page.end && l.offset + l.length > page.offset);
  const rows = useMemo(() => rowsOf(page), [page]);
  return <>{rows.map((r) => <Line key={r.offset} bytes={r.bytes} offset={r.offset} n={number(r)} lit={some} />)}</>;
}

function Line({ bytes, offset, n, lit }: { bytes: Uint8Array; offset: number; n?: number; lit: Lit[] }) {
  const end = offset + bytes.length;
  const here = lit.filter((l) => l.offset < end && l.offset + l.length > offset).sort((a, b) => a.offset - b.offset);
  const out: preact.ComponentChildren[] = [];
  let at = offset;
  const cut = (a: number, b: number) => dec.decode(bytes.subarray(a - offset, b - offset));
  for (const l of here) {
    const from = Math.max(at, l.offset), to = Math.min(end, l.offset + l.length);
    if (to <= from) continue;
    out.push(cut(at, from), <mark class={l.title === "now" ? "now" : ""}
      title={l.title === "now" ? undefined : l.title}>{cut(from, to)}</mark>);
    at = to;
  }
  out.push(cut(at, end));
  return <div class="textline" data-offset={offset}>
    <span class="lineno" aria-hidden="true">{n === undefined ? "" : whole(n)}</span>
    <span class="linetext">{out}</span>
  </div>;
}
