// What the page asks of its server.

export interface SessionState { doing?: string; by?: string; since?: string; ahead?: number; open: boolean }

export interface Session {
  id: string; kind: string; name?: string; question: string; questions: number; model: string; started: string; last: string;
  status: string; cost: number | null; turns: number; cells: number; sub_calls: number; events: number; problem?: string;
  state: SessionState;
}

export interface Variable { name: string; type: string; size: number; preview: string }

export interface Document { name: string; offset: number; size: number; encoding: string; state: string }

/** Failed is what the server says is wrong, in words for people. */
export class Failed extends Error {
  constructor(readonly code: string, message: string) { super(message); }
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch("/api/v1/" + path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Failed("offline", "the server does not answer; what you typed is kept");
  }
  if (answer.status === 204) return undefined as T;
  const said = await answer.json();
  if (!answer.ok) throw new Failed(said.error?.code ?? "failed", said.error?.message ?? answer.statusText);
  return said as T;
}

const at = (id: string) => "sessions/" + encodeURIComponent(id);

export const api = {
  about: () => call<{ version: string; models: string[] | null; folders: string[] | null }>("GET", "about"),
  sessions: (q: string) => call<{ sessions: Session[] }>("GET", "sessions?q=" + encodeURIComponent(q)).then((r) => r.sessions),
  session: (id: string) => call<Session>("GET", at(id)),
  create: (texts: { name: string; text: string }[] = []) => call<Session>("POST", "sessions", { texts }),
  rename: (id: string, name: string) => call<Session>("PATCH", at(id), { name }),
  remove: (id: string) => call<void>("DELETE", at(id)),
  ask: (id: string, question: string, model: string) => call<void>("POST", at(id) + "/ask", { question, model }),
  cell: (id: string, source: string) => call<void>("POST", at(id) + "/cells", { source }),
  stop: (id: string) => call<void>("POST", at(id) + "/stop"),
  undo: (id: string) => call<void>("POST", at(id) + "/undo"),
  fork: (id: string) => call<Session>("POST", at(id) + "/fork"),
  resume: (id: string) => call<void>("POST", at(id) + "/resume"),
  review: (id: string, approved: boolean, note: string) => call<void>("POST", at(id) + "/review", { approved, note }),
  variables: (id: string) => call<{ variables: Variable[] }>("GET", at(id) + "/variables").then((r) => r.variables),
  members: (id: string, operand: string) => call<{ members: string[] }>("POST", at(id) + "/members", { operand }).then((r) => r.members),
  documents: (id: string) => call<{ documents: Document[] }>("GET", at(id) + "/documents").then((r) => r.documents),
  add: (id: string, texts: { name: string; text: string }[]) => call<void>("POST", at(id) + "/documents", { texts }),
  event: (id: string, seq: number) => call<Event>("GET", `${at(id)}/events/${seq}`),
  exportURL: (id: string, format: string) => `/api/v1/${at(id)}/export?format=${format}`,
};

/** Text is a text of an event: itself, or where the server has it. */
export type Text = string | { sha256: string; size: number };

/** Event is one thing that happened in a session; see events.md of the trajectory package. */
export interface Event { seq: number; time?: string; path?: string; turn?: number; type: string; data: any }

/**
 * follow hears the events of a session behind the event after, as they are and as they come. The browser comes back by itself where it
 * was when the connection or the server was lost.
 */
export function follow(id: string, after: number, hear: (e: Event) => void, connected: (yes: boolean) => void): () => void {
  const source = new EventSource(`/api/v1/events?session=${encodeURIComponent(id)}:${after}`);
  source.onopen = () => connected(true);
  source.onerror = () => connected(false);
  source.onmessage = (m) => hear(JSON.parse(m.data).event);
  return () => source.close();
}
