// Long lists: the page contains only the visible rows.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/**
 * Rows shows any number of rows of equal height. row renders row i, or nothing if it is not loaded; need is called
 * with the rows that will soon be visible.
 */
export function Rows(props: {
  count: number; height: number; label: string; most?: number; row: (i: number) => ComponentChildren;
  need?: (from: number, to: number) => void; at?: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [tall, setTall] = useState(props.most ?? 400);
  useEffect(() => {
    const watch = new ResizeObserver(() => box.current && setTall(box.current.clientHeight));
    watch.observe(box.current!);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (props.at !== undefined) box.current!.scrollTop = props.at * props.height;
  }, [props.at]);
  const from = Math.max(0, Math.floor(top / props.height) - 8);
  const to = Math.min(props.count, Math.ceil((top + tall) / props.height) + 8);
  useEffect(() => props.need?.(from, to), [from, to, props.need]);
  const rows = [];
  for (let i = from; i < to; i++) {
    rows.push(<div role="listitem" key={i} class="row" aria-setsize={props.count} aria-posinset={i + 1}
      style={{ top: i * props.height + "px", height: props.height + "px" }}>{props.row(i)}</div>);
  }
  return (
    <div class="rows" ref={box} tabIndex={0} role="group" aria-label={props.label}
        style={{ maxHeight: (props.most ?? 400) + "px" }} onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
      <div role="list" style={{ height: props.count * props.height + "px" }}>{rows}</div>
    </div>
  );
}
