// The form for budgets.

import type { Budgets } from "./api";

const bounds: { name: keyof Budgets; label: string; unit: number }[] = [
  { name: "cost", label: "cost, $", unit: 1 }, { name: "iterations", label: "turns", unit: 1 },
  { name: "sub_calls", label: "sub-calls", unit: 1 },
  { name: "time", label: "time, minutes", unit: 60e9 }, { name: "tokens", label: "tokens", unit: 1 },
  { name: "depth", label: "depth of child runs", unit: 1 },
  { name: "errors", label: "failures in a row", unit: 1 },
];

/** BudgetsForm edits budgets. Empty fields leave the current values. */
export function BudgetsForm(
    { label, now, budgets, set }: { label: string; now?: Budgets; budgets: Budgets; set: (b: Budgets) => void }) {
  const change = (name: keyof Budgets, unit: number, text: string) => {
    const b = { ...budgets };
    if (text === "" || isNaN(+text)) delete b[name];
    else b[name] = unit === 1 && name !== "cost" ? Math.round(+text) : +text * unit;
    set(b);
  };
  return (
    <div class="budgets" role="group" aria-label={label}>
      {bounds.map((b) => <label key={b.name} class="dim">
          {b.label} <input type="number" min="0" step="any"
            placeholder={now?.[b.name] ? String(+(now[b.name]! / b.unit).toPrecision(6)) : ""}
        value={budgets[b.name] === undefined ? "" : budgets[b.name]! / b.unit}
        onInput={(e) => change(b.name, b.unit, e.currentTarget.value)} /></label>)}
    </div>
  );
}
