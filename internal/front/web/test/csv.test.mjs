// What a spreadsheet takes for a formula, and what it does not see, in tables that are copied as CSV.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const built = await build({
  entryPoints: [fileURLToPath(new URL("../src/csv.ts", import.meta.url))], bundle: true, write: false, format: "esm",
});
const { csv, guarded } =
  await import("data:text/javascript;base64," + Buffer.from(built.outputFiles[0].contents).toString("base64"));

// The cases of TestNoPartOfACellIsAFormula in internal/fleet.
const cases = {
  "=1": "'=1",
  "+1+1": "'+1+1",
  "@SUM(1)": "'@SUM(1)",
  "\ttab": "'\ttab",
  "\rreturn": "'\rreturn",
  "＝1+1": "'＝1+1",
  "＋1": "'＋1",
  "－1": "'－1",
  "＠x": "'＠x",
  "a;=2": "a;'=2",
  'a;"=2"': "a;'\"=2\"",
  "a\t-cmd|' /C'!A0": "a\t'-cmd|' /C'!A0",
  "=1;＝2;@3": "'=1;'＝2;'@3",
  "lines\n=1\n@x": "lines\n'=1\n'@x",
  "list:\n- a\n- b": "list:\n- a\n- b",
  "-5": "-5",
  "+1.5e3": "+1.5e3",
  "-5;-6": "-5;-6",
  "a;-5;+6\t-7": "a;-5;+6\t-7",
  "naïve = 1; b = -2": "naïve = 1; b = -2",
  "\x00=1": "'\x00=1",
  "\ufeff=1": "'\ufeff=1",
  "a;\u200b@x": "a;'\u200b@x",
  'a;\x1b"+cmd': "a;'\x1b\"+cmd",
  '""=1': "'\"\"=1",
  "\u202e=1": "'\u202e=1",
  "a\n\u2060-1+1": "a\n\u2060-1+1",
  "-1,5": "'-1,5",
  "+49 30 1234": "'+49 30 1234",
  "": "",
};

describe("a table as CSV", () => {
  for (const [text, want] of Object.entries(cases)) {
    it(`writes ${JSON.stringify(text)}`, () => {
      assert.equal(guarded(text), want);
      const quoted = /[",\r\n]/.test(want) ? `"${want.replaceAll('"', '""')}"` : want;
      assert.equal(csv([text], [[text, -5, null]]), `${quoted}\r\n${quoted},-5,\r\n`);
    });
  }
});
