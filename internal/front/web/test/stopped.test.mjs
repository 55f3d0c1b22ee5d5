// A stopped cell looks stopped: immediately, after a reload and after the server was killed, in the page and the API.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { askFor, begin, idOf, runCell, worlds } from "./steps.mjs";
import { browser, cell, gate, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

const limit = { timeout: 4 * patience };
const world = worlds(() => chrome);

// A model whose cell makes many sub-calls, of which most are answered only when the test allows it.
function stuck() {
  const asked = gate(), never = gate();
  let calls = 0;
  return { asked, never, answer: async ({ question, say }) => {
    if (!question.startsWith("part "))
      return say(cell(
        'parts := make([]string, 40)\nfor i := range parts { parts[i] = fmt.Sprint("part ", i) }\nreplies := llm_query_batched(parts)\nFINAL(len(replies))'));
    if (++calls > 4) { asked.open(); await never.passed; }
    await say("yes");
  } };
}

// A question whose cell has as many sub-calls in flight as are allowed.
async function comesToTheCalls(page, asked) {
  await begin(page);
  await askFor(page, "How many parts?");
  await asked.passed;
  await page.locator(".cell.running .calls").filter({ hasText: "running" }).waitFor();
}

// Everything that shows how the cell ended.
async function looksStopped(page, home) {
  const of = page.locator(".cell.stopped");
  await of.filter({ hasText: "stopped before its end" }).waitFor();
  await of.locator(".calls .bar").filter({ hasText: /4 of 40 sub-calls.*cut off.*not made/ }).waitFor();
  assert.doesNotMatch(await of.innerText(), /running|left/);
  const { running, calls } = await home.api("GET", `sessions/${idOf(page)}/calls?cell=1&limit=100`);
  assert.equal(running, 0);
  assert.deepEqual([...new Set(calls.map((c) => c.status))].sort(), ["done", "stopped"]);
  assert.equal((await home.api("GET", `sessions/${idOf(page)}/calls?cell=1&status=running`)).total, 0);
  const { spans } = await home.api("GET", `sessions/${idOf(page)}/trace`);
  assert.deepEqual(spans.filter((s) => s.status === "running"), []);
  assert.ok(spans.some((s) => s.kind === "call" && s.status === "stopped"));
}

describe("a cell with sub-calls under way", () => {
  it("is stopped by two presses of Escape, and by one nothing is", limit, () => {
    const { asked, never, answer } = stuck();
    return world(answer, async ({ page, home }) => {
      await comesToTheCalls(page, asked);
      const box = page.getByRole("textbox", { name: "question", exact: true });
      await box.press("Escape");
      await page.getByRole("alert").filter({ hasText: "Press Escape again to stop" }).waitFor();
      assert.equal((await home.api("GET", "sessions/" + idOf(page))).state.doing, "ask");
      await page.keyboard.press("Escape");
      await page.locator(".end.unanswered").filter({ hasText: "0 cells and 1 stopped one" }).waitFor();
      await looksStopped(page, home);
      await page.reload();
      await looksStopped(page, home);
      never.open();
      await page.getByRole("button", { name: "Resume" }).click(); // and it continues
      await page.locator(".answer").filter({ hasText: "40" }).waitFor();
      await page.locator(".cell.ok .calls .bar").filter({ hasText: "40 of 40 sub-calls" }).waitFor();
      assert.equal(await page.locator(".cell.stopped").count(), 0);
    });
  });

  it("is stopped with its server", limit, () => {
    const { asked, never, answer } = stuck();
    return world(answer, async ({ page, home }) => {
      await comesToTheCalls(page, asked);
      const path = new URL(page.url()).pathname;
      await home.kill();
      never.open();
      await home.serve();
      await page.goto(`${home.url}${path}?token=${home.token}`);
      if (new URL(page.url()).pathname !== path) await page.goto(home.url + path);
      await looksStopped(page, home);
    });
  });

  it("of a person's own is none that failed, if it is cancelled", limit, () => world(null, async ({ page }) => {
    await begin(page);
    await runCell(page, "for {\n}");
    await page.locator(".cell.running").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".cell.stopped header").filter({ hasText: "cancelled" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Ask the model" }).count(), 0);
  }));
});
