// Tables and charts of cells, in a real browser.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { readFileSync } from "node:fs";
import { begin, runCell, worlds } from "./steps.mjs";
import { browser, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });

const limit = { timeout: 4 * patience };

const world = worlds(() => chrome);

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
    await runCell(page,
      'rows := [][]string{}\nfor i := range 20 {\n\trows = append(rows, []string{fmt.Sprint("row ", i)})\n}\ntable(rows, "name")');
    await page.getByRole("searchbox", { name: "filter rows" }).fill("row 17");
    await page.locator(".tablebox").last().filter({ hasText: "1 of 20 rows" }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 }); // short cells are not broken into lines
    await runCell(page,
      'table([][]string{{"tea", "2024-04-12", "a remark that is longer than one line of a phone is wide", "9"}}, "product", "date", "remark", "pieces")');
    const cells = page.locator(".tablebox").last().locator("thead th button, tbody td.short");
    await cells.nth(6).waitFor();
    const lines = await cells.evaluateAll((all) => all.map((cell) => {
      const text = document.createRange();
      text.selectNodeContents(cell.firstChild);
      return text.getClientRects().length;
    }));
    assert.deepEqual(lines, lines.map(() => 1));
  }));

  it("are charts whose numbers and names can be read", limit, () => world(null, async ({ page, home }) => {
    const { id } = await home.api("POST", "sessions", {});
    await page.goto(`${home.url}/s/${id}`);
    const draw = async (source, n) => {
      await home.api("POST", `sessions/${id}/cells`, { source });
      const chart = page.locator("figure.chart").nth(n);
      await chart.waitFor();
      return (await chart.locator("text").allTextContents()).concat(await chart.locator("p.dim").allTextContents());
    };
    const bars = await draw(
      'bars(map[string]float64{"a/path/as/long/as/paths/may/be/one": 1e9, "a/path/as/long/as/paths/may/be/two": -5, "c": 3})',
      0);
    for (const want of ["1B", "-5"]) assert.ok(bars.includes(want), bars.join(" | "));
    assert.ok(bars.some((t) => /^a.path.*….*one$/.test(t)) && bars.some((t) => /^a.path.*….*two$/.test(t)),
      bars.join(" | "));
    assert.ok((await page.locator(".bar-of-chart").evaluateAll((all) => all.map((b) => b.getBBox().width))).every(
      (w) => w >= 1));
    assert.deepEqual(await draw("plot([]float64{})", 1), ["nothing to draw"]);
    await draw("plot([]time.Time{time.Unix(1e9, 0), time.Unix(2e9, 0)}, []float64{1, 2e7})", 2);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForFunction(() => document.querySelector("figure.chart svg").viewBox.baseVal.width < 390);
    const drawn = await page.locator("figure.chart svg").evaluateAll((all) => all.map((svg) => {
      const frame = svg.getBoundingClientRect();
      return [...svg.querySelectorAll("text")].map((t) => t.getBoundingClientRect())
        .map((t) => [t.height, t.left - frame.left, frame.right - t.right]);
    }));
    assert.equal(drawn.length, 2);
    for (const [height, left, right] of drawn.flat())
      assert.ok(height > 9 && left > -1 && right > -1, JSON.stringify(drawn));
  }));

  it("are tables of any length, all rows of which are sorted, filtered, counted and taken away", limit,
      () => world(null, async ({ page, home }) => {
    await begin(page);
    await runCell(page,
      'type row struct { N int; Name string }\nrs := []row{}\nfor i := range 10_000 {\n\trs = append(rs, row{i, fmt.Sprint("row ", i)})\n}\nrs');
    const box = page.locator(".tablebox"),
      first = (what) => box.locator("tbody tr").first().filter({ hasText: what }).waitFor();
    await box.getByRole("status").filter({ hasText: "10,000 rows" }).waitFor();
    const by = box.locator("thead th").first().getByRole("button");
    await by.click();
    await by.click();
    await first("9999");
    await box.getByRole("searchbox").fill("ROW 999");
    await box.getByRole("status").filter({ hasText: "11 of 10,000 rows" }).waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await box.getByRole("button", { name: "copy as CSV" }).click();
    await box.getByText("copied").waitFor();
    assert.equal((await page.evaluate(() => navigator.clipboard.readText())).trim().split("\r\n").length, 12);
    await box.getByRole("searchbox").fill("");
    await box.getByRole("button", { name: "9,800 more rows" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".tablebox tbody tr").length === 1200);
    const [download] = await Promise.all([page.waitForEvent("download"),
      box.getByRole("button", { name: "download" }).click()]);
    const lines = readFileSync(await download.path(), "utf8").trim().split("\r\n");
    assert.deepEqual([lines.length, lines[0], lines[1], lines.at(-1)], [10_001, "N,Name", "9999,row 9999", "0,row 0"]);
    await page.reload(); // the notebook has the rows, not the page
    await box.getByRole("searchbox").fill("row 9876");
    await first("9876");
    await home.kill();
    await box.getByRole("searchbox").fill("row 1234"); // without a server, the page reports on its own part of the rows
    await box.getByRole("status")
      .filter({ hasText: /^1 of the first \d,\d\d\d rows; \d,\d\d\d more are not here$/ }).waitFor();
  }));
});
