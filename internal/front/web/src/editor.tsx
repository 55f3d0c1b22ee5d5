// The editor for cells. It owns its text; other components ask it for the text.

import { autocompletion, closeCompletion, completionKeymap, currentCompletions } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { go } from "@codemirror/lang-go";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import { checks, completes, tellsSignatures, type Notebook } from "./assist";
import type { ProseProps } from "./prose";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "tok-string" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: [tags.number, tags.bool, tags.null], class: "tok-number" },
  { tag: tags.typeName, class: "tok-typeName" },
  { tag: tags.function(tags.variableName), class: "tok-variableName2" },
]);

export interface EditorProps extends ProseProps { notebook: Notebook }

/** Editor creates its CodeMirror view only once. Shift-Enter sends the text. */
export function Editor(props: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const now = useRef(props);
  now.current = props;
  useEffect(() => {
    const p = now.current;
    const view = new EditorView({
      parent: place.current!, state: EditorState.create({
        doc: p.first, selection: { anchor: p.first.length }, extensions: extensions(now),
      }),
    });
    p.ready({
      text: () => view.state.doc.toString(),
      set: (text) => {
        view.dispatch({
          changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: text.length },
        });
        view.dispatch(setDiagnostics(view.state, []));
      },
      insert: (text) => { view.dispatch(view.state.replaceSelection(text)); view.focus(); },
      focus: () => view.focus(),
    });
    return () => view.destroy();
  }, []);
  return <div class="editor" ref={place} />;
}

function extensions(now: { current: EditorProps }): Extension[] {
  const cell = now.current.notebook;
  let composing = false; // the key press ends a composition of an input method, although its code looks normal
  const send = (v: EditorView) => { if (!composing) now.current.send(v.state.doc.toString()); return true; };
  const recall = (step: number) => (v: EditorView) => {
    const at = v.state.doc.lineAt(v.state.selection.main.head).number;
    if (at !== (step < 0 ? 1 : v.state.doc.lines)) return false;
    const text = now.current.recall(v.state.doc.toString(), step);
    if (text === undefined) return false;
    v.dispatch({
      changes: { from: 0, to: v.state.doc.length, insert: text }, selection: { anchor: step < 0 ? 0 : text.length },
    });
    return true;
  };
  return [
    EditorView.cspNonce.of(nonce), history(), drawSelection(), EditorView.lineWrapping, indentUnit.of("\t"),
    EditorState.tabSize.of(4),
    placeholder(now.current.hint), EditorView.contentAttributes.of({ "aria-label": now.current.label }),
    Prec.highest(EditorView.domEventHandlers({
      keydown: (e) => { composing = e.isComposing || e.keyCode === 229; return false; },
    })),
    // Escape must not be handled for a list that is not shown yet.
    Prec.highest(keymap.of([{
      key: "Escape", run: (v) => !currentCompletions(v.state).length && (closeCompletion(v), false),
    }])),
    Prec.high(keymap.of([
      { key: "Shift-Enter", run: send }, { key: "Mod-Enter", run: send },
      { key: "Alt-ArrowUp", run: recall(-1) }, { key: "Alt-ArrowDown", run: recall(1) },
      { key: ">", run: (v) => v.state.doc.length === 0 && (now.current.toggle(), true) },
    ])),
    lineNumbers(), highlightSpecialChars(), go(), bracketMatching(), syntaxHighlighting(colours),
    autocompletion({ override: [completes(cell)], icons: false, aboveCursor: true }),
    checks(cell), tellsSignatures(cell), keymap.of([...completionKeymap, ...lintKeymap]),
    keymap.of([{ key: "Escape", run: (v) => (now.current.escape(), v.contentDOM.blur(), true) }, indentWithTab,
      ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of((u) => { if (u.docChanged) now.current.changed(u.state.doc.toString()); }),
  ];
}
