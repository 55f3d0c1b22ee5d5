// A child run, shown below the sub-call that started it.

import { useEffect, useState } from "preact/hooks";
import { api } from "./api";
import type { Doing } from "./actions";
import { Scope } from "./model";
import { OneRun } from "./notebook";
import { Fold } from "./memo";

export function ChildRun({ path, doing, live }: { path: string; doing: Doing; live: boolean }) {
  return <Fold class="child" open summary={`child run ${path}`}>
    {() => <Opened path={path} doing={doing} live={live} />}
  </Fold>;
}

const pause = 1000; // milliseconds between updates of a running child run

function Opened({ path, doing, live }: { path: string; doing: Doing; live: boolean }) {
  const [scope] = useState(() => new Scope(path));
  const [, show] = useState(0);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let ended = false, later: ReturnType<typeof setTimeout>;
    const load = async (): Promise<void> => {
      try {
        const { events, more } = await api.eventsOf(doing.id, path, scope.seq);
        for (const e of events) if (e.seq > scope.seq) { scope.seq = e.seq; scope.hear(e); }
        if (ended) return;
        if (!more) scope.rest(live ? "ask" : "");
        show((n) => n + 1);
        if (more) return load();
        if (live && !scope.run?.end) later = setTimeout(load, pause);
      } catch (e) { setProblem((e as Error).message); }
    };
    load();
    return () => { ended = true; clearTimeout(later); };
  }, [path, live]);
  if (problem) return <p class="problem">{problem}</p>;
  if (!scope.items.length) return <p class="dim">reading …</p>;
  return <div class="nested">
    {scope.items.map((i) => i.kind === "run"
      && <OneRun key={i.seq} v={i.v} run={i} doing={{ ...doing, readOnly: true }} />)}
  </div>;
}
