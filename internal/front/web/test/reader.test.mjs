// An export is one file, opened from the disk: the notebook, read-only, without any request.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { write } from "./steps.mjs";
import { browser, cell, endpoint, enter, Home, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

describe("an export", () => {
  it("is read from the disk, with its sub-calls, and runs nothing that is in it", { timeout: 4 * patience },
      async () => {
    let turn = 0;
    const model = await endpoint(async ({ question, say }) =>
        say(question.startsWith("part") ? "reply to " + question
          : turn++ ? cell('FINAL("**done** </script><script>alert(1)</script>")')
      : "Words " + "that are long ".repeat(300) + "\n\n"
        + cell('rs := llm_query_batched([]string{"part 1", "part 2"})\nfmt.Println(rs)')));
    const home = new Home(model);
    const context = await chrome.newContext({ viewport: { width: 390, height: 844 } });
    try {
      await home.serve();
      const page = await enter(chrome, home);
      await page.getByRole("button", { name: "New session" }).first().click();
      await write(page, "question", "What <b>is</b> it?");
      await page.keyboard.press("Enter");
      await page.locator(".answer").waitFor();
      const id = new URL(page.url()).pathname.split("/")[2];
      await page.context().close();
      const path = join(home.dir, "export.html");
      execFileSync(process.env.RLM ?? "rlm", ["export", id, "-o", path],
        { env: { PATH: process.env.PATH, HOME: home.dir, RLM_DATA_DIR: join(home.dir, "data") } });
      const reader = await context.newPage();
      const problems = [];
      reader.on("pageerror", (e) => problems.push(String(e)));
      reader.on("console", (m) => { if (m.type() === "error") problems.push(m.text()); });
      reader.on("request", (r) => { if (!/^(file|data):/.test(r.url())) problems.push(r.url()); });
      reader.on("dialog", () => problems.push("a dialog opened"));
      await reader.goto(pathToFileURL(path).href);
      await reader.locator(".question").filter({ hasText: "What <b>is</b> it?" }).waitFor();
      await reader.locator(".turn .md").filter({ hasText: "that are long" }).first().waitFor();
      await reader.locator(".answer strong").filter({ hasText: "done" }).waitFor();
      await reader.locator(".bar").filter({ hasText: "2 of 2 sub-calls" }).click();
      await reader.locator(".callrow").filter({ hasText: "part 2" }).click();
      await reader.locator(".exchange").filter({ hasText: "reply to part 2" }).waitFor();
      assert.equal(await reader.locator(".input").count(), 0);
      assert.ok((await reader.evaluate(() =>
        document.documentElement.scrollWidth - document.documentElement.clientWidth)) <= 0);
      const inert = await (await chrome.newContext({ javaScriptEnabled: false })).newPage();
      await inert.goto(pathToFileURL(path).href);
      for (const text of ["is", "that are long", "reply to part 2", "done"])
        await inert.locator("noscript, main").filter({ hasText: text }).first().waitFor();
      await inert.context().close();
      assert.deepEqual(problems, []);
    } finally {
      await context.close();
      await home.close();
      model.close();
    }
  });
});
