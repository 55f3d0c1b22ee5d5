// One connection to the server for all that is followed. It runs once for all tabs where the browser can do that, else in each.

import { base } from "./base";
import { transient, type Event } from "./event";

/** Heard is what the hub tells those who follow: events of a session, of the list ("*") or of the batches ("*batches"), or whether the server answers. */
export type Heard = { session: string; events: Event[] } | { online: boolean };

/** theBatches stands for the batches among what is followed: the server tells those who ask for them. */
export const theBatches = "*batches";

type Hear = (h: Heard) => void;

// A server says something every 15 seconds. A connection that is silent for longer is dead, also where nothing says so: after the sleep of a
// machine, behind a tunnel that is gone.
const silence = 40_000, look = 5_000; // milliseconds

/** Followed is a session that somebody follows: all that was heard of it, for those who join later. */
class Followed {
  readonly readers = new Set<Hear>();
  readonly log: Event[] = [];
  readonly passing = new Map<string, Event>(); // the newest of what is not in the log
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

  // A piece is added to those before it, so that one who joins gets the text so far.
  private pass(e: Event) {
    const key = `${e.type} ${e.path ?? ""} ${e.data.cell ?? ""}`;
    const before = this.passing.get(key);
    let data = { ...e.data };
    if (e.type === "reply_delta") {
      const old = before && !e.data.restart ? before.data : {};
      data = { restart: true, content: (old.content ?? "") + (e.data.content ?? ""), reasoning: (old.reasoning ?? "") + (e.data.reasoning ?? "") };
    } else if (e.type === "cell_printed") {
      data = { cell: e.data.cell, restart: true, text: (before && !e.data.restart ? before.data.text : "") + e.data.text };
    } else if (e.type === "calls") {
      const cells = new Map([...(before?.data.cells ?? []), ...e.data.cells].map((c) => [`${c.path ?? ""} ${c.cell}`, c]));
      data = { cells: [...cells.values()] };
    }
    if (e.type === "state") this.passing.delete("gone  "); // it is there again
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
  private heard = 0; // when the server said something
  private watch?: ReturnType<typeof setInterval>;

  /** join takes a reader in; follow and leave say what it wants to hear. */
  join(hear: Hear) {
    this.readers.add(hear);
    hear({ online: this.online });
    if (!this.source && !this.again) this.reopen();
    this.watch ??= setInterval(() => { if (this.source && !this.again && Date.now() - this.heard > silence) this.reopen(); }, look);
  }

  follow(id: string, hear: Hear) {
    let f = this.all.get(id);
    if (!f) this.all.set(id, (f = new Followed()));
    this.flush(); // what is under way goes to those who were there
    f.readers.add(hear);
    if (f.log.length || f.passing.size) hear({ session: id, events: [...f.log, ...f.passing.values()] });
    if (f.readers.size === 1 || id === theBatches) this.reopen(); // who joins hears all batches at the beginning
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

  // The connection says behind which event each session is followed, so that a new one goes on where the old one was.
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
    source.onerror = () => { // also when the server answered with an error: the browser would give up
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
      for (const r of m.session === "*" ? this.readers : (this.all.get(theBatches)?.readers ?? [])) r({ session: m.session, events: [m.event] });
      return;
    }
    this.all.get(m.session)?.hear(m.event);
    if (this.flushing) return;
    this.flushing = true; // many events come at once: they are handed on together
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
