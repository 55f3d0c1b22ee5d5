// The first model, chosen in the page.

import { after, before, describe, it } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browser, cell, endpoint, patience } from "./world.mjs";
import { askFor, begin, worlds } from "./steps.mjs";

const limit = { timeout: 4 * patience };
let chrome;
before(async () => { chrome = await browser(); });
after(() => chrome?.close());
const world = worlds(() => chrome);

describe("a page without a model", () => {
  it("takes a provider, a model and a key, and answers then", limit, async () => {
    const model = await endpoint(({ question, say }) =>
      say(/word ok/.test(question) ? "ok" : cell('FINAL("forty two")')));
    try {
      await world(null, async ({ page, home }) => {
        const form = page.getByRole("form", { name: "Choose a model" });
        await form.getByLabel("provider").selectOption({ label: "OpenRouter" });
        assert.equal(await form.getByLabel("model").inputValue(), "openrouter/openrouter/auto");
        await form.getByLabel("model").fill("root");
        await form.getByLabel("key").fill("sk-test-of-the-page");
        await form.getByRole("button", { name: "Try and keep" }).click();
        await form.waitFor({ state: "detached" });
        await page.getByText("openrouter/root").waitFor();
        assert.equal(readFileSync(join(home.dir, "config/rlm/config.toml"), "utf8"), "model = 'openrouter/root'\n");
        await begin(page);
        await askFor(page, "What is it?");
        await page.locator(".answer").filter({ hasText: "forty two" }).waitFor();
        assert.ok(!(await page.content()).includes("sk-test-of-the-page"));
      }, { home: (home) => {
        const env = home.env.bind(home);
        home.env = () => ({ ...env(), OPENROUTER_BASE_URL: model.url });
      } });
    } finally {
      model.close();
    }
  });

  it("says what is wrong with a key, and takes another one", limit, async () => {
    let tries = 0;
    const model = await endpoint(async ({ say }) => {
      if (tries++ === 0) throw new Error("broken off");
      await say("ok");
    });
    try {
      await world(null, async ({ page }) => {
        const form = page.getByRole("form", { name: "Choose a model" });
        await form.getByLabel("provider").selectOption({ label: "OpenRouter" });
        await form.getByLabel("key").fill("k");
        await form.getByRole("button", { name: "Try and keep" }).click();
        await form.getByRole("alert").waitFor();
        await form.getByRole("button", { name: "Try and keep" }).click();
        await form.waitFor({ state: "detached" });
      }, {
        args: ["--tries", "1"], home: (home) => {
          const env = home.env.bind(home);
          home.env = () => ({ ...env(), OPENROUTER_BASE_URL: model.url });
        },
      });
    } finally {
      model.close();
    }
  });
});
