// How numbers are written.

export function count(n: number, word: string): string { return `${whole(n)} ${word}${n === 1 ? "" : "s"}`; }

const english = new Intl.NumberFormat("en"); // making one takes longer than all that it writes

export function whole(n: number): string { return english.format(n); }

export function money(cost: number | null | undefined): string {
  if (cost === null || cost === undefined) return "cost unknown";
  return "$" + (cost !== 0 && cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2));
}

/** time writes nanoseconds. */
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

/** when writes a moment: the time of today, the day of others. */
export function when(iso: string): string {
  const d = new Date(iso);
  if (!(d.getFullYear() > 1)) return ""; // of what has no time yet
  const today = new Date().toDateString() === d.toDateString();
  return today ? d.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : d.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}

/** named is a name in a line of others: signs that change the direction of what stands behind them are shown and not obeyed. */
export function named(text: string): string { return text.replace(turning, "\ufffd"); }

/** turning finds the signs that change the direction of a text. */
export const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** firstLine is a text's first line that says something, cut to most characters. */
export function firstLine(text: string, most: number): string {
  const line = named(text.split("\n").find((l) => l.trim()) ?? "");
  return line.length > most ? line.slice(0, most - 1) + "…" : line;
}

/** plain takes the signs of Markdown out of a line. */
export function plain(line: string): string { return line.replace(/^\s*(#+|[-*>]|\d+\.)\s+/, "").replace(/\*\*|__|`|\[\^\w+\]/g, ""); }
