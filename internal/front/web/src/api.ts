// Requests of the page to its server. The server's README documents the routes.

import { base } from "./base";
import type { CellCalls, Event, SessionState, Usage } from "./event";

export interface Session {
  id: string; kind: string; name?: string; question: string; questions: number; answer?: string; model: string;
  started: string; last: string;
  status: string; cost: number | null; duration?: number; turns: number; cells: number; sub_calls: number;
  events: number; problem?: string;
  owner?: string; shared?: boolean; state: SessionState;
}

export interface Budgets {
  iterations?: number; sub_calls?: number; tokens?: number; cost?: number; time?: number; depth?: number;
  errors?: number;
}

export interface About {
  version: string; user?: string; owner?: boolean; models: string[] | null; model?: string; no_model?: string;
  folders: string[] | null; formats?: string[]; budgets?: Budgets;
  demo?: { question: string }; batches?: boolean; offers?: Offer[];
}

/** Offer is a provider, with the model to suggest. */
export interface Offer { provider: string; title: string; model: string }

export interface Choice { model?: string; sub_model?: string; mode?: string; budgets?: Budgets }

export interface Settings {
  model: string; sub_model: string; mode: string; budgets: Budgets; level: string; pending?: boolean;
  totals?: { cost: number | null; known: boolean; usage?: Record<string, Usage> };
}

/** Verified is the state of the last answer's evidence. */
export interface Verified {
  passages: { mark: string; document: string; state: string; line: number; line_now?: number }[];
  unknown_marks?: string[]; unverified?: string[]; unsupported?: string; holds: boolean;
}

export interface Variable { name: string; type: string; size: string; preview: string; cell?: number }

export interface Document {
  name: string; offset: number; size: number; encoding: string; state: string; kind?: string; pages?: number;
  parts?: number; note?: string;
}

export interface Part { kind: string; number: number; name: string; offset: number; size: number }

export interface Passage { offset: number; end: number; size: number; line: number; text: string }

export interface Hit {
  offset: number; length: number; line: number; where?: string; document: string; text: string; score?: number;
}

export interface Mark {
  mark?: string; run: number; cell?: number; path?: string; offset: number; length: number; document?: string;
  part?: string; line?: number; cells?: string; notes?: string[]; quote?: string; cited?: boolean;
}

export interface Entry { name: string; path: string; folder?: boolean; size: number; modified: string }

export interface Completed { prefix: string; items: { name: string; kind: string; detail: string; doc: string }[] }

export interface Signature { name: string; parameters: string[]; active: number; result?: string; doc?: string }

export interface Checked { ok: boolean; kind?: string; message?: string; line?: number; column?: number }

export interface Call {
  seq: number; ended?: number; status: string; index?: number; batch?: number; size?: number; impl: string;
  tool?: string; model?: string; prompt: string;
  prompt_size: number; reply?: string; reply_size?: number; error?: string; child?: string; tokens: number;
  cost: number | null; cached?: boolean;
  duration?: number; attempts?: number;
}

export interface Message { seq: number; role: string; kind: string; size: number; content: unknown; new?: boolean }

export interface Span {
  id: number; parent?: number; kind: string; name: string; start: number; duration: number; status: string;
  path?: string; turn?: number; cell?: number;
  seq: number; model?: string; tokens?: number; cost?: number | null; cached_tokens?: number; attempts?: number;
  error?: string;
}

export interface Trace {
  start: string; end: string; spans: Span[];
  models: { model: string; calls: number; usage: Usage; cost?: number | null }[]; more?: boolean;
}

/** TableQuery selects rows of a table; sort is the number of a column, from 1. */
export interface TableQuery { key: string; filter: string; sort: number; down: boolean; offset: number; limit: number }

export interface TablePage { rows: (string | number | null)[][]; total: number; matched: number }

export interface Found {
  session: string; name: string; seq: number; in: string; text: string; at: number; length: number; time: string;
}

/** Named is a file and the name of its document; "file" stands for the file's own name. */
export interface Named { name: string; file: File }

/** Replayed is a line of a replay: the recorded and the new output of a cell. */
export interface Replayed {
  path?: string; cell: number; same: boolean; before?: string; after?: string; skipped?: string;
  error?: { message: string };
}

export interface Asked extends Choice { question: string }

/** Batch is a batch of "rlm batch" and its progress. Times are in nanoseconds. */
export interface Batch {
  id: string; name: string; state: string; why?: string; created: string; last?: string; jobs: number;
  queued: number; running: number; failed: number; done: number; dead: number;
  cost: number; unpriced?: boolean; tokens: number; budget: { cost: number; tokens: number; time: number };
  nodes: number; tokens_per_minute: number; left: number;
  slowest?: { id: string; run: string; turn: number; since: string }; command?: string; dir?: string;
}

/** Browser is a browser in which this user is logged in. */
export interface Browser { id: string; since: string; used: string; agent?: string; this?: boolean }

export interface Job {
  id: string; place: number; question: string; state: string; run?: string; turn?: number; since?: string;
  answer?: string; reason?: string; attempts?: number; turns?: number;
  sub_calls?: number; cost: number | null; tokens: number; duration: number;
}

/** Failed is an error from the server, with a message for people. */
export class Failed extends Error {
  constructor(readonly code: string, message: string) { super(message); }
}

const random = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => (b % 36).toString(36)).join("");

/**
 * client identifies this window to the server, so that the window can distinguish its own tasks from those of
 * others.
 */
export const client = clientName();

function clientName(): string {
  try {
    const kept = sessionStorage.getItem("client");
    if (kept) return kept;
  } catch { /* without storage, each load of the page is another client */ }
  const name = random();
  try { sessionStorage.setItem("client", name); } catch { /* as above */ }
  return name;
}

// The server accepts changes only with this key of the page, because browsers send the cookie to other ports of
// the host too.
const page = pageKey();

function pageKey(): string {
  try {
    if (!localStorage.getItem("page")) localStorage.setItem("page", random() + random());
    return localStorage.getItem("page")!;
  } catch { return ""; } // without storage, the page has only its cookie
}

async function ask(method: string, path: string, body?: BodyInit,
    headers: Record<string, string> = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(base + "/api/v1/" + path,
      { method, headers: { "Rlm-Client": client, ...(page && { "Rlm-Page": page }), ...headers }, body });
  } catch {
    throw new Failed("offline", "The server is not responding. What you typed is kept.");
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  if (said?.error?.message) throw new Failed(said.error.code ?? "failed", said.error.message);
  if (answer.status >= 500) throw lostOnTheWay(answer);
  throw new Failed("refused",
    `This was refused on the way to the server: ${refusals[answer.status] ?? "no reason given"} (${answer.status}).`);
}

function lostOnTheWay(answer: Response): Failed {
  return new Failed(lost,
    `The server's answer was lost on the way (${answer.status}). What you typed is kept; if you send it again, it counts only once.`);
}

/**
 * read returns the content of a response. The server sends JSON with every status except 204; a proxy may send
 * nothing, or a page.
 */
async function read<T>(answer: Response): Promise<T> {
  return answer.status === 204 ? (undefined as T) : answer.json().catch(() => { throw lostOnTheWay(answer); });
}

// Meanings of statuses for responses without a message. The server always sends a message; a proxy may not.
const refusals: Record<number, string> = {
  401: "a proxy requires a login", 403: "a proxy does not allow it", 404: "a proxy does not know this address",
  405: "a proxy does not allow this kind of request", 408: "it took too long",
  413: "it is larger than a proxy allows", 414: "the address is too long for a proxy",
  429: "too many requests at once; wait a moment", 431: "the headers are too long for a proxy",
};

const lost = "lost"; // code of a Failed caused by a proxy or the network

const unanswered = new Map<string, string>(); // keys of requests that may have taken effect

/**
 * once sends a request that should take effect only once. If its response was lost and it is sent again, it has
 * the same key.
 */
async function once<T>(path: string, body: unknown): Promise<T> {
  const text = JSON.stringify(body), what = path + " " + text, key = unanswered.get(what) ?? random();
  unanswered.set(what, key);
  const settled = (e?: unknown) => {
    if (!(e instanceof Failed && [lost, "offline"].includes(e.code))) unanswered.delete(what);
  };
  try {
    const answer = await read<T>(await ask("POST", path, text,
      { "Content-Type": "application/json", "Idempotency-Key": key }));
    settled();
    return answer;
  } catch (e) {
    settled(e);
    throw e;
  }
}

/** saved downloads a file, and saves it once all of it has arrived. */
export async function saved(path: string): Promise<void> {
  const answer = await ask("GET", path.replace(base + "/api/v1/", ""));
  const name = answer.headers.get("Content-Disposition")?.match(/filename="([^"]*)"/)?.[1] ?? "";
  let file: Blob;
  try {
    file = await answer.blob();
  } catch {
    throw new Failed("broken", "The download broke off: the file is incomplete and was discarded.");
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // by then the browser has read the file
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  return read(await (body === undefined ? ask(method, path)
    : ask(method, path, JSON.stringify(body), { "Content-Type": "application/json" })));
}

function query(values: Record<string, string | number | undefined>): string {
  const q = new URLSearchParams();
  for (const [name, v] of Object.entries(values)) if (v !== undefined && v !== "") q.set(name, String(v));
  return q.size ? "?" + q : "";
}

const at = (id: string) => "sessions/" + encodeURIComponent(id);
const ofBatch = (id: string) => "batches/" + encodeURIComponent(id);

export const api = {
  about: () => call<About>("GET", "about"),
  setUp: (provider: string, model: string, key: string) => call<void>("POST", "setup", { provider, model, key }),
  browsers: () => call<{ browsers: Browser[] }>("GET", "browsers"),
  logOut: (id: string) => call<void>("DELETE", "browsers/" + id),
  folders: (path: string) =>
    call<{ path: string; entries: Entry[]; more: boolean }>("GET", "folders" + query({ path })),
  search: (q: string) => call<{ hits: Found[]; more: boolean }>("GET", "search" + query({ q, limit: 50 })),
  sessions: (q: string, limit: number) =>
    call<{ sessions: Session[]; total?: number }>("GET", "sessions" + query({ q, limit })),
  session: (id: string) => call<Session>("GET", at(id)),
  create: () => call<Session>("POST", "sessions", {}),
  demo: () => call<Session>("POST", "sessions/demo", {}),
  rename: (id: string, name: string) => call<Session>("PATCH", at(id), { name }),
  share: (id: string, shared: boolean) => call<Session>("PATCH", at(id), { shared }),
  remove: (id: string) => call<void>("DELETE", at(id)),
  settings: (id: string) => call<Settings>("GET", at(id) + "/settings"),
  change: (id: string, to: Choice) => call<Settings>("PATCH", at(id) + "/settings", to),
  ask: (id: string, asked: Asked) => once<void>(at(id) + "/ask", asked),
  cell: (id: string, source: string, replaces?: number) =>
    once<void>(at(id) + "/cells", replaces ? { source, replaces } : { source }),
  stop: (id: string) => call<void>("POST", at(id) + "/stop"),
  undo: (id: string) => call<void>("POST", at(id) + "/undo"),
  fork: (id: string, from: { run?: number; turn?: number; model?: string; sub_model?: string } = {}) =>
    call<Session>("POST", at(id) + "/fork", from),
  resume: (id: string, with_: Choice = {}) => once<void>(at(id) + "/resume", with_),
  verify: (id: string) => call<Verified>("POST", at(id) + "/verify"),
  reread: (id: string) => call<void>("POST", at(id) + "/reread"),
  review: (id: string, approved: boolean, note: string) => once<void>(at(id) + "/review", { approved, note }),
  table: (id: string, of: TableQuery) => call<TablePage>("POST", at(id) + "/table", of),
  variables: (id: string) => call<{ variables: Variable[]; from?: string }>("GET", at(id) + "/variables"),
  complete: (id: string, before: string, after: string) =>
    call<Completed>("POST", at(id) + "/complete", { before, after }),
  signature: (id: string, before: string, after: string) =>
    call<Signature>("POST", at(id) + "/signature", { before, after }),
  check: (id: string, source: string) => call<Checked>("POST", at(id) + "/check", { source }),
  documents: (id: string, offset: number, limit: number, q: string) =>
    call<{ size: number; total: number; documents: Document[] }>("GET",
      at(id) + "/documents" + query({ offset, limit, q })),
  parts: (id: string, document: string) => call<{ parts: Part[] }>("GET", at(id) + "/parts" + query({ document })),
  text: (id: string, from: { offset?: number; line?: number; document?: string; lines: number }) =>
    call<Passage>("GET", at(id) + "/text" + query(from)),
  find: (id: string, q: string, how: string, from: number) =>
    call<{ hits: Hit[]; more: boolean; next?: number }>("GET",
      at(id) + "/find" + query({ q, how, from, limit: 200, partly: "true" })),
  marks: (id: string) => call<{ marks: Mark[] }>("GET", at(id) + "/marks"),
  add: (id: string, what: { texts?: { name: string; text: string }[]; paths?: string[] }) =>
    call<void>("POST", at(id) + "/documents", what),
  upload: async (id: string, files: Named[]) => {
    const form = new FormData();
    for (const { name, file } of files) form.append(name, file, file.name);
    await read(await ask("POST", at(id) + "/uploads", form));
  },
  removeDocument: (id: string, name: string) => call<void>("DELETE", at(id) + "/documents" + query({ name })),
  event: (id: string, seq: number) => call<Event>("GET", `${at(id)}/events/${seq}`),
  eventsOf: (id: string, path: string, after: number) =>
    call<{ events: Event[]; more: boolean }>("GET", at(id) + "/events" + query({ path, after, limit: 500 })),
  calls: (id: string, of: { cell: number; path?: string; offset: number; limit: number; status?: string;
      sort?: string }) =>
    call<{ total: number; failed: number; running: number; calls: Call[] }>("GET", at(id) + "/calls" + query(of)),
  messages: (id: string, run: number, turn: number, path?: string) =>
    call<{ messages: Message[]; removed: number }>("GET", at(id) + "/messages" + query({ run, turn, path })),
  trace: (id: string, run?: number) => call<Trace>("GET", at(id) + "/trace" + query({ run })),
  replay: async (id: string, hear: (r: Replayed) => void) => {
    const lines = (await ask("POST", at(id) + "/replay")).body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let r = await lines.read(); !r.done; r = await lines.read()) {
      const parts = (rest + r.value).split("\n");
      rest = parts.pop()!;
      for (const p of parts) if (p) hear(JSON.parse(p));
    }
  },
  batches: (offset: number, limit: number) =>
    call<{ batches: Batch[]; total: number }>("GET", "batches" + query({ offset, limit })),
  batch: (id: string) => call<Batch>("GET", ofBatch(id)),
  jobs: (id: string, state: string, offset: number, limit: number) =>
    call<{ jobs: Job[]; total: number }>("GET", ofBatch(id) + "/jobs" + query({ state, offset, limit })),
  cancelBatch: (id: string) => call<Batch>("POST", ofBatch(id) + "/cancel"),
  retryBatch: (id: string, jobs?: string[]) =>
    call<{ retried: number; batch: Batch }>("POST", ofBatch(id) + "/retry", { jobs }),
  runOfJob: (id: string, run: string) => call<Session>("POST", `${ofBatch(id)}/runs/${encodeURIComponent(run)}`),
  resultsURL: (id: string, format: string) => `${base}/api/v1/${ofBatch(id)}/results?format=${format}`,
  exportURL: (id: string, format: string) => `${base}/api/v1/${at(id)}/export?format=${format}`,
};

export type { CellCalls };
