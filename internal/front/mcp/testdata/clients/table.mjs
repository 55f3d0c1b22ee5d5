// The official client for JavaScript does what the columns of the table of clients ask for, with `rlm mcp` or `rlm serve`: node table.mjs RLM FOLDER
// MODEL MS, or URL TOKEN MODEL MS. It prints a line of JSON that says of each column "+", or what went wrong. MODEL is where the model is, which is
// silent for MS in the last column.
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [where, what, model, ms] = process.argv.slice(2);
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: model, RLM_MODEL: "fake" };
const transport = where.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: { Authorization: `Bearer ${what}` } } })
  : new StdioClientTransport({ command: where, args: ["mcp", what], env: environment });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);

const ask = async (args, options) => {
  const res = await client.callTool({ name: "ask", arguments: args }, undefined, options); // checks structured content against the output schema
  assert.ok(!res.isError, JSON.stringify(res.content));
  return res.structuredContent;
};
const columns = {
  async chat() {
    assert.equal((await ask({ question: "do: x := 41 ;; FINAL(x+1)", text: "hay" })).answer, "42");
  },
  async stream() { // an answer comes whole; what happens before is told
    const heard = [];
    await ask({ question: "do: x := 41 ;; FINAL(x+1)", text: "hay" }, { onprogress: (p) => heard.push(p.message) });
    assert.ok(heard.some((m) => m.includes("turn")), heard.join());
  },
  async "second turn"() {
    const { session } = await ask({ question: "do: x := 41 ;; FINAL(x)", text: "hay" });
    assert.equal((await ask({ question: "do: x++; FINAL(x)", session })).answer, "42");
  },
  async schema() {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };
    const { answer, session } = await ask({ question: "do: FINAL(Answer{N: 7})", text: "hay", schema });
    assert.deepEqual(JSON.parse(answer), { n: 7 });
    assert.deepEqual(JSON.parse((await ask({ question: "do: FINAL(Answer{N: 8})", session })).answer), { n: 8 });
  },
  async files() {
    assert.equal((await ask({ question: 'do: FINAL(strings.Count(context, "ERROR"))', paths: ["a.log"] })).answer, "1");
  },
  async abort() {
    const { session } = await ask({ question: "do: FINAL(1)", text: "hay" });
    const abort = new AbortController();
    const onprogress = (p) => p.message.includes("cell") && abort.abort();
    await assert.rejects(ask({ question: "do: for { time.Sleep(time.Millisecond) }", session }, { signal: abort.signal, onprogress }), /abort/i);
    assert.equal((await ask({ question: "do: FINAL(2)", session })).answer, "2"); // which waits for the end of the one before
  },
  async "long silence"() { // far longer than the client waits without a word
    const patience = { timeout: Math.max(7000, ms / 6), resetTimeoutOnProgress: true, onprogress() {} };
    assert.equal((await ask({ question: `lat:${ms} do: FINAL("late")`, text: "hay" }, patience)).answer, "late");
  },
};
const saw = {};
await Promise.all(Object.entries(columns).map(async ([name, column]) => (saw[name] = await column().then(() => "+", (e) => `${e.stack}`))));
console.log(JSON.stringify(saw));
await client.close();
