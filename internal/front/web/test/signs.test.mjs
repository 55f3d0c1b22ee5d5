// Temporary signs: shown while something is dragged, moved or found, and gone afterwards.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { askFor, begin, choose, idOf, runCell, worlds } from "./steps.mjs";
import { browser, cell, gate, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });
const world = worlds(() => chrome), limit = { timeout: 2 * patience };

describe("the page", () => {
  it("says that files can be dropped while they are held over it", limit, () => world(null, async ({ page }) => {
    await begin(page);
    const data = await page.evaluateHandle(() => {
      const d = new DataTransfer();
      d.items.add(new File(["alpha\n"], "a.txt", { type: "text/plain" }));
      return d;
    });
    const desk = page.locator(".desk"), sign = page.locator(".dropsign");
    await desk.dispatchEvent("dragover", { dataTransfer: data });
    await sign.filter({ hasText: "Drop the files" }).waitFor();
    await desk.dispatchEvent("dragleave", { dataTransfer: data });
    await sign.waitFor({ state: "detached" });
    await desk.dispatchEvent("dragover", { dataTransfer: data });
    await sign.waitFor();
    await desk.dispatchEvent("drop", { dataTransfer: data });
    await sign.waitFor({ state: "detached" });
    await page.locator(".note-context").filter({ hasText: "1 document" }).waitFor();
  }));

  it("marks what was found in a session, wherever it stands in a long line", limit,
      () => world(null, async ({ page }) => {
    await begin(page);
    await runCell(page, `x := "${"é ".repeat(300)}<img src=x onerror=alert(1)>"`);
    await page.locator(".cell.ok").waitFor();
    await page.getByRole("searchbox", { name: /search/i }).first().fill("onerror");
    await page.locator("nav mark").filter({ hasText: /^onerror$/ }).first().waitFor();
  }));

  it("is ready again when a notebook has moved to the exact engine", limit,
      () => world(null, async ({ page, home }) => {
    await begin(page);
    await runCell(page, "n := 41");
    await page.locator(".cell.ok").waitFor();
    await home.api("PATCH", `sessions/${idOf(page)}/settings`, { engine: "exact" });
    await runCell(page, "n + 1");
    await page.locator(".cell.ok").filter({ hasText: "42" }).waitFor();
    await page.locator(".state").filter({ hasText: /^Ready$/ }).waitFor();
  }));

  it("shows no cost and no turn for a person's own cell", limit, () => {
    const held = gate();
    return world(async ({ say }) => { await held.passed; return say(cell('FINAL("x")')); }, async ({ page }) => {
      await begin(page);
      await runCell(page, "for {\n}");
      await page.locator(".cell.running").waitFor();
      assert.equal(await page.locator(".spent").count(), 0);
      await page.getByRole("button", { name: "Stop" }).click();
      await page.locator(".cell.stopped").waitFor();
      await askFor(page, "What?");
      await page.locator(".spent").filter({ hasText: "turn 1" }).waitFor();
      held.open();
      await page.locator(".answer").waitFor();
    });
  });

  for (const width of [1280, 390])
    it(`has the usage whole in the settings, at ${width} pixels`, limit,
        () => world(async ({ say }) => say(cell('FINAL("x")')), async ({ page }) => {
      await begin(page);
      await askFor(page, "What?");
      await page.locator(".answer").waitFor();
      await choose(page, "Settings");
      const used = page.getByRole("region", { name: "used so far" });
      await used.waitFor();
      assert.equal(await used.evaluate((el) => el.scrollWidth - el.clientWidth), 0);
      for (const what of ["cost", "sent", "cached", "received", "thinking"]) {
        const shown = await used.evaluate((el, what) => [...el.querySelectorAll("th, td")].some((cell) => {
          const style = getComputedStyle(cell, "::before").content;
          return cell.getClientRects().length > 0 && (cell.textContent === what || style.includes(what));
        }), what);
        assert.ok(shown, what);
      }
    }, { options: { viewport: { width, height: 844 } } }));
});
