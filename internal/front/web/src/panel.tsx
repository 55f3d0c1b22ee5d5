// The panel beside the notebook.

import type { ComponentChildren } from "preact";
import { Guarded } from "./memo";

export function Panel(props: { title: string; close: () => void; tools?: ComponentChildren;
    children: ComponentChildren }) {
  return (
    <aside class="panel" aria-label={props.title}>
      <header>
        <h2>{props.title}</h2>
        <div class="tools">{props.tools}</div>
        <button class="link" aria-label={"close " + props.title} onClick={props.close}>✕</button>
      </header>
      <div class="inside"><Guarded what={props.title}>{props.children}</Guarded></div>
    </aside>
  );
}
