// The actions on a session (replay, undo, compare, export, settings, share), and failures during them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { make } from "./made.mjs";
import { askFor, asks, begin, choose, idOf, runCell, worlds, write } from "./steps.mjs";
import { browser, cell, enter, gate, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

const limit = { timeout: 4 * patience };
const world = worlds(() => chrome);

describe("a session", () => {
  it("is replayed, and what cells put out otherwise is shown line by line", limit,
      () => world(async ({ say }) => say(cell('x := 6 * 7\nfmt.Println(x, rand.Int(), time.Now())\nFINAL("done")')),
        async ({ page, home }) => {
    await page.goto(`${home.url}/s/0madebytest`);
    await page.locator(".answer").waitFor();
    await page.locator("h1").last().click();
    await page.keyboard.press("p");
    const dialog = page.getByRole("dialog", { name: "Replay" });
    await dialog.getByRole("status").filter({ hasText: "3 cells ran again; 3 gave a different output" }).waitFor();
    await dialog.locator("del.line").filter({ hasText: "row 3" }).first().waitFor(); // as recorded
    await dialog.locator("ins.line").filter({ hasText: "row 2 xxx" }).waitFor(); // as it is
    await dialog.getByRole("button", { name: "close" }).click();
    await begin(page);
    await askFor(page, "What is x?");
    await page.locator(".answer").filter({ hasText: "done" }).waitFor();
    await choose(page, "Replay");
    await dialog.getByRole("status").filter({ hasText: "1 cell ran again; all gave the same output" }).waitFor();
  }, { home: (home) => make(home.dir, { cells: 3, calls: 0 }) }));

  it("has its last question taken back", limit, () => {
    let turn = 0;
    return world(async ({ say }) => say(cell(`FINAL("answer ${++turn}")`)), async ({ page }) => {
      await begin(page);
      await askFor(page, "What is first?");
      await page.locator(".answer").filter({ hasText: "answer 1" }).waitFor();
      await askFor(page, "What is second?");
      await page.locator(".answer").filter({ hasText: "answer 2" }).waitFor();
      await choose(page, "Take back");
      await page.getByRole("dialog").getByRole("button", { name: "Take back" }).click();
      await page.locator(".run.undone").filter({ hasText: "What is second?" }).waitFor();
      assert.equal(await page.locator(".run:not(.undone)").count(), 1);
    });
  });

  it("is compared with another, and with itself", limit, () => {
    const replies = [cell("n := 7\nfmt.Println(n)"), cell('FINAL("it is seven")'), cell("n := 8\nfmt.Println(n)"),
      cell('FINAL("it is eight")')];
    return world(async ({ say }) => say(replies.shift()), async ({ page }) => {
      await begin(page);
      await askFor(page, "What is n?");
      await page.locator(".answer").filter({ hasText: "seven" }).waitFor();
      await begin(page);
      await askFor(page, "What is n?");
      await page.locator(".answer").filter({ hasText: "eight" }).waitFor();
      await choose(page, "Compare");
      const dialog = page.getByRole("dialog");
      await dialog.locator("del.line").filter({ hasText: "it is eight" }).first().waitFor();
      await dialog.locator("ins.line").filter({ hasText: "it is seven" }).first().waitFor();
      await dialog.locator("ins.line").filter({ hasText: "n := 7" }).waitFor();
    });
  });

  it("is exported in every form, and opened from the disk", limit,
      () => world(async ({ say }) => say(cell('FINAL("**exported** </script><script>alert(1)</script>")')),
        async ({ page, home }) => {
    await begin(page);
    await askFor(page, "What is it?");
    await page.locator(".answer").waitFor();
    const forms = {};
    for (const form of ["html", "ipynb", "markdown", "rlm-jsonl"]) {
      await choose(page, "Export");
      const [download] = await Promise.all([page.waitForEvent("download"),
        page.getByRole("dialog").getByRole("link", { name: form }).click()]);
      forms[form] = join(home.dir, "exported." + form.replace("rlm-", ""));
      await download.saveAs(forms[form]);
    }
    assert.equal(JSON.parse(readFileSync(forms.ipynb, "utf8")).nbformat, 4);
    assert.match(readFileSync(forms.markdown, "utf8"), /What is it\?/);
    for (const line of readFileSync(forms["rlm-jsonl"], "utf8").trim().split("\n")) JSON.parse(line);
    const reader = await page.context().newPage();
    const asked = [];
    reader.on("request", (r) => { if (!/^(file|data):/.test(r.url())) asked.push(r.url()); });
    reader.on("dialog", () => asked.push("a dialog opened"));
    await reader.goto(pathToFileURL(forms.html).href);
    await reader.locator(".answer strong").filter({ hasText: "exported" }).waitFor();
    assert.deepEqual(asked, []);
  }));

  it("has settings, which hold for the questions to come", limit,
      () => world(async ({ asked, say }) => say(cell(`FINAL("by ${asked.model}")`)), async ({ page, home }) => {
    await begin(page);
    await choose(page, "Settings");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "model", exact: false }).first().selectOption("other");
    await dialog.getByRole("spinbutton", { name: "turns" }).fill("3");
    await dialog.getByRole("spinbutton", { name: "cost" }).fill("0.5");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    const { model, budgets } = await home.api("GET", `sessions/${idOf(page)}/settings`);
    assert.deepEqual([model, budgets.iterations, budgets.cost], ["other", 3, 0.5]);
    await page.getByRole("button", { name: "options" }).click();
    const turns = page.locator(".options").getByRole("spinbutton", { name: "turns" });
    await page.waitForFunction(() => document.querySelector(".options input")?.placeholder === "0.5");
    await turns.fill("2");
    await askFor(page, "Who answers?");
    await page.locator(".answer").filter({ hasText: "by other" }).waitFor();
    const now = (await home.api("GET", `sessions/${idOf(page)}/settings`)).budgets;
    assert.deepEqual([now.iterations, now.cost], [2, 0.5]);
  }, { args: ["--sub-model", "other"] }));

  it("is shared with a named user, who sees nothing else", limit, () => world(null, async ({ page, home }) => {
    const token = execFileSync(process.env.RLM ?? "rlm", ["serve", "users", "add", "bob"],
      { env: home.env(), encoding: "utf8" }).match(/[\w-]{30,}/)[0];
    await begin(page);
    await runCell(page, 'fmt.Println("of the owner")');
    await page.locator(".cell.ok").waitFor();
    const id = idOf(page), bob = await enter(chrome, { url: home.url, token });
    try {
      await bob.locator("nav .dim").filter({ hasText: "no sessions yet" }).waitFor();
      await bob.goto(`${home.url}/s/${id}`);
      await bob.locator("main .problem").waitFor();
      await choose(page, "Share");
      await page.getByRole("dialog").getByRole("button", { name: "Share" }).click();
      await page.locator(".top .tag").filter({ hasText: "shared" }).waitFor();
      await bob.goto(`${home.url}/s/${id}`);
      await bob.locator(".cell.ok .output").filter({ hasText: "of the owner" }).waitFor();
      await bob.locator(".top .tag").filter({ hasText: "of owner" }).waitFor();
    } finally {
      await bob.context().close();
    }
  }));

  it("has the sources of its answer checked, and reads documents again that changed", limit,
      () => world(async ({ say }) => say(cell('FINAL("It is there " + cite(grep("needle")[0].Text) + ".")')),
        async ({ page, home }) => {
    await page.locator("nav").waitFor();
    const { id } = await home.api("POST", "sessions", {});
    await page.goto(`${home.url}/s/${id}`);
    await askFor(page, "Where is the needle?");
    await page.locator(".answer").waitFor();
    await page.getByRole("button", { name: "check the sources" }).click();
    await page.locator(".verify").filter({ hasText: "All of it holds" }).waitFor();
    writeFileSync(join(home.dir, "texts", "hay.txt"), "hay\nonly hay\n");
    await page.getByRole("button", { name: "check the sources" }).click();
    await page.locator(".verify").filter({ hasText: "Not all of it holds" }).waitFor();
    await page.locator(".evidence .tag.bad").waitFor();
    await page.getByRole("button", { name: "Context", exact: true }).click();
    await page.locator(".changed-files").getByRole("button", { name: "Read again" }).click();
    await page.locator(".viewer .linetext").filter({ hasText: "only hay" }).waitFor();
  }, { args: ["texts"], home: (home) => {
    mkdirSync(join(home.dir, "texts"));
    writeFileSync(join(home.dir, "texts", "hay.txt"), "hay\nthe needle\nhay\n");
  } }));
});

describe("a notebook", () => {
  it("leads from the values of an answer to what they rest on, and names those that rest on nothing", limit, () => {
    let turn = 0;
    return world(async ({ say }) =>
        say(cell(turn++ ? 'FINAL("There are 4711 errors on 17 hosts. エラーは17件")'
          : 'fmt.Println("errors:", strings.Count(context, "x"))')), async ({ page }) => {
      await begin(page);
      await askFor(page, "How many errors are there?");
      await page.locator(".answer .missing").filter({ hasText: /^17$/ }).nth(1).waitFor(); // without spaces too
      await page.locator(".answer .bad").filter({ hasText: "not found in this run: 17" }).waitFor();
      await page.locator(".answer button.value").filter({ hasText: /^4711$/ }).click();
      await page.locator(".cell.pointed").filter({ hasText: "strings.Count" }).waitFor();
      await page.locator(".grounding summary").filter({ hasText: "1 of 3 values found" }).click();
      await page.locator(".grounding li").filter({ hasText: "17 only the model itself wrote it" }).first().waitFor();
      await page.locator(".grounding li").filter({ hasText: "4711 the output of cell 1" }).waitFor();
    }, { args: ["errors.txt"], home: (home) => writeFileSync(join(home.dir, "errors.txt"), "x\n".repeat(4711)) });
  });

  it("leads from a value to the first message, in an export too", limit, () => world(async ({ say }) =>
      say(cell('FINAL("The keeper of Kiel is Ada Lund, since 1987.")')), async ({ page, home }) => {
    const leads = async (page) => {
      await page.locator(".answer button.value").filter({ hasText: /^1987$/ }).click();
      const first = page.getByRole("region", { name: "the first message", exact: true });
      await first.locator("mark").filter({ hasText: /^1987$/ }).waitFor();
      await page.waitForFunction(() => {
        const mark = document.querySelector(".first mark").getBoundingClientRect();
        return mark.top >= 0 && mark.bottom <= innerHeight;
      });
      assert.equal(await first.locator("mark").count(), 1); // not in 11987
      await page.locator(".grounding summary").click();
      await page.locator(".grounding li").filter({ hasText: "1987 the first message" }).waitFor();
      await page.locator(".grounding li").filter({ hasText: "Ada Lund" }).getByRole("button").click();
      await first.locator("mark").filter({ hasText: /^Ada Lund$/ }).waitFor();
      await first.getByRole("button", { name: "close" }).click();
      await first.waitFor({ state: "detached" });
    };
    await begin(page);
    await askFor(page, "Who is the keeper?");
    await leads(page);
    const id = idOf(page), path = join(home.dir, "export.html");
    execFileSync(process.env.RLM ?? "rlm", ["export", id, "-o", path], { env: home.env() });
    await page.goto(pathToFileURL(path).href);
    await leads(page);
  }, {
    args: ["keepers.txt"], home: (home) => writeFileSync(join(home.dir, "keepers.txt"),
      "Number 11987 burns.\n" + "The sea is calm.\n".repeat(40) + "Kiel: Ada Lund keeps the light since 1987.\n"),
  }));

  it("opens a child run, and tells what the model was told at a turn", limit, () => {
    let turn = 0;
    return world(async ({ asked, say }) => {
      if (JSON.stringify(asked.messages).includes("count the lines")) return say(cell('FINAL("three lines")'));
      return say(turn++ ? cell('FINAL("done")')
        : cell('q := "count " + "the lines"\nfmt.Println(rlm_query(q, "one\\ntwo\\nthree"))'));
    }, async ({ page }) => {
      await begin(page);
      await askFor(page, "How many are there?");
      await page.locator(".bar").filter({ hasText: "1 child run" }).click();
      await page.locator(".callrow").first().click();
      await page.locator(".nested .answer").filter({ hasText: "three lines" }).waitFor();
      await page.locator(".answer").filter({ hasText: "done" }).waitFor();
      await page.locator(".turn").first().hover();
      await page.locator(".turn").first().getByRole("button", { name: "what it was told" }).click();
      await page.locator(".told .message.new").filter({ hasText: "question" }).first().waitFor();
      await page.locator(".told pre").filter({ hasText: "How many are there?" }).first().waitFor();
      await page.locator(".told").getByRole("button", { name: "next turn" }).click();
      await page.locator(".told").getByRole("button", { name: "changes" }).click();
      const changes = page.locator(".told .changes");
      await changes.locator("ins").filter({ hasText: "rlm_query(q" }).waitFor(); // the reply
      await changes.locator("ins").filter({ hasText: "three lines" }).waitFor(); // the output of its cell
      await changes.locator(".dim").filter({ hasText: "lines of the same" }).waitFor(); // what was sent before
      assert.equal(await changes.locator("del").count(), 0);
      await page.getByRole("region", { name: "totals by model" }).filter({ hasText: "root" }).waitFor();
    });
  });

  it("asks the model about an error", limit,
      () => world(async ({ question, say }) =>
        say(cell(`FINAL(${JSON.stringify(question.includes("divide by zero") ? "b is zero" : "what error?")})`)),
        async ({ page }) => {
    await begin(page);
    await runCell(page, "b := 0\na := 1 / b\na");
    await page.locator(".cell.failed").getByRole("button", { name: "Ask the model" }).click();
    await asks(page, "divide by zero");
    await page.keyboard.press("Shift+Enter");
    await page.locator(".answer").filter({ hasText: "b is zero" }).waitFor();
  }));
});

describe("nothing is lost", () => {
  const nothingKept = (page, id) =>
    page.waitForFunction((id) => !Object.keys(localStorage).some((k) => k.includes(id)), id);

  it("of what is typed into dialogs; with its session it goes", limit, () => {
    let turn = 0;
    return world(async ({ question, say }) =>
        say(cell(
          `FINAL(${JSON.stringify(turn++ ? "better: " + question.includes("say more of it") : "too short")})`)),
        async ({ page, home }) => {
      await begin(page);
      const id = idOf(page), dialog = page.getByRole("dialog"),
        text = dialog.getByRole("textbox", { name: "text", exact: true });
      await choose(page, "Add to");
      await text.fill("pasted and not added yet");
      await dialog.getByRole("textbox", { name: "name of the text" }).fill("notes.txt");
      await page.reload();
      await choose(page, "Add to");
      assert.equal(await text.inputValue(), "pasted and not added yet");
      await page.keyboard.press("Escape"); // an accidental Escape loses nothing
      await dialog.waitFor({ state: "detached" });
      await choose(page, "Add to");
      await dialog.getByRole("button", { name: "Add the text" }).click();
      await page.locator(".note-context").filter({ hasText: "1 document" }).waitFor();
      assert.equal((await home.api("GET", `sessions/${id}/documents`)).documents[0].name, "notes.txt");
      await nothingKept(page, id);

      await home.api("PATCH", `sessions/${id}/settings`, { mode: "task" });
      await askFor(page, "What is in it?");
      await nothingKept(page, id); // the server has it
      const note = page.getByRole("textbox", { name: "what is missing" });
      await note.fill("say more of it\nand why");
      await page.reload();
      await note.waitFor();
      assert.equal(await note.inputValue(), "say more of it\nand why");
      await page.getByRole("button", { name: "Send back" }).click();
      await page.locator(".answer").filter({ hasText: "better: true" }).waitFor();
      await nothingKept(page, id);

      await write(page, "question", "never asked");
      await page.locator(".input").getByRole("combobox", { name: "model" }).first().selectOption("other");
      await page.waitForFunction(() => Object.values(localStorage).some((v) => v.includes('"other"')));
      await page.reload();
      await asks(page, "never asked");
      assert.equal(await page.locator(".input").getByRole("combobox", { name: "model" }).first().inputValue(), "other");
      await begin(page);
      const other = idOf(page);
      await write(page, "question", "of another session");
      await page.waitForFunction((id) => localStorage.getItem("draft " + id), other);
      await home.api("DELETE", "sessions/" + id);
      await nothingKept(page, id);
      assert.ok(await page.evaluate((id) => localStorage.getItem("draft " + id), other), "another session's stays");

      const kept = (at) => JSON.stringify({ text: "x", at }); // of sessions that were deleted while no page was open
      await page.evaluate(([was, is]) => {
        localStorage.setItem("draft 0gone text", was);
        localStorage.setItem("draft 0new", is);
      }, [kept(0), kept(Date.now())]);
      await page.reload();
      await page.waitForFunction(() => !localStorage.getItem("draft 0gone text"));
      assert.ok(await page.evaluate(() => localStorage.getItem("draft 0new")));
    }, { args: ["--sub-model", "other"] });
  });

  it("when the page is killed in the middle of a reply", limit, () => {
    const half = gate();
    return world(async ({ say }) => {
      await say("The first half of a reply");
      await half.passed;
      await say(" and the second\n\n" + cell('FINAL("whole")'));
    }, async ({ page }) => {
      await begin(page);
      await askFor(page, "Does it hold?");
      await page.locator(".turn .md").filter({ hasText: "The first half" }).waitFor();
      await write(page, "question", "typed before the end");
      await page.waitForFunction(() => Object.values(localStorage).some((v) => v.includes("typed before the end")));
      const url = page.url(), gone = page.waitForEvent("crash");
      const cdp = await page.context().newCDPSession(page);
      cdp.send("Page.crash").catch(() => {}); // it never answers
      await gone;
      const again = await page.context().newPage();
      await again.goto(url);
      await again.locator(".turn .md").filter({ hasText: "The first half" }).waitFor();
      await asks(again, "typed before the end");
      half.open();
      await again.locator(".answer").filter({ hasText: "whole" }).waitFor();
    });
  });

  it("when the token is replaced: the page says so, and the new address leads back", limit,
      () => world(null, async ({ page, home, open }) => {
    await begin(page);
    await runCell(page, 'kept := "as it was"');
    await page.locator(".cell.ok").waitFor();
    await write(page, "cell", "kept + typed");
    const old = home.token, url = page.url();
    await home.kill();
    await home.serve("--new-token");
    assert.notEqual(home.token, old);
    await page.getByRole("alert").filter({ hasText: "no longer logged in" }).waitFor();
    assert.equal((await fetch(`${home.url}/api/v1/about`,
      { headers: { Authorization: "Bearer " + old } })).status, 401);
    await page.goto(url.replace(/^https?:\/\/[^/]*/, home.url) + "?token=" + encodeURIComponent(home.token));
    await page.getByRole("textbox", { name: "cell", exact: true }).filter({ hasText: "kept + typed" }).waitFor();
    await runCell(page, "kept");
    await page.locator(".cell.ok").filter({ hasText: "as it was" }).nth(1).waitFor();
    const other = await open();
    await other.locator("nav li").first().waitFor();
  }));

  it("in twelve tabs, which are all live at once", limit, () => world(null, async ({ page, home }) => {
    await begin(page);
    const tabs = [page];
    for (let n = 1; n < 12; n++) {
      const tab = await page.context().newPage();
      await tab.goto(page.url());
      tabs.push(tab);
    }
    for (const tab of tabs) await tab.locator(".input :is(.cm-content, textarea.prose)").waitFor();
    await runCell(page, 'fmt.Println("in all twelve")');
    for (const tab of tabs) await tab.locator(".cell.ok .output").filter({ hasText: "in all twelve" }).waitFor();
    await tabs[11].bringToFront();
    await runCell(tabs[11], 'fmt.Println("and back")');
    for (const tab of tabs) await tab.locator(".cell.ok .output").filter({ hasText: "and back" }).waitFor();
    const readers = async () => (await home.api("GET", "sessions/" + idOf(page))).state.readers;
    for (let n = await readers(); n !== 1; n = await readers()); // an abandoned one may be listed for a moment
  }));
});
