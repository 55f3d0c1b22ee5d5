// Drafts: what a person has typed but not sent is kept in the browser, so that no reload or crash loses it. Names,
// paths, searches and numbers of settings are not kept: they are short, and a dialog should open with current
// values. Drafts hold no secrets: the page asks for none.

import { useEffect, useRef, useState } from "preact/hooks";

const longest = 1_000_000; // characters of a text: a browser stores about five million in total

const gone = new Set<string>(); // deleted sessions, whose drafts are not kept even if a page still shows them

const keyOf = (id: string, what: string) => `draft ${id}${what && " " + what}`;

/**
 * kept returns the draft of a session under a name: this tab's, or else the last one. The name of the input below
 * the notebook is empty.
 */
export function kept<T>(id: string, what = ""): Partial<T> {
  const key = keyOf(id, what);
  try { return JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? "{}"); } catch { return {}; }
}

// A tab's drafts go into its own storage, which other tabs do not see, and into the shared storage for the next
// tab.
function store(key: string, text?: string) {
  const before = sessionStorage.getItem(key);
  sessionStorage.setItem(key, text ?? "{}");
  if (text) localStorage.setItem(key, text);
  else if (!before || localStorage.getItem(key) === before) localStorage.removeItem(key); // another tab's draft stays
  dispatchEvent(new Event("drafted"));
}

/** watchDrafts calls hear when a draft was stored or dropped, in this tab or another. */
export function watchDrafts(hear: () => void): () => void {
  for (const e of ["drafted", "storage"]) addEventListener(e, hear);
  return () => { for (const e of ["drafted", "storage"]) removeEventListener(e, hear); };
}

/** draftOf returns the unsent input of a session; empty if there is none. */
export function draftOf(id: string): string {
  const d = kept<{ question: string; cell: string; kind: "question" | "cell" }>(id);
  return (d.kind && d[d.kind]) || d.question || d.cell || "";
}

/** keep stores a draft of a session, or drops it. It reports whether that was possible. */
export function keep(id: string, what: string, value?: object): boolean {
  try {
    const text = value && JSON.stringify({ ...value, at: Date.now() });
    if (text && text.length > longest) { // a part would look like the whole text
      store(keyOf(id, what));
      return false;
    }
    store(keyOf(id, what), gone.has(id) ? undefined : text);
    return true;
  } catch { return false; } // the browser has no storage, or no room
}

/**
 * useKept is a text that outlives the page: the text, its setter, and whether it is stored. An empty one is
 * dropped.
 */
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
    later.current ??= setTimeout(save, 300); // not at every key, as the text may be long
    if (!t) save();
  };
  return [text, set, safe];
}

/** keptIDs returns the sessions with drafts, each with the time of its draft. */
export function keptIDs(): Map<string, number> {
  const found = new Map<string, number>();
  try {
    for (const key of Object.keys(localStorage)) {
      const [draft, id] = key.split(" ");
      if (draft === "draft") found.set(id,
        Math.max(found.get(id) ?? 0, JSON.parse(localStorage.getItem(key)!).at ?? 0));
    }
  } catch { /* a browser that keeps nothing */ }
  return found;
}

/** forget drops the drafts of a session and stores no more until remember. */
export function forget(id: string) {
  gone.add(id);
  try {
    for (const all of [localStorage, sessionStorage])
      for (const key of Object.keys(all)) if (`${key} `.startsWith(`draft ${id} `)) all.removeItem(key);
  } catch { /* as above */ }
}

export const remember = (id: string) => gone.delete(id);
