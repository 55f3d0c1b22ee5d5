// The data source of an export's reader, in place of a server: the file contains everything.

import type { Call } from "./api";
import type { Event } from "./event";

export interface Frozen { events: Event[] }

let all: Event[] = [];
const bySeq = new Map<number, Event>();

/** thaw reads the session from the file. */
export function thaw(): Frozen {
  const frozen: Frozen = JSON.parse(document.getElementById("session")!.textContent!);
  all = frozen.events;
  for (const e of all) bySeq.set(e.seq, e);
  return frozen;
}

interface CallsOf { cell: number; path?: string; offset: number; limit: number; status?: string; sort?: string }

function calls(of: CallsOf): Call[] {
  const found = new Map<string, Call>();
  for (const e of all) {
    const d = e.data;
    if ((e.path ?? "") !== (of.path ?? "") || d.cell !== of.cell) continue;
    const key = `${d.hash}/${d.n ?? 0}`;
    if (e.type === "sub_call_started") {
      found.set(key, {
        seq: e.seq, status: "stopped", index: d.index, impl: d.impl, tool: d.tool, model: d.model, prompt: d.prompt,
        prompt_size: 0, child: d.child, tokens: 0, cost: null,
      });
    } else if (e.type === "sub_call_ended") {
      const c = found.get(key), u = d.usage ?? {};
      if (c) Object.assign(c, {
        ended: e.seq, status: d.error ? "failed" : "done", reply: d.reply, reply_size: 0, error: d.error,
        model: d.model ?? c.model, tokens: (u.prompt ?? 0) + (u.completion ?? 0), cost: u.cost ?? null,
        cached: d.cached, duration: d.duration, attempts: d.attempts,
      });
    }
  }
  const list = [...found.values()].filter((c) => !of.status || c.status === of.status);
  const by = of.sort?.replace("-", "") as "duration" | "tokens" | "cost" | undefined;
  return by ? list.sort((a, b) => (b[by] ?? 0) - (a[by] ?? 0))
    : list.sort((a, b) => (a.index ?? 0) - (b.index ?? 0) || a.seq - b.seq);
}

export const api = {
  event: async (_: string, seq: number): Promise<Event> => bySeq.get(seq)!,
  eventsOf: async (_: string, path: string, after: number) =>
    ({ events: all.filter((e) => e.path === path && e.seq > after), more: false }),
  calls: async (_: string, of: CallsOf) => {
    const list = calls(of);
    return {
      total: list.length, failed: list.filter((c) => c.status === "failed").length, running: 0,
      calls: list.slice(of.offset, of.offset + of.limit),
    };
  },
};
