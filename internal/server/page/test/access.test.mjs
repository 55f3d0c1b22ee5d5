// Who cannot see the page, or sees it on a phone, can read it: no serious finding of axe in any view, light and dark.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { readFileSync } from "node:fs";
import { browser, cell, endpoint, enter, Home, patience } from "./world.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

async function sound(page, where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => `${where}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(" | ")}`);
  assert.deepEqual(serious, []);
}

const wide = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const [colorScheme, viewport] of [["light", { width: 1280, height: 900 }], ["dark", { width: 390, height: 844 }]]) {
  describe(`${colorScheme}, ${viewport.width} pixels`, () => {
    it("all views can be read", { timeout: 4 * patience }, async () => {
      let turn = 0;
      const model = await endpoint(async ({ question, say }) => say(question.startsWith("part") ? "ok" : turn++ ? cell('FINAL("**done** " + cite(grep("needle")[0].Text))')
        : "Some *words*.\n\n" + cell('rs := llm_query_batched([]string{"part 1", "part 2"})\nfmt.Println(table([][]string{{"a", "1"}, {"b", "2"}}, "name", "n"))\nfmt.Println(rs)\nn := 0\nfmt.Println(1 / n)')));
      const home = new Home(model);
      let page;
      try {
        await home.serve();
        page = await enter(chrome, home, { colorScheme, viewport });
        await page.locator(".welcome").waitFor();
        await sound(page, "start");
        const { id } = await home.api("POST", "sessions", {});
        await home.api("POST", `sessions/${id}/documents`, { texts: [{ name: "a/hay.txt", text: "hay\nthe needle\nhay\n" }] });
        await page.goto(`${home.url}/s/${id}`);
        await page.locator(".note-context").waitFor();
        await page.getByRole("textbox", { name: "question", exact: true }).fill("What is there?");
        await page.keyboard.press("Enter");
        await page.locator(".answer").waitFor();
        await page.locator(".bar").click();
        await page.locator(".callrow").first().click();
        await page.locator(".exchange").waitFor();
        await sound(page, "notebook");
        assert.ok((await wide(page)) <= 0, "the page is wider than the window");
        await page.keyboard.press("Escape");
        for (const [view, there] of [["context", ".viewer .linetext"], ["variables", ".panel .variables td"], ["trace", ".spans"]]) {
          await page.goto(`${home.url}/s/${id}?view=${view}`);
          await page.locator(there).first().waitFor();
          await page.locator(".answer").waitFor();
          await sound(page, view);
        }
        await page.goto(`${home.url}/s/${id}`);
        await page.locator(".answer").waitFor();
        await page.locator("h1").last().click();
        await page.keyboard.press("?");
        await page.getByRole("dialog").waitFor();
        await sound(page, "keys");
        assert.deepEqual(page.problems, []);
      } finally {
        await page?.context().close();
        await home.close();
        model.close();
      }
    });
  });
}
