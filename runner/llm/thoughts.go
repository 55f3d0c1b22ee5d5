package llm

import (
	"strings"

	"github.com/gorlm/rlm/internal/kit/thought"
)

// thinkSplitter separates the thoughts at the start of a reply, in <think>…</think> or similar tags, from
// streamed content. Models served without a reasoning parser (DeepSeek R1, Qwen and others behind llama.cpp,
// Ollama or vLLM) write their reasoning there. Only the very start of a reply counts: [reply.end] handles the rest
// in the complete text.
type thinkSplitter struct {
	state   thinkState
	closing string // the tag that ends the reasoning
	pending string // content that cannot be classified yet
}

type thinkState int

const (
	thinkStart thinkState = iota // only blanks, or part of the tag, so far
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
		length, closing, maybe := thought.Head(begun)
		switch {
		case length > 0 && len(begun) > length: // a tag alone is text
			s.state, s.pending, s.closing = thinkInside, "", closing
			return s.add(begun[length:])
		case length > 0 || maybe:
			return "", ""
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

// rest returns what is still held back when the reply ends.
func (s *thinkSplitter) rest() (content, reasoning string) {
	held := s.pending
	s.pending = ""
	if s.state == thinkInside {
		return "", held
	}
	return held, ""
}

// overlap is the longest suffix of text that is a prefix of tag.
func overlap(text, tag string) string {
	n := min(len(tag)-1, len(text))
	for !strings.HasSuffix(text, tag[:n]) {
		n--
	}
	return tag[:n]
}
