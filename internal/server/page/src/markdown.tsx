// Markdown that a model or a document wrote. It is not trusted: no HTML, no images, links that can run nothing.

import MarkdownIt from "markdown-it";
import { useMemo } from "preact/hooks";

const md = new MarkdownIt({ html: false, linkify: false, breaks: false });
md.disable("image");
const safe = /^(https?:|mailto:)/i;
md.validateLink = (url) => safe.test(url.trim());
md.renderer.rules.link_open = (tokens, i, options, _env, self) => {
  tokens[i].attrSet("target", "_blank");
  tokens[i].attrSet("rel", "noopener noreferrer nofollow");
  return self.renderToken(tokens, i, options);
};

/** Markdown shows a text as a person reads it. skipCells leaves out fenced blocks that run as cells, which are shown by themselves. */
export function Markdown(props: { text: string; skipCells?: boolean }) {
  const html = useMemo(() => md.render(props.skipCells ? withoutCells(props.text) : props.text), [props.text, props.skipCells]);
  return <div class="md" dangerouslySetInnerHTML={{ __html: html }} />;
}

function withoutCells(text: string): string {
  return text.replace(/^(`{3,}|~{3,})[ \t]*(go|golang|repl)\b[^\n]*\n[\s\S]*?(^\1[ \t]*$|$(?![\s\S]))/gim, "");
}
