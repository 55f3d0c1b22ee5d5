// The ws package against `rlm serve`: node client.mjs URL TOKEN. It prints what it saw as one line of JSON.
import WebSocket from "ws";

const [url, token] = process.argv.slice(2);
const address = url.replace(/^http/, "ws") + "api/v1/socket";

// connect opens a connection that hands on answers by their ids, and events.
const connect = async () => {
  const socket = new WebSocket(address, { headers: { Authorization: "Bearer " + token } });
  const answers = new Map();
  const heard = [];
  const waiting = [];
  const look = () => {
    for (const w of [...waiting]) {
      const found = heard.find(w.found);
      if (found) waiting.splice(waiting.indexOf(w), 1), w.resolve(found);
    }
  };
  socket.on("message", (data) => {
    const m = JSON.parse(data);
    if (m.events) {
      for (const event of m.events) heard.push({ session: m.session, after: m.after, ...event });
      if (!m.events.length) heard.push({ session: m.session, after: m.after });
      look();
    } else answers.get(m.id)?.(m);
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  let n = 0;
  const order = (o) => new Promise((resolve) => {
    const id = String(++n);
    answers.set(id, resolve);
    socket.send(JSON.stringify({ id, ...o }));
  });
  const until = (found) => new Promise((resolve) => waiting.push({ found, resolve }) && look());
  return { socket, order, until, heard };
};
const refused = (headers) => new Promise((resolve) => {
  const socket = new WebSocket(address, { headers });
  socket.on("error", () => {}).on("open", () => resolve("open")).on("unexpected-response", (req, res) => (resolve(res.statusCode), req.destroy()));
});

const first = await connect();
const about = await first.order({ do: "GET about" });
const made = await Promise.all([1, 2, 3].map(() => first.order({ do: "POST sessions", body: {} })));
const ids = made.map((m) => m.answer.id);
for (const session of ids) await first.order({ do: "follow", session });
const began = await Promise.all(ids.map((id) => first.order({ do: `POST sessions/${id}/ask`, body: { question: "q" } })));
const ended = await Promise.all(ids.map((id) => first.until((e) => e.session === id && e.type === "run_ended")));
const free = (id) => (e) => e.session === id && e.type === "state" && !e.data.doing && e.after >= ended[0].seq;
await first.until(free(ids[0]));
const ping = new Promise((resolve) => first.socket.once("pong", () => resolve(true)));
first.socket.ping();
const pong = await ping;
const bad = await new Promise((resolve) => {
  first.socket.on("message", (data) => { // the other sessions may still tell something
    const m = JSON.parse(data);
    if (m.error) resolve(m.error.code);
  });
  first.socket.send("nonsense");
});
const alive = (await first.order({ do: "GET about" })).status;
first.socket.terminate(); // as when a network goes

const second = await connect();
await second.order({ do: "follow", session: ids[0], after: 5 });
const back = (await second.until((e) => e.session === ids[0] && e.seq === ended[0].seq && e.type === "run_ended")).data.answer;
const gone = second.heard.some((e) => e.seq <= 5 && e.type === "run_started");
second.socket.close();

console.log(JSON.stringify({
  version: about.answer.version, began: began.map((b) => b.status), answers: ended.map((e) => e.data.answer), pong, bad, alive, back, again: gone,
  keyless: await refused({}), foreign: await refused({ Authorization: "Bearer " + token, Origin: "https://evil.example" }),
}));
