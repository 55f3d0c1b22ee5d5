// Highlighted Go code.

import { parser } from "@lezer/go";
import { classHighlighter, highlightTree } from "@lezer/highlight";
import { useMemo } from "preact/hooks";
import { turning } from "./format";
import { useSeen } from "./memo";

/** Source shows Go code and marks erroneous lines. The code is highlighted when it becomes visible. */
export function Source(props: { text: string; wrong?: number[] }) {
  const [place, seen] = useSeen<HTMLPreElement>();
  const lines = useMemo(() => (seen ? coloured(props.text) : props.text.split("\n").map((l): Piece[] => [[l, ""]])),
    [props.text, seen]);
  return (
    <pre class="source" ref={place} tabIndex={0} aria-label="source"><code>{lines.map((l, i) => (
      <span key={i} class={props.wrong?.includes(i + 1) ? "line wrong" : "line"}>
        {l.map(([text, style]) => (style ? <span class={style}>{visible(text)}</span> : visible(text)))}
        {"\n"}
      </span>
    ))}</code></pre>
  );
}

// Characters that change the direction of a text become visible, so that people read the code as the compiler
// does.
function visible(text: string): preact.ComponentChildren {
  if (text.search(turning) < 0) return text;
  return text.split(/([\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/)
    .map((part, i) => (i % 2
      ? <b class="bad" title="a sign that changes the direction of the text">
        {`U+${part.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`}
      </b> : part));
}

type Piece = [text: string, style: string];

function coloured(text: string): Piece[][] {
  const lines: Piece[][] = [[]];
  const put = (piece: string, style: string) => piece.split("\n").forEach((part, i) => {
    if (i > 0) lines.push([]);
    if (part) lines[lines.length - 1].push([part, style]);
  });
  let at = 0;
  highlightTree(parser.parse(text), classHighlighter, (from, to, style) => {
    if (from > at) put(text.slice(at, from), "");
    put(text.slice(from, to), style);
    at = to;
  });
  put(text.slice(at), "");
  return lines;
}
