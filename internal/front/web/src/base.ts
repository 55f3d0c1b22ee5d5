// The server's address. Behind a proxy the server may be below a path, which the page takes from the address of
// its scripts.

/** base is the path with which all addresses of the server begin; "" if the server is at the root. */
export const base = import.meta.url ? new URL(import.meta.url).pathname.replace(/\/assets\/[^/]*$/, "") : "";
