// Pictures of every view and dialog at 1280 and 390 pixels, light and dark, for people to look at:
// node test/pictures.mjs FOLDER [NAME…]

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { put } from "./steps.mjs";
import { browser, cell, endpoint, enter, Home } from "./world.mjs";

const [folder, ...only] = process.argv.slice(2);
if (!folder) throw new Error("node test/pictures.mjs FOLDER [NAME…]");
mkdirSync(folder, { recursive: true });

const prose =
  "The figures stand in three reports. I **list** them first, and look at the *smallest* one:\n\n1. `2024/north.txt`\n2. `2024/south.txt`\n\n| region | sales |\n| --- | ---: |\n| north | 120 |\n| south | 80 |\n\n";
const steps = [
  prose + cell(
    'fmt.Println("there are", len(docs), "documents")\ntable([][]string{{"north", "120", "spring"}, {"south", "80", "spring"}, {"east", "95", "autumn"}}, "region", "sales", "season")'),
  "Now each report by itself.\n\n"
    + cell(
      'qs := []string{}\nfor i := range 24 {\n\tqs = append(qs, fmt.Sprintf("part %d: what does the report say of sales?", i))\n}\nrs := llm_query_batched(qs)\nfmt.Println(len(rs), "replies")\nbars(map[string]int{"north": 120, "south": 80, "east": 95})'),
  "One division is wrong here.\n\n" + cell('n := 0\nshare := 100 / n\nshare'),
  "The run below looks closer.\n\n"
    + cell(
      'sub := rlm_query("child: how many lines are there?", "one\\ntwo\\nthree")\nfmt.Println(sub)\nmap[string]any{"regions": []string{"north", "south"}, "total": 295, "final": true}'),
  cell(
    'FINAL("## Sales\\n\\nSales fell in **two** of three regions " + cite(grep("sales fell")[0].Text) + ".\\n\\n- north: 120\\n- south: 80\\n")'),
];

// Two batches: a finished one with a dead job, and a running one in which the later jobs have no answer yet.
async function batches() {
  const begin = (name, from, n, ...args) => home.batch(name + ".jsonl", Array.from({ length: n }, (_, i) => ({
    id: `contracts/2024/${from + i}-north.pdf`,
    question: `job-${from + i}: Who are the parties, and when does it end?`, schema: "parties string, year int",
  })), "-o", name + ".csv", "--max-iterations", "2", ...args);
  await begin("answers", 0, 12).ended;
  const second = begin("all the contracts", 100, 400, "--batch-cost", "20");
  for (;;) {
    const { batches: list } = await home.api("GET", "batches");
    if (list.length === 2 && list[0].running === 4 && list[0].done > 20)
      return { second, running: list[0], dead: list[1] };
    await new Promise((again) => setTimeout(again, 200));
  }
}

let turn = 0, bulk;
const model = await endpoint(async ({ question, asked, say }) => {
  if (/child:/.test(question)
    || asked.messages.some((m) =>
      /child: how many/.test(JSON.stringify(m.content)) && m.role === "user"
        && !/three reports/.test(JSON.stringify(asked.messages)))) return say(cell('FINAL("three lines")'));
  const job = /job-(\d+)/.exec(JSON.stringify(asked.messages))?.[1];
  if (/review:/.test(question))
    return say("The two that fell stand in one report.\n\n"
      + cell('FINAL("North and south fell, **east** did not.")'));
  if (/limit:/.test(JSON.stringify(asked.messages))) return say(cell('fmt.Println("there is more to look at")'));
  if (job > 125) return new Promise(() => {});
  if (job) return say(cell(job === "1" ? 'fmt.Println("the file has no text")'
    : `FINAL(Answer{Parties: "Northern Lines and the City of ${job}", Year: 2031})`));
  if (/^part \d+/.test(question)) {
    if (question.startsWith("part 7:")) throw new Error("gone");
    return say("The report says that sales fell. ");
  }
  return say(steps[turn++ % steps.length]);
});

// The headline or the input may cover an element that is in view. Drawing parts for the first time changes heights,
// so this is repeated.
const center = (what) => what.evaluate(async (el) => {
  for (let n = 0; n < 3; n++) {
    el.scrollIntoView({ block: "center" });
    await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
  }
});

const home = new Home(model);
const chrome = await browser();
try {
  await home.serve();
  const { id } = await home.api("POST", "sessions", {});
  await home.api("POST", `sessions/${id}/documents`, { texts: [
    {
      name: "reports/2024/north.txt",
      text: "North\n" + "Nothing of note happened in this week.\n".repeat(400)
        + "In the north sales fell by a tenth.\n" + "More of the same.\n".repeat(300),
    },
    { name: "reports/2024/south.txt", text: "South\nsales rose\n".repeat(50) },
    {
      name: "reports/2023/all the regions of that year in one file with a long name.txt", text: "East\n".repeat(900),
    }, { name: "notes.md", text: "# Notes\n\nshort\n" },
  ] });
  const settled = async (id) => {
    while ((await home.api("GET", "sessions/" + id)).state.doing) await new Promise((again) => setTimeout(again, 50));
  };
  const quiet = () => settled(id);
  await quiet();
  await home.api("POST", `sessions/${id}/cells`, { source: 'words := strings.Fields("to be or not to be")\nwords' });
  await quiet();
  await home.api("POST", `sessions/${id}/ask`, { question: "How did sales change in 2024, and which report says so?" });
  await quiet();
  turn = 0;
  steps.splice(2, 1);
  await home.api("POST", `sessions/${id}/ask`,
    { question: "How did sales change in 2024, and which report says so? Be brief." });
  await quiet();
  const other = async (asked) => {
    const { id } = await home.api("POST", "sessions", {});
    await home.api("POST", `sessions/${id}/ask`, asked);
    return id;
  };
  const reviewed = await other({ question: "review: Which regions fell?", mode: "task" }),
    limited = await other({ question: "limit: Which regions fell in all the years?", budgets: { iterations: 2 } });
  for (const id of [reviewed, limited]) await settled(id);
  const { second, running, dead } = await batches();
  bulk = second;
  const views = {
    batches: ["/batches", "a.batch"], batch: [`/batches/${running.id}`, ".jobrow"],
    job: [`/batches/${dead.id}`, ".jobrow",
      async (p) => {
        await p.locator(".jobrow").nth(1).click();
        await p.getByRole("region", { name: "job", exact: true }).scrollIntoViewIfNeeded();
      }],
    stopped: [`/batches/${running.id}`, ".jobrow", (p) => key(p, "s")],
    results: [`/batches/${dead.id}`, ".jobrow", (p) => key(p, "e")],
    start: ["/", ".welcome"], notebook: [`/s/${id}`, ".answer"],
    top: [`/s/${id}`, ".answer", (p) => p.evaluate(() => scrollTo(0, 0))],
    failed: [`/s/${id}`, ".answer", async (p) => { await center(p.locator(".cell.failed").last()); }],
    calls: [`/s/${id}`, ".answer",
      async (p) => {
        await p.locator(".bar").first().click();
        await p.locator(".callrow").nth(2).click();
        await p.locator(".exchange").waitFor();
        await center(p.locator(".calllist"));
      }],
    child: [`/s/${id}`, ".answer",
      async (p) => {
        await p.locator(".bar").last().click();
        await p.locator(".callrow").last().click();
        await p.locator(".nested .turn").first().waitFor();
        await center(p.locator(".nested"));
      }],
    context: [`/s/${id}?view=context`, ".viewer .linetext"],
    variables: [`/s/${id}?view=variables`, ".panel .variables td"], trace: [`/s/${id}?view=trace`, ".spans"],
    told: [`/s/${id}`, ".answer",
      async (p) => {
        await p.evaluate(() => scrollTo(0, 0));
        await p.locator(".turn").nth(1).getByRole("button", { name: "what it was told" }).click();
        await p.locator(".told .message").first().waitFor();
        await center(p.locator(".told"));
      }],
    changes: [`/s/${id}`, ".answer",
      async (p) => {
        await p.evaluate(() => scrollTo(0, 0));
        await p.locator(".turn").nth(1).getByRole("button", { name: "what it was told" }).click();
        await p.locator(".told").getByRole("button", { name: "changes" }).click();
        await p.locator(".told ins").first().waitFor();
        await center(p.locator(".told"));
      }],
    source: [`/s/${id}`, ".answer",
      async (p) => {
        await p.locator(".answer button.mark").first().click();
        await p.locator(".viewer mark.now").waitFor();
      }],
    search: [`/s/${id}?view=context`, ".viewer .linetext",
      async (p) => {
        await p.getByRole("button", { name: "search", exact: true }).click();
        await p.getByRole("searchbox", { name: "search the context" }).fill("sales");
        await p.getByRole("button", { name: "Search", exact: true }).click();
        await p.locator(".panel .row").first().waitFor();
      }],
    menu: [`/s/${id}`, ".answer", async (p) => { await p.locator(".menu-of summary").click(); }],
    options: [`/s/${id}`, ".answer",
      async (p) => {
        await p.getByRole("radio", { name: "question" }).check();
        await p.getByRole("button", { name: "options" }).click();
      }],
    cell: [`/s/${id}`, ".answer",
      async (p) => {
        await p.getByRole("radio", { name: "cell" }).check();
        const e = p.getByRole("textbox", { name: "cell", exact: true });
        await put(e, "// a cell of one's own\nfor _, w := range words {\n\tfmt.Println(w)\n}\n");
        await e.click();
        await p.keyboard.press("Control+End");
        await p.keyboard.type("strings.Fi");
        await p.locator(".cm-tooltip-autocomplete li").first().waitFor();
      }],
    earlier: [`/s/${id}`, ".answer", (p) => key(p, "b")], keys: [`/s/${id}`, ".answer", (p) => key(p, "?")],
    fork: [`/s/${id}`, ".answer", (p) => key(p, "f")], exported: [`/s/${id}`, ".answer", (p) => key(p, "e")],
    deleted: [`/s/${id}`, ".answer", (p) => key(p, "d")],
    renamed: [`/s/${id}`, ".answer", (p) => key(p, "m")],
    settings: [`/s/${id}`, ".answer",
      async (p) => { await key(p, ","); await p.locator("dialog .budgets").waitFor(); }],
    shared: [`/s/${id}`, ".answer", (p) => key(p, "h")],
    compared: [`/s/${id}`, ".answer",
      async (p) => { await key(p, "w"); await p.locator(".compared table").waitFor(); }],
    checked: [`/s/${id}`, ".answer",
      async (p) => { await p.locator("#verify").click(); await p.locator(".verify [role=status]").waitFor(); }],
      added: [`/s/${id}`, ".answer", (p) => key(p, "a")], undone: [`/s/${id}`, ".answer", (p) => key(p, "u")],
    replay: [`/s/${id}`, ".answer",
      async (p) => {
        await key(p, "p");
        await p.getByRole("dialog").getByRole("status").filter({ hasText: "ran again" }).waitFor();
      }],
    sessions: ["/", ".welcome",
      async (p) => {
        if (await p.locator(".hamburger").isVisible()) await p.locator(".hamburger").click();
        await p.locator("#search").fill("sales");
        await p.locator("nav mark").first().waitFor();
      }],
    review: [`/s/${reviewed}`, ".review"], limited: [`/s/${limited}`, ".end.unanswered"],
    resumed: [`/s/${limited}`, ".end.unanswered", (p) => key(p, "r")],
    missing: ["/s/nothing", "main .problem"],
  };
  async function key(p, k) {
    await p.locator("h1").last().click();
    await p.keyboard.press(k);
    await p.getByRole("dialog").waitFor();
  }
  for (const [width, height] of [[1280, 900], [390, 844]]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await enter(chrome, home, { colorScheme, viewport: { width, height } });
      page.setDefaultTimeout(20_000);
      for (const [name, [path, there, does]] of Object.entries(views)) {
        if (only.length && !only.includes(name)) continue;
        try {
          await page.goto(home.url + path);
          await page.locator(there).first().waitFor();
          await does?.(page);
        } catch (err) { console.log(`${name} ${width} ${colorScheme}: ${String(err).split("\n")[0]}`); }
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), caret: "initial" });
      }
      if (page.problems.length) console.log([...new Set(page.problems)].join("\n"));
      await page.context().close();
    }
  }
} finally {
  bulk?.kill("SIGKILL");
  await chrome.close();
  await home.close();
  model.close();
}
