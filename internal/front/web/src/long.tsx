// Texts of events, which may be long: they are fetched on demand and searchable.

import { useEffect, useMemo, useState } from "preact/hooks";
import { api } from "./api";
import type { Text } from "./event";
import { count, size, whole } from "./format";

const longText = 4000; // minimum characters of a text to be searchable

/** Stored shows a text of an event. If the server has the text, it is fetched on demand. */
export function Stored(props: { id: string; seq: number; text: Text | undefined; pick: (data: any) => unknown;
    label: string; now?: boolean; draw?: (text: string) => preact.ComponentChildren }) {
  const { text, seq } = props;
  const [whole, setWhole] = useState<string>();
  const [problem, setProblem] = useState("");
  const load = () => api.event(props.id, seq)
    .then((e) => setWhole(String(props.pick(e.data) ?? "")), (err) => setProblem(err.message));
  useEffect(() => { if (props.now && typeof text === "object") load(); }, [props.now, seq]);
  const draw = props.draw ?? ((t: string) => <LongText text={t} label={props.label} />);
  if (text === undefined) return null;
  if (typeof text === "string") return <>{draw(text)}</>;
  if (whole !== undefined) return <>{draw(whole)}</>;
  if (problem) return <p class="problem">{problem}</p>;
  return <button class="link" onClick={load}>show {props.label}, {size(text.size)}</button>;
}

/** LongText shows a text unchanged, with the words of find highlighted. A long text is searchable. */
export function LongText(props: { text: string; label: string; class?: string; find?: string }) {
  const [query, setQuery] = useState(props.find ?? "");
  const [at, setAt] = useState(0);
  const hits = useMemo(() => (query ? places(props.text, query, query === props.find) : []),
    [props.text, query]);
  const long = props.text.length > longText;
  return (
    <div class="longtext">
      {long && <div class="find">
        <input type="search" aria-label={`search in ${props.label}`} placeholder="search here" value={query}
            onInput={(e) => { setQuery(e.currentTarget.value); setAt(0); }}
          onKeyDown={(e) => { if (e.key === "Enter" && hits.length)
            setAt((at + (e.shiftKey ? hits.length - 1 : 1)) % hits.length); }} />
        {query && <span class="dim" role="status">
          {hits.length ? `${whole(at + 1)} of ${whole(hits.length)}` : "nothing found"}
        </span>}
        <span class="dim">{count(props.text.length, "character")}</span>
      </div>}
      <pre class={props.class ?? "output"} tabIndex={0} aria-label={props.label}>
        {hits.length ? marked(props.text, hits, at) : props.text}
      </pre>
    </div>
  );
}

interface Place { from: number; to: number }

// The search does not convert to lower case, because that can change the length of a text.
function places(text: string, query: string, words: boolean): Place[] {
  const out: Place[] = [], escaped = query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const sought = words ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])` : escaped;
  for (const m of text.matchAll(new RegExp(sought, "giu"))) {
    if (out.push({ from: m.index, to: m.index + m[0].length }) === 5000) break;
  }
  return out;
}

function marked(text: string, hits: Place[], at: number) {
  const out: preact.ComponentChildren[] = [];
  let from = 0;
  hits.forEach((h, i) => {
    out.push(text.slice(from, h.from),
      <mark class={i === at ? "now" : ""}
        ref={i === at ? (el) => el?.scrollIntoView({ block: "nearest" }) : undefined}>{text.slice(h.from, h.to)}
        </mark>);
    from = h.to;
  });
  out.push(text.slice(from));
  return out;
}

/** Copy copies a text. */
export function Copy({ text, what }: { text: () => string | Promise<string>; what: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    // it fails if the browser forbids it, or the text is not available
    try { await navigator.clipboard.writeText(await text()); setDone(true); } catch { setDone(false); }
  };
  return <button class="link copy" aria-label={"copy " + what} onClick={copy} onBlur={() => setDone(false)}>
    {done ? "copied" : "copy"}
  </button>;
}
