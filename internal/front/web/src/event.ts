// The events of a session, as documented in events.md of the trajectory package, and those that the server adds.

/** Text is a text of an event, or a reference to where the server has it. */
export type Text = string | { sha256: string; size: number };

export interface Usage { prompt: number; completion: number; reasoning?: number; cached?: number; cost?: number | null }

/** Event is one thing that happened in a session. */
export interface Event { seq: number; time?: string; path?: string; turn?: number; type: string; data: any }

/** SessionState is a session's current task, and who began it. */
export interface SessionState {
  doing?: string; by?: string; client?: string; since?: string; ahead?: number; open: boolean; elsewhere?: boolean;
  readers?: number;
}

/** CellCalls sums up the calls of a cell. */
export interface CellCalls {
  cell: number; path?: string; total: number; started: number; ended: number; failed: number; cached?: number;
  tokens: number; cost: number | null;
  first?: string; last?: string; children?: number;
}

/** Spent is what a question has used so far. */
export interface Spent {
  run: number; turns: number; limit?: number; sub_calls: number; tokens: number; cost: number; known: boolean;
  budgets?: { cost?: number; time?: number };
}

const passing = new Set(["reply_delta", "cell_printed", "call_retried", "restoring", "reading", "state", "failed",
  "calls", "spent", "gone", "session", "removed", "beat", "batch", "batch_removed"]);

/** transient reports whether an event is only sent, not recorded in the log. */
export function transient(e: Event): boolean { return passing.has(e.type); }

/** Place is a place in a run. */
export interface Place {
  kind: string; turn?: number; cell?: number; call?: number; variable?: string; document?: string; line?: number;
}

/** Value is a part of an answer that could have been different, and its evidence. */
export interface Value { value: string; grounded: boolean; neutral?: boolean; why: string; where?: Place }
