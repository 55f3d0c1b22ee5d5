// The place that a person reads in the notebook does not move, whatever gets the focus beside it.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { make } from "./made.mjs";
import { runCell, worlds } from "./steps.mjs";
import { browser, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });
const world = worlds(() => chrome);

/**
 * settled is where a turn in view stands in the window once nothing moves any more. What is drawn above it, when
 * the browser has time, moves the
 * page's offset and not what is seen. */
const settled = (page) => page.evaluate(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const edge = document.querySelector(".top").getBoundingClientRect().bottom;
  window.watched ??= [...document.querySelectorAll(".book .turn")].find((el) =>
    el.getBoundingClientRect().top > edge).id;
  let top = NaN, tall = -1;
  for (let same = 0; same < 5; await frame()) {
    const now = Math.round(document.getElementById(window.watched).getBoundingClientRect().top),
      height = document.documentElement.scrollHeight;
    same = top === now && tall === height ? same + 1 : 0;
    [top, tall] = [now, height];
  }
  return top;
});

/** stays fails if the place has moved by more than a pixel, which is rounding. */
const stays = async (page, at, when) => {
  const now = await settled(page);
  assert.ok(Math.abs(now - at) <= 1, `${when}: it stood at ${at}, now at ${now}`);
};

for (const [width, height] of [[1280, 900], [390, 844]]) {
  describe(`at ${width} pixels`, () => {
    const limit = { timeout: 4 * patience };
    const opened = (run) => world(null, async ({ page, home }) => {
      const id = make(home.dir, { cells: 40, calls: 0 });
      await page.goto(`${home.url}/s/${id}`);
      await page.locator(".answer").waitFor();
      await page.locator(".input :is(.cm-content, textarea.prose)").waitFor();
      await page.keyboard.press("k");
      await page.keyboard.press("k");
      await run(page, id, home);
    }, { options: { viewport: { width, height } } });

    it("no dialog moves the notebook, when it is opened, when something in it has the focus, when it is closed",
        limit, () => opened(async (page) => {
      const at = await settled(page);
      assert.ok(await page.evaluate(() => scrollY) > 0);
      const dialogs = {
        "?": ".keys", f: ".buttons", e: "li", d: ".buttons", m: "form", a: "form", u: ".buttons", ",": ".budgets",
        w: ".compared", h: ".buttons", b: "input",
      };
      for (const [key, there] of Object.entries(dialogs)) {
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press(key);
        await page.locator("dialog " + there).first().waitFor();
        await stays(page, at, `the dialog of ${key} is open`);
        await page.keyboard.press("Tab");
        await stays(page, at, `something in the dialog of ${key} has the focus`);
        await page.locator("dialog").getByRole("button", { name: "close" }).click();
        await page.locator("dialog").waitFor({ state: "detached" });
        await stays(page, at, `the dialog of ${key} is closed`);
        assert.deepEqual(await page.evaluate(() => [visualViewport.offsetTop, visualViewport.scale, scrollX]),
          [0, 1, 0]);
      }
    }));

    it("who goes up as soon as the page is there stays there", limit, () => opened(async (page, id, home) => {
      await page.addInitScript(() => { // a key before the browser reports the scroll to the end
        const scroll = window.scrollTo.bind(window);
        window.scrollTo = (...to) => {
          scroll(...to);
          if (window.wentUp || scrollY === 0) return;
          window.wentUp = true;
          queueMicrotask(() => { for (const key of ["k", "k"])
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); });
        };
      });
      for (let n = 0; n < 3; n++) {
        await page.goto(`${home.url}/s/${id}`);
        await page.locator(".input :is(.cm-content, textarea.prose)").waitFor();
        await page.waitForFunction(() => window.wentUp);
        await settled(page);
        assert.ok(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY) > 9,
          "it went back to the end");
      }
    }));

    it("who sends a cell sees what comes of it, wherever they read", limit, () => opened(async (page) => {
      await page.evaluate(() => scrollTo(0, 0));
      await settled(page);
      await runCell(page, 'fmt.Println("at the end")');
      await page.locator(".cell.ok .output").filter({ hasText: "at the end" }).waitFor();
      await page.waitForFunction(() => document.documentElement.scrollHeight - innerHeight - scrollY < 3);
    }));

    it("what stays in view is reached without moving the notebook", limit, () => opened(async (page) => {
      const at = await settled(page);
      for (const part of [".top", ".input", ...(width > 700 ? ["nav"] : [])]) {
        const all = await page.locator(part)
          .locator("a:visible, button:visible:enabled, input:visible, select:visible, summary:visible").all();
        assert.ok(all.length > 2, part);
        for (const one of all) {
          await one.evaluate((el) => el.focus());
          await stays(page, at, `${part}: ${await one.evaluate((el) => el.outerHTML.slice(0, 120))}`);
        }
      }
    }));

    it("what has the focus in the notebook is not below what stays in view", limit, () => opened(async (page) => {
      await page.evaluate(() => scrollTo(0, 0));
      await settled(page);
      const hidden = await page.evaluate(async () => {
        const hidden = [];
        const all = [...document.querySelectorAll(".book a, .book button, .book summary")].slice(0, 60);
        for (const el of [...all, ...all.toReversed()]) {
          el.focus();
          await new Promise(requestAnimationFrame);
          const { top, bottom } = el.getBoundingClientRect();
          if (top < document.querySelector(".top").getBoundingClientRect().bottom
            || bottom > document.querySelector(".input").getBoundingClientRect().top)
            hidden.push(el.outerHTML.slice(0, 100));
        }
        return hidden;
      });
      assert.deepEqual(hidden, []);
    }));
  });
}
