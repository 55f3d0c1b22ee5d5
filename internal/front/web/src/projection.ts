// What this page knows about a session from its events: the notebook and the session's state.

import { transient, type Event, type SessionState, type Spent } from "./event";
import { Scope } from "./model";

/** Projection is the state of a followed session, derived from its events. */
export class Projection {
  readonly root = new Scope();
  name = "";
  seq = 0;
  state: SessionState = { open: false };
  spent?: Spent;
  failed?: { doing?: string; code?: string; message: string };
  gone = "";
  reading = "";
  /** context is the number of the latest event that changed the context. */
  context = 0;
  /** whole means that all past events have been received; after them, only the current state may follow. */
  whole = false;
  /** children are the child runs whose events are sent individually. */
  readonly children = new Map<string, Scope>();

  /** hear receives the next event. It ignores events that are already known. */
  hear(e: Event) {
    if (!transient(e)) {
      if (e.seq <= this.seq) return;
      this.seq = e.seq;
    }
    if (e.path) return this.below(e);
    const d = e.data;
    switch (e.type) {
      case "state": this.state = d; this.gone = ""; this.whole = true; this.root.v++;
        this.root.rest(d.doing || (d.elsewhere ? "elsewhere" : "")); break;
      case "spent": this.spent = d; break;
      case "failed": this.failed = d; break;
      case "gone": this.gone = d.message; break;
      case "renamed": this.name = d.name; break;
      case "calls": for (const c of d.cells) this.scope(c.path ?? "")?.sum(c); break;
      case "reading": this.reading = d.of ? `reading ${d.documents} of ${d.of} files`
        : `reading ${d.bytes.toLocaleString("en")} bytes`; break;
      default:
        if (e.type === "run_started") this.failed = undefined;
        if (e.type === "context_added") { this.reading = ""; this.context = e.seq; }
        this.root.hear(e);
    }
  }

  private below(e: Event) {
    let s = this.children.get(e.path!);
    if (!s) this.children.set(e.path!, (s = new Scope(e.path)));
    s.hear(e);
  }

  private scope(path: string): Scope | undefined { return path ? this.children.get(path) : this.root; }

  /** busy is the current task; empty if the session is free. */
  get busy(): string { return this.state.doing ?? ""; }

  /** run is the latest question that was not undone. */
  get run() {
    const runs = this.root.items.filter((i) => i.kind === "run" && !i.undone);
    const last = runs[runs.length - 1];
    return last?.kind === "run" ? last : undefined;
  }

  /**
   * resumable returns why the last question can be resumed: it was interrupted or reached a limit; "" if it
   * cannot.
   */
  get resumable(): "" | "interrupted" | "limited" {
    const run = this.run;
    if (!run || this.busy) return "";
    if (!run.end) return "interrupted";
    return run.end.ended_by === "limit" ? "limited"
      : ["interrupt", "error", "endpoint"].includes(run.end.ended_by) ? "interrupted" : "";
  }

  get title(): string {
    if (this.name) return this.name;
    for (const i of this.root.items) if (i.kind === "run") return i.question;
    return "New session";
  }
}
