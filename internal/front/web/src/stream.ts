// This tab's subscriptions: they use the hub shared by all tabs, or a hub of the tab if the browser has no shared
// workers.

import { base } from "./base";
import type { Event } from "./event";
import { Hub, type Heard } from "./connection";

type Hear = (events: Event[]) => void;

declare const WORKER: string; // file name of the worker, set by the build

const following = new Map<string, Set<Hear>>();
const connected = new Set<(yes: boolean) => void>();
let online = true;
let tell: ((m: { do: string; id?: string }) => void) | undefined;

function heard(h: Heard) {
  if ("online" in h) {
    online = h.online;
    for (const c of connected) c(online);
    return;
  }
  for (const hear of following.get(h.session) ?? []) hear(h.events);
}

function start(): (m: { do: string; id?: string }) => void {
  if (tell) return tell;
  if (typeof SharedWorker !== "undefined") {
    const worker = new SharedWorker(base + "/assets/" + WORKER, { type: "module", name: "rlm" });
    worker.port.onmessage = (m) => heard(m.data);
    tell = (m) => worker.port.postMessage(m);
  } else {
    const hub = new Hub();
    tell = (m) => {
      if (m.do === "follow") hub.follow(m.id!, heard);
      else if (m.do === "leave") hub.leave(m.id!, heard);
      else if (m.do === "join") hub.join(heard);
      else hub.bye(heard);
    };
  }
  const say = tell;
  const join = () => {
    say({ do: "join" });
    for (const id of following.keys()) if (id !== "*") say({ do: "follow", id });
  };
  addEventListener("pagehide", () => say({ do: "bye" }));
  addEventListener("pageshow", (e) => { if (e.persisted) join(); });
  say({ do: "join" });
  return tell;
}

/**
 * follow receives the past and future events of a session, of the list of sessions ("*") or of the batches
 * (theBatches). It returns a function that ends this.
 */
export function follow(id: string, hear: Hear): () => void {
  const say = start();
  const readers = following.get(id) ?? new Set();
  following.set(id, readers.add(hear));
  if (id !== "*") say({ do: "follow", id });
  return () => {
    readers.delete(hear);
    if (readers.size) return;
    following.delete(id);
    if (id !== "*") say({ do: "leave", id });
  };
}

/** watchConnection reports whether the server can be reached, now and whenever that changes. */
export function watchConnection(hear: (yes: boolean) => void): () => void {
  connected.add(hear);
  hear(online);
  return () => connected.delete(hear);
}
