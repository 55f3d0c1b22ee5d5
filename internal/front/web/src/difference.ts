// Line-by-line differences between two texts.

/** Difference is a line that is in both texts ("same"), or in only one of them. */
export interface Difference { kind: "same" | "before" | "after"; line: string }

const most = 600; // maximum lines of each text that are compared one by one

/** differences lists the changes from one text to the other. If too many lines differ, they are one block. */
export function differences(before: string, after: string): Difference[] {
  const a = before.split("\n"), b = after.split("\n");
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (lines: string[]): Difference[] => lines.map((line) => ({ kind: "same", line }));
  return [...same(a.slice(0, head)), ...between(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail))];
}

// The longest common sequence of lines stays; all other lines are removed or added.
function between(a: string[], b: string[]): Difference[] {
  if (a.length > most || b.length > most)
    return [...a.map((line): Difference => ({ kind: "before", line })),
      ...b.map((line): Difference => ({ kind: "after", line }))];
  const long = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      long[i][j] = a[i] === b[j] ? long[i + 1][j + 1] + 1 : Math.max(long[i + 1][j], long[i][j + 1]);
  const out: Difference[] = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { out.push({ kind: "same", line: a[i++] }); j++; }
    else if (j >= b.length || (i < a.length && long[i + 1][j] >= long[i][j + 1]))
      out.push({ kind: "before", line: a[i++] });
    else out.push({ kind: "after", line: b[j++] });
  }
  return out;
}
