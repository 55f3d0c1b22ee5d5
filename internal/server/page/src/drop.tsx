// Adding to the context: files that are dropped or chosen, folders of the server, pasted text.

import { useEffect, useState } from "preact/hooks";
import { api, type Entry } from "./api";
import { Dialog } from "./dialog";
import { size } from "./format";

/** dropped adds the files that were dropped. */
export function dropped(e: DragEvent, id: string, say: (e: unknown) => void) {
  const files = [...(e.dataTransfer?.files ?? [])];
  e.preventDefault();
  if (files.length) send(id, files).catch(say);
}

const small = 4 << 20; // bytes up to which texts go as JSON where the server takes no uploads

async function send(id: string, files: File[]) {
  try {
    await api.upload(id, files);
  } catch (e) {
    if ((e as { code?: string }).code !== "not_found" || files.some((f) => f.size > small)) throw e;
    await api.add(id, { texts: await Promise.all(files.map(async (f) => ({ name: f.name, text: await f.text() }))) });
  }
}

export function AddedTo({ id, folders, say, close }: { id: string; folders: string[] | null; say: (e: unknown) => void; close: () => void }) {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const done = (p: Promise<unknown>) => { p.catch(say); close(); };
  return (
    <Dialog title="Add to the context" close={close}>
      <h3>Files of this machine</h3>
      <p><input type="file" multiple aria-label="files" onChange={(e) => { const files = [...(e.currentTarget.files ?? [])]; if (files.length) done(send(id, files)); }} /></p>
      {(folders?.length ?? 0) > 0 && <><h3>On the server</h3><Folders id={id} take={(path) => done(api.add(id, { paths: [path] }))} /></>}
      <h3>Text</h3>
      <form onSubmit={(e) => { e.preventDefault(); done(api.add(id, { texts: [{ name: name.trim() || "pasted text", text }] })); }}>
        <input class="whole" aria-label="name of the text" placeholder="name" value={name} onInput={(e) => setName(e.currentTarget.value)} />
        <textarea class="whole" rows={6} aria-label="text" placeholder="paste a text here" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <div class="buttons"><button type="button" onClick={close}>Cancel</button><button class="main" disabled={!text}>Add the text</button></div>
      </form>
    </Dialog>
  );
}

function Folders({ take }: { id: string; take: (path: string) => void }) {
  const [path, setPath] = useState("");
  const [list, setList] = useState<{ entries: Entry[]; more: boolean }>();
  const [problem, setProblem] = useState("");
  const [typed, setTyped] = useState("");
  useEffect(() => { api.folders(path).then(setList, (e) => setProblem(e.message)); }, [path]);
  return (
    <div class="folders">
      <p class="dim">{path || "the folders that the server was started with"} {path && <button class="link" onClick={() => setPath("")}>back</button>} {path && <button class="link" onClick={() => take(path)}>add this folder</button>}</p>
      {problem && <p class="problem">{problem}</p>}
      <ul class="plain scroll" tabIndex={0}>{list?.entries.map((e) => <li key={e.path}>{e.folder ? <button class="link" onClick={() => setPath(e.path)}>{e.name}/</button> : <span>{e.name}</span>} <span class="dim">{e.folder ? "" : size(e.size)}</span> <button class="link" onClick={() => take(e.path)} aria-label={"add " + e.name}>add</button></li>)}</ul>
      {list?.more && <p class="dim">there are more; type the path</p>}
      <form class="find" onSubmit={(e) => { e.preventDefault(); take(typed); }}><input class="whole" aria-label="path" placeholder="path" value={typed} onInput={(e) => setTyped(e.currentTarget.value)} /><button disabled={!typed.trim()}>Add</button></form>
    </div>
  );
}
