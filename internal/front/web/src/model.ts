// What happened in a session, in the form in which the notebook shows it. Everything that can change has a version
// v, which grows when it or its content changes, so that unchanged parts are not rendered again.

import type { CellCalls, Event, Text, Usage } from "./event";

export interface Note { kind: "note"; seq: number; v: number; about: string; text: string; detail?: Text }

export interface Cell {
  kind: "cell"; seq: number; v: number; number: number; path: string; source: string; own: boolean;
  replaces?: number; output: string; truncated: number;
  began: string; ended: boolean; stopped: boolean; ok: boolean; result?: any; calls?: CellCalls; moved?: string;
  notes: Note[]; turn?: Turn; endSeq?: number; duration?: number;
}

export interface Turn {
  kind: "turn"; seq: number; v: number; number: number; what: string; began: string; content: string;
  reasoning: string; streaming: boolean; reply?: Text;
  thought?: Text; replySeq?: number; cells: Cell[]; notes: Note[]; model?: string; usage?: Usage; duration?: number;
  attempts?: number; finish?: string;
  retry?: string; run: Run;
}

/** First is the first message of a question. find shows it, with a value highlighted. */
export interface First { seq: number; text: Text; find?: (value: string) => void }

export interface Run {
  kind: "run"; seq: number; v: number; number: number; question: string; model: string; began: string;
  turns: Turn[]; notes: Note[]; end?: any; endSeq?: number;
  undone?: boolean; review?: boolean; reviewed?: { approved: boolean; note?: string };
  spent: Record<string, Usage & { calls: number }>;
  first?: First;
  earlier?: Run;
}

export type Item = Run | Cell | Note;

const kinds: Record<string, string> = { "": "", last: "the last one", summary: "summary", retry: "again" };

/** Scope is a run of the tree: the session itself, or a child run. */
export class Scope {
  items: Item[] = [];
  seq = 0;
  v = 0;
  restoring = "";
  run?: Run;
  readonly cells = new Map<number, Cell>();
  private readonly open = new Set<Cell>(); // cells in progress
  // totals of cells whose events have not arrived yet: the server sends both concurrently
  private early = new Map<number, CellCalls>();

  constructor(readonly path = "") {}

  private touch(c: { v: number; turn?: Turn; run?: Run }) {
    this.v++;
    c.v++;
    if (c.turn) { c.turn.v++; c.turn.run.v++; }
    if (c.run) c.run.v++;
  }

  private get turn(): Turn | undefined {
    return this.run?.end ? undefined : this.run?.turns[this.run.turns.length - 1];
  }

  private note(e: Event, about: string, text: string, detail?: Text) {
    const note: Note = { kind: "note", seq: e.seq, v: 0, about, text, detail };
    const cell = e.data.cell ? this.cells.get(e.data.cell) : undefined;
    if (cell) { cell.notes.push(note); this.touch(cell); }
    else if (this.turn) { this.turn.notes.push(note); this.touch(this.turn); }
    else if (this.run && !this.run.end) { this.run.notes.push(note); this.touch(this.run); }
    else { this.items.push(note); this.v++; }
  }

  hear(e: Event) {
    const d = e.data;
    switch (e.type) {
      case "run_started": this.runStarted(e); break;
      case "message_added": // only the first: later ones are shown as cells and notes
        if (this.run && !this.run.first && ["question", "more", "review"].includes(d.kind))
          this.run.first = { seq: e.seq, text: d.content };
        break;
      case "turn_started": this.turnStarted(e); break;
      case "reply_delta": this.delta(e); break;
      case "reply_received": this.received(e); break;
      case "cell_started": this.cellStarted(e); break;
      case "cell_printed": this.printed(e); break;
      case "cell_ended": this.cellEnded(e); break;
      case "sub_call_started": case "sub_call_ended": this.call(e); break;
      case "run_ended": this.runEnded(e); break;
      case "undone": this.undone(d.runs); break;
      case "reviewed": if (this.run) { this.run.reviewed = d; this.touch(this.run); } break;
      case "turn_failed":
        this.note(e, d.kind.replaceAll("_", " "), d.message);
        if (this.turn) this.turn.streaming = false;
        break;
      case "call_retried": this.retried(e); break;
      case "engine_moved": {
        const c = this.cells.get(d.cell);
        this.restoring = "";
        if (c) { c.moved = d.why; this.touch(c); }
        break;
      }
      case "restoring": this.restoring = `${d.cells} of ${d.of} cells`; break;
      case "restored": this.restored(e); break;
      default: this.remark(e);
    }
  }

  private remark(e: Event) {
    const d = e.data;
    switch (e.type) {
      case "context_added":
        this.note(e, "context",
          `${d.documents} ${d.documents === 1 ? "document" : "documents"}, ${d.size.toLocaleString("en")} bytes${d.skipped?.length ? `; left out: ${d.skipped.join("; ")}` : ""}`);
        break;
      case "limit_reached": this.note(e, "limit",
        `${d.limit}: ${d.used} of ${d.bound} used; the model has one last turn`); break;
      case "warned": this.note(e, d.about || "warning", d.text); break;
      case "nudged": this.note(e, "nudge", d.text); break;
      case "signal_ignored": this.note(e, "signal", `${d.signal} does not count: ${d.reason}`); break;
      case "compacted": this.note(e, "compaction", `a summary replaces ${d.messages} older messages`,
        d.summary); break;
      case "fell_back": this.note(e, "model", `${d.to} answers instead of ${d.model} (${d.reason})`); break;
      case "resumed": this.note(e, "resumed", `after a pause of ${Math.round(d.pause / 1e9)} s`); break;
    }
  }

  private runStarted(e: Event) {
    const d = e.data;
    this.run = {
      kind: "run", seq: e.seq, v: 0, number: d.number, question: d.question, model: d.model, began: e.time ?? "",
      turns: [], notes: [], review: d.review, spent: {}, earlier: this.run,
    };
    this.items.push(this.run);
    this.v++;
  }

  private turnStarted(e: Event) {
    if (!this.run) return;
    this.run.turns.push({
      kind: "turn", seq: e.seq, v: 0, number: e.turn ?? 0, what: kinds[e.data.kind ?? ""] ?? e.data.kind,
      began: e.time ?? "", content: "", reasoning: "",
      streaming: true, cells: [], notes: [], run: this.run,
    });
    this.touch(this.run);
  }

  private delta(e: Event) {
    const t = this.turn;
    if (!t?.streaming) return;
    if (e.data.restart) t.content = t.reasoning = "";
    t.content += e.data.content ?? "";
    t.reasoning += e.data.reasoning ?? "";
    t.retry = undefined;
    this.touch(t);
  }

  private received(e: Event) {
    const d = e.data, t = this.turn;
    if (!t) return;
    Object.assign(t, {
      streaming: false, reply: d.content, thought: d.reasoning, replySeq: e.seq, model: d.model, usage: d.usage,
      duration: d.duration, attempts: d.attempts,
      finish: d.finish_reason, retry: undefined,
    });
    if (typeof d.content === "string") t.content = d.content;
    if (typeof d.reasoning === "string") t.reasoning = d.reasoning;
    this.spend(t.run, d.model, d.usage);
    this.touch(t);
  }

  private spend(run: Run | undefined, model: string, u?: Usage) {
    if (!run || !u || !model) return;
    const s = (run.spent[model] ??= { prompt: 0, completion: 0, cached: 0, cost: 0, calls: 0 });
    s.calls++;
    s.prompt += u.prompt ?? 0;
    s.completion += u.completion ?? 0;
    s.cached! += u.cached ?? 0;
    s.cost = s.cost === null || u.cost === undefined || u.cost === null ? null : s.cost! + u.cost;
  }

  private retried(e: Event) {
    const d = e.data, text =
      `${d.model}: ${d.reason}; try ${d.attempt} of ${d.tries} in ${Math.round(d.wait / 1e8) / 10} s`;
    const c = d.cell && this.cells.get(d.cell);
    if (c) return; // the cell's bar counts its sub-calls
    if (this.turn) { this.turn.retry = text; this.touch(this.turn); }
  }

  private cellStarted(e: Event) {
    const d = e.data, own = !!d.own, t = own ? undefined : this.turn;
    const c: Cell = {
      kind: "cell", seq: e.seq, v: 0, number: d.cell, path: this.path, source: d.source, own, replaces: d.replaces,
      output: "", truncated: 0, began: e.time ?? "",
      ended: false, stopped: false, ok: true, notes: [], turn: t,
    };
    const taken = this.cells.get(d.cell), sums = this.early.get(d.cell);
    if (sums && taken?.calls === sums) taken.calls = undefined; // an undone cell had the same number
    c.calls = sums;
    this.cells.set(d.cell, c);
    this.open.add(c);
    (t ? t.cells : this.items).push(c);
    this.touch(c);
  }

  private printed(e: Event) {
    const c = this.cells.get(e.data.cell);
    if (!c || c.ended) return;
    c.output = e.data.restart ? e.data.text : c.output + e.data.text;
    this.touch(c);
  }

  private cellEnded(e: Event) {
    const d = e.data, c = this.cells.get(d.cell);
    if (!c) return;
    this.open.delete(c);
    this.restoring = "";
    Object.assign(c, {
      ended: true, stopped: false, ok: d.ok, output: d.output ?? "", truncated: d.truncated_bytes ?? 0,
      result: d.result ?? {}, endSeq: e.seq, duration: d.result?.duration,
    });
    this.touch(c);
  }

  // Counts a single sub-call of a cell, where the server sends no totals.
  private call(e: Event) {
    const d = e.data, c = this.cells.get(d.cell);
    if (!c) return;
    const s: CellCalls = (c.calls ??= {
      cell: d.cell, path: this.path, total: 0, started: 0, ended: 0, failed: 0, cached: 0, tokens: 0, cost: 0,
    });
    if (e.type === "sub_call_started") {
      s.started++;
      s.first ??= e.time;
      s.total = Math.max(s.total, s.started, d.size ?? 0);
      if (d.child) s.children = (s.children ?? 0) + 1;
    } else {
      const u = d.usage ?? {};
      s.ended++;
      s.last = e.time;
      s.tokens += (u.prompt ?? 0) + (u.completion ?? 0);
      s.cost = s.cost === null || u.cost === undefined ? s.cost : s.cost + u.cost;
      if (d.error) s.failed++;
      if (d.cached) s.cached!++;
      this.spend(this.run, d.model, d.usage);
    }
    this.touch(c);
  }

  /** sum sets the totals of a cell's sub-calls. */
  sum(s: CellCalls) {
    const c = this.cells.get(s.cell);
    if (!c) {
      this.early.set(s.cell, s);
      return;
    }
    this.early.delete(s.cell);
    c.calls = s;
    this.touch(c);
  }

  private runEnded(e: Event) {
    if (!this.run) return;
    for (const t of this.run.turns) t.streaming = false;
    this.run.end = e.data;
    this.run.endSeq = e.seq;
    this.touch(this.run);
    for (const t of this.run.turns) t.v++;
    this.rest("");
  }

  /**
   * rest receives the session's current task; "" if there is none. Cells in progress that the task does not
   * continue were stopped.
   */
  rest(doing: string) {
    if (!doing) this.restoring = "";
    for (const c of this.open) {
      const run = c.turn?.run, goes = doing && (!run || (run === this.run && (!run.end || doing === "resume")));
      if (c.stopped === !goes) continue;
      c.stopped = !goes;
      this.touch(c);
    }
    const t = this.turn;
    if (!doing && t?.streaming) { t.streaming = false; this.touch(t); }
  }

  private undone(n: number) {
    const runs = this.items.filter((i): i is Run => i.kind === "run" && !i.undone);
    for (const r of runs.slice(-n)) { r.undone = true; this.touch(r); }
  }

  private restored(e: Event) {
    const d = e.data;
    this.restoring = "";
    if (d.lost?.length) this.note(e, "variables", `gone: ${d.lost.join(", ")}${d.why ? ` (${d.why})` : ""}`);
    if (d.differing?.length)
      this.note(e, "variables", `not as before: ${d.differing.join(", ")}${d.why ? ` (${d.why})` : ""}`);
  }
}
