// What was typed for sessions that are deleted is dropped.

import { api } from "./api";
import { forget, keptIDs, remember } from "./drafts";
import { follow } from "./stream";

const old = 7 * 24 * 3600e3; // milliseconds

/** tidy drops it as long as the page is there. */
export function tidy() {
  follow("*", (events) => {
    for (const e of events) {
      if (e.type === "removed") forget(e.data.id);
      if (e.type === "session") remember(e.data.id); // it is shared again
    }
  });
  // Nobody told of those that went while no page was open. Another server or another user may have had this address, so what is new stays.
  for (const [id, at] of keptIDs()) if (Date.now() - at > old) api.session(id).catch((e) => { if (e.code === "not_found") forget(id); });
}
