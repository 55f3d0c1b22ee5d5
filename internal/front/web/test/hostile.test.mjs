// Text by models, documents and users is only shown: nothing in it runs, loads, leaves its place or disguises itself.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { make } from "./made.mjs";
import { askFor, choose, runCell, worlds, write } from "./steps.mjs";
import { browser, cell, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

const limit = { timeout: 4 * patience };
const world = worlds(() => chrome);

const boom = "window.obeyed=1";
const html = [
  `<script>${boom}</script>`, `<img src=x onerror=${boom}>`, `<svg/onload=${boom}>`,
  `<svg><script>${boom}</script></svg>`, `<iframe srcdoc="<script>parent.obeyed=1</script>"></iframe>`,
  `<details open ontoggle=${boom}>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${boom}&gt;">`,
  `<noscript><p title="</noscript><img src=x onerror=${boom}>">`,
  `<style>@import url(http://127.0.0.1:1/a.css);body{display:none}</style>`, `<base href="http://127.0.0.1:1/">`,
  `<meta http-equiv=refresh content="0;url=http://127.0.0.1:1/">`,
  `<form action=http://127.0.0.1:1/><button>go</button></form>`,
  `<a href="javascript:${boom}">a</a>`, `<!--<script>`, `]]><script>${boom}</script>`,
  `</script><script>${boom}</script>`, `</textarea></title></pre><img src=x onerror=${boom}>`,
];
const links = [
  `[a](javascript:${boom})`, `[a](JaVaScRiPt:${boom})`, `[a](java\tscript:${boom})`, `[a](&#106;avascript:${boom})`,
  `[a](&#x6A;&#x61;vascript:${boom})`, `[a](\x01javascript:${boom})`,
  `[a](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
  `[a](vbscript:x)`, `[a](file:///etc/passwd)`, `[a](blob:http://127.0.0.1/x)`, `[a](//127.0.0.1:1/x)`,
  `[a](/api/v1/sessions)`, `[a]: javascript:${boom}\n\n[a]`, `<javascript:${boom}>`, `<data:text/html,x>`,
  `![a](http://127.0.0.1:1/p.png)`, `![a](data:image/svg+xml;base64,PHN2Zz4=)`,
  `[![a](http://127.0.0.1:1/p.png)](javascript:${boom})`, `[a](http://127.0.0.1:1/" onmouseover="${boom})`,
  `[a](<http://127.0.0.1:1/ onclick=${boom}>)`, `[a](http://x "\\" onclick=${boom}")`,
  "`` <img src=x onerror=" + boom + "> ``",
  `| <img src=x onerror=${boom}> |\n| :-: |\n| ${"`"}|${"`"}<svg onload=${boom}> |`,
  `# <img src=x onerror=${boom}>`, "```html\n<img src=x onerror=" + boom + ">\n```",
  "```\" onclick=\"" + boom + "\ntext\n```", `*<img src=x onerror=${boom}>*`,
];
const turned = "harmless\u202egpj.exe";
const all = [...html, ...links].join("\n\n");

// watched fails the test if anything in the text took effect.
async function watched(page, where) {
  assert.equal(await page.evaluate(() => window.obeyed), undefined, where);
  const found = await page.evaluate(() => {
    const out = [];
    for (const el of document.querySelectorAll("main *, nav *, dialog *")) {
      if (/^(script|iframe|object|embed|base|meta|link|img|form|math|noscript)$/i.test(el.tagName)
        && !el.closest("form, dialog, .cm-content")) out.push(el.tagName);
      if (el.tagName === "STYLE") out.push("style");
      for (const a of el.attributes)
        if (/^on/i.test(a.name) || (/^(href|src|action|formaction|xlink:href)$/i.test(a.name)
          && !/^(https?:|mailto:|#|\/s\/|\/$|\/batches$|\/api\/v1\/sessions\/[^/]+\/export)/.test(a.value)))
          out.push(`${el.tagName} ${a.name}=${a.value}`);
    }
    return out;
  });
  assert.deepEqual(found, [], where);
}

describe("what others wrote", () => {
  it("is text in replies, outputs, names, contexts, tables, charts, errors and exports", limit, () => {
    const source = (s) => JSON.stringify(s);
    const steps = [
      cell(
        `fmt.Println(${source(all)})\ntable([][]string{{${source(html[1])}, ${source("=HYPERLINK(\"http://127.0.0.1:1\")")}}, {"@SUM(1)", "-5"}, {"-2+3", "\\tcmd"}}, ${source(html[2])}, "n")`)
        + all,
      cell(`bars(map[string]int{${source(html[2])}: 1, "b": 2})\nplot([]float64{1e16, 1e16 + 2})`),
      cell(`panic(${source(html[1])})`),
      cell(`FINAL(${source(all)} + cite(grep("needle")[0].Text))`),
    ];
    return world(async ({ say }) => say(steps.shift() ?? "no more"), async ({ page, home }) => {
      page.on("dialog", (d) => { page.problems.push("a dialog opened"); d.dismiss(); });
      page.on("request", (r) => { if (!r.url().startsWith(home.url)) page.problems.push("it loaded " + r.url()); });
      page.on("framenavigated", (f) => { if (f !== page.mainFrame()) page.problems.push("a frame"); });
      await page.locator("nav").waitFor();
      const { id } = await home.api("POST", "sessions",
        { texts: [{ name: `${html[1]}/${turned}.txt`, text: `the needle\n${all}\n` }, { name: html[2], text: all }] });
      await page.goto(`${home.url}/s/${id}`);
      await askFor(page, `${html[1]} ${turned}`);
      await page.locator(".answer").waitFor();
      await watched(page, "notebook");
      assert.equal(await page.locator(".md a")
        .evaluateAll((all) => all.filter((a) =>
          !/^https?:/.test(a.getAttribute("href")) || a.target !== "_blank"
            || !a.rel.includes("noopener")).length), 0);
      assert.equal(await page.locator(".tablebox td").first().textContent(), html[1]);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.locator(".tablebox").getByRole("button", { name: "copy as CSV" }).click();
      await page.locator(".tablebox").getByText("copied").waitFor();
      const rows = (await page.evaluate(() => navigator.clipboard.readText())).split("\r\n");
      assert.ok(rows[1].endsWith(`,"'=HYPERLINK(""http://127.0.0.1:1"")"`), rows[1]);
      assert.deepEqual(rows.slice(2, 3), ["'@SUM(1),-5"]);
      assert.ok(rows[3].startsWith("'-2+3,"), rows[3]);
      assert.ok(!(await page.locator("h1").last().innerText()).includes("\u202e"));
      assert.ok(!(await page.title()).includes("\u202e"));
      await page.locator(".turn").first().getByRole("button", { name: "what it was told" }).click();
      await page.locator(".told .message").first().waitFor();
      await page.locator(".told").getByRole("button", { name: "changes" }).click();
      await page.locator(".told ins.line").first().waitFor();
      await watched(page, "trace");
      await page.locator(".answer button.mark").first().click();
      await page.locator(".viewer mark.now").filter({ hasText: "needle" }).waitFor();
      await page.getByRole("button", { name: "documents", exact: true }).click();
      await page.locator(".branch").filter({ hasText: "harmless\ufffdgpj.exe" }).waitFor();
      await page.getByRole("button", { name: "search", exact: true }).click();
      await page.getByRole("searchbox", { name: "search the context" }).fill("onerror");
      await page.keyboard.press("Enter");
      await page.locator(".panel .row").first().waitFor();
      await watched(page, "context");
      await home.api("PATCH", `sessions/${id}`, { name: `${html[1]} ${turned}` });
      await page.locator("nav .what").filter({ hasText: "harmless\ufffdgpj.exe" }).waitFor();
      await page.locator("#search").fill("onerror");
      await page.locator("nav mark").first().waitFor();
      await watched(page, "list");
      await choose(page, "Compare");
      await page.locator(".compared").waitFor();
      await watched(page, "comparison");
      await page.getByRole("dialog").getByRole("button", { name: "close" }).click();
      const exported = await fetch(`${home.url}/api/v1/sessions/${id}/export?format=html`,
        { headers: { Authorization: "Bearer " + home.token } });
      const file = join(home.dir, "exported.html");
      writeFileSync(file, Buffer.from(await exported.arrayBuffer()));
      const reader = await page.context().newPage();
      reader.on("request", (r) => {
        if (!/^(file|data):/.test(r.url())) page.problems.push("the export loaded " + r.url());
      });
      await reader.goto(pathToFileURL(file).href);
      await reader.locator(".answer").waitFor();
      await watched(reader, "export");
    });
  });

  it("shows in code where the direction of a text is changed", limit, () => world(null, async ({ page, home }) => {
    await page.locator("nav").waitFor();
    const { id } = await home.api("POST", "sessions", {});
    await page.goto(`${home.url}/s/${id}`);
    await page.locator(".input :is(.cm-content, textarea.prose)").waitFor();
    await runCell(page, 'access := "user\u202e \u2066// only admins\u2069 \u2066"\nlen(access)');
    await page.locator(".cell .source").filter({ hasText: "U+202E" }).waitFor();
    await page.locator(".cell.ok").waitFor();
    await write(page, "cell", 's := "\u202e"');
    await page.locator(".cm-specialChar").waitFor();
  }));
});

describe("much of it", () => {
  it("is ten thousand variables, of which a part is in the page, and any is found", limit,
      () => world(null, async ({ page, home }) => {
    const id = make(home.dir, { cells: 1, calls: 0, variables: 10_000 });
    const shown = (n) => page.waitForFunction((n) => document.querySelectorAll(".variables tbody tr").length === n, n);
    await page.goto(`${home.url}/s/${id}?view=variables`);
    await shown(300);
    await page.getByRole("button", { name: "show more" }).click();
    await shown(3300);
    await page.getByRole("searchbox", { name: "filter variables" }).fill("v9876");
    await shown(1);
  }));

  it("is a line of a megabyte, in which what is found is marked, whatever letters stand before it", limit,
      () => world(null, async ({ page, home }) => {
    await page.locator("nav").waitFor();
    const { id } = await home.api("POST", "sessions", {});
    await page.goto(`${home.url}/s/${id}`);
    await page.locator(".input :is(.cm-content, textarea.prose)").waitFor();
    await runCell(page,
      'fmt.Println(strings.Repeat("\u0130\u0130 \u202e ", 100), "a needle", strings.Repeat("x", 1_000_000))');
    await page.locator(".cell.ok").waitFor();
    await page.getByRole("searchbox", { name: /^search in/ }).fill("A NEEDLE");
    await page.locator("mark.now").filter({ hasText: /^a needle$/ }).waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      "nothing makes the page wide");
  }));
});
