// The list of sessions.

import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { api, type Found, type Session } from "./api";
import { draftOf, watchDrafts } from "./drafts";
import type { Event } from "./event";
import { count, firstLine, money, named, plain, time, when } from "./format";
import { address, addressOfBatch, go } from "./route";
import { follow, watchConnection } from "./stream";

const step = 100; // number of sessions listed at first

export function Sidebar(
    props: { id: string; batches?: boolean; inBatches: boolean; user?: string; say: (e: unknown) => void;
      moved: () => void; create: () => void }) {
  const [query, setQuery] = useState("");
  const [limit, setLimit] = useState(step);
  const [sessions, setSessions] = useState<Session[]>();
  const [total, setTotal] = useState(0);
  const [found, setFound] = useState<Found[]>([]);
  const loading = useRef<Event[]>(); // events since the list was requested, which may be newer than the list
  const load = () => {
    const since: Event[] = (loading.current = []);
    return api.sessions(query, limit).then((r) => {
      if (loading.current !== since) return; // the list was requested again
      loading.current = undefined;
      setSessions(changed(r.sessions, since, !query));
      setTotal(r.total ?? r.sessions.length);
    }, props.say);
  };
  useEffect(() => {
    const later = setTimeout(load, query ? 200 : 0);
    return () => clearTimeout(later);
  }, [query, limit, props.id]);
  const newest = useRef(load);
  newest.current = load;
  useEffect(() => { // reload: changes before the connection were missed
    let later: ReturnType<typeof setTimeout>;
    const stop = watchConnection((yes) => {
      clearTimeout(later);
      if (yes) later = setTimeout(() => newest.current(), 250);
    });
    return () => { clearTimeout(later); stop(); };
  }, []);
  useEffect(() => {
    let ended = false;
    const later = setTimeout(() => {
      if (query.trim().length < 2) return setFound([]);
      api.search(query).then((r) => { if (!ended) setFound(r.hits); }, () => setFound([]));
    }, 250);
    return () => { ended = true; clearTimeout(later); };
  }, [query]);
  useEffect(() => follow("*", (events) => {
    loading.current?.push(...events);
    setSessions((list) => changed(list ?? [], events, !query));
  }), [query]);
  const [, draw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => watchDrafts(() => draw(0)), []);
  const cut = (sessions ?? []).filter(cutOff);
  const inside = found.filter((f) => f.in === "cell" || f.in === "answer" || f.in === "question");
  return (
    <nav aria-label="sessions">
      <div class="navtop">
        <h1><Link to={address("")} moved={props.moved}>rlm</Link></h1>
        <button class="main" onClick={props.create}>New session</button>
      </div>
      {props.batches && <p class="navplace">
        <Link to={addressOfBatch()} here={props.inBatches} moved={props.moved}>Batches</Link>
      </p>}
      <input type="search" id="search" class="whole" aria-label="search sessions" placeholder="search all sessions"
        value={query} onInput={(e) => setQuery(e.currentTarget.value)} />
      {cut.length > 0 && <p class="cut" role="status">
        {count(cut.length, "question")} {cut.length === 1 ? "was" : "were"} cut
        off. <button onClick={() => { for (const s of cut) api.resume(s.id).catch(props.say); }}>
          Continue {cut.length > 1 ? "all" : "it"}
        </button>
      </p>}
      <ul>{sessions?.map((s) =>
        <Listed key={s.id} s={s} user={props.user} here={s.id === props.id} moved={props.moved} />)}</ul>
      {sessions?.length === 0 && !query && <p class="dim">There are no sessions yet.</p>}
      {query && sessions?.length === 0 && inside.length === 0 && <p class="dim">Nothing found.</p>}
      {total > (sessions?.length ?? 0)
        && <button class="link" onClick={() => setLimit(limit + 5 * step)}>more sessions</button>}
      {inside.length > 0 && <>
        <h2>In sessions</h2>
        <ul>{inside.map((f) => <Hit key={f.session + f.seq + f.at} f={f} moved={props.moved} />)}</ul>
      </>}
    </nav>
  );
}

const day = 24 * 3600e3; // milliseconds

// A run that was interrupted because the server ended waits until somebody resumes it. This reminder is not shown
// for old runs.
function cutOff(s: Session): boolean {
  return s.kind === "session" && s.status === "interrupted" && !s.state?.doing
    && Date.now() - Date.parse(s.last) < day;
}

/**
 * changed applies events to a list of sessions. New sessions are added at the top if they belong to the list: jobs
 * are listed with their batch instead.
 */
function changed(list: Session[], events: Event[], all: boolean): Session[] {
  for (const e of events) {
    if (e.type === "removed") list = list.filter((s) => s.id !== e.data.id);
    if (e.type !== "session") continue;
    const known = list.some((s) => s.id === e.data.id);
    list = known ? list.map((s) => (s.id === e.data.id ? e.data : s))
      : all && e.data.kind !== "job" ? [e.data, ...list] : list;
  }
  return list;
}

function Link(props: { to: string; here?: boolean; moved: () => void; children: preact.ComponentChildren }) {
  return <a href={props.to} aria-current={props.here ? "page" : undefined}
    onClick={(e) => { if (!e.metaKey && !e.ctrlKey && !e.shiftKey) {
      e.preventDefault();
      go(props.to);
      props.moved();
    } }}>{props.children}</a>;
}

function Listed({ s, user, here, moved }: { s: Session; user?: string; here: boolean; moved: () => void }) {
  const doing = s.state?.doing;
  const status = doing ? (s.state.ahead !== undefined ? "waits" : "running")
    : s.problem ? "damaged" : s.status.replaceAll("_", " ");
  const draft = draftOf(s.id).trim();
  return (
    <li class={here ? "here" : ""}>
      <Link to={address(s.id)} here={here} moved={moved}>
        <span class="what">{named(s.name || s.question || "a session without a question")}</span>
        {s.answer && <span class="reply">{plain(firstLine(s.answer, 140))}</span>}
        {draft && <span class="reply unsent"><b>not sent:</b> {firstLine(draft, 140)}</span>}
        <span class="dim facts">
          <span class={"dot " + (doing ? "running" : s.status)} aria-hidden="true" />
          {[status, s.owner && user && s.owner !== user ? `of ${s.owner}` : s.shared ? "shared" : "", s.model,
            s.cost ? money(s.cost) : "", time(s.duration), when(s.last)].filter(Boolean).join(" · ")}
        </span>
      </Link>
    </li>
  );
}

function Hit({ f, moved }: { f: Found; moved: () => void }) {
  const bytes = new TextEncoder().encode(f.text),
    cut = (from: number, to?: number) => new TextDecoder().decode(bytes.slice(from, to));
  const before = firstLine(cut(0, f.at).split("\n").at(-1)!.slice(-24).trimStart(), 24),
    hit = firstLine(cut(f.at, f.at + f.length), 60);
  return (
    <li><Link to={address(f.session, "", f.seq)} moved={moved}>
      <span class="reply">{f.at > 24 && "…"}{before}<mark>{hit}</mark>{firstLine(cut(f.at + f.length), 100)}</span>
      <span class="dim facts">{f.in}{f.name ? ` · ${f.name}` : ""}</span>
    </Link></li>
  );
}
