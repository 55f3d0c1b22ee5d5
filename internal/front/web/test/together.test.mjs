// Several people in one session, broken connections, and machines that sleep.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { askFor, begin, choose, idOf, put, runCell, worlds, write } from "./steps.mjs";
import { browser, cell, enter, gate, patience, Wire } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

const limit = { timeout: 4 * patience };
const world = worlds(() => chrome);

// A model that sends half of its reply, waits, and continues.
function halved() {
  const half = gate();
  let turn = 0;
  return { half, answer: async ({ say }) => {
    if (turn++) return say(cell('FINAL("after it all")'));
    await say("The first half");
    await half.passed;
    await say(" and the second.\n\n" + cell('fmt.Println("once", "only")'));
  } };
}

// In the end, all of the reply is there, once.
async function once(page) {
  await page.locator(".answer").filter({ hasText: "after it all" }).waitFor();
  await page.locator(".turn .md").filter({ hasText: "The first half and the second." }).waitFor();
  assert.deepEqual(await page.locator(".cell .output").allInnerTexts(), ["once only\n"]);
  assert.equal(await page.locator(".answer").count(), 1);
  assert.equal(await page.locator(".turn").count(), 2);
}

// behindWire runs a test that disturbs the page's connection in the middle of a reply, and checks that the text typed
// meanwhile stays.
function behindWire(text, run) {
  const { half, answer } = halved();
  return world(answer, async ({ home }) => {
    const wire = await new Wire(home.url).open();
    const page = await enter(chrome, { url: wire.url, token: home.token });
    try {
      await begin(page);
      await askFor(page, "Does it hold?");
      await page.locator(".turn .md").filter({ hasText: "The first half" }).waitFor();
      await run({ page, wire, home, half });
      assert.ok((await page.getByRole("textbox", { name: "question", exact: true }).inputValue()).includes(text));
      assert.deepEqual(page.problems, []);
    } finally {
      await page.context().close();
      wire.close();
    }
  });
}

describe("nothing is lost", () => {
  it("when the network is gone for a part of a reply", limit, () =>
    behindWire("typed without a network", async ({ page, wire, home, half }) => {
      wire.cut();
      await page.getByRole("status").filter({ hasText: "connection is lost" }).waitFor();
      await write(page, "question", "typed without a network");
      half.open();
      await home.until(idOf(page), "completed");
      assert.equal(await page.locator(".answer").count(), 0);
      wire.mend();
      await once(page);
      await page.getByRole("status").filter({ hasText: "Ready" }).waitFor();
    }));

  it("when nothing passes for a part of a reply, though the connection stands", limit, () =>
    behindWire("typed meanwhile", async ({ page, wire, home, half }) => {
      await write(page, "question", "typed meanwhile");
      wire.hold();
      half.open();
      await home.until(idOf(page), "completed");
      assert.equal(await page.locator(".answer").count(), 0);
      wire.release();
      await once(page);
    }));

  it("when the machine sleeps: a page that was frozen has all that happened, once", limit, () => {
    const { half, answer } = halved();
    return world(answer, async ({ page, home }) => {
      await begin(page);
      await askFor(page, "Does it hold?");
      await page.locator(".turn .md").filter({ hasText: "The first half" }).waitFor();
      const cdp = await page.context().newCDPSession(page), id = idOf(page);
      await cdp.send("Page.setWebLifecycleState", { state: "frozen" });
      half.open();
      await home.until(id, "completed");
      await cdp.send("Page.setWebLifecycleState", { state: "active" });
      await once(page);
    });
  });
});

describe("a limit", () => {
  it("ends a question, which is resumed with more", limit, () => {
    let turn = 0;
    return world(async ({ say }) =>
        say(++turn < 4 ? cell(`n := ${turn}\nfmt.Println("turn", n)`)
          : cell('FINAL(fmt.Sprint("after turn ", n))')), async ({ page }) => {
      await begin(page);
      await page.getByRole("button", { name: "options" }).click();
      await page.locator(".options").getByRole("spinbutton", { name: "turns" }).fill("2");
      await askFor(page, "How far does it come?");
      await page.locator(".end.unanswered").filter({ hasText: "No answer" }).waitFor();
      await page.getByRole("button", { name: "Resume" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.filter({ hasText: "The turn limit was reached: 2 turns of 2. The question continues" }).waitFor();
      await dialog.getByRole("spinbutton", { name: "turns" }).fill("9");
      await dialog.getByRole("button", { name: "Resume" }).click();
      await page.locator(".answer").filter({ hasText: "after turn 3" }).waitFor();
      assert.deepEqual(await page.locator(".run > .question").allInnerTexts()
        .then((all) => all.map((q) => q.slice(2))), Array(2).fill("How far does it come?"));
    });
  });
});

describe("a variable", () => {
  it("is inserted where the cursor stands, by a click or the keyboard", limit, () => world(null, async ({ page }) => {
    await begin(page);
    await runCell(page, 'words := []string{"a", "b"}');
    await page.locator(".cell.ok").waitFor();
    const editor = page.getByRole("textbox", { name: "cell", exact: true });
    await put(editor, "len()");
    await editor.press("ArrowLeft");
    await page.getByRole("button", { name: "Variables", exact: true }).click();
    const name = page.getByRole("region", { name: "variables" }).getByRole("button", { name: "words" });
    await name.click();
    await editor.filter({ hasText: /^len\(words\)$/ }).waitFor();
    await page.keyboard.press("Shift+Enter"); // the cursor is in the editor
    await page.locator(".cell.ok").nth(1).filter({ hasText: "2" }).waitFor();
    await name.focus();
    await page.keyboard.press("Enter");
    await editor.filter({ hasText: /^words$/ }).waitFor();
  }));
});

describe("one session", () => {
  it("is written by one at a time: others are told who, and keep what they typed", limit, () => {
    const half = gate();
    return world(async ({ say }) => { await half.passed; await say(cell('FINAL("of the owner")')); },
        async ({ page, home }) => {
      const token = execFileSync(process.env.RLM ?? "rlm", ["serve", "users", "add", "bob"],
        { env: home.env(), encoding: "utf8" }).match(/[\w-]{30,}/)[0];
      await begin(page);
      await choose(page, "Share");
      await page.getByRole("dialog").getByRole("button", { name: "Share" }).click();
      const bob = await enter(chrome, { url: home.url, token });
      try {
        await bob.locator("nav li").first().click(); // it has appeared in the list
        await bob.locator(".input :is(.cm-content, textarea.prose)").waitFor();
        await askFor(page, "Who writes?");
        await bob.getByRole("status").filter({ hasText: "Busy: answering a question (owner)" }).waitFor();
        await page.getByRole("status").filter({ hasText: "Busy: answering a question (you)" }).waitFor();
        const editor = bob.getByRole("textbox", { name: "question", exact: true });
        await put(editor, "and what is with me?");
        await editor.press("Enter");
        await bob.getByRole("alert").filter({ hasText: "What you typed stays here" }).waitFor();
        half.open();
        await bob.locator(".answer").filter({ hasText: "of the owner" }).waitFor();
        assert.match(await editor.inputValue(), /and what is with me\?/);
        await choose(page, "Rename");
        await page.getByRole("dialog").getByRole("textbox").fill("a name for both");
        await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
        for (const p of [page, bob]) await p.locator("nav .what").filter({ hasText: "a name for both" }).waitFor();
        await choose(page, "Stop sharing");
        await page.getByRole("dialog").getByRole("button", { name: "Stop sharing" }).click();
        await bob.locator("nav .dim").filter({ hasText: "no sessions yet" }).waitFor();
        await bob.locator(".book .problem").filter({ hasText: "there is no session" }).waitFor();
        assert.deepEqual(bob.problems, []);
      } finally {
        await bob.context().close();
      }
    });
  });

  it("is shared by a browser and a terminal", limit,
      () => world(async ({ question, say }) =>
        say(cell(`FINAL(${JSON.stringify(question.includes("terminal") ? "to the terminal" : "to the browser")})`)),
        async ({ page, home }) => {
    await begin(page);
    await runCell(page, 'shared := "by both"');
    await page.locator(".cell.ok").waitFor();
    const terminal = spawn(process.env.RLM ?? "rlm", ["open", idOf(page)],
      { env: home.env(), cwd: home.dir, stdio: ["pipe", "pipe", "pipe"] });
    let said = "", hear = () => {};
    for (const out of [terminal.stdout, terminal.stderr]) out.on("data", (b) => { said += b; hear(); });
    const ended = new Promise((gone) => terminal.once("exit", gone));
    const says = (text) => new Promise((yes, no) => {
      hear = () => { if (said.includes(text)) yes(); };
      ended.then(() => no(new Error(`the terminal ended without ${JSON.stringify(text)}: ${said}`)));
      hear();
    });
    try {
      terminal.stdin.write("> len(shared)\n");
      await page.locator(".cell.ok").nth(1).filter({ hasText: "7" }).waitFor();
      terminal.stdin.write("What is asked in a terminal?\n");
      await page.locator(".answer").filter({ hasText: "to the terminal" }).waitFor();
      await says("to the terminal");
      await askFor(page, "What is asked in a browser?");
      await page.locator(".answer").filter({ hasText: "to the browser" }).waitFor();
      await says("to the browser");
      terminal.stdin.end("/quit\n");
      assert.equal(await ended, 0);
      await runCell(page, "shared");
      await page.locator(".cell.ok").filter({ hasText: "by both" }).nth(1).waitFor();
    } finally {
      terminal.kill("SIGKILL");
    }
  }));

  it("below a path, as a proxy shows it", limit,
      () => world(async ({ say }) => say(cell('FINAL("ok")')), async ({ page, home }) => {
    await page.goto(`${home.url}/?token=${home.token}`);
    assert.equal(new URL(page.url()).pathname, "/tools/rlm/");
    await page.getByRole("button", { name: "New session" }).first().click();
    await page.waitForURL((u) => u.pathname.startsWith("/tools/rlm/s/"));
    await askFor(page, "Is it there?");
    await page.locator(".answer").waitFor();
    await page.reload();
    await page.locator(".answer").waitFor();
    await page.locator("nav li a").first().click();
    await page.locator("nav").getByRole("link", { name: "rlm", exact: true }).click();
    await page.waitForURL((u) => u.pathname === "/tools/rlm/");
  }, { args: ["--base-path", "/tools/rlm"] }));
});
