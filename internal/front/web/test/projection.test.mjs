// The page's state after a session's events, in any order in which the server may send concurrent ones.

import assert from "node:assert/strict";
import { it } from "node:test";
import { build } from "esbuild";

const built = await build({ entryPoints: ["src/projection.ts"], bundle: true, write: false, format: "esm" });
const { Projection } = await import("data:text/javascript;base64,"
  + Buffer.from(built.outputFiles[0].contents).toString("base64"));

const log = [
  { seq: 1, type: "run_started", data: { number: 1, question: "q" } },
  { seq: 2, type: "turn_started", turn: 1, data: { n: 0 } },
  { seq: 3, type: "cell_started", turn: 1, data: { cell: 1, source: "a" } },
  { seq: 4, type: "cell_ended", turn: 1, data: { cell: 1, ok: true } },
  { seq: 5, type: "undone", data: { runs: [1] } },
  { seq: 6, type: "run_started", data: { number: 2, question: "again" } },
  { seq: 7, type: "turn_started", turn: 1, data: { n: 0 } },
  { seq: 8, type: "cell_started", turn: 1, data: { cell: 1, source: "b" } },
];
const sums = {
  seq: 0, type: "calls", data: { cells: [{ cell: 1, path: "", total: 9, started: 9, ended: 4, failed: 0, tokens: 5 }] },
};

it("knows the sums of a cell's sub-calls, whenever they are told", () => {
  for (let at = 0; at <= log.length; at++) {
    const projection = new Projection();
    for (const e of [...log.slice(0, at), sums, ...log.slice(at)]) projection.hear(e);
    if (at > 2 && at < log.length) continue; // the sums belong to the earlier cell
    assert.equal(projection.root.cells.get(1).calls?.total, 9, `told behind event ${at}`);
    const shown = projection.root.items.flatMap((i) => i.turns ?? []).flatMap((t) => t.cells).filter((c) => c.calls);
    assert.deepEqual(shown.map((c) => c.source), ["b"]);
  }
});

it("knows of a cell without an end whether it can go on", () => {
  const open = { seq: 9, type: "cell_started", data: { cell: 2, source: "own", own: true } },
    state = (data) => ({ seq: 0, type: "state", data });
  const stopped = (...events) => {
    const projection = new Projection();
    for (const e of [...log.slice(5), ...events]) projection.hear(e);
    return [...projection.root.cells.values()].map((c) => c.stopped);
  };
  const ended = { seq: 10, type: "run_ended", data: { status: "cancelled" } },
    next = { seq: 11, type: "run_started", data: { number: 3, question: "more" } };
  assert.deepEqual(stopped(state({ doing: "ask", open: true })), [false]);
  assert.deepEqual(stopped(state({ open: false })), [true]);
  assert.deepEqual(stopped(state({ open: false, elsewhere: true })), [false], "another process runs it");
  assert.deepEqual(stopped(ended), [true]);
  assert.deepEqual(stopped(ended, state({ doing: "cell", open: true })), [true], "another cell runs");
  assert.deepEqual(stopped(ended, state({ doing: "resume", open: true })), [false]);
  assert.deepEqual(stopped(next, state({ doing: "ask", open: true })), [true], "of a question before");
  assert.deepEqual(stopped(open, state({ doing: "cell", open: true })), [false, false]);
  assert.deepEqual(stopped(open, state({ open: true })), [true, true]);
});
