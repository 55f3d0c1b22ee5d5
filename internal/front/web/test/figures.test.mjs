// The page measures and prints its own speed. Nothing fails by the clock: only the amount of content is asserted.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { closeSync, mkdirSync, openSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { make } from "./made.mjs";
import { begin, put } from "./steps.mjs";
import { browser, cell, endpoint, enter, gate, Home, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

const limit = { timeout: 4 * patience };

async function opened(made, run) {
  const home = new Home();
  const id = make(home.dir, made);
  let page;
  try {
    await home.serve();
    page = await enter(chrome, home);
    await run(page, `${home.url}/s/${id}`);
    assert.deepEqual(page.problems, []);
  } finally {
    await page?.context().close();
    await home.close();
  }
}

// The time from the start of loading until a condition holds, by the page's clock.
const until = (page, condition) =>
  page.waitForFunction(condition, null, { polling: "raf" })
    .then(() => page.evaluate(() => Math.round(performance.now())));

describe("figures", () => {
  it("a session of 1 000 cells", limit, () => opened({ cells: 1000, calls: 0 }, async (page, url) => {
    await page.goto(url);
    const usable = await until(page,
      () => document.querySelector(".book .cell .tok-keyword") && document.querySelector(".answer"));
    const took = await until(page, () => document.querySelectorAll(".book .cell").length === 1000);
    await page.locator(".cm-content").waitFor(); // without a model, only cells can be written
    const key = await page.evaluate(() => new Promise((done) => {
      const began = performance.now();
      document.querySelector(".cm-content").focus();
      document.execCommand("insertText", false, "x");
      requestAnimationFrame(() => setTimeout(() => done(Math.round(performance.now() - began))));
    }));
    console.log(
      `# the end of 1 000 cells is there ${usable} ms after the page began to load, all of them after ${took} ms; a key is seen after ${key} ms`);
    await page.locator(".answer").filter({ hasText: "It is all there." }).waitFor();
  }));

  it("a trace of 10 000 spans, and their list", limit, () => opened({ cells: 1, calls: 10_000 }, async (page, url) => {
    await page.goto(url + "?view=trace");
    const took = await until(page, () => /10,00\d spans/.test(document.querySelector(".waterfall")?.textContent ?? ""));
    const draw = await page.evaluate(() => new Promise((done) => {
      const box = document.querySelector(".spans"), began = performance.now();
      box.scrollTop = 100_000;
      requestAnimationFrame(() => setTimeout(() => done(Math.round(performance.now() - began))));
    }));
    console.log(`# 10 000 spans are there ${took} ms after the page began to load; scrolled after ${draw} ms`);
    await page.locator(".bar").filter({ hasText: "10,000 of 10,000" }).click();
    await page.locator(".callrow").first().waitFor();
    assert.ok((await page.locator(".callrow").count()) < 100);
    await page.getByRole("combobox", { name: "show" }).selectOption("failed");
    await page.locator(".callrow").filter({ hasText: "HTTP 500" }).first().waitFor();
  }));

  it("a long context", { timeout: 8 * patience }, async () => {
    const home = new Home(), disk = statfsSync(home.dir), large = disk.bavail * disk.bsize > 4e9 ? 1e9 : 1e8,
      folder = join(home.dir, "texts");
    mkdirSync(folder);
    const file = openSync(join(folder, "long.txt"), "w"),
      piece = "A line of a long text, with words in it.\n".repeat(25_000);
    for (let at = 0; at < large; at += piece.length) writeSync(file, piece);
    closeSync(file);
    let page;
    try {
      await home.serve("texts");
      page = await enter(chrome, home);
      await begin(page);
      const cdp = await page.context().newCDPSession(page);
      await cdp.send("HeapProfiler.enable");
      await page.getByRole("button", { name: "Context", exact: true }).click();
      await page.locator(".viewer .textline").first().waitFor();
      // of the first line that is seen: pages above it come when they like
      await page.evaluate(() => { window.seenOffset = () => {
        const top = document.querySelector(".viewer .text").getBoundingClientRect().top;
        return +[...document.querySelectorAll(".textline")].find((line) =>
          line.getBoundingClientRect().bottom > top + 1)?.dataset.offset;
      }; });
      const seen = () => page.evaluate(() => window.seenOffset());
      let most = 0, lines = 0;
      for (const part of [0, 0.1, 0.5, 0.9, 0.99]) { // there, and on from there
        const offset = Math.round(part * large);
        await page.getByRole("slider", { name: "place in the context" })
          .evaluate((el, to) => { el.value = to; el.dispatchEvent(new Event("change", { bubbles: true })); }, offset);
        await page.waitForFunction(([from, to]) => {
          const at = window.seenOffset();
          return at > from && at <= to;
        }, [offset - 1000, offset + 1000]);
        const first = await seen();
        for (let n = 0; n < 6; n++) {
          await page.locator(".viewer .text").evaluate((el) => { el.scrollTop = el.scrollHeight; });
          await page.waitForFunction(() => {
            const el = document.querySelector(".viewer .text");
            return el.scrollHeight - el.scrollTop - el.clientHeight > 200;
          }).catch(() => {});
        }
        if (part < 0.99) assert.notEqual(await seen(), first, "it scrolled on");
        await cdp.send("HeapProfiler.collectGarbage");
        // scripts, elements, buffers
        const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await cdp.send("Runtime.getHeapUsage");
        most = Math.max(most, usedSize + embedderHeapUsedSize + backingStorageSize);
        lines = Math.max(lines, await page.locator(".textline").count());
      }
      console.log(
        `# a context of ${large / 1e6} MB is scrolled with ${(most / 1e6).toFixed(1)} MB in the page, ${lines} lines at most`);
      assert.ok(most < 50e6, `${most} bytes in the page`);
      assert.deepEqual(page.problems, []);
    } finally {
      await page?.context().close();
      await home.close();
    }
  });

  it("from the endpoint to the screen", limit, async () => {
    let wrote, turn = 0;
    const held = gate();
    const model = await endpoint(async ({ say }) => {
      if (turn++) return say(cell('FINAL("ok")'));
      await say("begin ");
      wrote = Date.now();
      await say("MARK");
      await held.passed; // until it was seen
    });
    const home = new Home(model);
    let page;
    try {
      await home.serve();
      page = await enter(chrome, home);
      await page.getByRole("button", { name: "New session" }).first().click();
      const editor = page.getByRole("textbox", { name: "question", exact: true });
      await put(editor, "How quick is it?");
      const seen = page.waitForFunction(() =>
        [...document.querySelectorAll(".turn .md")].some((e) => e.textContent.includes("MARK")) && Date.now(), null,
        { polling: "raf" });
      await editor.press("Enter");
      console.log(
        `# a piece of a reply is on the screen ${(await (await seen).jsonValue()) - wrote} ms after the endpoint wrote it`);
    } finally {
      held.open();
      await page?.context().close();
      await home.close();
      model.close();
    }
  });
});
