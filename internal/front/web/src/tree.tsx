// JSON as an expandable tree.

import { useState } from "preact/hooks";

const step = 100; // members shown at a time

/** Tree shows a JSON value. */
export function Tree({ value }: { value: unknown }) {
  return <div class="tree"><Node value={value} open /></div>;
}

function Node({ name, value, open: first }: { name?: string; value: unknown; open?: boolean }) {
  const [open, setOpen] = useState(!!first);
  const [shown, setShown] = useState(step);
  const label = name === undefined ? null : <span class="tok-propertyName">{name}: </span>;
  if (typeof value !== "object" || value === null)
    return <div class="leaf">{label}<span class={"json-" + typeof value}>{JSON.stringify(value)}</span></div>;
  const list = Array.isArray(value);
  const members: [string, unknown][] = list ? value.map((v, i) => [String(i), v]) : Object.entries(value);
  return (
    <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{label}{list ? `[${members.length}]` : `{${members.length}}`}</summary>
      {open && members.slice(0, shown).map(([k, v]) => <Node key={k} name={k} value={v} />)}
      {open && members.length > shown
        && <button class="link" onClick={() => setShown(shown + 5 * step)}>{members.length - shown} more</button>}
    </details>
  );
}
