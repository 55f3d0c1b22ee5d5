// The page in a real browser, on a real server, with an endpoint that answers by a script.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pdf } from "./made.mjs";
import { askFor, begin, choose, idOf, put, runCell, worlds, write } from "./steps.mjs";
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
    assert.equal((await editor.innerText()).trimEnd(), text.trimEnd());
    await page.reload(); // a draft outlives the page
    await page.getByRole("textbox", { name: "question", exact: true }).filter({ hasText: "where does it say so?" }).waitFor();
  }));

  it("runs a person's cells without a model, completes, and shows what fails at its line", limit, () => world(null, async ({ page, home }) => {
    await page.getByText(/model/i).first().waitFor(); // the first start says that there is none
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
    await page.keyboard.press("Escape");
    await put(editor, "");
    await editor.click();
    await page.keyboard.type("hits := grep(");
    await page.locator(".signature b").first().waitFor();
    await put(editor, "x := 1\ny := nothing + x");
    await page.locator(".cm-lintRange-error, .cm-lintPoint-error").first().waitFor(); // before it runs
    assert.equal((await home.api("GET", "sessions")).sessions[0].cells, 2);
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
      await page.locator(".turn .md").filter({ hasText: "<script>alert(2)</script>" }).waitFor(); // while the reply is under way
      assert.equal(await page.locator(".turn .waiting").count(), 1);
      assert.equal(await page.locator('.md a[href^="javascript"], .md img, .md script').count(), 0);
      half.open();
      await page.locator(".cell.ok .output").filter({ hasText: "<b>as printed</b>" }).waitFor();
      await page.locator(".answer strong").filter({ hasText: "done" }).waitFor();
      assert.equal(await page.locator(".answer img").count(), 0);
    });
  });

  it("is seen live by two browsers, and is not lost when the server is killed in the middle of a reply", limit, async () => {
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
      assert.match(await other.getByRole("textbox", { name: "question", exact: true }).innerText(), /typed while it was busy/);
      await page.getByRole("button", { name: "Resume" }).click();
      for (const p of [page, other]) await p.locator(".answer").filter({ hasText: "after all" }).waitFor();
      half.open();
    });
  });

  it("opens a footnote's source at the passage", limit, () => world(async ({ say }) => say(cell('h := grep("needle")[0]\nFINAL("It is there " + cite(h.Text) + ".")')), async ({ page, home }) => {
    await begin(page);
    await home.api("POST", `sessions/${idOf(page)}/documents`, { texts: [{ name: "first.txt", text: "straw\n" }, { name: "hay.txt", text: "hay\n".repeat(5000) + "the needle is here\n" + "hay\n".repeat(5000) }] });
    await page.locator(".note-context").waitFor();
    await askFor(page, "Where is the needle?");
    await page.locator(".answer button.mark").first().click();
    await page.locator(".viewer mark.now").filter({ hasText: "needle" }).waitFor();
    await page.locator(".viewer .textline").filter({ hasText: "the needle is here" }).locator(".lineno").filter({ hasText: "5,001" }).waitFor(); // of its document
    assert.ok((await page.locator(".textline").count()) < 1500);
  }));

  it("opens a footnote's source at the page of a PDF", limit, () => world(async ({ say }) => say(cell('FINAL("It says so " + cite(grep("needle")[0].Text) + ".")')), async ({ page }) => {
    await begin(page);
    await choose(page, "Add to the context");
    await page.getByLabel("Files", { exact: true }).setInputFiles({ name: "report.pdf", mimeType: "application/pdf", buffer: pdf(["Only hay is on the first page.", "The needle is on the second page.", "And hay on the third."]) });
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
      return say(cell('qs := []string{}\nfor i := range 10000 {\n\tqs = append(qs, fmt.Sprint("number ", i))\n}\nrs := llm_query_batched(qs)\nfmt.Println(len(rs))'));
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
    await world(async ({ say }) => say(turn++ % 2 ? cell('FINAL("it is " + fmt.Sprint(n))') : cell("n := 7")), async ({ page, home }) => {
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
    await page.goto(new URL("/demo", first).href); // where "rlm serve --demo" leads
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
    for (let n = await readers(); n !== 1; n = await readers()); // one that was given up may be seen for a moment
  }));
});

describe("the context", () => {
  it("takes files that are dropped, shows them and finds what is in them", limit, () => world(null, async ({ page }) => {
    await begin(page);
    const data = await page.evaluateHandle(() => {
      const d = new DataTransfer();
      d.items.add(new File(["alpha\nbeta <img src=x onerror=alert(1)>\ngamma\n"], "<b>greek.txt", { type: "text/plain" }));
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

describe("outputs", () => {
  it("are tables that sort and charts", limit, () => world(null, async ({ page }) => {
    await begin(page);
    await runCell(page, 'table([][]string{{"b", "10"}, {"a", "9"}, {"c", "100"}}, "name", "n")');
    const first = () => page.locator(".tablebox tbody tr").first().innerText();
    await page.locator(".tablebox").waitFor();
    assert.match(await first(), /b\s+10/);
    const by = page.locator(".tablebox thead").getByRole("button", { name: "n", exact: true });
    await by.click();
    assert.match(await first(), /a\s+9/);
    await page.locator(".tablebox thead th").last().getByRole("button").click();
    assert.match(await first(), /c\s+100/);
    await runCell(page, 'bars(map[string]int{"x": 3, "y": 5})');
    await page.locator(".chart svg rect").nth(1).waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator(".tablebox").getByRole("button", { name: "copy as CSV" }).click();
    await page.locator(".tablebox").getByText("copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "name,n\r\nc,100\r\nb,10\r\na,9\r\n");
    await runCell(page, 'rows := [][]string{}\nfor i := range 20 {\n\trows = append(rows, []string{fmt.Sprint("row ", i)})\n}\ntable(rows, "name")');
    await page.getByRole("searchbox", { name: "filter rows" }).fill("row 17");
    await page.locator(".tablebox").last().filter({ hasText: "1 of 20 rows" }).waitFor();
  }));
});
