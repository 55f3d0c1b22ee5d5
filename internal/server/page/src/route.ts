// Addresses: /s/ID is a session, ?view= what is open beside it, #eSEQ a question, turn or cell.

import { useEffect, useState } from "preact/hooks";

export type View = "" | "context" | "variables" | "trace";

export interface Route { id: string; view: View }

export function here(): Route {
  const view = new URLSearchParams(location.search).get("view") ?? "";
  return { id: decodeURIComponent(location.pathname.match(/^\/s\/([^/]+)/)?.[1] ?? ""), view: ["context", "variables", "trace"].includes(view) ? (view as View) : "" };
}

export function address(id: string, view: View = "", seq?: number): string {
  return (id ? "/s/" + encodeURIComponent(id) : "/") + (view ? "?view=" + view : "") + (seq ? "#e" + seq : "");
}

/** go shows another address of the page. */
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

/** show scrolls to the place that the address names, if it is there, and says whether it is. */
export function show(): boolean {
  if (!/^#e\d+$/.test(location.hash)) return true;
  const place = document.querySelector(location.hash);
  for (const old of document.querySelectorAll(".pointed")) old.classList.remove("pointed");
  place?.scrollIntoView({ block: "start" });
  place?.classList.add("pointed");
  return !!place;
}
