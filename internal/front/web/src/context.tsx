// The context: its documents, their text, and the passages to which cells and answers refer.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api, type Document, type Failed, type Hit, type Mark } from "./api";
import type { Projection } from "./projection";
import { Sure } from "./dialog";
import { Documents } from "./documents";
import { count, firstLine, named, size, sourceOf, whole } from "./format";
import { Rows } from "./list";
import { Panel } from "./panel";
import { Viewer, type Place } from "./viewer";

const batch = 1000, most = 20_000; // documents per request, and at most

/** ContextPanel shows the context, and fetches it again when at changes. */
export function ContextPanel(
    props: { id: string; projection: Projection; place?: Place; close: () => void; say: (e: unknown) => void;
      add: () => void;
      at: number }) {
  const { id } = props;
  const [docs, setDocs] = useState<Document[]>();
  const [all, setAll] = useState({ size: 0, total: 0 });
  const [marks, setMarks] = useState<Mark[]>([]);
  const [place, setPlace] = useState(props.place);
  const [problem, setProblem] = useState("");
  const [side, setSide] = useState<"documents" | "search" | "marks">(props.place ? "marks" : "documents");
  const [removing, setRemoving] = useState<string>();
  const busy = !!props.projection.busy;
  useEffect(() => { if (props.place) setPlace(props.place); }, [props.place]);
  useEffect(() => {
    let ended = false;
    const load = async () => {
      try {
        const got: Document[] = [];
        for (let more = true; more && got.length < most && !ended;) {
          const r = await api.documents(id, got.length, batch, "");
          got.push(...r.documents);
          more = r.documents.length > 0 && got.length < (r.total ?? 0);
          if (!ended) setAll({ size: r.size ?? got.reduce((n, d) => n + d.size, 0), total: r.total ?? got.length });
        }
        if (!ended) { setDocs(got); setProblem(""); }
      } catch (e) { if (!ended) setProblem((e as Error).message); }
    };
    load();
    return () => { ended = true; };
  }, [id, props.at, busy]);
  useEffect(() => { api.marks(id).then((r) => setMarks(r.marks), () => setMarks([])); }, [id, busy]);
  const lit = useMemo(() =>
    marks.map((m) => ({
      offset: m.offset, length: m.length,
      title: [m.mark, m.cited ? "cited" : `cell ${m.cell}`].filter(Boolean).join(", "),
    })), [marks]);
  const changed = docs?.filter((d) => d.state).length ?? 0;
  const tab = (s: typeof side, name: string) =>
    <button class="link" aria-pressed={side === s} onClick={() => setSide(s)}>{name}</button>;
  return (
    <Panel title="Context" close={props.close}
        tools={<><div role="group" aria-label="what is listed" class="tabs">
          {tab("documents", "documents")}
          {tab("search", "search")}
          {tab("marks", `marks${marks.length ? ` (${marks.length})` : ""}`)}
        </div><button onClick={props.add}>Add</button></>}>
      {problem && <p class="problem" role="alert">{problem}</p>}
      <p class="dim">{docs ? `${count(all.total, "document")}, ${size(all.size)}` : "reading …"}</p>
      {changed > 0 && <p class="changed-files">
        {count(changed, "document")} {changed === 1 ? "is" : "are"} not
        as {changed === 1 ? "it was" : "they were"} when {changed === 1 ? "it was"
          : "they were"} read. <button disabled={busy} onClick={() => api.reread(id).catch(props.say)}>
            Read again
          </button>
      </p>}
      {side === "documents" && docs && <Documents id={id} docs={docs} pick={setPlace} remove={setRemoving} />}
      {side === "search" && <Search id={id} size={all.size} pick={setPlace} />}
      {side === "marks" && <Marks marks={marks} pick={setPlace} />}
      {docs && all.size > 0 && <Viewer key={props.at} id={id} docs={docs} size={all.size} place={place} lit={lit} />}
      {removing && <Sure title="Remove this document?"
        text={`${named(removing)} is removed from the context. The file stays where it is; cells that have run keep what they read.`}
        yes="Remove" does={() => api.removeDocument(id, removing).catch(props.say)}
        close={() => setRemoving(undefined)} />}
    </Panel>
  );
}

// A long search is made in parts: it reports progress, can be stopped, and lets cells run between the parts.
function Search({ id, size: all, pick }: { id: string; size: number; pick: (p: Place) => void }) {
  const [q, setQ] = useState("");
  const [how, setHow] = useState("literal");
  const [hits, setHits] = useState<{ hits: Hit[]; more: boolean }>();
  const [problem, setProblem] = useState("");
  const [going, setGoing] = useState<{ read: number; waits?: boolean }>();
  const [stopped, setStopped] = useState(false);
  const asked = useRef(0);
  const end = () => { asked.current++; setGoing(undefined); };
  useEffect(() => () => { asked.current++; }, []);
  const ask = async (e: Event) => {
    e.preventDefault();
    const mine = ++asked.current;
    setHits(undefined);
    setProblem("");
    setStopped(false);
    setGoing({ read: 0 });
    for (let read = 0; mine === asked.current;) {
      try {
        const some = await api.find(id, q, how, how === "ranked" ? 0 : read);
        if (mine !== asked.current) return;
        read = some.next ?? 0;
        if (some.more && !some.hits.length) { setGoing({ read }); continue; }
        setHits(some);
        end();
      } catch (err) {
        if (mine !== asked.current) return;
        if ((err as Failed).code !== "busy") { setProblem((err as Error).message); end(); return; }
        setGoing({ read, waits: true });
        await new Promise((again) => setTimeout(again, 500));
      }
    }
  };
  return (
    <>
      <form class="find" onSubmit={ask}>
        <input type="search" aria-label="search the context" placeholder="search" value={q}
          onInput={(e) => setQ(e.currentTarget.value)} />
        <select aria-label="how" value={how} onChange={(e) => setHow(e.currentTarget.value)}>
          <option value="literal">as written</option>
          <option value="regular">regular expression</option>
          <option value="ranked">ranked</option>
        </select>
        {going ? <button key="stop" type="button" class="danger" onClick={() => { end(); setStopped(true); }}>
          Stop
        </button> : <button key="search" disabled={!q}>Search</button>}
      </form>
      {problem && <p class="problem" role="alert">{problem}</p>}
      <p class="dim searching" role="status">
          {going ? <><progress max={all} value={going.read}
            aria-label="how much has been read" /> {going.waits ? "waiting until the session is free; " : ""}
            {size(going.read)} of {size(all)} read</>
        : stopped ? `Stopped.${how === "ranked" ? " The next ranked search continues from here." : ""}`
          : hits && `${count(hits.hits.length, "place")}${hits.more ? " and more" : ""}`}</p>
      {hits && hits.hits.length > 0
          && <Rows count={hits.hits.length} height={28} most={220} label="places" row={(i) => {
        const h = hits.hits[i];
        return <button class="link words" onClick={() => pick({ offset: h.offset, length: h.length })}>
          <span class="dim">{[named(h.document), h.where, h.line ? `line ${whole(h.line)}` : ""]
            .filter((w, i, all) => w && !all.slice(0, i).some((o) => o!.includes(w))).join(", ")}
            </span> {firstLine(h.text, 200)}
        </button>;
      }} />}
    </>
  );
}

function Marks({ marks, pick }: { marks: Mark[]; pick: (p: Place) => void }) {
  if (!marks.length) return <p class="dim">No cell has marked a passage, and no answer cites one.</p>;
  return <Rows count={marks.length} height={28} most={220} label="marks" row={(i) => {
    const m = marks[i];
    return <button class="link words" title={m.notes && named(m.notes.join("; "))} onClick={() => pick(m)}>
      {m.mark && <b>{m.mark}</b>} <span class="dim">
        {sourceOf(m)}, {m.cited ? "cited" : `cell ${m.cell}`}
      </span> {firstLine(m.quote ?? "", 160)}
    </button>;
  }} />;
}
