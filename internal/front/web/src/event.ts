// The events of a session, as events.md of package trajectory documents them, and those that the server adds.

/** Text is a text of an event, or a reference to the text on the server. */
export type Text = string | { sha256: string; size: number };

export interface Usage { prompt: number; completion: number; reasoning?: number; cached?: number; cost?: number | null }

/** Event is an event of a session. */
export interface Event { seq: number; time?: string; path?: string; turn?: number; type: string; data: any }

/** SessionState is a session's current task, and who began it. */
export interface SessionState {
  doing?: string; by?: string; client?: string; since?: string; ahead?: number; open: boolean; elsewhere?: boolean;
  readers?: number;
}

/** CellCalls is a summary of the sub-calls of a cell. */
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

/** transient reports whether an event is only sent and not logged. */
export function transient(e: Event): boolean { return passing.has(e.type); }

/** Place is where in a run something was found. */
export interface Place {
  kind: string; turn?: number; cell?: number; call?: number; variable?: string; document?: string; line?: number;
}

/** Value is a value in an answer, and the evidence for it. */
export interface Value { value: string; grounded: boolean; neutral?: boolean; why: string; where?: Place }
