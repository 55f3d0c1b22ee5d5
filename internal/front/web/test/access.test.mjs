// The page is readable with a screen reader and on a phone: axe has no serious finding in any view or dialog, light or
// dark, and nothing is wider than the window.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { readFileSync } from "node:fs";
import { worlds, write } from "./steps.mjs";
import { browser, cell, patience } from "./world.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });
const world = worlds(() => chrome);

// All rules in one colour scheme, and those about colours in the other.
async function sound(page, where) {
  if (!(await page.evaluate(() => !!window.axe))) await page.evaluate(axe);
  for (const [colorScheme, rules] of [["dark", { runOnly: ["color-contrast"] }], ["light", {}]]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await page.evaluate((rules) =>
      window.axe.run(document, { resultTypes: ["violations"], ...rules }), rules);
    const serious = violations.filter((v) => ["serious", "critical"].includes(v.impact))
      .map((v) => `${where}, ${colorScheme}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(" | ")}`);
    assert.deepEqual(serious, []);
  }
  assert.ok((await page.evaluate(() =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth)) <= 0,
    `${where} is wider than the window`);
}

const script = () => {
  let turn = 0;
  return async ({ question, asked, say }) =>
      say(/without an end/.test(JSON.stringify(asked.messages)) ? cell("n := 1")
        : /job \d/.test(JSON.stringify(asked.messages)) ? cell('FINAL("an answer")')
          : question.startsWith("part") ? "ok" : turn++ ? cell('FINAL("**done** " + cite(grep("needle")[0].Text))')
    : "Some *words*.\n\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n\n"
      + cell(
        'rs := llm_query_batched([]string{"part 1", "part 2"})\nfmt.Println(table([][]string{{"a", "1"}, {"b", "2"}}, "name", "n"))\nfmt.Println(rs)\nn := 0\nfmt.Println(1 / n)'));
};

for (const [width, height] of [[1280, 900], [390, 844]]) {
  describe(`${width} pixels`, () => {
    it("all views and dialogs can be read, light and dark", { timeout: 6 * patience },
        () => world(script(), async ({ home, page }) => {
      await page.locator(".welcome").waitFor();
      await sound(page, "start");
      const { id } = await home.api("POST", "sessions", {});
      await home.api("POST", `sessions/${id}/documents`,
        { texts: [{ name: "a/hay.txt", text: "hay\nthe needle\nhay\n" }] });
      await page.goto(`${home.url}/s/${id}`);
      await page.locator(".note-context").waitFor();
      await write(page, "question", "What is there?");
      await page.keyboard.press("Enter");
      await page.locator(".answer").waitFor();
      await page.locator(".bar").click();
      await page.locator(".callrow").first().click();
      await page.locator(".exchange").waitFor();
      await page.getByRole("button", { name: "options" }).click();
      await sound(page, "notebook");
      await page.locator(".answer button.mark").first().click();
      await page.locator(".viewer mark.now").waitFor();
      await sound(page, "a source in the context");
      await page.getByRole("button", { name: "search", exact: true }).click();
      await page.getByRole("searchbox", { name: "search the context" }).fill("hay");
      await page.keyboard.press("Enter");
      await page.locator(".panel .row").first().waitFor();
      await sound(page, "search in the context");
      for (const [view, there] of [["variables", ".panel .variables td"], ["trace", ".spans"]]) {
        await page.goto(`${home.url}/s/${id}?view=${view}`);
        await page.locator(there).first().waitFor();
        await page.locator(".answer").waitFor();
        if (view === "trace") {
          await page.locator(".spans").focus();
          for (const key of ["ArrowDown", "ArrowDown", "+"]) await page.keyboard.press(key);
          await page.locator(".told .message").first().waitFor();
        }
        await sound(page, view);
      }
      await page.goto(`${home.url}/s/${id}`);
      await page.locator(".answer").waitFor();
      const dialogs = {
        "?": ".keys", f: ".buttons", e: "li", d: ".buttons", m: "form", a: "form", u: ".buttons", ",": ".budgets",
        w: ".compared", h: ".buttons", p: "[role=status]", o: ".browsers li",
      };
      for (const [key, there] of Object.entries(dialogs)) {
        await page.locator("h1").last().click();
        await page.keyboard.press(key);
        await page.locator("dialog " + there).first().waitFor();
        await sound(page, "dialog of " + key);
        await page.locator("dialog").getByRole("button", { name: "close" }).click();
        await page.locator("dialog").waitFor({ state: "detached" });
      }
      await page.locator(".menu-of summary").click();
      await sound(page, "menu");
      const other = async (asked) => {
        const { id } = await home.api("POST", "sessions", { empty: true });
        await home.api("POST", `sessions/${id}/ask`, asked);
        await page.goto(`${home.url}/s/${id}`);
      };
      await other({ question: "job 1", mode: "task" });
      await page.locator(".review").waitFor();
      await sound(page, "an answer that waits for review");
      await other({ question: "without an end", budgets: { iterations: 1 } });
      await page.locator(".end.unanswered").waitFor();
      await page.keyboard.press("r");
      await page.locator("dialog .budgets").waitFor();
      await sound(page, "dialog of r");
      await page.goto(home.url + "/batches");
      await page.locator(".batches .empty").waitFor();
      await sound(page, "no batches");
      const questions = Array.from({ length: 3 },
        (_, i) => ({ id: `a/long/folder/of/contracts/with/names/${i}.pdf`, question: `job ${i}` }));
      const batch = home.batch("jobs.jsonl", questions, "--batch-cost", "1");
      assert.equal(await batch.ended, 0, batch.said);
      await page.locator("a.batch").filter({ hasText: "complete" }).waitFor();
      await sound(page, "batches");
      await page.locator("a.batch").click();
      await page.locator(".jobrow").first().click();
      await page.getByRole("region", { name: "job", exact: true }).waitFor();
      await sound(page, "a batch");
      await page.getByRole("button", { name: "Results" }).click();
      await page.locator("dialog li").first().waitFor();
      await sound(page, "results of a batch");
    }, { options: { viewport: { width, height } } }));
  });
}

describe("the keyboard", () => {
  it("does without a mouse: a session is begun, written, read, searched, forked and left",
      { timeout: 6 * patience }, () => world(script(), async ({ page, home }) => {
    const press = async (...keys) => { for (const k of keys) await page.keyboard.press(k); };
    const focused = (what) => page.waitForFunction((what) => document.activeElement?.matches(what), what);
    await page.locator(".welcome .dim").waitFor(); // the page has asked about its server, and hears keys
    await press("n");
    await page.waitForURL(/\/s\//);
    await page.locator(".input :is(.cm-content, textarea.prose)").waitFor();
    await press("a");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "text", exact: true }).waitFor();
    await press("Escape");
    await dialog.waitFor({ state: "detached" });
    await home.api("POST", `sessions/${new URL(page.url()).pathname.split("/")[2]}/documents`,
      { texts: [{ name: "hay.txt", text: "hay\nthe needle\nhay\n" }] });
    await page.locator(".note-context").waitFor();
    await press("q");
    await focused('textarea.prose');
    await page.keyboard.type("What is there?");
    await press("Enter");
    await page.locator(".answer").waitFor();
    await press("Escape", "c");
    await focused('.cm-content[aria-label="cell"]');
    await page.keyboard.type("1 + 41");
    await press("Shift+Enter");
    await page.locator(".cell.ok").filter({ hasText: "42" }).waitFor();
    await press("Escape", "k", "k");
    await focused("a.anchor");
    await press("x");
    await page.locator(".panel").getByRole("button", { name: "hay.txt", exact: true }).waitFor();
    await press("v");
    await page.locator(".panel .variables td").first().waitFor();
    await press("t");
    await page.locator(".spans").waitFor();
    await page.locator(".spans").focus();
    await press("ArrowDown", "ArrowDown", "Enter");
    await page.waitForFunction(() => /#e\d+/.test(location.hash));
    await page.evaluate(() => document.activeElement.blur());
    await press("Escape");
    await page.locator(".panel").waitFor({ state: "detached" });
    await press("?");
    await dialog.getByText("list of sessions").waitFor();
    await press("Escape");
    await dialog.waitFor({ state: "detached" });
    await press("m");
    await dialog.getByRole("textbox", { name: "name" }).waitFor();
    await page.evaluate(() => { // a key pressed before the page learns that the dialog is closed
      document.querySelector("dialog").close();
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "f", bubbles: true, cancelable: true }));
    });
    await dialog.getByRole("button", { name: "Fork", exact: true }).waitFor();
    await page.evaluate(() => new Promise((seen) => { requestAnimationFrame(() => requestAnimationFrame(seen)); }));
    const before = page.url();
    for (let n = 0; n < 10 && (await page.evaluate(() => document.activeElement?.textContent)) !== "Fork"; n++)
      await press("Tab");
    await press("Enter");
    await page.waitForURL((u) => u.pathname !== new URL(before).pathname);
    await page.locator("nav li").nth(1).waitFor();
    await page.locator(".answer").waitFor();
    await press("/");
    await focused("#search");
    await page.keyboard.type("needle");
    await page.locator("nav mark").first().waitFor();
    await page.evaluate(() => document.activeElement.blur());
    await press("l");
    await focused("nav li a");
  }));
});
