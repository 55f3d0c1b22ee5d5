// Updates of batches while the page is visible.

import { useEffect, useRef } from "preact/hooks";
import type { Batch } from "./api";
import type { Event } from "./event";
import { theBatches } from "./connection";
import { follow, watchConnection } from "./stream";

/**
 * useBatches receives changes of batches while the page is visible. It calls ask at the beginning, and when
 * changes may have been missed.
 */
export function useBatches(changed: (b: Batch) => void, removed: (id: string) => void, ask: () => void) {
  const now = useRef({ changed, removed, ask });
  now.current = { changed, removed, ask };
  useEffect(() => {
    const hear = (events: Event[]) => {
      for (const e of events) {
        if (e.type === "batch") now.current.changed(e.data);
        if (e.type === "batch_removed") now.current.removed(e.data.id);
      }
    };
    let stop: (() => void) | undefined;
    const look = () => {
      if (!document.hidden === !!stop) return;
      if (stop) { stop(); stop = undefined; return; }
      now.current.ask();
      stop = follow(theBatches, hear);
    };
    look();
    addEventListener("visibilitychange", look);
    let lost = false;
    const unwatch = watchConnection((yes) => {
      if (yes && lost) now.current.ask();
      lost = !yes;
    });
    return () => { stop?.(); removeEventListener("visibilitychange", look); unwatch(); };
  }, []);
}
