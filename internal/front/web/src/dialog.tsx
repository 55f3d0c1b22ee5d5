// Dialogs that ask before an action.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export function Dialog(props: { title: string; close: () => void; children: ComponentChildren; wide?: boolean }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => { box.current!.showModal(); }, []);
  // The event is late: by then, a key may have opened another dialog.
  const closed = () => { if (box.current) props.close(); };
  return (
    <dialog ref={box} class={props.wide ? "wide" : ""} aria-label={props.title} onClose={closed}
        onClick={(e) => { if (e.target === box.current) box.current!.close(); }}>
      <header>
        <h2>{props.title}</h2>
        <button class="link" aria-label="close" onClick={() => box.current!.close()}>✕</button>
      </header>
      {props.children}
    </dialog>
  );
}

/** Sure asks before an action that cannot be undone. */
export function Sure(props: { title: string; text: string; yes: string; does: () => void; close: () => void }) {
  return (
    <Dialog title={props.title} close={props.close}>
      <p>{props.text}</p>
      <div class="buttons">
        <button onClick={props.close}>Cancel</button>
        <button class="danger" onClick={() => { props.does(); props.close(); }}>{props.yes}</button>
      </div>
    </Dialog>
  );
}

/** Named asks for a name. */
export function Named(props: { title: string; first: string; yes: string; does: (name: string) => void;
    close: () => void }) {
  const [name, setName] = useState(props.first);
  return (
    <Dialog title={props.title} close={props.close}>
      <form onSubmit={(e) => { e.preventDefault(); if (name.trim()) { props.does(name.trim()); props.close(); } }}>
        <input class="whole" aria-label="name" value={name} onInput={(e) => setName(e.currentTarget.value)} autofocus />
        <div class="buttons">
          <button type="button" onClick={props.close}>Cancel</button>
          <button class="main" disabled={!name.trim()}>{props.yes}</button>
        </div>
      </form>
    </Dialog>
  );
}
