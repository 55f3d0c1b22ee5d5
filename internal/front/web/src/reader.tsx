// The reader of an export: the same notebook, read-only, in one file.

import { render } from "preact";
import { Projection } from "./projection";
import { Children } from "./calls";
import { ChildRun } from "./child";
import type { Doing } from "./actions";
import { count, money, named } from "./format";
import { thaw } from "./offline";
import { Help, useKeys } from "./keys";
import { Items } from "./notebook";
import { show } from "./route";
import { theme, ThemeButton } from "./theme";
import { useEffect, useState } from "preact/hooks";

const projection = new Projection();
for (const e of thaw().events) projection.hear(e);
projection.root.rest(""); // nothing runs in a file

const nothing = () => {};
const doing: Doing = {
  id: "", readOnly: true, canAsk: false, edit: nothing, again: nothing, askAbout: nothing, forkAt: nothing,
  prompt: nothing, review: async () => false,
  // Passages are quoted in the evidence of the answer.
  source: (run) => document.querySelector(`#e${run.endSeq} .evidence`)?.scrollIntoView({ block: "center" }),
};

function Reader() {
  const [help, setHelp] = useState(false);
  useKeys((key) => (key === "?" ? () => setHelp(true) : undefined));
  useEffect(() => {
    document.title = named(projection.title);
    addEventListener("hashchange", show);
    show();
  }, []);
  const runs = projection.root.items.flatMap((i) => (i.kind === "run" ? [i] : []));
  const cost = runs.reduce<number | null>((n, r) =>
    (n === null || r.end?.cost === null ? null : n + (r.end?.cost ?? 0)), 0);
  return (
    <main class="reader">
      <header class="top"><div class="headline">
        <h1>{named(projection.title)}</h1>
        <span class="dim">{count(runs.length, "question")} · {money(cost)}</span>
        <ThemeButton />
      </div></header>
      <div class="book">
        <Children.Provider value={ChildRun}><Items projection={projection} doing={doing} /></Children.Provider>
      </div>
      {help && <Help close={() => setHelp(false)} />}
    </main>
  );
}

theme();
render(<Reader />, document.getElementById("app")!);
