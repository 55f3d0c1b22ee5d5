// Tables as CSV, with the same rules as for the results of a batch (internal/fleet/csv.go).

export type Value = string | number | null;

export function csv(names: string[], rows: Value[][]): string {
  const field = (v: Value) => {
    const text = typeof v === "string" ? guarded(v) : String(v ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows].map((r) => r.map(field).join(",")).join("\r\n") + "\r\n";
}

// guarded prevents spreadsheets from running text of documents or models as a formula. Spreadsheets that separate
// cells by semicolons or tabs ignore quotes, so that each part of a text could begin a cell.
export function guarded(text: string): string {
  return (text.match(/[^;\t\r\n]*[;\t\r\n]|[^;\t\r\n]+$/g) ?? []).reduce((done, part) =>
    done + ((done === "" && /^[\t\r]/.test(part)) || formula(part, done.endsWith("\n")) ? "'" : "") + part, "");
}

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

// formula reports whether a spreadsheet would compute a cell that begins with the part, ignoring quotes and
// invisible characters. If a line begins with a sign, it is far more often a list item than a formula.
function formula(part: string, line: boolean): boolean {
  const seen = part.replace(/^["\p{Cc}\p{Cf}]+/u, "");
  return (line ? /^[=@＝＠]/ : /^[=@＝＠+\-＋－]/).test(seen) && !number.test(seen.replace(/[";\t\r\n]+$/, ""));
}
