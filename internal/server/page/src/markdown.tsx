// Markdown that a model or a document wrote. It is not trusted: no HTML, no images, links that can run nothing.

import MarkdownIt from "markdown-it";
import { useMemo } from "preact/hooks";

const md = new MarkdownIt({ html: false, linkify: false, breaks: true });
md.disable("image");
const safe = /^(https?:|mailto:)/i;
md.validateLink = (url) => safe.test(url.trim());
md.renderer.rules.link_open = (tokens, i, options, _env, self) => {
  tokens[i].attrSet("target", "_blank");
  tokens[i].attrSet("rel", "noopener noreferrer nofollow");
  return self.renderToken(tokens, i, options);
};

for (const cell of ["th_open", "td_open"]) { // columns are aligned by a class: the page allows no styles in a text
  md.renderer.rules[cell] = (tokens, i, options, _env, self) => {
    const style = tokens[i].attrGet("style");
    if (style) tokens[i].attrs = [["class", style.replace("text-align:", "to-")]];
    return self.renderToken(tokens, i, options);
  };
}

/** Markdown shows a text as a person reads it. skipCells leaves out fenced blocks that run as cells, which are shown by themselves. */
export function Markdown(props: { text: string; skipCells?: boolean; marks?: string[]; onMark?: (mark: string) => void }) {
  const html = useMemo(() => {
    const html = md.render(props.skipCells ? withoutCells(props.text) : props.text);
    return props.marks?.length ? withMarks(html, props.marks) : html;
  }, [props.text, props.skipCells, props.marks?.join()]);
  const click = (e: MouseEvent) => {
    const mark = (e.target as HTMLElement).closest("button[data-mark]")?.getAttribute("data-mark");
    if (mark) props.onMark?.(mark);
  };
  return <div class="md" onClick={click} dangerouslySetInnerHTML={{ __html: html }} />;
}

function withoutCells(text: string): string {
  return text.replace(/^(`{3,}|~{3,})[ \t]*(go|golang|repl)\b[^\n]*\n[\s\S]*?(^\1[ \t]*$|$(?![\s\S]))/gim, "");
}

const escaped = (s: string) => s.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

// The marks of evidence in the text, not in the tags, become buttons with the numbers of the sources, which open them.
function withMarks(html: string, marks: string[]): string {
  const number = new Map(marks.map((m, i) => [escaped(m), i + 1]));
  const all = [...number.keys()].sort((a, b) => b.length - a.length).map((m) => m.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const find = new RegExp(all.join("|"), "g");
  return html.split(/(<[^>]*>)/).map((part, i) => (i % 2 ? part : part.replace(find, (m) => `<button class="mark" data-mark="${m}" title="${m}" aria-label="source ${number.get(m)}">${number.get(m)}</button>`))).join("");
}
