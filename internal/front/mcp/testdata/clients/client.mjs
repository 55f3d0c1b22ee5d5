// The official client for JavaScript against `rlm mcp` or `rlm serve`: node client.mjs RLM FOLDER, or URL TOKEN. It prints what it saw as one line
// of JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [where, what] = process.argv.slice(2);
const transport = where.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: { Authorization: `Bearer ${what}` } } })
  : new StdioClientTransport({ command: where, args: ["mcp", what], env: { PATH: process.env.PATH, HOME: process.env.HOME } });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);

const call = async (name, args) => {
  const res = await client.callTool({ name, arguments: args }); // checks structured content against the output schema
  return { failed: !!res.isError, text: res.content.map((c) => c.text).join("\n"), data: res.structuredContent };
};
const tools = (await client.listTools()).tools.map((t) => t.name).sort();
const opened = await call("open_notebook", { paths: ["a.log"] });
const session = opened.data.session;
const cell = await call("run_cell", { session, code: 'fmt.Println(strings.Count(context, "ERROR"))' });
const wrong = await call("run_cell", { session, code: "nope()" });
const found = await call("search", { session, query: "ERROR", how: "literal" });
const outside = await call("open_notebook", { paths: ["/etc/passwd"] });
const resources = (await client.listResources()).resources.length;
console.log(JSON.stringify({
  server: client.getServerVersion().name, told: client.getInstructions().includes("far larger"), tools, output: cell.data.output,
  wrong: wrong.failed, places: found.data.places.length, outside: outside.failed, resources,
}));
await client.close();
