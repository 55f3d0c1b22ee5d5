// The documents of the context as a tree, with the parts of each document.

import { useMemo, useState } from "preact/hooks";
import { api, type Document, type Part } from "./api";
import type { Place } from "./viewer";
import { count, named, size } from "./format";
import { Rows } from "./list";

interface Branch {
  name: string; depth: number; key: string; doc?: Document; part?: Part; count: number; size: number;
  below: Map<string, Branch>;
}

const tall = 28; // height of a row in pixels

export function Documents(
    { id, docs, pick, remove }: { id: string; docs: Document[]; pick: (p: Place) => void;
      remove: (name: string) => void }) {
  const [filter, setFilter] = useState("");
  const [open, setOpen] = useState<Set<string>>(new Set());
  const [parts, setParts] = useState<Map<string, Part[]>>(new Map());
  const rows = useMemo(() => {
    const q = filter.toLowerCase(), some = q ? docs.filter((d) => d.name.toLowerCase().includes(q)) : docs;
    const out: Branch[] = [];
    const list = (b: Branch) => {
      for (const c of b.below.values()) {
        out.push(c);
        if (c.below.size && (q || open.has(c.key) !== (docs.length <= 30))) list(c); // a short tree begins expanded
        if (c.doc && open.has(c.key))
          for (const p of parts.get(c.doc.name) ?? [])
            out.push({
              name: p.name || `${p.kind} ${p.number}`, depth: c.depth + 1, key: `${c.key}#${p.offset}`, part: p,
              count: 0, size: p.size, below: new Map(),
            });
      }
    };
    list(branches(some));
    return out;
  }, [docs, filter, open, parts]);
  const toggle = (b: Branch) => {
    setOpen((o) => { const n = new Set(o); if (!n.delete(b.key)) n.add(b.key); return n; });
    const name = b.doc?.name;
    if (name && !parts.has(name))
      api.parts(id, name).then((r) => setParts((m) => new Map(m).set(name, r.parts)),
        () => setParts((m) => new Map(m).set(name, [])));
  };
  const shown = (b: Branch) => open.has(b.key) !== (!b.doc && docs.length <= 30);
  return (
    <>
      {docs.length > 8 && <input class="whole" type="search" aria-label="filter documents" placeholder="filter"
        value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />}
      <Rows count={rows.length} height={tall} most={Math.min(10, Math.max(1, rows.length)) * tall} label="documents"
          row={(i) => {
        const b = rows[i], class_ = "branch depth" + Math.min(b.depth, 6);
        if (b.part) return <span class={class_}>
          <button class="link name" onClick={() => pick({ offset: b.part!.offset, length: 0 })}>{b.name}</button>
          <span class="dim">{size(b.size)}</span>
        </span>;
        if (!b.doc) return <span class={class_}>
          <button class="link name" aria-expanded={shown(b)} onClick={() => toggle(b)}>
            <Arrow open={shown(b)} />
            {named(b.name)}/
          </button>
          <span class="dim">{count(b.count, "document")}, {size(b.size)}</span>
        </span>;
        return (
          <span class={class_}>
            {(b.doc.parts ?? 0) > 1 && <button class="link fold" aria-label={`parts of ${b.doc.name}`}
              aria-expanded={shown(b)} onClick={() => toggle(b)}><Arrow open={shown(b)} /></button>}
            <button class="link name" onClick={() => pick({ offset: b.doc!.offset, length: 0 })}
              title={named([b.doc.name, b.doc.note].filter(Boolean).join(": "))}>{named(b.name)}</button>
            <span class="dim">
              {size(b.doc.size)}
              {b.doc.kind && b.doc.kind !== "text" ? `, ${b.doc.kind}` : ""}
              {b.doc.pages ? `, ${count(b.doc.pages, "page")}` : ""}
            </span>
            {b.doc.state && <b class="bad">{b.doc.state}</b>}
            <button class="link remove" aria-label={"remove " + b.doc.name} onClick={() => remove(b.doc!.name)}>
              ✕
            </button>
          </span>
        );
      }} />
    </>
  );
}

function Arrow({ open }: { open: boolean }) { return <span class="arrow" aria-hidden="true">{open ? "▾" : "▸"}</span>; }

function branches(docs: Document[]): Branch {
  const root: Branch = { name: "", depth: -1, key: "", count: 0, size: 0, below: new Map() };
  for (const d of docs) {
    const parts = d.name.split("/").filter(Boolean);
    let at = root;
    parts.map(named).forEach((name, i) => {
      const leaf = i === parts.length - 1, id = leaf ? `${name}\0${d.offset}` : name;
      let next = at.below.get(id);
      if (!next) at.below.set(id,
        (next = {
          name, depth: i, key: at.key + "/" + id, count: 0, size: 0, below: new Map(), ...(leaf ? { doc: d } : {}),
        }));
      next.count++;
      next.size += d.size;
      at = next;
    });
  }
  return root;
}
