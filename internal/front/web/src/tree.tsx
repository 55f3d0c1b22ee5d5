// JSON as an expandable tree.

import { useState } from "preact/hooks";

const step = 100; // members shown at a time

/** Leaf is what a tree says about a member: why, whether it is missing, and where it leads. */
export type Leaf = { title: string; missing: boolean; go?: () => void };

/** Tree shows a JSON value; about says something about its members. */
export function Tree({ value, about }: { value: unknown; about?: (leaf: unknown) => Leaf | undefined }) {
  return <div class="tree"><Node value={value} about={about} open /></div>;
}

function Node({ name, value, about, open: first }:
    { name?: string; value: unknown; about?: (leaf: unknown) => Leaf | undefined; open?: boolean }) {
  const [open, setOpen] = useState(!!first);
  const [shown, setShown] = useState(step);
  const label = name === undefined ? null : <span class="tok-propertyName">{name}: </span>;
  if (typeof value !== "object" || value === null) {
    const leaf = about?.(value), text = JSON.stringify(value), kind = "json-" + typeof value;
    return <div class="leaf">{label}{leaf?.go
      ? <button class={"value " + kind} title={leaf.title} onClick={leaf.go}>{text}</button>
      : <span class={leaf?.missing ? "missing " + kind : kind} title={leaf?.title}>{text}</span>}</div>;
  }
  const list = Array.isArray(value);
  const members: [string, unknown][] = list ? value.map((v, i) => [String(i), v]) : Object.entries(value);
  return (
    <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{label}{list ? `[${members.length}]` : `{${members.length}}`}</summary>
      {open && members.slice(0, shown).map(([k, v]) => <Node key={k} name={k} value={v} about={about} />)}
      {open && members.length > shown
        && <button class="link" onClick={() => setShown(shown + 5 * step)}>{members.length - shown} more</button>}
    </details>
  );
}
