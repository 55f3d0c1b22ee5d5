// The server's address: behind a proxy it may be below a path, which the page takes from the address of its
// scripts.

/** base is the path that all addresses of the server begin with; empty at the root. */
export const base = import.meta.url ? new URL(import.meta.url).pathname.replace(/\/assets\/[^/]*$/, "") : "";
