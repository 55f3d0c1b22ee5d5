// Large invented sessions, whose logs have the form in which the program writes them.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * make writes the log of a session with cells one to a turn, and sub-calls and variables of a last cell, and the
 * sources of its answer; it returns the session's id.
 */
export function make(dir, { cells, calls, variables = 0, evidence = [] }) {
  const id = "0madebytest", folder = join(dir, "data", "rlm", "runs", id);
  const lines = [];
  let ms = Date.parse("2026-01-01T12:00:00Z");
  const say = (type, data, turn, after = 10) =>
    lines.push(JSON.stringify({
      seq: lines.length + 1, time: new Date((ms += after)).toISOString(), ...(turn ? { turn } : {}), type, data,
    }));
  const usage = { prompt: 100, completion: 20, cost: 0.0001, cost_from: "table" };
  say("context_added", {
    size: 0, hash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", file: "", documents: 0,
  });
  say("run_started", {
    run: id, number: 1, question: "A question with much in it", mode: "response", model: "made", sandbox: "basic",
    version: "test",
  });
  for (let n = 1; n <= cells; n++) {
    say("turn_started", { messages: 2 * n, hash: "h" + n, n: 0 }, n);
    const source = `for i := range ${n} {\n\tfmt.Println("row", i, strings.Repeat("x", ${n % 7}))\n}`;
    say("reply_received", {
      content: `Step **${n}** looks at \`rows\`.\n\n` + "```go\n" + source + "\n```\n", finish_reason: "stop",
      model: "made", usage, duration: 8e6, attempts: 1,
    }, n);
    say("cell_started", { cell: n, source, seed: 1, engine: "yaegi" }, n);
    if (n === cells) {
      for (let i = 0; i < calls; i++)
        say("sub_call_started", {
          cell: n, hash: "c" + i, n: 0, impl: "llm_query", model: "made", prompt: "number " + i, batch: 1, index: i,
          size: calls,
        }, n, i % 8 ? 0 : 1);
      for (let i = 0; i < calls; i++)
        say("sub_call_ended", {
          cell: n, hash: "c" + i, n: 0, reply: "reply " + i,
          ...(i % 500 === 7 ? { reply: "", error: "HTTP 500" } : {}), model: "made", usage, duration: 5e6, attempts: 1,
        }, n, i % 8 ? 0 : 1);
    }
    const changed = [{ name: "rows", type: "[]string", size: "len " + n, preview: "…", cell: n }];
    if (n === cells) for (let i = 0; i < variables; i++)
      changed.push({ name: "v" + i, type: "int", size: "", preview: String(i), cell: n });
    say("cell_ended", {
      cell: n, output: `row 0\nrow ${n}\n`, result: { cell: n, duration: 2e6, changed }, ok: true,
    }, n);
  }
  say("run_ended", {
    status: "completed", answer: ["It is all there.", ...evidence.map((e) => e.mark)].join(" "), evidence,
    has_answer: true, answer_from: "final", ended_by: "signal", turns: cells, limit: 2000, cells, sub_calls: calls,
    usage: { made: usage }, cost: 1.5, duration: 60e9, model_time: 1e9, cell_time: 2e9,
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "trajectory.jsonl"), lines.join("\n") + "\n");
  return id;
}

/** pdf returns a file with one line of text on each page. */
export function pdf(lines) {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${lines.length} /Kids [${lines.map((_, i) => `${4 + 2 * i} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"];
  lines.forEach((line, i) => {
    const text = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * i} 0 R >>`,
      `<< /Length ${text.length} >>\nstream\n${text}\nendstream`);
  });
  let file = "%PDF-1.4\n";
  const at = objects.map((o, i) => {
    const from = file.length;
    file += `${i + 1} 0 obj\n${o}\nendobj\n`;
    return from;
  });
  const table = file.length;
  file += `xref\n0 ${at.length + 1}\n0000000000 65535 f \n${at.map((n) => String(n).padStart(10, "0") + " 00000 n \n").join("")}trailer\n<< /Size ${at.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}
