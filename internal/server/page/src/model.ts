// What happened in a session, as the notebook shows it: made from its events, one by one.

import type { Event, SessionState, Text } from "./api";

export interface SubCall {
  key: string; seq: number; index?: number; size?: number; impl: string; model?: string; prompt: Text; child?: string;
  reply?: Text; error?: string; tokens: number; cost: number | null; cached?: boolean; ended?: number; duration?: number;
}

export interface Cell {
  kind: "cell"; seq: number; number: number; source: string; own: boolean; output: string; truncated: number;
  ended: boolean; ok: boolean; result?: any; calls: SubCall[]; byKey: Map<string, SubCall>; since: string; moved?: string;
}

export interface Turn {
  kind: "turn"; seq: number; number: number; what: string; content: string; reasoning: string; streaming: boolean; reply?: Text;
  cells: Cell[]; notes: Note[]; model?: string; usage?: any; retry?: string;
}

export interface Note { kind: "note"; seq: number; about: string; text: string }

export interface Run {
  kind: "run"; seq: number; number: number; question: string; model: string; turns: Turn[]; notes: Note[]; end?: any; undone?: boolean;
  reviewed?: { approved: boolean; note?: string };
}

export type Item = Run | Cell | Note;

/** Notebook is all of a session that is shown. version grows with every change. */
export class Notebook {
  items: Item[] = [];
  name = "";
  seq = 0;
  version = 0;
  state: SessionState = { open: false };
  failed = "";
  restoring = "";
  children = new Map<string, { turns: number; ended: boolean }>();
  private cells = new Map<string, Cell>();
  private run?: Run;

  private turn(e: Event): Turn | undefined {
    const turns = this.run?.turns;
    return turns?.[turns.length - 1];
  }

  private note(e: Event, about: string, text: string) {
    const note: Note = { kind: "note", seq: e.seq, about, text };
    if (this.run && !this.run.end) (this.turn(e)?.notes ?? this.run.notes).push(note);
    else this.items.push(note);
  }

  /** hear takes the next event. One that was heard is left out. */
  hear(e: Event) {
    const transient = ["reply_delta", "cell_printed", "call_retried", "restoring", "state", "failed"].includes(e.type);
    if (!transient) {
      if (e.seq <= this.seq) return;
      this.seq = e.seq;
    }
    this.version++;
    if (e.path) this.hearChild(e);
    else this.hearRoot(e);
  }

  private hearChild(e: Event) {
    const child = this.children.get(e.path!) ?? { turns: 0, ended: false };
    if (e.type === "turn_started") child.turns++;
    if (e.type === "run_ended") child.ended = true;
    this.children.set(e.path!, child);
  }

  private hearRoot(e: Event) {
    const d = e.data;
    switch (e.type) {
      case "state":
        this.state = d;
        if (!d.doing) this.restoring = "";
        break;
      case "failed": this.failed = d.message; break;
      case "run_started":
        this.failed = "";
        this.run = { kind: "run", seq: e.seq, number: d.number, question: d.question, model: d.model, turns: [], notes: [] };
        this.items.push(this.run);
        break;
      case "turn_started":
        this.run?.turns.push({
          kind: "turn", seq: e.seq, number: e.turn ?? 0, what: d.kind ?? "", content: "", reasoning: "", streaming: true, cells: [], notes: [],
        });
        break;
      case "reply_delta": this.delta(e); break;
      case "reply_received": this.received(e); break;
      case "turn_failed": {
        const t = this.turn(e);
        if (t) t.streaming = false;
        this.note(e, d.kind, d.message);
        break;
      }
      case "call_retried": {
        const t = this.turn(e);
        if (t && !d.cell) t.retry = `${d.model}: ${d.reason}, try ${d.attempt} of ${d.tries}`;
        break;
      }
      case "cell_started": this.cellStarted(e); break;
      case "cell_printed": {
        const c = this.cells.get("" + d.cell);
        if (c && !c.ended) c.output += d.text;
        break;
      }
      case "cell_ended": this.cellEnded(e); break;
      case "sub_call_started": this.callStarted(e); break;
      case "sub_call_ended": this.callEnded(e); break;
      case "run_ended":
        if (this.run) this.run.end = d;
        for (const t of this.run?.turns ?? []) t.streaming = false;
        break;
      case "renamed": this.name = d.name; break;
      case "undone": this.undone(d.runs); break;
      case "reviewed": {
        const runs = this.items.filter((i): i is Run => i.kind === "run");
        if (runs.length) runs[runs.length - 1].reviewed = d;
        break;
      }
      case "context_added": this.note(e, "context", `${d.documents} document${d.documents === 1 ? "" : "s"}, ${d.size} bytes`); break;
      case "limit_reached": this.note(e, "limit", `${d.limit}: ${d.used} of ${d.bound} used`); break;
      case "warned": this.note(e, d.about, d.text); break;
      case "nudged": this.note(e, "nudge", d.text); break;
      case "signal_ignored": this.note(e, "signal", `${d.signal} does not count: ${d.reason}`); break;
      case "compacted": this.note(e, "compaction", `${d.messages} older messages were replaced by a summary`); break;
      case "fell_back": this.note(e, "model", `${d.to} answers instead of ${d.model} (${d.reason})`); break;
      case "resumed": this.note(e, "resumed", `after a pause of ${Math.round(d.pause / 1e9)} s`); break;
      case "engine_moved": {
        const c = this.cells.get("" + d.cell);
        if (c) c.moved = d.why;
        break;
      }
      case "restoring": this.restoring = `${d.cells} of ${d.of} cells`; break;
      case "restored":
        this.restoring = "";
        for (const list of [d.lost, d.differing]) if (list?.length) this.note(e, "variables", `${list.join(", ")}: ${d.why ?? "not as before"}`);
        break;
    }
  }

  private delta(e: Event) {
    const t = this.turn(e);
    if (!t || !t.streaming) return;
    if (e.data.restart) t.content = t.reasoning = "";
    t.content += e.data.content ?? "";
    t.reasoning += e.data.reasoning ?? "";
    t.retry = undefined;
  }

  private received(e: Event) {
    const t = this.turn(e);
    if (!t) return;
    t.streaming = false;
    t.reply = e.data.content;
    if (typeof e.data.content === "string") t.content = e.data.content;
    if (typeof e.data.reasoning === "string") t.reasoning = e.data.reasoning;
    t.model = e.data.model;
    t.usage = e.data.usage;
    t.retry = undefined;
  }

  private cellStarted(e: Event) {
    const d = e.data;
    const c: Cell = {
      kind: "cell", seq: e.seq, number: d.cell, source: d.source, own: !!d.own, output: "", truncated: 0, ended: false, ok: true,
      calls: [], byKey: new Map(), since: e.time ?? "",
    };
    this.cells.set("" + d.cell, c);
    const t = this.turn(e);
    if (d.own || !t || this.run?.end) this.items.push(c);
    else t.cells.push(c);
  }

  private cellEnded(e: Event) {
    const d = e.data;
    const c = this.cells.get("" + d.cell);
    if (!c) return;
    Object.assign(c, { ended: true, ok: d.ok, output: d.output ?? "", truncated: d.truncated_bytes ?? 0, result: d.result });
  }

  private callStarted(e: Event) {
    const d = e.data;
    const c = this.cells.get("" + d.cell);
    if (!c) return;
    const call: SubCall = {
      key: d.hash + "/" + (d.n ?? 0), seq: e.seq, index: d.index, size: d.size, impl: d.impl, model: d.model, prompt: d.prompt, child: d.child,
      tokens: 0, cost: null,
    };
    c.calls.push(call);
    c.byKey.set(call.key, call);
  }

  private callEnded(e: Event) {
    const d = e.data;
    const call = this.cells.get("" + d.cell)?.byKey.get(d.hash + "/" + (d.n ?? 0));
    if (!call) return;
    const u = d.usage ?? {};
    Object.assign(call, {
      reply: d.reply, error: d.error, cached: d.cached, ended: e.seq, duration: d.duration, model: d.model ?? call.model,
      tokens: (u.prompt ?? 0) + (u.completion ?? 0), cost: u.cost ?? null,
    });
  }

  private undone(n: number) {
    const runs = this.items.filter((i): i is Run => i.kind === "run" && !i.undone);
    for (const r of runs.slice(-n)) r.undone = true;
  }
}
