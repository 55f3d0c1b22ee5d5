// The page in a real browser, on a real server, with a scripted endpoint.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { make, pdf } from "./made.mjs";
import { askFor, asks, begin, choose, idOf, put, runCell, worlds, write } from "./steps.mjs";
import { browser, cell, gate, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

const limit = { timeout: 4 * patience };

const world = worlds(() => chrome);

describe("the editor", () => {
  it("keeps every key of a long text, however fast it is typed", limit, () => world(null, async ({ page }) => {
    await begin(page);
    const text = "what is in this text, and where does it say so? ".repeat(8);
    await page.getByRole("radio", { name: "question" }).check();
    const editor = page.getByRole("textbox", { name: "question", exact: true });
    await editor.click();
    await page.keyboard.type(text);
    assert.equal((await editor.inputValue()).trimEnd(), text.trimEnd());
    await page.reload(); // a draft outlives the page
    await asks(page, "where does it say so?");
  }));

  it("keeps what each of two tabs typed", limit, () => world(null, async ({ page }) => {
    await begin(page);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await write(page, "question", "of the first");
    await write(other, "question", "of the second");
    for (const [p, text] of [[page, "of the first"], [other, "of the second"]]) {
      await p.reload();
      await asks(p, text);
      await p.locator("nav li").filter({ hasText: "not sent: " + text }).waitFor();
    }
    const third = await page.context().newPage(); // which has no draft
    await third.goto(page.url());
    await asks(third, "of the second");
    await put(third.getByRole("textbox", { name: "question", exact: true }), "");
    await third.locator("nav .unsent").waitFor({ state: "detached" });
  }));

  it("sends nothing with the key that ends the composition of an input method", limit, () => {
    const asked = [];
    return world(async ({ question, say }) => { asked.push(question); await say(cell('FINAL("ok")')); },
        async ({ page }) => {
      await begin(page);
      const press = (init) => page.evaluate((init) =>
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
          { key: "Enter", bubbles: true, cancelable: true, ...init })), init);
      for (const kind of ["question", "cell"]) {
        await write(page, kind, "2 + 3");
        await press({ keyCode: 229, shiftKey: kind === "cell" });
        await press({ isComposing: true, keyCode: 13, shiftKey: kind === "cell" });
      }
      await write(page, "question", "half of it");
      await page.keyboard.press("Alt+Enter");
      await page.keyboard.type("and the rest");
      await press({ keyCode: 13 });
      await page.locator(".answer").waitFor();
      assert.equal(asked.length, 1);
      assert.equal(await page.locator("h2.question").innerText()
        .then((t) => t.includes("half of it\nand the rest") || t.includes("half of it and the rest")), true);
      assert.equal(await page.locator(".cell").count(), 1, "the model's, and none of a person");
    });
  });

  const losses = [{ status: 504, body: "Gateway Timeout" }, { status: 200, body: "" },
    { status: 200, body: "<p>Log in</p>", contentType: "text/html" }];
  for (const loss of losses)
      it(`sends once what is sent again after its answer was lost to ${JSON.stringify(loss)}`, limit, () => {
    let asked = 0;
    return world(async ({ say }) => { asked++; await say(cell('FINAL("ok")')); }, async ({ page }) => {
      await begin(page);
      let lost;
      await page.route("**/ask", async (route) => { lost = route.request(); await route.fulfill(loss); }, { times: 1 });
      await askFor(page, "How often?");
      await page.locator(".problem.told").filter({ hasText: "if you send it again, it counts only once" }).waitFor();
      await page.request.fetch(lost.url(), { method: "POST", headers: await lost.allHeaders(), data: lost.postData() });
      await page.locator(".answer").waitFor();
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      await page.waitForFunction(() => document.querySelector("textarea.prose").value === "");
      assert.equal(asked, 1);
      assert.equal(await page.locator("h2.question").count(), 1);
      await askFor(page, "How often?"); // the same text asked again is another question
      await page.locator("h2.question").nth(1).waitFor();
      await page.locator(".answer").nth(1).waitFor();
      assert.equal(asked, 2);
    });
  });

  it(
      "takes a question out of the editor when the notebook shows it, and runs cells while the reply to it is on its way",
      limit, () => world(async ({ say }) => say(cell('FINAL("ok")')), async ({ page }) => {
    let reply;
    const held = new Promise((r) => { reply = r; });
    await begin(page);
    await page.route("**/ask",
      async (route) => { const response = await route.fetch(); await held; await route.fulfill({ response }); });
    await askFor(page, "Is it?");
    await page.waitForFunction(() => document.querySelector("textarea.prose")?.value === "");
    await page.locator(".answer").waitFor();
    await write(page, "cell", "1 + 41");
    await page.keyboard.press("Shift+Enter");
    await page.locator(".cell.ok").filter({ hasText: "42" }).waitFor();
    await write(page, "question", "Is it?"); // the same text typed again stays
    const came = page.waitForResponse("**/ask");
    reply();
    await (await came).finished();
    assert.equal(await page.getByRole("textbox", { name: "question", exact: true }).inputValue(), "Is it?");
    assert.equal(await page.locator("h2.question").count(), 1);
  }));

  it("leaves the editor by Escape though completions are still asked for", limit,
      () => world(null, async ({ page }) => {
    await begin(page);
    const asked = page.waitForRequest("**/complete");
    await page.route("**/complete", () => {}); // never answered
    await write(page, "cell", "");
    await page.getByRole("textbox", { name: "cell", exact: true }).click();
    await page.keyboard.type("strings.Re");
    await asked;
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement === document.body);
  }));

  it("runs a person's cells without a model, completes, and shows what fails at its line", limit,
      () => world(null, async ({ page, home }) => {
    await page.getByText(/model/i).first().waitFor(); // the first start reports that there is none
    await begin(page);
    await runCell(page, 'words := map[string]int{"one": 1, "two": 2}\nfmt.Println("there are", len(words))');
    await page.locator(".cell.ok .output").filter({ hasText: "there are 2" }).waitFor();
    await runCell(page, "a := 1\nb := a / (a - 1)\nb");
    await page.locator(".cell.failed .line.wrong").filter({ hasText: "a / (a - 1)" }).waitFor();
    await page.getByRole("button", { name: "Variables", exact: true }).click();
    await page.getByRole("region", { name: "variables" }).getByRole("button", { name: "words" }).waitFor();
    await write(page, "cell", "");
    const editor = page.getByRole("textbox", { name: "cell", exact: true });
    await editor.click();
    await page.keyboard.type("strings.Repl");
    await page.locator(".cm-tooltip-autocomplete li").filter({ hasText: "ReplaceAll" }).waitFor();
    const list = await page.locator(".cm-tooltip-autocomplete").boundingBox();
    const at = await page.locator(".editor .cm-cursor-primary").boundingBox();
    assert.ok(list.y + list.height <= at.y + 1, "the list covers the line that is written");
    await page.keyboard.press("Escape");
    await put(editor, "");
    await editor.click();
    await page.keyboard.type("hits := grep(");
    await page.locator(".signature b").first().waitFor();
    await put(editor, "x := 1\ny := nothing + x");
    await page.locator(".cm-lintRange-error, .cm-lintPoint-error").first().waitFor(); // before it runs
    assert.equal((await home.api("GET", "sessions")).sessions[0].cells, 2);
  }));

  it("marks each line that does not compile", limit, () => world(null, async ({ page }) => {
    await begin(page);
    await runCell(page, "a := nope1\nb := 3\nc := nope2");
    await page.locator(".cell.failed").waitFor();
    assert.deepEqual(await page.locator(".cell .source .line.wrong").allInnerTexts()
      .then((all) => all.map((l) => l.trim())), ["a := nope1", "c := nope2"]);
  }));

  it("runs an edited cell again and finds what was sent before", limit, () => world(null, async ({ page }) => {
    await begin(page);
    await runCell(page, 'fmt.Println("first")');
    await page.locator(".cell.ok").waitFor();
    await page.locator(".cell").getByRole("button", { name: "edit" }).click();
    const editor = page.getByRole("textbox", { name: "cell", exact: true });
    await editor.filter({ hasText: 'fmt.Println("first")' }).waitFor();
    await put(editor, 'fmt.Println("second")');
    await page.keyboard.press("Shift+Enter");
    await page.locator(".cell.ok .output").filter({ hasText: "second" }).waitFor();
    await editor.click();
    await page.keyboard.press("Alt+ArrowUp");
    await editor.filter({ hasText: "second" }).waitFor();
    await page.keyboard.press("Alt+ArrowUp");
    await editor.filter({ hasText: "first" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("b");
    const list = page.getByRole("dialog", { name: "Earlier cells" });
    await list.locator("li").nth(1).waitFor();
    await list.getByRole("searchbox").fill("SECOND");
    await page.keyboard.press("Enter");
    await editor.filter({ hasText: "second" }).waitFor();
    await page.keyboard.press("Shift+Enter"); // the cursor is in the editor
    await page.locator(".cell.ok .output").filter({ hasText: "second" }).nth(1).waitFor();
  }));
});

describe("a question", () => {
  it("streams, shows cells and the answer, and nothing that a model writes can run", limit, async () => {
    const half = gate();
    let turn = 0;
    await world(async ({ say }) => {
      if (turn++ > 0) return say(cell('FINAL("**done** <img src=x onerror=alert(1)>")'));
      await say("I look at [it](javascript:alert(1)) <script>alert(2)</script> ![p](http://127.0.0.1:1/p.png) first");
      await half.passed;
      await say("\n\n" + cell('fmt.Println("<b>as printed</b>")'));
    }, async ({ page }) => {
      page.on("dialog", () => page.problems.push("a dialog opened"));
      page.on("request", (r) => { if (r.url().includes("p.png")) page.problems.push("an image was loaded"); });
      await begin(page);
      await askFor(page, "What is it?");
      // while the reply arrives
      await page.locator(".turn .md").filter({ hasText: "<script>alert(2)</script>" }).waitFor();
      assert.equal(await page.locator(".turn .waiting").count(), 1);
      assert.equal(await page.locator('.md a[href^="javascript"], .md img, .md script').count(), 0);
      half.open();
      await page.locator(".cell.ok .output").filter({ hasText: "<b>as printed</b>" }).waitFor();
      await page.locator(".answer strong").filter({ hasText: "done" }).waitFor();
      assert.equal(await page.locator(".answer img").count(), 0);
    });
  });

  it("is seen live by two browsers, and is not lost when the server is killed in the middle of a reply", limit,
      async () => {
    const half = gate();
    let asked = 0;
    await world(async ({ say }) => {
      if (asked++ > 0) return say(cell('FINAL("after all")'));
      await say("The first half of a reply");
      await half.passed;
    }, async ({ page, open, home }) => {
      await begin(page);
      const other = await open();
      await other.goto(page.url().replace(/^https?:\/\/[^/]*/, home.url));
      await askFor(page, "Does it hold?");
      for (const p of [page, other]) await p.locator(".turn .md").filter({ hasText: "The first half" }).waitFor();
      await write(other, "question", "typed while it was busy");
      await other.getByRole("status").filter({ hasText: "Busy" }).waitFor();
      await home.kill();
      await page.getByRole("status").filter({ hasText: "connection is lost" }).waitFor();
      await home.serve();
      for (const p of [page, other]) await p.getByRole("button", { name: "Resume" }).waitFor();
      assert.match(await other.getByRole("textbox", { name: "question", exact: true }).inputValue(),
        /typed while it was busy/);
      await page.getByRole("button", { name: "Resume" }).click();
      for (const p of [page, other]) await p.locator(".answer").filter({ hasText: "after all" }).waitFor();
      half.open();
    });
  });

  it("that was cut off with others goes on with them, wherever one is", limit, async () => {
    const held = gate();
    let over = false;
    await world(async ({ say }) => {
      if (over) return say(cell('FINAL("after all")'));
      await held.passed;
    }, async ({ page, home }) => {
      const ids = [];
      for (const question of ["The first?", "The second?"]) {
        await begin(page);
        ids.push(idOf(page));
        await askFor(page, question);
        await page.locator(".turn").waitFor();
      }
      await home.kill();
      over = true;
      await home.serve();
      await page.goto(home.url);
      await page.locator("nav .cut").filter({ hasText: "2 questions were cut off." }).waitFor();
      await page.getByRole("button", { name: "Continue all" }).click();
      for (const id of ids) await home.until(id, "completed");
      await page.locator("nav li").filter({ hasText: "after all" }).nth(1).waitFor();
      await page.locator("nav .cut").waitFor({ state: "detached" });
      held.open();
    });
  });

  it("opens a footnote's source at the passage", limit,
      () => world(async ({ say }) =>
        say(cell('h := grep("needle")[0]\nFINAL("It is there " + cite(h.Text) + ".")')), async ({ page, home }) => {
    await begin(page);
    await home.api("POST", `sessions/${idOf(page)}/documents`,
      { texts: [{ name: "first.txt", text: "straw\n" },
        { name: "hay.txt", text: "hay\n".repeat(5000) + "the needle is here\n" + "hay\n".repeat(5000) }] });
    await page.locator(".note-context").waitFor();
    await askFor(page, "Where is the needle?");
    await page.locator(".answer button.mark").first().click();
    await page.locator(".viewer mark.now").filter({ hasText: "needle" }).waitFor();
    // of its document
    await page.locator(".viewer .textline").filter({ hasText: "the needle is here" }).locator(".lineno")
      .filter({ hasText: "5,001" }).waitFor();
    assert.ok((await page.locator(".textline").count()) < 1500);
  }));

  it("says in which cells of a sheet a source stands, and what of its document was not read", limit,
      () => world(null, async ({ page, home }) => {
    const book = { document: "costs.xlsx", part: "sheet 2 (Costs)", line: 9, offset: 40, length: 9, quote: "bolts,12" };
    const notes = ["sheet 1 is hidden", "a chart was not read"];
    const id = make(home.dir,
      { cells: 1, calls: 0, evidence: [{ ...book, mark: "[^1ab]", cells: "B5:D5", notes },
        { ...book, mark: "[^2cd]", document: "plain.txt", part: "", occurrences: 3 }] });
    await page.goto(`${home.url}/s/${id}`);
    const sources = page.locator(".evidence li");
    await sources.nth(1).waitFor();
    assert.match(await sources.nth(0).innerText(), /^1 costs\.xlsx, sheet 2 \(Costs\), B5:D5 .*bolts,12/);
    assert.equal(await sources.nth(0).locator(".caveat").innerText(),
      "about this document: sheet 1 is hidden; a chart was not read");
    assert.match(await sources.nth(1).innerText(), /^2 plain\.txt, line 9 \(the first of 3 places\)/);
    assert.equal(await sources.nth(1).locator(".caveat").count(), 0);
    await page.getByRole("button", { name: "Context", exact: true }).click();
    await page.getByRole("button", { name: "marks (2)" }).click();
    const mark = page.locator(".panel .row button").filter({ hasText: "sheet 2 (Costs), B5:D5, cited" });
    assert.equal(await mark.getAttribute("title"), "sheet 1 is hidden; a chart was not read");
  }));

  it("opens a footnote's source at the page of a PDF", limit,
      () => world(async ({ say }) => say(cell('FINAL("It says so " + cite(grep("needle")[0].Text) + ".")')),
        async ({ page }) => {
    await begin(page);
    await choose(page, "Add to the context");
    await page.getByLabel("Files", { exact: true })
      .setInputFiles({
        name: "report.pdf", mimeType: "application/pdf",
        buffer: pdf(["Only hay is on the first page.", "The needle is on the second page.", "And hay on the third."]),
      });
    await page.locator(".note-context").filter({ hasText: "1 document" }).waitFor();
    await askFor(page, "Where is the needle?");
    await page.locator(".evidence li").filter({ hasText: "report.pdf, page 2" }).locator("button.mark").click();
    await page.locator(".viewer mark.now").filter({ hasText: "needle" }).waitFor();
    await page.getByRole("button", { name: "documents", exact: true }).click();
    await page.getByRole("button", { name: "parts of report.pdf" }).click();
    await page.locator(".branch").filter({ hasText: "page 2" }).waitFor();
  }));

  it("has ten thousand sub-calls in one bar and a list that scrolls", limit, async () => {
    let turn = 0;
    await world(async ({ asked, question, say }) => {
      if (!asked.stream && !/sub-calls in all/.test(question) && turn > 0) return say("reply to " + question);
      if (turn++ > 0) return say(question.startsWith("number ") ? "reply to " + question : cell('FINAL("counted")'));
      return say(cell(
        'qs := []string{}\nfor i := range 10000 {\n\tqs = append(qs, fmt.Sprint("number ", i))\n}\nrs := llm_query_batched(qs)\nfmt.Println(len(rs))'));
    }, async ({ page }) => {
      await begin(page);
      await askFor(page, "sub-calls in all?");
      await page.locator(".bar").filter({ hasText: "10,000 of 10,000 sub-calls" }).waitFor({ timeout: 3 * patience });
      await page.locator(".bar").click();
      await page.locator(".callrow").first().waitFor();
      assert.ok((await page.locator(".callrow").count()) < 100);
      await page.locator(".rows").evaluate((el) => { el.scrollTop = el.scrollHeight; });
      await page.locator(".callrow").filter({ hasText: "number 9999" }).click();
      await page.locator(".exchange").filter({ hasText: "reply to number 9999" }).waitFor();
    }, { args: ["--max-sub-calls", "20000", "--concurrency", "64"] });
  });

  it("can be reviewed, and a session forked behind a turn", limit, async () => {
    let turn = 0;
    await world(async ({ say }) => say(turn++ % 2 ? cell('FINAL("it is " + fmt.Sprint(n))') : cell("n := 7")),
        async ({ page, home }) => {
      await begin(page);
      await page.getByRole("button", { name: "options" }).click();
      await page.getByRole("checkbox", { name: "I review the answer" }).check();
      await askFor(page, "What is n?");
      await page.locator(".answer").filter({ hasText: "it is 7" }).waitFor();
      await page.getByRole("textbox", { name: "what is missing" }).fill("say more");
      await page.getByRole("button", { name: "Send back" }).click();
      await page.locator(".question").filter({ hasText: "say more" }).waitFor();
      await page.getByRole("button", { name: "Approve" }).click();
      await page.locator(".end").filter({ hasText: "approved" }).waitFor();
      const first = idOf(page);
      await page.locator(".turn").first().getByRole("button", { name: "fork here" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Fork", exact: true }).click();
      await page.waitForURL((u) => u.pathname.startsWith("/s/") && !u.pathname.includes(first));
      await page.locator(".turn").first().waitFor();
      const list = page.getByRole("navigation").getByRole("listitem");
      await list.nth(1).waitFor();
      assert.equal((await home.api("GET", "sessions")).sessions.length, 2);
    });
  });
});

describe("a browser", () => {
  it("plays the demo without a model", limit, () => world(null, async ({ page }) => {
    await page.getByRole("button", { name: "Watch the demo" }).click();
    await page.locator(".answer").waitFor();
    await page.locator(".bar").filter({ hasText: "sub-calls" }).first().waitFor();
    const first = page.url();
    await page.goto(new URL("/demo", first).href); // the address that "rlm serve --demo" prints
    await page.locator(".answer").waitFor();
    assert.notEqual(page.url(), first);
    assert.match(page.url(), /\/s\//);
  }));

  it("has one connection for all its tabs", limit, () => world(null, async ({ page, home }) => {
    await begin(page);
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await runCell(page, 'fmt.Println("in both")');
    for (const p of [page, tab]) await p.locator(".cell.ok .output").filter({ hasText: "in both" }).waitFor();
    const readers = async () => (await home.api("GET", "sessions/" + idOf(page))).state.readers;
    for (let n = await readers(); n !== 1; n = await readers()); // an abandoned one may be listed for a moment
  }));
});

describe("the context", () => {
  it("takes files that are dropped, shows them and finds what is in them", limit,
      () => world(null, async ({ page }) => {
    await begin(page);
    const data = await page.evaluateHandle(() => {
      const d = new DataTransfer();
      d.items.add(new File(["alpha\nbeta <img src=x onerror=alert(1)>\ngamma\n"], "<b>greek.txt",
        { type: "text/plain" }));
      return d;
    });
    await page.locator(".desk").dispatchEvent("drop", { dataTransfer: data });
    await page.getByRole("button", { name: "Context", exact: true }).click();
    await page.locator(".panel .branch").filter({ hasText: "<b>greek.txt" }).waitFor();
    await page.locator(".viewer .linetext").filter({ hasText: "onerror" }).waitFor();
    await page.getByRole("button", { name: "search", exact: true }).click();
    await page.getByRole("searchbox", { name: "search the context" }).fill("gamma");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.locator(".panel .row").filter({ hasText: "gamma" }).click();
    await page.locator(".viewer mark.now").filter({ hasText: "gamma" }).waitFor();
  }));
});

describe("a folder", () => {
  it("becomes documents with its paths", limit, () => world(null, async ({ page, home }) => {
    await begin(page);
    mkdirSync(join(home.dir, "deep", "down"), { recursive: true });
    writeFileSync(join(home.dir, "deep", "down", "one.txt"), "at the bottom\n");
    writeFileSync(join(home.dir, "deep", "two.txt"), "above\n");
    await choose(page, "Add to the context");
    await page.getByLabel("A folder").setInputFiles(join(home.dir, "deep"));
    await page.locator(".note-context").filter({ hasText: "2 documents" }).waitFor();
    const { documents } = await home.api("GET", `sessions/${idOf(page)}/documents`);
    assert.deepEqual(documents.map((d) => d.name).sort(), ["deep/down/one.txt", "deep/two.txt"]);
  }));
});
