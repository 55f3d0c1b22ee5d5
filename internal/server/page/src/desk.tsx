// One session: its notebook, what is open beside it, and where a person writes.

import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { api, type About, type Session } from "./api";
import { Ask, type Pen } from "./ask";
import { Book } from "./book";
import { ContextPanel, type Place } from "./context";
import type { Doing } from "./doing";
import { AddedTo, dropped } from "./drop";
import { named } from "./format";
import { Items } from "./notebook";
import { address, go, show, type View } from "./route";
import { follow } from "./stream";
import { Top, type Asking } from "./top";
import { TracePanel } from "./trace";
import { VariablesPanel } from "./variables";

export interface DeskKeys { [name: string]: () => void }

export function Desk(props: { id: string; view: View; about?: About; say: (e: unknown) => void; keys: (k: DeskKeys) => void; online: boolean }) {
  const { id, view, say } = props;
  const book = useRef(new Book()).current;
  const [drawn, draw] = useReducer((n: number) => n + 1, 0);
  const [asking, setAsking] = useState<Asking>();
  const [place, setPlace] = useState<Place>();
  const [turn, setTurn] = useState<{ run: number; turn: number }>();
  const pen = useRef<Pen>();
  useEffect(() => {
    let due = false; // many events come at once: one picture shows them
    return follow(id, (events) => {
      for (const e of events) book.hear(e);
      if (due) return;
      due = true;
      const picture = () => { if (due) { due = false; draw(0); } };
      requestAnimationFrame(picture);
      setTimeout(picture, 200); // a hidden page has no frames
    });
  }, [id]);
  const middle = useRef<HTMLDivElement>(null);
  const toEnd = useFollowing(middle);
  const [session, setSession] = useState<Session>();
  useEffect(() => {
    api.session(id).then(setSession, () => {}); // the page that opens it says when it is not there
    return follow("*", (events) => { for (const e of events) if (e.type === "session" && e.data.id === id) setSession(e.data); });
  }, [id]);
  const resume = () => { if (book.resumable === "limited") setAsking({ what: "resume" }); else act(api.resume(id)); };
  useEffect(() => { document.title = (book.busy ? "… " : "") + named(book.title.slice(0, 60)); });
  const act = (p: Promise<unknown>) => { p.catch(say); };
  const open = (v: View) => go(address(id, view === v ? "" : v), true);
  const doing: Doing = useMemo(() => ({
    id, readOnly: false, canAsk: !props.about?.no_model,
    edit: (c) => pen.current?.write("cell", c.source, c.number),
    again: (source) => pen.current?.write("cell", source),
    askAbout: (c) => pen.current?.write("question", `Cell ${c.number} fails:\n\n${c.result?.error?.message ?? ""}\n\nWhat is wrong, and how is it done right?`),
    forkAt: (t) => setAsking({ what: "fork", run: t.run.number, turn: t.number }),
    told: (t) => { setTurn({ run: t.run.number, turn: t.number }); go(address(id, "trace"), true); },
    review: (ok, note) => api.review(id, ok, note).then(() => true, (e) => { say(e); return false; }),
    source: (_, m) => { setPlace({ offset: m.offset, length: m.length }); go(address(id, "context"), true); },
  }), [id, props.about]);
  const stop = () => act(api.stop(id));
  useEffect(() => props.keys({
    b: () => pen.current?.past(), q: () => pen.current?.focus("question"), c: () => pen.current?.focus("cell"), s: stop, u: () => setAsking({ what: "undo" }), r: resume, ",": () => setAsking({ what: "settings" }), w: () => setAsking({ what: "compare" }), h: () => setAsking({ what: "share", shared: session?.shared }),
    f: () => setAsking({ what: "fork" }), e: () => setAsking({ what: "export" }), p: () => setAsking({ what: "replay" }), d: () => setAsking({ what: "delete" }),
    m: () => setAsking({ what: "rename" }), a: () => setAsking({ what: "add" }), Escape: () => (view ? open(view) : book.busy && stop()), y: () => document.getElementById("verify")?.click(), x: () => open("context"), v: () => open("variables"), t: () => open("trace"),
  }));
  return (
    <div class={"desk" + (view ? " beside" : "")} data-session={id} onDragOver={(e) => e.preventDefault()} onDrop={(e) => dropped(e, id, say)}>
      <div class="middle" ref={middle}>
        <Top id={id} book={book} view={view} open={open} online={props.online} act={act} asking={asking} ask={setAsking} resume={resume} session={session} told={setSession} about={props.about} v={drawn} />
        <div class="book" role="region" aria-label="notebook">
          {book.gone && <p class="problem" role="alert">{book.gone}</p>}
          {book.whole && book.root.items.length === 0 && !book.gone && <Empty />}
          {book.whole ? <Items book={book} doing={doing} /> : !book.gone && <p class="dim" role="status">reading …</p>}
          {book.failed && <p class="problem" role="alert">{book.failed.message}</p>}
        </div>
        <Ask key={id} id={id} book={book} about={props.about} ready={(p) => { pen.current = p; }} say={say} sent={toEnd} stop={stop} v={drawn} />
      </div>
      {view === "context" && book.whole && <ContextPanel id={id} book={book} place={place} close={() => open("context")} say={say} add={() => setAsking({ what: "add" })} at={book.context} />}
      {view === "variables" && <VariablesPanel id={id} book={book} pick={(name) => pen.current?.insert(name)} close={() => open("variables")} at={book.seq} />}
      {view === "trace" && <TracePanel id={id} book={book} turn={turn} close={() => open("trace")} />}
      {asking?.what === "add" && <AddedTo id={id} folders={props.about?.folders ?? []} say={say} close={() => setAsking(undefined)} />}
    </div>
  );
}

function Empty() {
  return <div class="empty"><p>This is a Go notebook over a text of any size. Ask the model about the text, or write cells of your own; both see the same variables.</p>
    <p class="dim">Drop files here to add them to the context. <kbd>?</kbd> lists the keys.</p></div>;
}

// The end of the notebook stays in view while it grows, unless the reader has gone up; an address of a place leads there once. What is returned
// leads to the end: who sends something wants to see what comes of it.
function useFollowing(middle: preact.RefObject<HTMLElement>): () => void {
  const toEnd = useRef(() => {});
  useEffect(() => {
    let near = true, arrived = !location.hash, byHand = -1e9, fresh = false, y = 0, tall = 0;
    const hand = (e: Event) => { // who writes or sends something goes nowhere
      if ((e.type === "keydown" || e.type === "pointerdown") && e.target instanceof Element && e.target.closest(".input")) return;
      [byHand, fresh] = [performance.now(), true];
    };
    const scrolled = () => { // only a person goes up: what is drawn later changes heights, too
      const height = document.documentElement.scrollHeight, left = height - innerHeight - scrollY;
      const hands = fresh || performance.now() - byHand < 500; // a busy browser tells late of what a hand did
      if (left < 3 || (hands && scrollY > y && left < 160)) near = true;
      else if (scrollY < y && (hands || (height >= tall && left >= 160))) near = false; // the scroll bar tells of no hand
      [y, tall, fresh] = [scrollY, height, false];
    };
    const follow = () => {
      scrollTo(0, document.documentElement.scrollHeight);
      [y, tall] = [scrollY, document.documentElement.scrollHeight]; // a hand may go up before this is told as a scroll
    };
    toEnd.current = () => {
      [near, byHand, fresh] = [true, -1e9, false];
      follow();
    };
    const named = () => { near = false; show(); };
    const grown = new ResizeObserver(() => {
      if (!arrived && show()) { arrived = true; near = false; }
      if (arrived && near) follow();
    });
    grown.observe(middle.current!);
    const hands = ["wheel", "touchmove", "keydown", "pointerdown"];
    for (const h of hands) addEventListener(h, hand, { passive: true });
    addEventListener("scroll", scrolled, { passive: true });
    addEventListener("hashchange", named);
    return () => {
      grown.disconnect();
      for (const h of hands) removeEventListener(h, hand);
      removeEventListener("scroll", scrolled);
      removeEventListener("hashchange", named);
    };
  }, []);
  return () => toEnd.current();
}
