// A single connection to the server for everything that is followed. All tabs share it if the browser supports
// that; otherwise each tab has its own.

import { base } from "./base";
import { transient, type Event } from "./event";

/**
 * Heard is a message of the hub: events of a session, of the list ("*") or of the batches ("*batches"), or whether
 * the server can be reached.
 */
export type Heard = { session: string; events: Event[] } | { online: boolean };

/** theBatches stands for all batches. The server sends them only on request. */
export const theBatches = "*batches";

type Hear = (h: Heard) => void;

// A server sends something at least every 15 seconds. A connection that is silent for longer is dead even if there
// is no error, for example after the machine slept, or if a tunnel is gone.
const silence = 40_000, look = 5_000; // milliseconds

/** Followed is a followed session. It stores all events so far, for readers that join later. */
class Followed {
  readonly readers = new Set<Hear>();
  readonly log: Event[] = [];
  readonly passing = new Map<string, Event>(); // the latest transient events
  at = 0;
  fresh: Event[] = [];

  hear(e: Event) {
    if (transient(e)) this.pass(e);
    else {
      if (e.seq <= this.at) return;
      this.at = e.seq;
      this.log.push(e);
      this.outdate(e);
    }
    this.fresh.push(e);
  }

  // The pieces of a reply or an output are concatenated, so that a reader that joins gets the whole text so far.
  private pass(e: Event) {
    const key = `${e.type} ${e.path ?? ""} ${e.data.cell ?? ""}`;
    const before = this.passing.get(key);
    let data = { ...e.data };
    if (e.type === "reply_delta") {
      const old = before && !e.data.restart ? before.data : {};
      data = {
        restart: true, content: (old.content ?? "") + (e.data.content ?? ""),
        reasoning: (old.reasoning ?? "") + (e.data.reasoning ?? ""),
      };
    } else if (e.type === "cell_printed") {
      data = {
        cell: e.data.cell, restart: true, text: (before && !e.data.restart ? before.data.text : "") + e.data.text,
      };
    } else if (e.type === "calls") {
      const cells = new Map([...(before?.data.cells ?? []), ...e.data.cells].map((c) =>
        [`${c.path ?? ""} ${c.cell}`, c]));
      data = { cells: [...cells.values()] };
    }
    if (e.type === "state") this.passing.delete("gone  "); // the session exists again
    this.passing.set(key, { ...e, data });
  }

  private outdate(e: Event) {
    const path = e.path ?? "";
    if (["turn_started", "reply_received", "turn_failed", "run_ended"].includes(e.type)) {
      this.passing.delete(`reply_delta ${path} `);
      this.passing.delete(`call_retried ${path} `);
    }
    if (e.type === "cell_ended") this.passing.delete(`cell_printed ${path} ${e.data.cell}`);
    if (e.type === "run_started") this.passing.delete("failed  ");
    if (e.type === "restored") this.passing.delete("restoring  ");
    if (e.type === "context_added") this.passing.delete("reading  ");
  }
}

/** Hub follows sessions for any number of readers over one connection. */
export class Hub {
  private all = new Map<string, Followed>();
  private readers = new Set<Hear>();
  private source?: EventSource;
  private again?: ReturnType<typeof setTimeout>;
  private wait = 250;
  private flushing = false;
  private online = true;
  private heard = 0; // time of the server's last message
  private watch?: ReturnType<typeof setInterval>;

  /** join adds a reader. What the reader receives is selected with follow and leave. */
  join(hear: Hear) {
    this.readers.add(hear);
    hear({ online: this.online });
    if (!this.source && !this.again) this.reopen();
    this.watch ??= setInterval(() => {
      if (this.source && !this.again && Date.now() - this.heard > silence) this.reopen();
    }, look);
  }

  follow(id: string, hear: Hear) {
    let f = this.all.get(id);
    if (!f) this.all.set(id, (f = new Followed()));
    this.flush(); // pending events are only for readers that joined earlier
    f.readers.add(hear);
    if (f.log.length || f.passing.size) hear({ session: id, events: [...f.log, ...f.passing.values()] });
    if (f.readers.size === 1 || id === theBatches) this.reopen(); // the server sends all batches to a new connection
  }

  leave(id: string, hear: Hear) {
    const f = this.all.get(id);
    if (!f?.readers.delete(hear) || f.readers.size > 0) return;
    this.all.delete(id);
    if (this.readers.size) this.reopen();
  }

  bye(hear: Hear) {
    this.readers.delete(hear);
    for (const id of [...this.all.keys()]) this.leave(id, hear);
    if (this.readers.size === 0) {
      this.source?.close();
      this.source = undefined;
      clearTimeout(this.again);
      clearInterval(this.watch);
      this.again = this.watch = undefined;
    }
  }

  // The address of the connection contains the number of the last event of each session, so that a new connection
  // continues where the old one ended.
  private reopen() {
    this.source?.close();
    clearTimeout(this.again);
    this.again = undefined;
    this.heard = Date.now();
    const q = new URLSearchParams({ detail: "brief", list: "1" });
    for (const [id, f] of this.all) {
      if (id === theBatches) q.set("batches", "1");
      else q.append("session", `${id}:${f.at}`);
    }
    const source = (this.source = new EventSource(base + "/api/v1/events?" + q));
    source.onopen = () => { this.wait = 250; this.tell(true); };
    source.onmessage = (m) => this.hear(JSON.parse(m.data));
    source.onerror = () => { // even after an error response, after which the browser would not reconnect
      if (source !== this.source) return;
      source.close();
      this.tell(false);
      this.again = setTimeout(() => this.reopen(), this.wait);
      this.wait = Math.min(2 * this.wait, 4000);
    };
  }

  private hear(m: { session: string; event: Event }) {
    this.heard = Date.now();
    if (m.session === "*" || m.session === theBatches) {
      for (const r of m.session === "*" ? this.readers : (this.all.get(theBatches)?.readers ?? []))
        r({ session: m.session, events: [m.event] });
      return;
    }
    this.all.get(m.session)?.hear(m.event);
    if (this.flushing) return;
    this.flushing = true; // deliver the events of a burst together
    setTimeout(() => { this.flushing = false; this.flush(); }, 5);
  }

  private flush() {
    for (const [session, f] of this.all) {
      if (!f.fresh.length) continue;
      const events = f.fresh;
      f.fresh = [];
      for (const r of f.readers) r({ session, events });
    }
  }

  private tell(online: boolean) {
    this.online = online;
    for (const r of this.readers) r({ online });
  }
}
