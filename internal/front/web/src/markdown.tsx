// Markdown from a model or a document. It is not trusted: HTML and images are not shown, and links cannot run
// scripts.

import MarkdownIt from "markdown-it";
import { useMemo } from "preact/hooks";
import type { Value } from "./event";

const md = new MarkdownIt({ html: false, linkify: false, breaks: true });
md.disable("image");
const safe = /^(https?:|mailto:)/i;
md.validateLink = (url) => safe.test(url.trim());
md.renderer.rules.link_open = (tokens, i, options, _env, self) => {
  tokens[i].attrSet("target", "_blank");
  tokens[i].attrSet("rel", "noopener noreferrer nofollow");
  return self.renderToken(tokens, i, options);
};

for (const cell of ["th_open", "td_open"]) { // align columns by a class: inline styles are forbidden
  md.renderer.rules[cell] = (tokens, i, options, _env, self) => {
    const style = tokens[i].attrGet("style");
    if (style) tokens[i].attrs = [["class", style.replace("text-align:", "to-")]];
    return self.renderToken(tokens, i, options);
  };
}

/**
 * Markdown renders a text. skipCells leaves out the fenced blocks that ran as cells, because cells are shown
 * separately.
 */
export function Markdown(
    props: { text: string; skipCells?: boolean; marks?: string[]; onMark?: (mark: string) => void; values?: Value[];
      leads?: (v: Value) => boolean; onValue?: (v: Value) => void }) {
  const html = useMemo(() => {
    const html = md.render(props.skipCells ? withoutCells(props.text) : props.text);
    return withValues(withMarks(html, props.marks ?? []), props.values ?? [], props.leads);
  }, [props.text, props.skipCells, props.marks?.join(), props.values]);
  const click = (e: MouseEvent) => {
    const mark = (e.target as HTMLElement).closest("button[data-mark]")?.getAttribute("data-mark");
    if (mark) props.onMark?.(mark);
    const value = (e.target as HTMLElement).closest("button[data-value]")?.getAttribute("data-value");
    if (value) props.onValue?.(props.values![Number(value)]);
  };
  return <div class="md" onClick={click} dangerouslySetInnerHTML={{ __html: html }} />;
}

function withoutCells(text: string): string {
  return text.replace(/^(`{3,}|~{3,})[ \t]*(go|golang|repl)\b[^\n]*\n[\s\S]*?(^\1[ \t]*$|$(?![\s\S]))/gim, "");
}

const escaped = (s: string) =>
  s.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

// Marks of evidence become buttons that show the number of their source and open the source.
function withMarks(html: string, marks: string[]): string {
  const number = new Map(marks.map((m, i) => [escaped(m), i + 1]));
  return inText(html, number, anyOf(number),
    (m, n) => `<button class="mark" data-mark="${m}" title="${m}" aria-label="source ${n}">${n}</button>`);
}

// Scripts without spaces, and Korean with its particles, have no words with borders.
const noSpaces = ["Han", "Hira", "Kana", "Hang", "Thai", "Laoo", "Khmr", "Mymr"].map((s) => `\\p{sc=${s}}`).join("");
const inWord = `(?![${noSpaces}])[\\p{L}\\p{N}]`;

// The values of an answer become buttons that go to their evidence. Values without evidence are underlined.
function withValues(html: string, values: Value[], leads = (_: Value) => false): string {
  // reversed, so that of equal values one without evidence counts, otherwise the first
  const number = new Map(values.map((v, i): [string, number] => [escaped(v.value), i]).reverse()
    .sort(([, a], [, b]) => +!values[a].grounded - +!values[b].grounded));
  return inText(html, number, `(?<!${inWord}|\\p{N}[.,])(?:${anyOf(number)})(?!${inWord}|[.,]\\p{N})`,
      (text, i) =>
    !values[i].grounded ? `<span class="missing" title="${escaped(values[i].why)}">${text}</span>`
      : leads(values[i])
        ? `<button class="value" data-value="${i}" title="${escaped(values[i].why)}">${text}</button>` : text);
}

const anyOf = (texts: Map<string, number>) =>
  [...texts.keys()].sort((a, b) => b.length - a.length).map((m) => m.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");

// Replaces matches in text, but not within tags, links or buttons.
function inText(html: string, number: Map<string, number>, find: string,
    by: (text: string, number: number) => string): string {
  if (number.size === 0) return html;
  let within = 0;
  return html.split(/(<[^>]*>)/).map((part, i) => {
    if (i % 2 === 0) return within ? part : part.replace(new RegExp(find, "gu"), (m) => by(m, number.get(m)!));
    if (/^<(a|button)[ >]/.test(part)) within++;
    else if (/^<\/(a|button)>/.test(part)) within--;
    return part;
  }).join("");
}
