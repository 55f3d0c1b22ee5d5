// Drafts: what a person has typed but not sent is stored in the browser, so that a reload or a crash does not lose
// it. Names, paths, searches and numbers of settings are not stored: they are short, and a dialog should open with
// current values. There are no secrets in drafts, because the page asks for none.

import { useEffect, useRef, useState } from "preact/hooks";

const longest = 1_000_000; // maximum characters of a text: a browser stores about five million in total

const gone = new Set<string>(); // deleted sessions: their drafts are not stored even if a page still shows them

const keyOf = (id: string, what: string) => `draft ${id}${what && " " + what}`;

/**
 * kept returns a draft of a session: this tab's, or the latest of any tab. what names the draft; "" is the input
 * below the notebook.
 */
export function kept<T>(id: string, what = ""): Partial<T> {
  const key = keyOf(id, what);
  try { return JSON.parse(sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? "{}"); } catch { return {}; }
}

// Drafts of a tab are stored in the tab's own storage, which other tabs do not see, and in the shared storage for
// tabs opened later.
function store(key: string, text?: string) {
  const before = sessionStorage.getItem(key);
  sessionStorage.setItem(key, text ?? "{}");
  if (text) localStorage.setItem(key, text);
  else if (!before || localStorage.getItem(key) === before) localStorage.removeItem(key); // keep another tab's
  dispatchEvent(new Event("drafted"));
}

/** watchDrafts calls hear when a draft was stored or deleted, in this tab or another. */
export function watchDrafts(hear: () => void): () => void {
  for (const e of ["drafted", "storage"]) addEventListener(e, hear);
  return () => { for (const e of ["drafted", "storage"]) removeEventListener(e, hear); };
}

/** draftOf returns the unsent input of a session; empty if there is none. */
export function draftOf(id: string): string {
  const d = kept<{ question: string; cell: string; kind: "question" | "cell" }>(id);
  return (d.kind && d[d.kind]) || d.question || d.cell || "";
}

/** keep stores a draft of a session, or deletes it. It reports false if a draft cannot be stored. */
export function keep(id: string, what: string, value?: object): boolean {
  try {
    const text = value && JSON.stringify({ ...value, at: Date.now() });
    if (text && text.length > longest) { // a part would look like the whole text
      store(keyOf(id, what));
      return false;
    }
    store(keyOf(id, what), gone.has(id) ? undefined : text);
    return true;
  } catch { return false; } // the browser has no storage, or no space left
}

/**
 * useKept is a state that outlives the page: a text, its setter, and whether the text is stored. An empty text is
 * deleted.
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
    later.current ??= setTimeout(save, 300); // not at every key press, because the text may be long
    if (!t) save();
  };
  return [text, set, safe];
}

/** keptIDs returns the sessions that have drafts, with the times of the drafts. */
export function keptIDs(): Map<string, number> {
  const found = new Map<string, number>();
  try {
    for (const key of Object.keys(localStorage)) {
      const [draft, id] = key.split(" ");
      if (draft === "draft") found.set(id,
        Math.max(found.get(id) ?? 0, JSON.parse(localStorage.getItem(key)!).at ?? 0));
    }
  } catch { /* the browser has no storage */ }
  return found;
}

/** forget deletes the drafts of a session, and stores no more of them until remember. */
export function forget(id: string) {
  gone.add(id);
  try {
    for (const all of [localStorage, sessionStorage])
      for (const key of Object.keys(all)) if (`${key} `.startsWith(`draft ${id} `)) all.removeItem(key);
  } catch { /* as above */ }
}

export const remember = (id: string) => gone.delete(id);
