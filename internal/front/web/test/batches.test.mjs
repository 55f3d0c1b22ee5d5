// Batches in the page: a real "rlm batch" beside a real server is watched, killed, continued and cancelled; another
// has 10 000 jobs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { worlds } from "./steps.mjs";
import { browser, cell, gate, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });
const world = worlds(() => chrome);

const batch = (home, n, ...args) => home.batch(
  "jobs.jsonl", Array.from({ length: n },
    (_, i) => ({ id: `contract-${i}`, question: `What is in job-${i}?`, schema: "parties string" })),
  "-o", "out.jsonl", "--parallel", "2", "--batch-tokens", "1000000000", "--batch-cost", "5", ...args);

// Every job is answered in one turn, except job-1 while nothing.now is set.
const script = (held, nothing = { now: false }) => async ({ asked, say }) => {
  const n = /job-(\d+)/.exec(asked.messages.map((m) => JSON.stringify(m.content)).join(" "))?.[1];
  await held.passed;
  await say(n === "1" && nothing.now ? cell('fmt.Println("nothing is found")')
    : cell(`FINAL(Answer{Parties: "those of ${n}"})`));
};

const state = (page) => page.locator(".state[role=status]");

describe("batches", () => {
  it("are watched, killed, go on, tried again, and their runs and results opened", { timeout: 4 * patience }, () => {
    const held = gate();
    return world(script(held), async ({ home, page, open }) => {
      await page.getByRole("link", { name: "Batches" }).click();
      await page.getByText("There are none yet").waitFor();
      const other = await open();
      await other.goto(home.url + "/batches");
      const first = batch(home, 30);
      const row = page.locator("a.batch");
      await row.filter({ hasText: "0 of 30 jobs done · 2 running" }).waitFor();
      await other.locator("a.batch").filter({ hasText: "2 running" }).waitFor();
      await row.click();
      await state(page).filter({ hasText: "running" }).waitFor();
      await page.locator(".jobrow .state.running").nth(1).waitFor();
      assert.match(new URL(page.url()).pathname, /^\/batches\/out-/);

      first.kill("SIGKILL");
      await first.ended;
      await state(page).filter({ hasText: "no process is running it" }).waitFor();
      assert.match(await page.locator(".goon pre").textContent(), /batch jobs.jsonl -o out.jsonl/);
      const second = batch(home, 30);
      await state(page).filter({ hasText: "running" }).waitFor();
      held.open();
      await state(page).filter({ hasText: "complete" }).waitFor();
      assert.equal(await second.ended, 0, second.said);
      await page.getByText("30 of 30 jobs done").waitFor();
      // the model has no price
      await page.locator(".facts").filter({ hasText: "cost unknown: the budget of $5.00 cannot be enforced" })
        .waitFor();
      await other.locator("a.batch .facts").filter({ hasText: "cost unknown" }).waitFor();
      assert.doesNotMatch(await other.locator("a.batch").innerText(), /\$0\.00/);
      await page.getByRole("button", { name: "queued 0" }).waitFor();

      await page.locator(".jobrow").filter({ hasText: "contract-7" }).click();
      const job = page.getByRole("region", { name: "job", exact: true });
      await job.locator("p.words").filter({ hasText: "those of 7" }).waitFor();
      await page.locator(".top").getByRole("button", { name: "Results" }).click();
      for (const [name, ending, want] of [["JSON Lines", ".jsonl", '"answer":{"parties":"those of 29"}'],
          ["CSV", ".csv", "contract-29,done,those of 29,"]]) {
        const coming = page.waitForEvent("download");
        await page.getByRole("link", { name }).click();
        const file = await coming;
        assert.ok(file.suggestedFilename().endsWith(ending));
        const lines = readFileSync(await file.path(), "utf8").trim().split("\n");
        assert.equal(lines.length, ending === ".csv" ? 31 : 30);
        assert.ok(lines.at(-1).includes(want), lines.at(-1));
        if (name !== "CSV") await page.locator(".top").getByRole("button", { name: "Results" }).click();
      }
      await job.getByRole("link", { name: "Open its run" }).click();
      await page.waitForURL((u) => u.pathname.startsWith("/s/"));
      await page.locator(".answer").filter({ hasText: "those of 7" }).waitFor();
      assert.equal(await page.locator("nav li").count(), 0, "jobs are below their batch, not among the sessions");
      await page.goBack();
      await page.locator(".jobrow").first().waitFor();
    });
  });

  it("are stopped and their dead jobs tried again, with a question and by the keyboard",
      { timeout: 4 * patience }, () => {
    const held = gate(), nothing = { now: true };
    held.open();
    return world(script(held, nothing), async ({ home, page }) => {
      const begun = batch(home, 3, "--max-iterations", "2");
      assert.equal(await begun.ended, 1, begun.said);
      await page.locator("h1").first().click();
      await page.keyboard.press("B");
      await page.locator("a.batch").filter({ hasText: "2 of 3 jobs done · 1 dead" }).click();
      await page.getByRole("button", { name: "dead 1" }).click();
      assert.equal(new URL(page.url()).search, "?jobs=dead");
      await page.reload();
      await page.locator(".jobrow").filter({ hasText: "contract-1" }).click();
      assert.equal(await page.locator(".jobrow").count(), 1);
      await page.getByRole("region", { name: "job", exact: true }).getByRole("button", { name: "Try it again" })
        .click();
      await page.getByRole("dialog").getByRole("button", { name: "Try again" }).click();
      await state(page).filter({ hasText: "no process is running it" }).waitFor();
      await page.getByRole("button", { name: "dead 0" }).waitFor();

      await page.locator("h1").last().click();
      await page.keyboard.press("s");
      await page.getByRole("dialog").getByRole("button", { name: "Stop the batch" }).click();
      await state(page).filter({ hasText: "cancelled" }).waitFor();
      nothing.now = false;
      const again = batch(home, 3, "--max-iterations", "2");
      assert.equal(await again.ended, 0, again.said);
      await state(page).filter({ hasText: "complete" }).waitFor();
      await page.getByText("3 of 3 jobs done").waitFor();
    });
  });

  it("have 10 000 jobs, of which those are read that are seen", { timeout: 4 * patience }, () => {
    const held = gate();
    return world(script(held), async ({ home, page }) => {
      const p = batch(home, 10_000);
      await page.goto(home.url + "/batches");
      await page.locator("a.batch").filter({ hasText: "of 10,000 jobs done" }).click();
      const asked = [];
      page.on("request", (r) => {
        const u = new URL(r.url());
        if (u.pathname.endsWith("/jobs")) asked.push(+u.searchParams.get("offset"));
      });
      await page.locator(".jobrow").filter({ hasText: "contract-3" }).first().waitFor();
      await page.locator(".jobs .rows").evaluate((el) => { el.scrollTop = el.scrollHeight; });
      await page.locator(".jobrow").filter({ hasText: "contract-9999" }).waitFor();
      assert.ok(await page.locator(".jobs .row").count() < 60, "only what is seen is in the page");
      assert.ok(asked.every((o) => o <= 100 || o >= 9800), `asked for ${[...new Set(asked)]}`);
      p.kill("SIGKILL");
      await p.ended;
      held.open();
    });
  });
});
