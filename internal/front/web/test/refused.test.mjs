// A proxy between the page and its server may refuse a request, with or without an explanation: the page reports it.

import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import { after, before, describe, it } from "node:test";
import { begin, put, worlds } from "./steps.mjs";
import { browser, enter, patience } from "./world.mjs";

let chrome;
before(async () => { chrome = await browser(); });
after(async () => { await chrome.close(); });
const world = worlds(() => chrome);

/** proxy forwards requests for which refuse returns no status. A refusal has no reason phrase, as in HTTP/2. */
async function proxy(to, refuse) {
  const { hostname, port } = new URL(to);
  const server = createServer((req, res) => {
    const status = refuse(req.method, req.url);
    if (status) return req.resume()
      .on("end", () => res.writeHead(status, "", { "Content-Type": "text/html" }).end("<html>no</html>"));
    req.pipe(request({ hostname, port, path: req.url, method: req.method, headers: req.headers },
      (r) => { res.writeHead(r.statusCode, r.headers); r.pipe(res); }).on("error", () => res.destroy()));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()),
  };
}

describe("a refusal without words", () => {
  const behind = (refuse, run, answer = null) => world(answer, async ({ home }) => {
    const between = await proxy(home.url, refuse), page = await enter(chrome, { url: between.url, token: home.token });
    try { await run(page, page.locator(".problem.told")); } finally {
      await page.context().close();
      between.close();
    }
  });

  it("of an upload says who refused it and why", { timeout: patience },
      () => behind((_, path) => path.endsWith("/uploads") && 413, async (page, told) => {
    await begin(page);
    await page.keyboard.press("Escape");
    await page.locator("h1").last().click();
    await page.keyboard.press("a");
    await page.locator('input[type="file"]').first()
      .setInputFiles({ name: "report.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
    await told.waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    const { width, height } = await told.getByRole("button", { name: "close" }).boundingBox();
    assert.ok(width > height, "a narrow window breaks no word");
    assert.equal(await told.locator("span").innerText(),
      "This was refused on the way to the server: it is larger than a proxy allows (413).");
  }));

  it("of a question leaves the question where it was typed", { timeout: patience }, () => {
    let status = 429;
    return behind((_, path) => path.endsWith("/ask") && status, async (page, told) => {
      await begin(page);
      const question = page.getByRole("textbox", { name: "question", exact: true });
      for (const [code, why] of [[429, /too many requests at once/], [403, /does not allow it/],
          [418, /no reason given/], [502, /was lost on the way \(502\)/]]) {
        status = code;
        await put(question, `asked with ${code}`);
        await question.press("Enter");
        await told.filter({ hasText: why }).filter({ hasText: String(code) }).waitFor();
        assert.equal(await question.inputValue(), `asked with ${code}`);
      }
    }, async ({ say }) => say("yes"));
  });

  it("of a session does not look like one that is empty", { timeout: patience }, () => {
    let refuses = false;
    return behind((method, path) => refuses && method === "GET" && /\/sessions\/[^/?]+$/.test(path) && 403,
        async (page, told) => {
      await begin(page);
      refuses = true;
      await page.reload();
      await told.filter({ hasText: "a proxy does not allow it (403)" }).waitFor();
    });
  });
});
