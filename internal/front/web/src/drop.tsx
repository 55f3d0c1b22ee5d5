// Additions to the context: dropped or chosen files and folders, folders of the server, and pasted text.

import { useEffect, useState } from "preact/hooks";
import { api, type Entry, type Named } from "./api";
import { Dialog } from "./dialog";
import { useKept } from "./drafts";
import { named as shown, size } from "./format";

const alone = "file"; // field name of a file outside of folders, for which the file's own name is used

/** dropped adds the dropped files, including those in folders. */
export function dropped(e: DragEvent, id: string, say: (e: unknown) => void) {
  e.preventDefault();
  const entries = [...(e.dataTransfer?.items ?? [])].map((i) => i.webkitGetAsEntry?.()).filter((e) => !!e);
  const files: Promise<Named[]> = entries.some((e) => e.isDirectory) ? within(entries)
    : Promise.resolve(named([...(e.dataTransfer?.files ?? [])]));
  files.then((all) => (all.length ? api.upload(id, all) : undefined)).catch(say);
}

// Returns the files in folders, each with its path.
async function within(entries: FileSystemEntry[]): Promise<Named[]> {
  const all: Named[] = [];
  for (const e of entries) {
    if (e.isFile) {
      const file = await new Promise<File>((yes, no) => (e as FileSystemFileEntry).file(yes, no));
      all.push({ name: e.fullPath.replace(/^\//, ""), file });
      continue;
    }
    const reader = (e as FileSystemDirectoryEntry).createReader();
    for (;;) { // readEntries returns at most a hundred entries
      const some = await new Promise<FileSystemEntry[]>((yes, no) => reader.readEntries(yes, no));
      if (!some.length) break;
      all.push(...(await within(some)));
    }
  }
  return all;
}

const named = (files: File[]): Named[] => files.map((file) => ({ name: file.webkitRelativePath || alone, file }));

export function AddedTo(
    { id, folders, say, close }: { id: string; folders: string[] | null; say: (e: unknown) => void;
      close: () => void }) {
  const [name, setName] = useKept(id, "name of text");
  const [text, setText, safe] = useKept(id, "text");
  const [problem, setProblem] = useState("");
  const drop = () => { setName(""); setText(""); };
  const paste = (e: Event) => {
    e.preventDefault();
    api.add(id, { texts: [{ name: name.trim() || "pasted text", text }] })
      .then(() => { drop(); close(); }, (e) => setProblem(e.message));
  };
  const done = (p: Promise<unknown>) => { p.catch(say); close(); };
  const chosen = (e: Event) => {
    const files = [...((e.currentTarget as HTMLInputElement).files ?? [])];
    if (files.length) done(api.upload(id, named(files)));
  };
  return (
    <Dialog title="Add to the context" close={close}>
      <h3>From this machine</h3>
      <div class="choices">
        <label class="file">Files <input type="file" multiple onChange={chosen} /></label>
        <label class="file">
          A folder <input type="file" multiple onChange={chosen} {...{ webkitdirectory: true }} />
        </label>
      </div>
      {(folders?.length ?? 0) > 0
        && <><h3>On the server</h3><Folders take={(path) => done(api.add(id, { paths: [path] }))} /></>}
      <h3>Text</h3>
      <form onSubmit={paste}>
        <input class="whole" aria-label="name of the text" placeholder="name" value={name}
          onInput={(e) => setName(e.currentTarget.value)} />
        <textarea class="whole" rows={6} aria-label="text" placeholder="paste a text here" value={text}
          onInput={(e) => setText(e.currentTarget.value)} />
        {!safe && <p class="dim">This text is too long to be kept if you close the page before adding it.</p>}
        {problem && <p class="problem" role="alert">{problem}</p>}
        <div class="buttons">
          <button type="button" onClick={() => { drop(); close(); }}>Cancel</button>
          <button class="main" disabled={!text}>Add the text</button>
        </div>
      </form>
    </Dialog>
  );
}

function Folders({ take }: { take: (path: string) => void }) {
  const [path, setPath] = useState("");
  const [list, setList] = useState<{ entries: Entry[]; more: boolean }>();
  const [problem, setProblem] = useState("");
  const [typed, setTyped] = useState("");
  useEffect(() => { api.folders(path).then((l) => { setList(l); setProblem(""); }, (e) => setProblem(e.message)); },
    [path]);
  return (
    <div class="folders">
      <p class="dim">{shown(path) || "the folders that the server was started with"} {path
        && <button class="link" onClick={() => setPath("")}>back</button>} {path
        && <button class="link" onClick={() => take(path)}>add this folder</button>}</p>
      {problem && <p class="problem">{problem}</p>}
      <ul class="plain scroll" tabIndex={0} aria-label="files of the server">
        {list?.entries.map((e) =>
          <li key={e.path}>{e.folder
            ? <button class="link" onClick={() => setPath(e.path)}>{shown(e.name)}/</button>
            : <span>{shown(e.name)}</span>} <span class="dim">
              {e.folder ? "" : size(e.size)}
            </span> <button class="link" onClick={() => take(e.path)} aria-label={"add " + shown(e.name)}>
              add
            </button></li>)}
      </ul>
      {list?.more && <p class="dim">there are more; type the path</p>}
      <form class="find" onSubmit={(e) => { e.preventDefault(); take(typed); }}>
        <input class="whole" aria-label="path" placeholder="path" value={typed}
          onInput={(e) => setTyped(e.currentTarget.value)} />
        <button disabled={!typed.trim()}>Add</button>
      </form>
    </div>
  );
}
