// A search through a large context shows its progress, can be stopped, and delays no cell.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { begin, runCell, worlds } from "./steps.mjs";
import { browser, gate, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });
const world = worlds(() => chrome);

// More than one step reads.
const text = Array.from({ length: 300_000 },
  (_, i) => `line ${i + 1} of the ledger, page ${i % 1000} of it, says nothing much\n`).join("")
  + "\nthe valve is corroded\n";
const home = (home) => writeFileSync(join(home.dir, "ledger.txt"), text);

describe("a search through the context", () => {
  for (const [width, height] of [[1280, 900], [390, 844]]) {
    it(`says how far it is, is stopped, and cells run meanwhile, at ${width} pixels`, { timeout: 4 * patience },
        () => world(null, async ({ page }) => {
      await begin(page);
      await page.locator(".note-context").filter({ hasText: "1 document" }).waitFor();
      await runCell(page, "n := 1");
      await page.locator(".cell.ok").waitFor();
      await page.locator("h1").last().click();
      await page.keyboard.press("x");
      await page.getByRole("button", { name: "search", exact: true }).click();
      const words = page.getByRole("searchbox", { name: "search the context" }), said = page.locator(".searching"),
        stop = page.locator(".find").getByRole("button", { name: "Stop" });
      await words.fill("page 17 ");
      await words.press("Enter");
      await page.locator(".panel .rows[aria-label=places] .row").first().waitFor();

      const held = gate(); // the first part has been read, the second is being read
      let parts = 0;
      await page.route("**/find?*", async (route) => {
        if (parts++ === 0) return route.fulfill({ json: { hits: [], more: true, next: 8_000_000 } });
        await held.passed;
        await route.continue();
      });
      await page.getByRole("combobox", { name: "how" }).selectOption("ranked");
      await words.fill("corroded valve");
      await words.press("Enter");
      await said.filter({ hasText: "8.0 MB of 18 MB read" }).waitFor();
      assert.equal(await page.locator(".panel .rows[aria-label=places]").count(), 0,
        "what was found before is not below the new words");
      const read = await said.locator("progress").evaluate((el) => el.position);
      assert.ok(read > 0.4 && read < 0.5, String(read));
      await stop.click();
      await said.filter({ hasText: "Stopped. The next ranked search continues from here." }).waitFor();
      held.open();
      if (width < 1100) await page.keyboard.press("Escape"); // the panel lies above the notebook
      await runCell(page, "n + 41");
      await page.locator(".cell.ok").filter({ hasText: "42" }).waitFor();
      if (width < 1100) {
        await page.getByRole("button", { name: "Context", exact: true }).click();
        await page.getByRole("button", { name: "search", exact: true }).click();
        await page.getByRole("combobox", { name: "how" }).selectOption("ranked");
      }
      await words.fill("corroded valve");
      await words.press("Enter");
      await page.locator(".panel .row").filter({ hasText: /ledger\.txt, line 299,9/ }).waitFor();
      await stop.waitFor({ state: "detached" });
    }, { args: ["ledger.txt"], options: { viewport: { width, height } }, home }));
  }

  it("waits while a cell runs, and says so", { timeout: 2 * patience }, () => world(null, async ({ page }) => {
    await begin(page);
    await page.locator(".note-context").waitFor();
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "search", exact: true }).click();
    await runCell(page, "for {}");
    await page.locator(".cell.running").waitFor();
    const words = page.getByRole("searchbox", { name: "search the context" });
    await words.fill("needle");
    await words.press("Enter");
    await page.locator(".searching").filter({ hasText: "waiting until the session is free" }).waitFor();
    await page.locator(".input").getByRole("button", { name: "Stop" }).click();
    await page.locator(".searching").filter({ hasText: "1 place" }).waitFor();
  }, { args: ["hay.txt"], home: (home) => writeFileSync(join(home.dir, "hay.txt"), "hay\nthe needle\n") }));
});
