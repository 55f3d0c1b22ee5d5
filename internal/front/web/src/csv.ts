// A table as CSV, by the same rules as those of results of a batch (internal/fleet/csv.go).

export type Value = string | number | null;

export function csv(names: string[], rows: Value[][]): string {
  const field = (v: Value) => {
    const text = typeof v === "string" ? guarded(v) : String(v ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows].map((r) => r.map(field).join(",")).join("\r\n") + "\r\n";
}

// guarded keeps a text from being taken for a formula by a spreadsheet: documents and models wrote it. Where lists are
// separated by semicolons or tabs, quotes do not keep a text together, so each part of it could begin a cell.
export function guarded(text: string): string {
  return (text.match(/[^;\t\r\n]*[;\t\r\n]|[^;\t\r\n]+$/g) ?? []).reduce((done, part) =>
    done + ((done === "" && /^[\t\r]/.test(part)) || formula(part, done.endsWith("\n")) ? "'" : "") + part, "");
}

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

// formula says whether a spreadsheet computes a cell that begins with the part. Quotes and what is not seen do not keep
// it from that. A line that begins with a sign is an item of a list far more often than a formula.
function formula(part: string, line: boolean): boolean {
  const seen = part.replace(/^["\p{Cc}\p{Cf}]+/u, "");
  return (line ? /^[=@＝＠]/ : /^[=@＝＠+\-＋－]/).test(seen) && !number.test(seen.replace(/[";\t\r\n]+$/, ""));
}
