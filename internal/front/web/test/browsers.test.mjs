// Where somebody is logged in, and how they log out.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { askFor, begin, idOf, worlds } from "./steps.mjs";
import { browser, cell, enter, gate, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });
const world = worlds(() => chrome);

const phone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

for (const [width, height] of [[1280, 900], [390, 844]]) {
  describe(`at ${width} pixels`, () => {
    const show = async (page) => {
      if (width < 700 && !(await page.locator(".page.menu").count())) await page.locator(".hamburger").click();
      await page.getByRole("button", { name: "browsers of owner" }).click();
      return page.getByRole("dialog", { name: "Browsers of owner" });
    };

    it("one's browsers are listed, and logged out one by one or all at once", { timeout: 2 * patience }, () => {
      const held = gate();
      return world(async ({ say }) => { await held.passed; await say(cell('FINAL("it went on")')); },
          async ({ home, page }) => {
        await begin(page);
        const id = idOf(page);
        await askFor(page, "Does it go on?");
        await page.locator(".turn").waitFor();
        const other = await enter(chrome, home, { userAgent: phone });
        await other.locator(".welcome .dim").waitFor();

        const dialog = await show(page), rows = dialog.getByRole("listitem");
        await rows.nth(1).waitFor();
        assert.equal(await rows.count(), 2);
        assert.match(await rows.filter({ hasText: "this browser" }).innerText(), /^Chrome on Linux/);
        assert.match(await rows.filter({ hasNotText: "this browser" }).innerText(),
          /^Safari on iOS\n.*last seen .+ · logged in /s);
        await dialog.getByRole("button", { name: /^log out Safari on iOS/ }).click();
        await rows.filter({ hasText: "Safari" }).waitFor({ state: "detached" });
        await other.getByRole("alert").filter({ hasText: "no longer logged in: it was logged out" }).waitFor();
        await other.context().close();

        await dialog.getByRole("button", { name: "Log out all" }).click();
        await page.getByRole("dialog", { name: "Log all of these browsers out?" })
          .getByRole("button", { name: "Cancel" }).click();
        await rows.first().waitFor(); // nothing happened
        await dialog.getByRole("button", { name: "Log out all" }).click();
        await page.getByRole("dialog", { name: "Log all of these browsers out?" })
          .getByRole("button", { name: "Log out" }).click();
        await page.getByText("it lets this browser in").waitFor();
        held.open();
        await home.until(id, "completed"); // what ran went on
        await page.goto(home.url + "/?token=" + encodeURIComponent(home.token));
        await page.locator("nav li").filter({ hasText: "it went on" }).first().waitFor({ state: "attached" });
        const again = await show(page);
        await again.getByRole("button", { name: /^log out .* this browser/ }).click();
        await page.getByRole("dialog", { name: "Log this browser out?" }).getByRole("button", { name: "Log out" })
          .click();
        await page.getByText("it lets this browser in").waitFor();
      }, { options: { viewport: { width, height } } });
    });
  });
}
