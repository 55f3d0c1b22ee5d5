// Keyboard shortcuts: a single letter presses a button, unless the person is typing.

import { useEffect } from "preact/hooks";
import { Dialog } from "./dialog";

export const keyHelp: [key: string, what: string][] = [
  ["q", "write a question"], ["c", "write a cell"], ["j  k", "next, previous turn or cell"],
  ["b", "earlier input"], ["s", "stop what is running"], ["r", "resume"], ["u", "take back the last question"],
  ["f", "fork"], ["p", "replay"], ["w", "compare with another question"], ["e", "export"], ["m", "rename"],
  ["h", "share"], ["d", "delete"], [",", "settings"], ["y", "check the answer's sources"],
  ["a", "add to the context"], ["x", "context"], ["v", "variables"], ["t", "trace"],
  ["n", "new session"], ["l", "list of sessions"], ["B", "batches"], ["o", "browsers; log out"], ["/", "search"],
  ["?", "this list"], ["Escape", "leave the editor; close what is open; twice: stop what is running"],
  ["Enter", "in a question: ask"], ["Shift-Enter", "in a cell: run it"],
  [">", "in an empty editor: switch between question and cell"],
  ["Alt-↑  Alt-↓", "in the editor: earlier and later input"], ["Ctrl-Space", "in a cell: completion"],
];

/** useKeys runs the action of the pressed key. */
export function useKeys(does: (key: string) => (() => void) | undefined) {
  useEffect(() => {
    const pressed = (e: KeyboardEvent) => {
      const on = e.target as HTMLElement;
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
      const typing = on.closest("input, textarea, select, [contenteditable=true], dialog, [role=application]");
      // A dialog that has just been closed has the focus until the next frame.
      if (typing && !on.closest("dialog:not([open])")) return;
      if (e.key === "j" || e.key === "k") return step(e.key === "j" ? 1 : -1);
      const f = does(e.key);
      if (!f) return;
      e.preventDefault();
      f();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}

// Goes to the next or previous turn or cell.
function step(by: number) {
  const all = [...document.querySelectorAll<HTMLElement>(".book .run > h2, .book .turn, .book .cell, .book .end")];
  const edge = (document.querySelector(".top")?.getBoundingClientRect().bottom ?? 0) + 4;
  const at = all.findIndex((el) => el.getBoundingClientRect().top > edge);
  const i = by > 0 ? (at < 0 ? all.length - 1 : at) : (at < 0 ? all.length : at) - 2;
  const to = all[Math.max(0, Math.min(all.length - 1, i))];
  to?.scrollIntoView({ block: "start" });
  to?.querySelector<HTMLElement>("a.anchor")?.focus({ preventScroll: true });
}

export function Help({ close }: { close: () => void }) {
  return <Dialog title="Keys" close={close} wide>
    <dl class="keys">{keyHelp.map(([k, what]) =>
      <div key={k}>
        <dt>{k.split("  ").map((one) => <><kbd key={one}>{one}</kbd>{" "}</>)}</dt>
        <dd>{what}</dd>
      </div>)}</dl>
  </Dialog>;
}
