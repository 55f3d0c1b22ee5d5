// Rare cases: deleted or damaged sessions, odd names and texts, narrow and low windows, two people who do the same at
// the same moment.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { make } from "./made.mjs";
import { askFor, begin, choose, idOf, runCell, worlds, write } from "./steps.mjs";
import { browser, cell, gate, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

const limit = { timeout: 4 * patience };
const world = worlds(() => chrome);
const question = (page) => page.getByRole("textbox", { name: "question", exact: true });
const wider = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/**
 * unreachable is what cannot be clicked of what a locator finds: it lies outside of the window, or below something
 * else.
 */
const unreachable = (all) => all.evaluateAll((els) => els.filter((el) => {
  el.scrollIntoView({ block: "nearest" });
  const { left, right, top, bottom } = el.getBoundingClientRect();
  const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return left < 0 || right > innerWidth || !hit || !(el.contains(hit) || hit.contains(el));
}).map((el) => el.outerHTML.slice(0, 100)));

describe("a session", () => {
  it("that is deleted in another tab says so, and what was typed stays", limit,
      () => world(async ({ say }) => say(cell('FINAL("ok")')), async ({ page, open }) => {
    await begin(page);
    const other = await open();
    await other.goto(page.url());
    await askFor(other, "Is it there?");
    await other.locator(".answer").waitFor();
    await write(page, "question", "not sent yet");
    await choose(other, "Delete");
    await other.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.locator(".book > .problem").waitFor();
    assert.equal(await page.locator(".book > .problem").innerText(), "the session was deleted");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.locator(".problem.told").filter({ hasText: "there is no session" }).waitFor();
    assert.equal(await question(page).inputValue(), "not sent yet");
    await other.waitForURL((u) => u.pathname === "/");
    await begin(other); // both tabs share a connection, which continues without the deleted session
    await askFor(other, "And this one?");
    await other.locator(".answer").waitFor();
    await page.locator("nav li").filter({ hasText: "And this one?" }).waitFor();
    await page.locator(".state").filter({ hasNotText: "connection" }).waitFor();
  }));

  it("in which nothing was asked is open, not running, and has no date that is none", limit,
      () => world(null, async ({ page, home }) => {
    await home.api("POST", "sessions", { empty: true });
    await page.locator("nav .facts").filter({ hasText: "open" }).waitFor();
    assert.match(await page.locator("nav .facts").innerText(), /^open( · \d+:\d+.*)?$/);
  }));

  it("that begins while the list of sessions is on its way is in the list", limit,
      () => world(null, async ({ page, home }) => {
    const earlier = [{ id: "older", name: "one that was there", status: "completed" }];
    let taken = 0, letGo;
    const gate = new Promise((resolve) => (letGo = resolve));
    await page.route(/\/api\/v1\/sessions(\?.*)?$/, async (route) => {
      const response = await route.fetch(), list = await response.json();
      taken++;
      await gate; // every request for a list is held until the gate opens
      await route.fulfill({ json: { ...list, sessions: [...list.sessions, ...earlier] } });
    });
    await page.reload();
    while (taken < 2) await page.waitForTimeout(10); // one by the page itself, one for the connection
    const begun = await home.api("POST", "sessions", { empty: true });
    const listed = page.locator("nav .facts").filter({ hasText: "open" });
    await listed.waitFor();
    earlier[0] = { ...begun, ...earlier[0], state: undefined };
    letGo();
    await page.locator("nav li").filter({ hasText: "one that was there" }).waitFor();
    assert.equal(await listed.count(), 1);
    await page.unrouteAll({ behavior: "ignoreErrors" }); // the list may have been requested once more
  }));

  it("whose log is damaged says so and how it is repaired", limit,
      () => world(async ({ say }) => say(cell('FINAL("ok")')), async ({ page, home }) => {
    await begin(page);
    await askFor(page, "What is damaged?");
    await page.locator(".answer").waitFor();
    const id = idOf(page), log = join(home.dir, "data", "rlm", "runs", id, "trajectory.jsonl");
    await home.kill();
    const lines = readFileSync(log, "utf8").split("\n");
    lines[4] = "{" + lines[4].slice(0, 20);
    writeFileSync(log, lines.join("\n"));
    await home.serve();
    await page.goto(`${home.url}/s/${id}`);
    await page.locator(".book > .problem").filter({ hasText: `rlm repair ${id}` }).waitFor();
    await page.locator("nav .facts").filter({ hasText: "damaged" }).waitFor();
    assert.equal(await page.getByText("reading …").count(), 0);
  }));

  it("that cannot be exported whole leaves no file, and the page says why", limit,
      () => world(async ({ say }) => say(cell('FINAL("ok")')), async ({ page, home }) => {
    const runs = join(home.dir, "data", "rlm", "runs"), got = [];
    page.on("download", (d) => got.push(d.suggestedFilename()));
    const take = async (form) => {
      await choose(page, "Export");
      await page.getByRole("dialog").getByRole("link", { name: form }).click();
      return page.getByRole("dialog").getByRole("alert").innerText();
    };
    await begin(page);
    await askFor(page, "What is kept beside the log?");
    await page.locator(".answer").waitFor();
    rmSync(join(runs, idOf(page), "texts.zst"));
    assert.match(await take("markdown"), new RegExp(`rlm repair ${idOf(page)}`));
    await page.goto(`${home.url}/s/0madebytest`); // its export is larger than the buffers on the way
    await page.locator(".answer").waitFor();
    const log = join(runs, "0madebytest", "trajectory.jsonl"), lines = readFileSync(log, "utf8").split("\n");
    lines.splice(-2, 0, "{broken");
    writeFileSync(log, lines.join("\n"));
    assert.match(await take("html"), /incomplete/);
    assert.deepEqual(got, []);
  }, { home: (home) => make(home.dir, { cells: 1500, calls: 0 }) }));

  it("is asked by two at the same moment: one is answered, and the other is told and keeps what was typed",
      limit, () => {
    const held = gate();
    return world(async ({ say }) => { await held.passed; await say(cell('FINAL("ok")')); }, async ({ page, open }) => {
      await begin(page);
      const other = await open();
      await other.goto(page.url());
      const both = [page, other];
      for (const [n, p] of both.entries()) await write(p, "question", `asked by ${n}`);
      await Promise.all(both.map((p) => question(p).press("Enter"))); // the button may be disabled by then
      for (const p of both) await p.locator("h2.question").waitFor();
      const first = (await page.locator("h2.question").innerText()).includes("asked by 0") ? 0 : 1,
        late = both[1 - first];
      await late.locator(".problem.told").filter({ hasText: "busy" }).waitFor();
      assert.equal(await question(late).inputValue(), `asked by ${1 - first}`);
      held.open();
      for (const p of both) await p.locator(".answer").waitFor();
      for (const p of both) assert.equal(await p.locator("h2.question").count(), 1);
      await late.getByRole("button", { name: "Ask", exact: true }).click();
      for (const p of both) await p.locator("h2.question").filter({ hasText: `asked by ${1 - first}` }).waitFor();
    });
  });

  it("is left by the way back with all that was open above it", limit, () => world(null, async ({ page }) => {
    await begin(page);
    await runCell(page, "a := 1");
    await page.locator(".cell.ok").waitFor();
    const first = page.url();
    await begin(page);
    for (const key of ["?", "f"]) {
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press(key);
      await page.getByRole("dialog").waitFor();
      await page.goBack();
      await page.locator(".cell.ok").waitFor();
      assert.equal(page.url(), first);
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.goForward();
      await page.locator(".empty").waitFor();
      assert.equal(await page.getByRole("dialog").count(), 0);
    }
  }));
});

const names = [`quo"te's.txt`, "emoji 🎉👩‍👩‍👧.txt", "rtl \u202Etxt.exe.txt", "עברית.txt",
  "n".repeat(200) + ".txt", "<img src=x onerror=alert(1)>.txt", "percent%20%2F.txt", "semi;colon=.txt"];

// Drops files of one line each, like a person from a folder's window.
const drop = (page, names) => page.evaluate((names) => {
  const dataTransfer = new DataTransfer(), desk = document.querySelector(".desk");
  for (const n of names) dataTransfer.items.add(new File(["text of " + n], n));
  for (const kind of ["dragover", "drop"])
    desk.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
}, names);

describe("a name of a file", () => {
  it("may be odd: the document has it, is read by it and removed by it", limit,
      () => world(null, async ({ page, home }) => {
    await begin(page);
    await drop(page, names);
    await page.locator(".note-context").filter({ hasText: `${names.length} documents` }).waitFor();
    const there = async () =>
      (await home.api("GET", `sessions/${idOf(page)}/documents`)).documents.filter((d) => d.state !== "gone")
        .map((d) => d.name).sort();
    assert.deepEqual(await there(), [...names].sort());
    await page.getByRole("button", { name: "Context", exact: true }).click();
    await page.locator(".branch").nth(names.length - 1).waitFor();
    assert.equal(await wider(page), 0);
    const shown = (await page.locator(".branch").allInnerTexts()).join("\n");
    assert.ok(shown.includes("<img src=x onerror=alert(1)>.txt") && !shown.includes("\u202e"), shown);
    for (let left = names.length; left > 1; left--) { // a context keeps at least one document
      await page.locator(".branch .remove").first().click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
      await page.waitForFunction((n) => document.querySelectorAll(".branch .remove").length === n, left - 1);
    }
    assert.equal((await there()).length, 1);
  }));

  it("is left while more of its text is on its way", limit, () => world(null, async ({ page, home }) => {
    const { id } = await home.api("POST", "sessions", { empty: true });
    await home.api("POST", `sessions/${id}/documents`,
      { texts: [{ name: "long.txt", text: "a line of many\n".repeat(20_000) }] });
    await page.goto(`${home.url}/s/${id}?view=context`);
    await page.locator(".textline").nth(20).waitFor();
    let letGo;
    const gate = new Promise((resolve) => (letGo = resolve));
    await page.route(/\/text\?/,
      async (route) => { const response = await route.fetch(); await gate; await route.fulfill({ response }); });
    const asked = page.waitForRequest(/\/text\?/), came = page.waitForResponse(/\/text\?/);
    await page.locator(".viewer .text").evaluate((el) => el.scrollTo(0, el.scrollHeight));
    await asked;
    await page.getByRole("button", { name: "Context", exact: true }).click();
    await page.locator(".panel").waitFor({ state: "detached" });
    letGo();
    await (await came).finished();
    await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); }));
  }));

  it("that cannot be is named when it is refused", limit, () => world(null, async ({ page }) => {
    await begin(page);
    await drop(page, ["good.txt", "two\nlines.txt"]);
    await page.locator(".problem.told").filter({ hasText: String.raw`"two\nlines.txt"` }).waitFor();
  }));

  it("may be odd on the server as well", limit, () => {
    let folder;
    return world(null, async ({ page, home }) => {
      for (const n of names) writeFileSync(join(folder, n), "text of " + n);
      const { id } = await home.api("POST", "sessions", { empty: true });
      await page.goto(`${home.url}/s/${id}`);
      await page.locator(".empty").waitFor();
      await page.locator(".input :is(.cm-content, textarea.prose)").waitFor();
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press("a");
      const dialog = page.getByRole("dialog");
      await dialog.locator("li button").first().click();
      await dialog.locator("li").nth(names.length - 1).waitFor();
      assert.ok(!(await dialog.innerText()).includes("\u202e"));
      await dialog.locator("li").filter({ hasText: "<img" }).getByRole("button", { name: /^add / }).click();
      await page.locator(".note-context").filter({ hasText: "1 document" }).waitFor();
    }, { args: ["files"], home: async (home) => { folder = join(home.dir, "files"); mkdirSync(folder); } });
  });
});

describe("a window", () => {
  const long = { q: "q".repeat(3000), v: "v".repeat(5000), o: "o".repeat(5000), a: "a".repeat(4000) };
  const script = async ({ say }) =>
    say(`${long.a}\n\n` + cell(`long := "${long.v}"\nfmt.Println("${long.o}")\nFINAL("${long.a}")`));

  for (const [width, height] of [[320, 568], [640, 450], [844, 390]]) {
    it(`of ${width} by ${height} has everything in reach`, limit, () => world(script, async ({ page, home }) => {
      const { id } = await home.api("POST", "sessions", { empty: true });
      await page.goto(`${home.url}/s/${id}`);
      await askFor(page, "long " + long.q);
      await page.locator(".answer").waitFor();
      assert.equal(await wider(page), 0);
      await page.locator(".menu-of > summary").click();
      assert.deepEqual(await unreachable(page.locator(".menu-of .items button")), []);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "options" }).click();
      await page.locator(".options .budgets").waitFor();
      assert.deepEqual(await unreachable(page.locator(".input :is(button, input, select, textarea, .cm-content)")), []);
      await page.getByRole("button", { name: "options" }).click();
      for (const [view, there] of [["context", ".panel .dim"], ["variables", ".variables td"], ["trace", ".spans"]]) {
        await page.goto(`${home.url}/s/${id}?view=${view}`);
        await page.locator(there).first().waitFor();
        assert.equal(await wider(page), 0, view);
      }
      for (let n = 0; n < 9; n++) await home.api("POST", "sessions", { empty: true });
      await page.goto(home.url);
      await page.locator("nav li").nth(9).waitFor({ state: "attached" });
      if (width < 700) await page.getByRole("button", { name: "sessions", exact: true }).click();
      assert.deepEqual(await unreachable(page.locator(".corner button")), []);
      await page.locator("nav li a").last().focus();
      assert.deepEqual(await unreachable(page.locator("nav li:last-child a")), []);
    }, { options: { viewport: { width, height } } }));
  }

  it("in which nothing should move has nothing that moves", limit, () => {
    const held = gate();
    return world(async ({ say }) => { await held.passed; await say(cell('FINAL("ok")')); }, async ({ page }) => {
      await begin(page);
      await askFor(page, "What moves?");
      await page.locator(".state .dot.running").waitFor();
      assert.deepEqual(await page.evaluate(() =>
        document.getAnimations().map((a) => a.animationName).filter((name) => !name.startsWith("cm-blink"))), []);
      await page.locator("h2.question .anchor").click();
      const steps = await page.evaluate(() =>
        document.getAnimations().filter((a) => a.animationName === "pointed")
          .map((a) => getComputedStyle(a.effect.target).animationTimingFunction));
      assert.ok(steps.every((s) => s.startsWith("step")), String(steps));
      held.open();
      await page.locator(".answer").waitFor();
    }, { options: { reducedMotion: "reduce" } });
  });
});
