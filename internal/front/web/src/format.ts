// Formats of numbers and times.

export function count(n: number, word: string): string { return `${whole(n)} ${word}${n === 1 ? "" : "s"}`; }

const english = new Intl.NumberFormat("en"); // creating it is slower than formatting many numbers

export function whole(n: number): string { return english.format(n); }

export function money(cost: number | null | undefined): string {
  if (cost === null || cost === undefined) return "cost unknown";
  return "$" + (cost !== 0 && cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2));
}

/** sum formats a cost; unknown means that some prices are unknown. */
export function sum(cost: number,
  unknown: boolean): string { return !unknown ? money(cost) : cost > 0 ? `at least ${money(cost)}` : money(null); }

/** against formats a cost and its budget, which cannot be enforced if prices are unknown. */
export function against(budget: number | undefined, cost: number, unknown: boolean): string {
  const spent = sum(cost, unknown);
  if (!budget || budget < 0) return spent;
  return unknown ? `${spent}: the budget of ${money(budget)} cannot be enforced` : `${spent} of ${money(budget)}`;
}

/** time formats nanoseconds. */
export function time(ns: number | undefined): string {
  if (!ns) return "";
  const s = ns / 1e9;
  if (s < 1) return `${Math.max(1, Math.round(s * 1000))} ms`;
  if (s < 60) return `${s.toFixed(1)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;
}

export function size(bytes: number): string {
  if (bytes < 1000) return count(bytes, "byte");
  const units = ["kB", "MB", "GB", "TB"];
  let n = bytes, i = -1;
  while (n >= 999.5 && i < units.length - 1) { n /= 1000; i++; }
  return `${n < 10 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

/** when formats a point in time: as a time if it is today, otherwise as a day. */
export function when(iso: string): string {
  const d = new Date(iso);
  if (!(d.getFullYear() > 1)) return ""; // the zero time of Go means none
  const today = new Date().toDateString() === d.toDateString();
  return today ? d.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : d.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}

/**
 * named returns a name for use within a line. Characters that would change the direction of the following text
 * become visible.
 */
export function named(text: string): string { return text.replace(turning, "\ufffd"); }

/** sourceOf describes where a passage is: the document, the part of it, and the cells of a sheet or the line. */
export function sourceOf(
    e: { document?: string; part?: string; cells?: string; line?: number; offset: number }): string {
  return [named(e.document ?? ""), e.part,
    e.cells || (e.line ? `line ${whole(e.line)}` : `byte ${whole(e.offset)}`)].filter(Boolean).join(", ");
}

/** turning matches characters that change the direction of a text. */
export const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** firstLine returns the first line of a text that is not blank, cut to at most most characters. */
export function firstLine(text: string, most: number): string {
  const line = named(text.split("\n").find((l) => l.trim()) ?? "");
  return line.length > most ? line.slice(0, most - 1) + "…" : line;
}

/** plain removes Markdown syntax from a line. */
export function plain(line: string): string {
  return line.replace(/^\s*(#+|[-*>]|\d+\.)\s+/, "").replace(/\*\*|__|`|\[\^\w+\]/g, "");
}
