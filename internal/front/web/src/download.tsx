// Files that a person takes from the server.

import { useState } from "preact/hooks";
import { saved } from "./api";

/** Download is a link to a file. The file is there whole or not at all: what is wrong is said, where a browser by itself would say nothing. */
export function Download(props: { from: string; name: string; done: () => void; say: (problem: string) => void }) {
  const [busy, setBusy] = useState(false);
  const take = async (e: MouseEvent) => {
    if (e.metaKey || e.ctrlKey || e.shiftKey) return;
    e.preventDefault();
    if (busy) return;
    setBusy(true);
    props.say("");
    try {
      await saved(props.from);
      props.done();
    } catch (e) { props.say((e as Error).message); }
    setBusy(false);
  };
  return <a href={props.from} download onClick={take} aria-busy={busy}>{props.name}{busy && " …"}</a>;
}
