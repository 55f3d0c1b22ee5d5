// Downloads from the server.

import { useState } from "preact/hooks";
import { saved } from "./api";

/**
 * Download is a link to a file, which is saved only if all of it has arrived. It shows errors, which the browser
 * itself would not.
 */
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
