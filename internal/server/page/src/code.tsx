// Go code: shown with its colours, and edited.

import { autocompletion, completionKeymap, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { go, goLanguage } from "@codemirror/lang-go";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { classHighlighter, highlightTree, tags } from "@lezer/highlight";
import { useEffect, useMemo, useRef } from "preact/hooks";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

/** Source shows Go code. */
export function Source(props: { text: string }) {
  const parts = useMemo(() => coloured(props.text), [props.text]);
  return <pre class="source"><code>{parts.map(([text, style]) => (style ? <span class={style}>{text}</span> : text))}</code></pre>;
}

function coloured(text: string): [string, string][] {
  const out: [string, string][] = [];
  let at = 0;
  highlightTree(goLanguage.parser.parse(text), classHighlighter, (from, to, style) => {
    if (from > at) out.push([text.slice(at, from), ""]);
    out.push([text.slice(from, to), style]);
    at = to;
  });
  if (at < text.length) out.push([text.slice(at), ""]);
  return out;
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "tok-string" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: [tags.number, tags.bool, tags.null], class: "tok-number" },
  { tag: tags.typeName, class: "tok-typeName" },
  { tag: tags.function(tags.variableName), class: "tok-function" },
]);

export interface EditorProps {
  text: string; label: string; hint: string; cell: boolean;
  onChange: (text: string) => void; onSend: (text: string) => void; onEscape: () => void; members: (operand: string) => Promise<string[]>;
}

/** Editor edits a question or a cell. Shift-Enter sends it, in a question Enter does too. */
export function Editor(props: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  const now = useRef(props);
  const said = useRef(props.text); // what the page was told last: another text comes from outside
  now.current = props;
  useEffect(() => {
    const send = (v: EditorView) => {
      now.current.onSend(v.state.doc.toString());
      return true;
    };
    view.current = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: now.current.text,
        extensions: [
          EditorView.cspNonce.of(nonce), history(), drawSelection(), EditorView.lineWrapping, indentUnit.of("\t"), EditorState.tabSize.of(4),
          placeholder(props.hint), EditorView.contentAttributes.of({ "aria-label": props.label }),
          Prec.highest(keymap.of([
            { key: "Shift-Enter", run: send }, { key: "Mod-Enter", run: send },
            ...(props.cell ? [] : [{ key: "Enter", run: send }]),
          ])),
          ...(props.cell ? [
            lineNumbers(), go(), bracketMatching(), syntaxHighlighting(colours),
            autocompletion({ override: [(c) => complete(c, now.current.members)] }), keymap.of(completionKeymap),
          ] : []),
          keymap.of([{ key: "Escape", run: () => (now.current.onEscape(), true) }, ...(props.cell ? [indentWithTab] : []), ...historyKeymap, ...defaultKeymap]),
          EditorView.updateListener.of((u) => { if (u.docChanged) now.current.onChange((said.current = u.state.doc.toString())); }),
        ],
      }),
    });
    view.current.focus();
    return () => view.current?.destroy();
  }, [props.cell]);
  useEffect(() => {
    const v = view.current;
    if (!v || props.text === said.current) return;
    said.current = props.text;
    v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: props.text } });
  }, [props.text]);
  return <div class="editor" ref={place} />;
}

// complete offers what can stand behind "operand.", from the live notebook.
async function complete(c: CompletionContext, members: (operand: string) => Promise<string[]>): Promise<CompletionResult | null> {
  const before = c.matchBefore(/[\w\]\)\[\."']+\.\w*/);
  if (!before) return null;
  const point = before.text.lastIndexOf(".");
  try {
    const names = await members(before.text.slice(0, point));
    return names.length ? { from: before.from + point + 1, options: names.map((label) => ({ label })), validFor: /^\w*$/ } : null;
  } catch {
    return null; // a busy notebook completes nothing
  }
}
