package llm

import "strings"

// thinkTags are the tags between which reasoning stands: those of open models, and Gemini's.
var thinkTags = [...]struct{ open, close string }{{"<think>", "</think>"}, {"<thought>", "</thought>"}}

// thinkSplitter takes a leading <think>…</think> (or <thought>…</thought>) out of streamed content. Models served without a reasoning
// parser (DeepSeek R1, Qwen and their like behind llama.cpp, Ollama or vLLM) write their reasoning there.
// Only the very start of a reply counts: later on, the tag is text that the reply is about.
type thinkSplitter struct {
	state   thinkState
	closing string // the tag that ends the reasoning
	pending string // content that cannot be told apart yet
}

type thinkState int

const (
	thinkStart thinkState = iota // nothing but blanks, or part of the tag, so far
	thinkInside
	thinkOver
)

// add splits one piece.
func (s *thinkSplitter) add(piece string) (content, reasoning string) {
	switch s.state {
	case thinkOver:
		return piece, ""
	case thinkStart:
		s.pending += piece
		begun := strings.TrimLeft(s.pending, " \t\r\n")
		for _, tag := range thinkTags {
			switch {
			case strings.HasPrefix(begun, tag.open):
				s.state, s.pending, s.closing = thinkInside, "", tag.close
				return s.add(begun[len(tag.open):])
			case strings.HasPrefix(tag.open, begun):
				return "", ""
			}
		}
		s.state = thinkOver
		content, s.pending = s.pending, ""
		return content, ""
	default:
		s.pending += piece
		if before, after, found := strings.Cut(s.pending, s.closing); found {
			s.state, s.pending = thinkOver, ""
			return strings.TrimLeft(after, "\r\n"), before
		}
		cut := len(s.pending) - len(overlap(s.pending, s.closing))
		reasoning, s.pending = s.pending[:cut], s.pending[cut:]
		return "", reasoning
	}
}

// rest returns what was held back when the reply ends.
func (s *thinkSplitter) rest() (content, reasoning string) {
	held := s.pending
	s.pending = ""
	if s.state == thinkInside {
		return "", held
	}
	return held, ""
}

// overlap is the longest end of text that begins tag.
func overlap(text, tag string) string {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return tag[:n]
		}
	}
	return ""
}
