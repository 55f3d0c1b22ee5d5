// What is open beside the notebook.

import type { ComponentChildren } from "preact";

export function Panel(props: { title: string; close: () => void; tools?: ComponentChildren; children: ComponentChildren }) {
  return (
    <aside class="panel" aria-label={props.title}>
      <header><h2>{props.title}</h2>{props.tools}<button class="link" aria-label={"close " + props.title} onClick={props.close}>✕</button></header>
      <div class="inside">{props.children}</div>
    </aside>
  );
}
