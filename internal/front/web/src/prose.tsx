// The input for questions: a plain text area, which is part of the page from the beginning. Cells have an editor.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Writing is the interface of an input for the component that uses it. */
export interface Writing {
  text: () => string;
  set: (text: string) => void;
  insert: (text: string) => void;
  focus: () => void;
}

export interface ProseProps {
  first: string; label: string; hint: string;
  ready: (w: Writing) => void; changed: (text: string) => void; send: (text: string) => void; escape: () => void;
  toggle: () => void;
  recall: (from: string, step: number) => string | undefined; // the text sent before or after the current one
}

/** Prose owns its text, as the cell editor does. Enter sends the text, Alt-Enter begins a new line. */
export function Prose(props: ProseProps) {
  const box = useRef<HTMLTextAreaElement>(null), now = useRef(props);
  now.current = props;
  const [text, setText] = useState(props.first);
  const set = (text: string) => { setText(text); now.current.changed(text); };
  useEffect(() => {
    const el = box.current!;
    el.setSelectionRange(el.value.length, el.value.length);
    now.current.ready({
      text: () => el.value,
      set: (text) => { el.value = text; set(text); },
      insert: (text) => {
        el.setRangeText(text, el.selectionStart, el.selectionEnd, "end");
        set(el.value);
        el.focus();
      },
      focus: () => el.focus(),
    });
  }, []);
  useLayoutEffect(() => { // the height follows the text, up to the limit in the style sheet
    const el = box.current!;
    el.style.height = "auto";
    el.style.height = el.scrollHeight + "px";
  }, [text]);
  const key = (e: KeyboardEvent) => {
    const el = box.current!, step = e.key === "ArrowUp" ? -1 : 1;
    if (e.isComposing || e.keyCode === 229) return; // the key press is part of an input method's composition
    if (e.key === "Enter" && e.altKey) {
      el.setRangeText("\n", el.selectionStart, el.selectionEnd, "end");
      set(el.value);
    }
    else if (e.key === "Enter") props.send(el.value);
    else if (e.key === ">" && !el.value) props.toggle();
    else if (e.key === "Escape") { props.escape(); el.blur(); }
    else if (e.altKey && ["ArrowUp", "ArrowDown"].includes(e.key)
        && !(step < 0 ? el.value.slice(0, el.selectionStart) : el.value.slice(el.selectionEnd)).includes("\n")) {
      const earlier = props.recall(el.value, step);
      if (earlier === undefined) return;
      el.value = earlier;
      el.setSelectionRange(step < 0 ? 0 : earlier.length, step < 0 ? 0 : earlier.length);
      set(earlier);
    } else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return <textarea class="editor prose" ref={box} rows={1} aria-label={props.label} placeholder={props.hint}
    value={text} onInput={(e) => set(e.currentTarget.value)} onKeyDown={key} />;
}
