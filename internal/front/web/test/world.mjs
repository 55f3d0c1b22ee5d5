// The tools of the page's tests: a server of the real program, an endpoint with scripted answers, and Chromium.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { connect, createServer as createTCP } from "node:net";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** patience bounds every wait. It measures nothing: a test that passes stays far below it. */
export const patience = Number(process.env.RLM_PATIENCE ?? 120_000);

/** endpoint is a scripted model: answer receives the request and writes the reply in pieces. */
export async function endpoint(answer) {
  const server = createServer((req, res) => {
    let body = "";
    req.on("data", (b) => (body += b));
    req.on("end", () => reply(res, req.url, body, answer).catch((err) => res.destroy(err)));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`, close: () => (server.closeAllConnections(), server.close()),
  };
}

async function reply(res, url, body, answer) {
  if (!body) {
    res.setHeader("Content-Type", "application/json");
    return res.end(JSON.stringify({
      object: "list", data: [{ id: "root", object: "model" }, { id: "other", object: "model" }],
    }));
  }
  const asked = JSON.parse(body);
  const last = asked.messages.at(-1).content;
  const question = typeof last === "string" ? last : last.map((p) => p.text ?? "").join("");
  let content = "";
  const usage = () => ({
    prompt_tokens: 100, completion_tokens: Math.max(1, content.length >> 2), total_tokens: 100 + (content.length >> 2),
  });
  if (!asked.stream) {
    await answer({ question, asked, say: async (text) => { content += text; } });
    res.setHeader("Content-Type", "application/json");
    return res.end(JSON.stringify({
      id: "x", object: "chat.completion", created: 1, model: asked.model, usage: usage(),
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    }));
  }
  res.setHeader("Content-Type", "text/event-stream");
  const event = (choices, more = {}) =>
    res.write("data: " + JSON.stringify({
      id: "x", object: "chat.completion.chunk", created: 1, model: asked.model, choices, ...more,
    }) + "\n\n");
  await answer({
    question, asked,
    say: async (text) => {
      content += text;
      event([{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }]);
    },
  });
  event([{ index: 0, delta: {}, finish_reason: "stop" }]);
  event([], { usage: usage() });
  res.end("data: [DONE]\n\n");
}

/** cell returns a reply that consists of a cell. */
export const cell = (source) => "```go\n" + source + "\n```\n";

/** gate blocks a scripted reply until the test opens it. */
export function gate() {
  let open;
  const passed = new Promise((yes) => (open = yes));
  return { open, passed };
}

/** Home is a data folder with the servers that used it. */
export class Home {
  dir = mkdtempSync(join(tmpdir(), "rlm-page-"));
  server = undefined;

  constructor(model) { this.model = model; }

  /** env is the environment of programs that use the folder. */
  env() {
    return {
      HOME: this.dir, XDG_CONFIG_HOME: join(this.dir, "config"), RLM_DATA_DIR: join(this.dir, "data"),
      PATH: process.env.PATH, NO_PROXY: "127.0.0.1",
      OLLAMA_HOST: "127.0.0.1:1", // nothing listens there, so no local model is found
      ...(this.model ? { OPENAI_BASE_URL: this.model.url, OPENAI_API_KEY: "sk-test", RLM_MODEL: "root" } : {}),
    };
  }

  /** serve starts the server and returns its address. */
  async serve(...args) {
    const env = this.env();
    this.server = spawn(process.env.RLM ?? "rlm", ["serve", "--json", "--no-open", ...args],
      { env, cwd: this.dir, stdio: ["ignore", "pipe", "pipe"] });
    const server = this.server;
    server.ended = new Promise((gone) => server.once("exit", gone));
    let said = "", complained = "";
    server.stderr.on("data", (b) => (complained += b));
    const line = await new Promise((got, failed) => {
      server.stdout.on("data", (b) => {
        said += b;
        if (said.trimEnd().endsWith("}")) got(said);
      });
      server.once("exit", (code) => failed(new Error(`rlm serve ended with ${code}: ${complained}`)));
      server.once("error", failed);
    });
    Object.assign(this, JSON.parse(line));
    this.url = this.url.replace(/\/$/, "");
    return this;
  }

  /** batch starts "rlm batch" over jobs; ended is its exit code, said its output. */
  batch(name, jobs, ...args) {
    writeFileSync(join(this.dir, name), jobs.map((j) => JSON.stringify(j) + "\n").join(""));
    const p = spawn(process.env.RLM ?? "rlm", ["batch", name, ...args],
      { env: this.env(), cwd: this.dir, stdio: ["ignore", "ignore", "pipe"] });
    p.said = "";
    p.stderr.on("data", (b) => (p.said += b));
    p.ended = new Promise((gone) => p.once("exit", gone));
    return p;
  }

  /** kill ends the server like a crash. */
  async kill() {
    this.server.kill("SIGKILL");
    await this.server.ended;
  }

  async close() {
    this.server?.kill("SIGTERM");
    await this.server?.ended;
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** api sends the server a request of a program. */
  async api(method, path, body) {
    const res = await fetch(this.url + "/api/v1/" + path, {
      method, headers: { Authorization: "Bearer " + this.token, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    });
    const text = await res.text();
    if (!res.ok) throw new Error(`${method} ${path}: ${res.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  /** until waits until a session has a status. */
  async until(id, status) {
    while ((await this.api("GET", "sessions/" + id)).status !== status)
      await new Promise((again) => setTimeout(again, 50));
  }
}

export const browser = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});

/** enter opens the page by its printed address. Any error in the page fails the test. */
export async function enter(chrome, home, options = {}) {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (err) => page.problems.push(String(err)));
  page.on("console", (m) => {
    if (m.type() === "error" && !/Failed to load resource|ERR_CONNECTION/.test(m.text())) page.problems.push(m.text());
  });
  await page.goto(home.url + "/?token=" + encodeURIComponent(home.token));
  return page;
}

/** Wire is a connection between a browser and a server that can be cut or paused. */
export class Wire {
  sockets = new Set();
  whole = true;

  constructor(to) { this.to = new URL(to); }

  async open() {
    this.server = createTCP((near) => {
      if (!this.whole) return near.destroy();
      const far = connect(+this.to.port, this.to.hostname);
      for (const [a, b] of [[near, far], [far, near]]) {
        this.sockets.add(a);
        a.on("data", (piece) => { b.write(piece); });
        if (this.held) a.pause();
        a.on("error", () => {}).on("close", () => { this.sockets.delete(a); b.destroy(); });
      }
    });
    await new Promise((ready) => this.server.listen(0, "127.0.0.1", ready));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  cut() {
    this.whole = false;
    for (const s of this.sockets) s.destroy();
  }

  mend() { this.whole = true; }

  hold() {
    this.held = true;
    for (const s of this.sockets) s.pause();
  }

  release() {
    this.held = false;
    for (const s of this.sockets) s.resume();
  }

  close() {
    this.cut();
    this.server.close();
  }
}
