// A dialog with earlier questions and cells, which can be changed or sent again.

import { useState } from "preact/hooks";
import type { Projection } from "./projection";
import { Dialog } from "./dialog";
import { firstLine } from "./format";

/** Kind is the kind of text in the input. */
export type Kind = "question" | "cell";

/** sentBefore returns the questions of a session or the cells of people, oldest first. */
export function sentBefore(projection: Projection, kind: Kind): string[] {
  return projection.root.items.flatMap((i) =>
    (kind === "cell" ? (i.kind === "cell" ? [i.source] : []) : i.kind === "run" ? [i.question] : []));
}

const most = 200; // maximum number of listed entries

export function Recall(
    { what, sent, pick, close }: { what: string; sent: string[]; pick: (text: string) => void; close: () => void }) {
  const [query, setQuery] = useState("");
  const q = query.toLowerCase(), all = [...new Set([...sent].reverse())].filter((s) => s.toLowerCase().includes(q));
  return (
    <Dialog title={`Earlier ${what}`} close={close} wide>
      <input type="search" class="whole" autofocus aria-label={`search earlier ${what}`} placeholder="search"
        value={query} onInput={(e) => setQuery(e.currentTarget.value)}
        onKeyDown={(e) => { if (e.key === "Enter" && all.length) { e.preventDefault(); pick(all[0]); } }} />
      {all.length === 0 && <p class="dim">
        {sent.length ? "Nothing found." : `There are no earlier ${what} in this session.`}
      </p>}
      <ul class="plain earlier">
        {all.slice(0, most).map((text) =>
          <li key={text}><button onClick={() => pick(text)}>
            {text.includes("\n") ? <pre>
              {text.split("\n").slice(0, 6).join("\n")}
              {text.split("\n").length > 6 && "\n…"}
            </pre> : firstLine(text, 300)}
          </button></li>)}
      </ul>
      {all.length > most && <p class="dim">and {all.length - most} more</p>}
    </Dialog>
  );
}
