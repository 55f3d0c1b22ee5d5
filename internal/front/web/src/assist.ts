// Help while a cell is being written, from the live notebook: completion, signatures, and errors before the cell
// runs. A busy notebook offers none of these.

import type { CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import { linter, type Diagnostic } from "@codemirror/lint";
import { StateEffect, StateField, type Extension } from "@codemirror/state";
import { showTooltip, ViewPlugin, type EditorView, type Tooltip, type ViewUpdate } from "@codemirror/view";
import type { Checked, Completed, Signature } from "./api";

/** Notebook answers requests about a cell that is being written. */
export interface Notebook {
  complete: (before: string, after: string) => Promise<Completed>;
  signature: (before: string, after: string) => Promise<Signature>;
  check: (source: string) => Promise<Checked>;
}

const sorts: Record<string, string> = {
  variable: "variable", builtin: "function", function: "function", method: "method", type: "type",
  constant: "constant", package: "namespace", field: "property", keyword: "keyword",
};

export function completes(notebook: Notebook): CompletionSource {
  return async (c: CompletionContext): Promise<CompletionResult | null> => {
    if (!c.explicit && !c.matchBefore(/[\w.]$/)) return null;
    const text = c.state.doc.toString();
    try {
      const found = await notebook.complete(text.slice(0, c.pos), text.slice(c.pos));
      if (!found.items.length || c.aborted) return null;
      return {
        from: c.pos - found.prefix.length, validFor: /^\w*$/,
        options: found.items.map((i) =>
          ({ label: i.name, type: sorts[i.kind], detail: i.detail, info: i.doc ? () => doc(i.doc) : undefined })),
      };
    } catch {
      return null;
    }
  };
}

function doc(text: string): HTMLElement {
  const p = document.createElement("div");
  p.className = "doc";
  p.textContent = text;
  return p;
}

const pause = 400; // milliseconds after the last key press

/** checks shows the compiler's errors where they are. */
export function checks(notebook: Notebook): Extension {
  return linter(async (view): Promise<Diagnostic[]> => {
    const source = view.state.doc.toString();
    if (!source.trim()) return [];
    try {
      const c = await notebook.check(source);
      if (c.ok) return [];
      const line = view.state.doc.line(Math.min(Math.max(c.line ?? 1, 1), view.state.doc.lines));
      const from = Math.min(line.from + Math.max(0, (c.column ?? 1) - 1), line.to);
      return [{ from, to: line.to, severity: "error", message: c.message ?? c.kind ?? "this does not compile" }];
    } catch {
      return [];
    }
  }, { delay: pause });
}

const say = StateEffect.define<Tooltip | null>();

const said = StateField.define<Tooltip | null>({
  create: () => null,
  update(tip, tr) {
    for (const e of tr.effects) if (e.is(say)) return e.value;
    return tip && tr.docChanged ? { ...tip, pos: tr.changes.mapPos(tip.pos) } : tip;
  },
  provide: (f) => showTooltip.from(f),
});

/** tellsSignatures shows the signature of the function whose call contains the cursor. */
export function tellsSignatures(notebook: Notebook): Extension {
  return [said, ViewPlugin.define((view) => new Signatures(view, notebook))];
}

class Signatures {
  private later?: ReturnType<typeof setTimeout>;
  private asked = 0;

  constructor(private view: EditorView, private notebook: Notebook) {}

  update(u: ViewUpdate) {
    if (!u.docChanged && !u.selectionSet) return;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.ask(), pause / 2);
  }

  destroy() { clearTimeout(this.later); this.asked++; }

  private async ask() {
    const n = ++this.asked, pos = this.view.state.selection.main.head, text = this.view.state.doc.toString();
    let s: Signature | undefined;
    if (text.slice(0, pos).includes("(") && this.view.hasFocus)
      s = await this.notebook.signature(text.slice(0, pos), text.slice(pos)).catch(() => undefined);
    if (n !== this.asked) return;
    if (!s?.name) s = undefined;
    if (s || this.view.state.field(said))
      this.view.dispatch({ effects: say.of(s ? { pos, above: true, create: () => ({ dom: shown(s!) }) } : null) });
  }
}

// The parameter at the cursor is highlighted.
function shown(s: Signature): HTMLElement {
  const box = document.createElement("div"), code = document.createElement("code");
  box.className = "signature";
  code.append(s.name + "(");
  s.parameters.forEach((p, i) => {
    const now = document.createElement(i === Math.min(s.active, s.parameters.length - 1) ? "b" : "span");
    now.textContent = p;
    code.append(i ? ", " : "", now);
  });
  code.append(")" + (s.result ? " " + s.result : ""));
  box.append(code);
  if (s.doc) box.append(doc(s.doc.split("\n\n")[0]));
  return box;
}
