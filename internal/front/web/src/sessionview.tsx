// A session: its notebook, the panel beside it, and the input.

import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { api, type About, type Session, type TableQuery } from "./api";
import { Ask, type Pen } from "./ask";
import { Projection } from "./projection";
import { Children } from "./calls";
import { ChildRun } from "./child";
import { ContextPanel } from "./context";
import type { Asking } from "./dialogs";
import type { Doing } from "./actions";
import { AddedTo, dropped } from "./drop";
import { firstLine, named } from "./format";
import { Items } from "./notebook";
import { address, go, show, type View } from "./route";
import { follow } from "./stream";
import { Whole } from "./table";
import { Header } from "./header";
import { TracePanel } from "./trace";
import { VariablesPanel } from "./variables";
import type { Place } from "./viewer";

export interface ViewKeys { [name: string]: () => void }

export function SessionView(props: { id: string; view: View; about?: About; say: (e: unknown) => void;
    keys: (k: ViewKeys) => void; online: boolean }) {
  const { id, view, say } = props;
  const projection = useRef(new Projection()).current;
  const [drawn, draw] = useReducer((n: number) => n + 1, 0);
  const [asking, setAsking] = useState<Asking>();
  const [place, setPlace] = useState<Place>();
  const [held, setHeld] = useState(false); // files are being dragged over the page
  const [turn, setTurn] = useState<{ run: number; turn: number }>();
  const pen = useRef<Pen>();
  useEffect(() => {
    let due = false; // the events of a burst are drawn in one frame
    return follow(id, (events) => {
      for (const e of events) projection.hear(e);
      if (due) return;
      due = true;
      const picture = () => { if (due) { due = false; draw(0); } };
      requestAnimationFrame(picture);
      setTimeout(picture, 200); // a hidden page has no animation frames
    });
  }, [id]);
  const middle = useRef<HTMLDivElement>(null);
  const last = useRef<HTMLDivElement>(null);
  const toEnd = useFollowing(middle, last);
  const [session, setSession] = useState<Session>();
  useEffect(() => {
    api.session(id).then(setSession, () => {}); // the page reports a missing session
    return follow("*", (events) => {
      for (const e of events) if (e.type === "session" && e.data.id === id) setSession(e.data);
    });
  }, [id]);
  const resume = () => {
    if (projection.resumable === "limited") setAsking({ what: "resume" }); else act(api.resume(id));
  };
  useEffect(() => { document.title = (projection.busy ? "… " : "") + named(projection.title.slice(0, 60)); });
  const act = (p: Promise<unknown>) => { p.catch(say); };
  const open = (v: View) => go(address(id, view === v ? "" : v), true);
  const doing: Doing = useMemo(() => ({
    id, readOnly: false, canAsk: !props.about?.no_model,
    edit: (c) => pen.current?.write("cell", c.source, c.number),
    again: (source) => pen.current?.write("cell", source),
    askAbout: (c) => pen.current?.write("question",
      `Cell ${c.number} fails:\n\n${c.result?.error?.message ?? ""}\n\nWhat is wrong, and how is it done right?`),
    forkAt: (t) => setAsking({ what: "fork", run: t.run.number, turn: t.number }),
    prompt: (t) => { setTurn({ run: t.run.number, turn: t.number }); go(address(id, "trace"), true); },
    review: (ok, note) => api.review(id, ok, note).then(() => true, (e) => { say(e); return false; }),
    source: (_, m) => { setPlace({ offset: m.offset, length: m.length }); go(address(id, "context"), true); },
  }), [id, props.about]);
  const rows = useCallback((q: TableQuery) => api.table(id, q), [id]);
  const stop = () => act(api.stop(id));
  const pressed = useRef(0); // when Escape was last pressed during a task
  const escape = () => { // a single Escape must not stop a task: people press it to close lists
    if (!projection.busy) return;
    if (Date.now() - pressed.current < twice) { pressed.current = 0; stop(); say(""); } else {
      pressed.current = Date.now();
      say("Press Escape again to stop what is running.");
    }
  };
  useEffect(() => props.keys({
    b: () => pen.current?.past(), q: () => pen.current?.focus("question"), c: () => pen.current?.focus("cell"),
    s: stop, u: () => setAsking({ what: "undo" }), r: resume, ",": () => setAsking({ what: "settings" }),
    w: () => setAsking({ what: "compare" }), h: () => setAsking({ what: "share", shared: session?.shared }),
    f: () => setAsking({ what: "fork" }), e: () => setAsking({ what: "export" }),
    p: () => setAsking({ what: "replay" }), d: () => setAsking({ what: "delete" }),
    m: () => setAsking({ what: "rename" }), a: () => setAsking({ what: "add" }),
    Escape: () => (view ? open(view) : escape()), y: () => document.getElementById("verify")?.click(),
    x: () => open("context"), v: () => open("variables"), t: () => open("trace"),
  }));
  return (
    <div class={"desk" + (view ? " beside" : "") + (held ? " held" : "")} data-session={id}
      onDragOver={(e) => { e.preventDefault(); setHeld(!!e.dataTransfer?.types.includes("Files")); }}
      onDragLeave={(e) => { if (!e.currentTarget.contains(e.relatedTarget as Node)) setHeld(false); }}
      onDrop={(e) => { setHeld(false); dropped(e, id, say); }}>
      <p class="unseen" role="status">
        {projection.whole && !projection.busy && projection.run?.end
          ? (projection.run.end.has_answer ? `Answer: ${firstLine(String(projection.run.end.answer), 200)}`
            : `No answer: ${projection.run.end.status}`) : ""}
      </p>
      {held && <p class="dropsign" role="status">Drop the files to add them to the context</p>}
      <div class="middle" ref={middle}>
        <Header id={id} projection={projection} view={view} open={open} online={props.online} act={act} asking={asking}
          ask={setAsking} resume={resume} session={session} renew={setSession} about={props.about} v={drawn} />
        <div class="book" role="region" aria-label="notebook">
          {projection.gone && <p class="problem" role="alert">{projection.gone}</p>}
          {projection.whole && projection.root.items.length === 0 && !projection.gone && <Empty />}
          {projection.whole ? <Whole.Provider value={rows}>
            <Children.Provider value={ChildRun}><Items projection={projection} doing={doing} /></Children.Provider>
          </Whole.Provider> : !projection.gone && <p class="dim" role="status">reading …</p>}
          {projection.failed && <p class="problem" role="alert">{projection.failed.message}</p>}
        </div>
        <Ask key={id} id={id} projection={projection} about={props.about} ready={(p) => { pen.current = p; }} say={say}
          sent={toEnd} stop={stop} escape={escape} v={drawn} />
        <div class="last" ref={last} aria-hidden="true" />
      </div>
      {view === "context" && projection.whole
        && <ContextPanel id={id} projection={projection} place={place} close={() => open("context")} say={say}
          add={() => setAsking({ what: "add" })} at={projection.context} />}
      {view === "variables" && <VariablesPanel id={id} projection={projection}
        pick={(name) => pen.current?.insert(name)} close={() => open("variables")} at={projection.seq} />}
      {view === "trace" && <TracePanel id={id} projection={projection} turn={turn} close={() => open("trace")} />}
      {asking?.what === "add" && <AddedTo id={id} folders={props.about?.folders ?? []} say={say}
        close={() => setAsking(undefined)} />}
    </div>
  );
}

const twice = 3_000; // maximum milliseconds between two Escapes that stop

function Empty() {
  return <div class="empty">
      <p>
        This is a Go notebook for text of any size. Ask the model about the text, or write cells of your own;
        both see the same variables.
      </p>
    <p class="dim">Drop files here to add them to the context. <kbd>?</kbd> lists the keys.</p></div>;
}

// Keeps the end of the notebook in view while it grows, unless the reader has scrolled up; then the browser keeps
// the position. If the address has an element, the page scrolls there once. The returned function scrolls to the
// end; it is called when something is sent, because people want to see its result.
function useFollowing(middle: preact.RefObject<HTMLElement>, last: preact.RefObject<HTMLElement>): () => void {
  const toEnd = useRef(() => {});
  useEffect(() => {
    let near = true, arrived = !location.hash, hand = false, y = 0;
    const touched = (e: Event) => { // until scrolling has ended; typing or sending is not scrolling
      if (!((e.type === "keydown" || e.type === "pointerdown") && e.target instanceof Element
        && e.target.closest(".input"))) hand = true;
    };
    const moved = () => { // scrolling up by hand ends following; otherwise heights have changed
      if (hand && scrollY < y) near = false;
      y = scrollY;
    };
    const rested = () => {
      hand = false;
      if (last.current!.getBoundingClientRect().top < innerHeight) near = true;
    };
    const end = new IntersectionObserver((all) => { near = all[all.length - 1].isIntersecting; });
    const follow = () => {
      scrollTo(0, document.documentElement.scrollHeight);
      y = scrollY;
      end.takeRecords(); // discard outdated records
    };
    toEnd.current = () => {
      [near, hand] = [true, false];
      follow();
    };
    const named = () => { near = false; show(); };
    const grown = new ResizeObserver(() => {
      if (!arrived && show()) { arrived = true; near = false; }
      moved();
      if (arrived && near) follow();
    });
    grown.observe(middle.current!);
    end.observe(last.current!);
    const hands = ["wheel", "touchmove", "keydown", "pointerdown"];
    for (const h of hands) addEventListener(h, touched, { passive: true });
    addEventListener("scroll", moved, { passive: true });
    addEventListener("scrollend", rested);
    addEventListener("hashchange", named);
    return () => {
      grown.disconnect();
      end.disconnect();
      for (const h of hands) removeEventListener(h, touched);
      removeEventListener("scroll", moved);
      removeEventListener("scrollend", rested);
      removeEventListener("hashchange", named);
    };
  }, []);
  return () => toEnd.current();
}
