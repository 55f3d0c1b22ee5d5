// The differences between two texts, shown in one text.

import { useMemo } from "preact/hooks";
import { differences } from "./difference";

const around = 3; // unchanged lines to show around a change

/** Changes shows how two texts differ, and leaves out long unchanged parts. */
export function Changes({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => {
    const all = differences(before, after), near = new Set<number>();
    all.forEach((d, i) => { if (d.kind !== "same") for (let n = i - around; n <= i + around; n++) near.add(n); });
    return all.map((d, i) => ({ ...d, near: near.has(i) }));
  }, [before, after]);
  const out = [];
  for (let i = 0; i < lines.length; i++) {
    const d = lines[i];
    if (!d.near) {
      let n = i;
      while (n < lines.length && !lines[n].near) n++;
      out.push(<span key={i} class="line dim">… {n - i} lines of the same{"\n"}</span>);
      i = n - 1;
    } else if (d.kind === "same") out.push(<span key={i} class="line">  {d.line}{"\n"}</span>);
    else if (d.kind === "before") out.push(<del key={i} class="line">- {d.line}{"\n"}</del>);
    else out.push(<ins key={i} class="line">+ {d.line}{"\n"}</ins>);
  }
  return <pre class="changes" tabIndex={0} aria-label={label}>{out}</pre>;
}
