// What a person has typed and not sent: it is kept in the browser, so that no reload and no crash loses it. Names, paths, searches and the
// numbers of settings are not: they are short, and what a dialog opens with should be what is. Nothing here is a secret: the page asks for none.

import { useEffect, useRef, useState } from "preact/hooks";

const longest = 1_000_000; // signs of a text: a browser keeps some five million for all of them

const gone = new Set<string>(); // sessions that were deleted: what is typed in a page that still shows one is not kept

const keyOf = (id: string, what: string) => `draft ${id}${what && " " + what}`;

/** kept is what was kept of a session under a name: by this tab, else by the last one. The name of what is written below the notebook is empty. */
export function kept<T>(id: string, what = ""): Partial<T> {
  const key = keyOf(id, what);
  try { return JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? "{}"); } catch { return {}; }
}

// What a tab has goes into its own storage, which another tab does not see, and for the next one into that of all.
function store(key: string, text?: string) {
  const before = sessionStorage.getItem(key);
  sessionStorage.setItem(key, text ?? "{}");
  if (text) localStorage.setItem(key, text);
  else if (!before || localStorage.getItem(key) === before) localStorage.removeItem(key); // what another tab wrote stays
  dispatchEvent(new Event("drafted"));
}

/** watchDrafts hears when something was kept or dropped, in this tab or another. */
export function watchDrafts(hear: () => void): () => void {
  for (const e of ["drafted", "storage"]) addEventListener(e, hear);
  return () => { for (const e of ["drafted", "storage"]) removeEventListener(e, hear); };
}

/** draftOf is what was typed below the notebook of a session and not sent; empty if nothing was. */
export function draftOf(id: string): string {
  const d = kept<{ question: string; cell: string; kind: "question" | "cell" }>(id);
  return (d.kind && d[d.kind]) || d.question || d.cell || "";
}

/** keep keeps something of a session, or drops what was kept. It says whether that could be done. */
export function keep(id: string, what: string, value?: object): boolean {
  try {
    const text = value && JSON.stringify({ ...value, at: Date.now() });
    if (text && text.length > longest) { // a part of it would look like all of it
      store(keyOf(id, what));
      return false;
    }
    store(keyOf(id, what), gone.has(id) ? undefined : text);
    return true;
  } catch { return false; } // a browser that keeps nothing, or has no room
}

/** useKept is a text that outlives the page: the text, how it is changed, and whether it is kept. An empty one is dropped. */
export function useKept(id: string, what: string): [string, (text: string) => void, boolean] {
  const [text, setText] = useState(() => kept<{ text: string }>(id, what).text ?? "");
  const [safe, setSafe] = useState(true);
  const now = useRef(text), later = useRef<ReturnType<typeof setTimeout>>();
  const save = () => {
    clearTimeout(later.current);
    if (later.current === undefined) return;
    later.current = undefined;
    setSafe(keep(id, what, now.current ? { text: now.current } : undefined));
  };
  useEffect(() => {
    addEventListener("pagehide", save);
    return () => { removeEventListener("pagehide", save); save(); };
  }, [id, what]);
  const set = (t: string) => {
    setText(t);
    now.current = t;
    later.current ??= setTimeout(save, 300); // a long text is not written at every key
    if (!t) save();
  };
  return [text, set, safe];
}

/** keptIDs are the sessions of which something is kept, each with when that was. */
export function keptIDs(): Map<string, number> {
  const found = new Map<string, number>();
  try {
    for (const key of Object.keys(localStorage)) {
      const [draft, id] = key.split(" ");
      if (draft === "draft") found.set(id, Math.max(found.get(id) ?? 0, JSON.parse(localStorage.getItem(key)!).at ?? 0));
    }
  } catch { /* a browser that keeps nothing */ }
  return found;
}

/** forget drops all that was kept of a session, and keeps nothing more of it until remember. */
export function forget(id: string) {
  gone.add(id);
  try {
    for (const all of [localStorage, sessionStorage]) for (const key of Object.keys(all)) if (`${key} `.startsWith(`draft ${id} `)) all.removeItem(key);
  } catch { /* as above */ }
}

export const remember = (id: string) => gone.delete(id);
