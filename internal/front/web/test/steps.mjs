// The steps of a person on the page.

import assert from "node:assert/strict";
import { endpoint, enter, Home } from "./world.mjs";

/** worlds returns a function that runs a test with a server and a page, and removes both afterwards in any case. */
export const worlds = (chrome) => async (answer, run, { args = [], options, home: prepare } = {}) => {
  const model = answer && (await endpoint(answer));
  const home = new Home(model);
  const pages = [];
  try {
    await prepare?.(home);
    await home.serve(...args);
    const open = async (more) => { const p = await enter(chrome(), home, more ?? options); pages.push(p); return p; };
    await run({ home, open, page: await open() });
    for (const p of pages) assert.deepEqual(p.problems, []);
  } finally {
    for (const p of pages) await p.context().close();
    await home.close();
    model?.close();
  }
};

export const begin = async (page) => {
  const before = page.url();
  await page.getByRole("button", { name: "New session" }).first().click();
  await page.waitForURL((u) => u.pathname.startsWith("/s/") && u.href !== before);
  // not the previous session's
  await page.locator(`.desk[data-session="${idOf(page)}"] :is(.cm-content, textarea.prose)`).waitFor();
};

export const write = async (page, kind, text) => {
  await page.getByRole("radio", { name: kind }).check();
  await put(page.getByRole("textbox", { name: kind, exact: true }), text);
};

/**
 * put writes a text in place of all that an editor holds, with its keys. Playwright's fill selects the text behind
 * the editor's back, which
 * puts its own selection in place again if it has just got the focus.
 */
export const put = async (editor, text) => {
  await editor.press("ControlOrMeta+a");
  if (text) await editor.page().keyboard.insertText(text);
  else await editor.press("Delete");
};

/** asks waits until the question's editor holds a text. */
export const asks = (page, text) =>
  page.waitForFunction((text) => document.querySelector("textarea.prose")?.value.includes(text), text);

export const askFor = async (page, question) => {
  await write(page, "question", question);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
};

export const runCell = async (page, source) => {
  await write(page, "cell", source);
  await page.getByRole("button", { name: "Run", exact: true }).click();
};

export const idOf = (page) => decodeURIComponent(new URL(page.url()).pathname.split("/")[2]);

/** choose clicks an item of a session's menu. */
export const choose = async (page, item) => {
  await page.locator(".menu-of > summary").click();
  await page.locator(".menu-of .items").getByRole("button", { name: item }).click();
};
