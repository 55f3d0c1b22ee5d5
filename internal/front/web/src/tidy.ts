// Deletes the drafts of deleted sessions.

import { api } from "./api";
import { forget, keptIDs, remember } from "./drafts";
import { follow } from "./stream";

const old = 7 * 24 * 3600e3; // milliseconds

/** tidy deletes drafts while the page is open. */
export function tidy() {
  follow("*", (events) => {
    for (const e of events) {
      if (e.type === "removed") forget(e.data.id);
      if (e.type === "session") remember(e.data.id); // the session is shared again
    }
  });
  // Nothing reports sessions that were deleted while no page was open. Another server or user may have had this
  // address, so recent drafts stay.
  for (const [id, at] of keptIDs())
    if (Date.now() - at > old) api.session(id).catch((e) => { if (e.code === "not_found") forget(id); });
}
