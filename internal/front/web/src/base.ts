// Where the server is: behind a proxy it may lie below a path. The scripts of the page come from there, and know it by that.

/** base is the path that all addresses of the server begin with; empty at the root. */
export const base = import.meta.url ? new URL(import.meta.url).pathname.replace(/\/assets\/[^/]*$/, "") : "";
