// The usage and cost of models.

import type { Usage } from "./event";
import { money, whole } from "./format";

export interface Used { model: string; calls?: number; usage: Usage; cost?: number | null }

/**
 * UsageTable shows the usage of each model and the sum. On a narrow screen rows fold, and each number has its
 * label.
 */
export function UsageTable({ used, label }: { used: Used[]; label: string }) {
  const costOf = (u: Used) => u.cost ?? u.usage.cost ?? null;
  const sum = (pick: (u: Used) => number | undefined) => used.reduce((n, u) => n + (pick(u) ?? 0), 0);
  const known = used.every((u) => costOf(u) !== null), calls = used.some((u) => u.calls !== undefined);
  const cell = (of: string, value: string) => <td class="number" data-of={of}>{value}</td>;
  const row = (name: string, n: number | undefined, u: Usage, cost: number | null) => <>
    <td>{name}</td>{calls && cell("calls", n === undefined ? "" : whole(n))}
    {cell("cost", cost === null ? "unknown" : money(cost))}{cell("sent", whole(u.prompt ?? 0))}
    {cell("cached", whole(u.cached ?? 0))}{cell("received", whole(u.completion ?? 0))}
    {cell("thinking", whole(u.reasoning ?? 0))}</>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}><table class="data usage">
      <thead><tr>
        <th>model</th>
        {calls && <th class="number">calls</th>}
        <th class="number">cost</th>
        <th class="number">sent</th>
        <th class="number">cached</th>
        <th class="number">received</th>
        <th class="number">thinking</th>
      </tr></thead>
      <tbody>{used.map((u) => <tr key={u.model}>{row(u.model, u.calls, u.usage, costOf(u))}</tr>)}</tbody>
      {used.length > 1 && <tfoot>
        <tr>{row("all", calls ? sum((u) => u.calls) : undefined,
          {
            prompt: sum((u) => u.usage.prompt), completion: sum((u) => u.usage.completion),
            cached: sum((u) => u.usage.cached), reasoning: sum((u) => u.usage.reasoning),
          }, known ? sum((u) => costOf(u) ?? 0) : null)}</tr>
      </tfoot>}
    </table></div>
  );
}
