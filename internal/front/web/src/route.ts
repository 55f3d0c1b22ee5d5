// Addresses: /s/ID is a session, ?view= the panel beside it, and #eSEQ a question, turn or cell. /batches is the
// list of batches, and /batches/ID a batch, whose jobs are filtered by ?jobs=.

import { useEffect, useState } from "preact/hooks";
import { base } from "./base";

export type View = "" | "context" | "variables" | "trace";

/** Route is the content of an address. batch is "" for the list of batches, and undefined outside of batches. */
export interface Route { id: string; view: View; batch?: string; jobs: string }

export function here(): Route {
  const q = new URLSearchParams(location.search), view = q.get("view") ?? "";
  const path = location.pathname.slice(base.length),
    part = (pattern: RegExp) => decodeURIComponent(path.match(pattern)?.[1] ?? "");
  return {
    id: part(/^\/s\/([^/]+)/), view: ["context", "variables", "trace"].includes(view) ? (view as View) : "",
    batch: /^\/batches(\/|$)/.test(path) ? part(/^\/batches\/([^/]+)/) : undefined, jobs: q.get("jobs") ?? "",
  };
}

export function address(id: string, view: View = "", seq?: number): string {
  return base + (id ? "/s/" + encodeURIComponent(id) : "/") + (view ? "?view=" + view : "") + (seq ? "#e" + seq : "");
}

/** addressOfBatch returns the address of a batch, or of the list if id is "". */
export function addressOfBatch(id = "", jobs = ""): string {
  return base + "/batches" + (id ? "/" + encodeURIComponent(id) : "") + (jobs ? "?jobs=" + jobs : "");
}

/** go navigates to another address of the page. */
export function go(to: string, replace = false) {
  history[replace ? "replaceState" : "pushState"](null, "", to);
  dispatchEvent(new PopStateEvent("popstate"));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(here());
  useEffect(() => {
    const moved = () => setRoute(here());
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  return route;
}

/** show scrolls to the element in the address, and reports whether it exists. */
export function show(): boolean {
  if (!/^#e\d+$/.test(location.hash)) return true;
  const place = document.querySelector(location.hash);
  for (const old of document.querySelectorAll(".pointed")) old.classList.remove("pointed");
  place?.scrollIntoView({ block: "start" });
  place?.classList.add("pointed");
  return !!place;
}
