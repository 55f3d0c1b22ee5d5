// Replay: cells run again with the recorded replies of models, and their outputs are compared with the recorded
// ones.

import { useEffect, useState } from "preact/hooks";
import { api, type Replayed } from "./api";
import { Changes } from "./changes";
import { Dialog } from "./dialog";
import { count } from "./format";

// Removes the number of the cell, which is shown above.
const outputOf = (observation = "") => observation.replace(/^\[cell \d+\] /, "");

export function Replay({ id, close }: { id: string; close: () => void }) {
  const [lines, setLines] = useState<Replayed[]>([]);
  const [ended, setEnded] = useState(false);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const got: Replayed[] = [];
    let gone = false;
    api.replay(id, (r) => {
      if (gone) return;
      if (r.error) setProblem(r.error.message);
      else { got.push(r); setLines([...got]); }
    }).catch((e) => setProblem(e.message)).then(() => setEnded(true));
    return () => { gone = true; };
  }, [id]);
  const ran = lines.filter((l) => !l.skipped), other = ran.filter((l) => !l.same),
    skipped = lines.filter((l) => l.skipped);
  const name = (l: Replayed) => `cell ${l.cell}${l.path ? ` of ${l.path}` : ""}`;
  return (
    <Dialog title="Replay" close={close} wide>
      <p class="dim">
        Cells run again in a new notebook with their recorded replies: no model is called, and the session does not
        change.
      </p>
      <p role="status">{ended && !ran.length ? "There are no cells of the model to run again."
        : ended
          ? `${count(ran.length, "cell")} ran again; ${other.length ? `${other.length} gave a different output.` : "all gave the same output."}`
          : `Running cells again … ${ran.length}`}</p>
      {problem && <p class="problem" role="alert">{problem}</p>}
      {skipped.map((l) => <p class="dim" key={name(l)}>{name(l)} did not run: {l.skipped}</p>)}
      {other.map((l) => <section key={name(l)}>
        <h3>{name(l)}</h3>
        <Changes before={outputOf(l.before)} after={outputOf(l.after)}
          label={`what ${name(l)} put out before and now`} />
      </section>)}
      {ended && ran.length > 0
        && <details>
          <summary>{count(ran.length - other.length, "cell")} did the same</summary>
          <p>{ran.filter((l) => l.same).map(name).join(", ")}</p>
        </details>}
    </Dialog>
  );
}
