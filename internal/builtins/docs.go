package builtins

import (
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
)

const completionMarker = "[COMPLETION SIGNAL]"

// Help documents one builtin for a model or a person. Text is the signature in a line of its own, then what it does.
type Help struct {
	Name   string
	Impl   string // the standard name
	Text   string
	Prompt string // what of Text a prompt says; the signature alone where that is enough
	Signal bool
	// Minor marks those that a prompt for a small window leaves out.
	Minor bool
	// Spare marks a completion signal that adds nothing to FINAL: models need not hear of it.
	Spare bool
}

// Docs documents specs, in their order, with every name rendered from Spec.Name. A signal that does not count in the run's mode
// and an alias are left out.
func Docs(specs []Spec) []Help {
	var out []Help
	b := bookOf(specs, known())
	for _, s := range specs {
		if text := b.document(s); text != "" {
			h := Help{Name: s.Name, Impl: s.Impl, Text: text, Prompt: text, Signal: s.Signal, Spare: isSpare(s, specs)}
			if e, standard := b.entries[s.Impl]; standard && s.Doc == "" {
				h.Prompt, h.Minor = brief(text, e.use), e.use != key && !s.Signal
			}
			out = append(out, h)
		}
	}
	return out
}

// brief is as much of a documentation as a prompt holds.
func brief(text string, u use) string {
	head, rest, _ := strings.Cut(text, "\n")
	if u == spare {
		return head
	}
	about, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSuffix(head+"\n"+about, "\n")
}

// isSpare reports whether s is a completion signal beside FINAL that does the same.
func isSpare(s Spec, specs []Spec) bool {
	others := []string{answer.NameFinalVar, implAnswer, answer.NameResponse}
	return slices.Contains(others, s.Impl) && slices.ContainsFunc(specs, func(o Spec) bool { return o.Impl == answer.NameFinal && o.Signal })
}

// docRenderer renders the documentation of a notebook's builtins.
type docRenderer struct {
	entries map[string]entry  // by implementation
	names   map[string]string // by implementation, of those that are there
}

// known are all entries by their implementations.
func known() map[string]entry {
	out := map[string]entry{}
	for _, e := range entries() {
		out[e.impl] = e
	}
	return out
}

func bookOf(specs []Spec, entries map[string]entry) docRenderer {
	b := docRenderer{entries: entries, names: map[string]string{}}
	for _, s := range specs {
		if s.Impl != ImplTool {
			b.names[s.Impl] = s.Name
		}
	}
	return b
}

// document renders the documentation of s; "" if it is not to be shown.
func (b docRenderer) document(s Spec) string {
	text := s.Doc
	if text == "" {
		text = b.entries[s.Impl].doc
	}
	if text == "" || !s.Signal && strings.Contains(text, completionMarker) {
		return ""
	}
	head, rest, _ := strings.Cut(text, "\n")
	if s.Signal && !strings.Contains(rest, completionMarker) {
		rest = completionMarker + " " + rest
	}
	signature, _ := b.expand(head, s.Name)
	lines := []string{signature}
	for line := range strings.Lines(rest) {
		line, absent := b.expand(strings.TrimSpace(line), s.Name)
		if line != "" && !absent {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// expand puts names where placeholders stand. absent says that one stands for a builtin that is not there.
func (b docRenderer) expand(line, self string) (text string, absent bool) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(line, "{{")
		name, after, closed := strings.Cut(rest, "}}")
		if !found || !closed {
			out.WriteString(line)
			return out.String(), absent
		}
		out.WriteString(before)
		real, there := b.names[name]
		switch _, is := b.entries[name]; {
		case name == "self":
			out.WriteString(self)
		case there:
			out.WriteString(real)
		case is:
			absent = true
		default: // no placeholder
			out.WriteString("{{")
			line = rest
			continue
		}
		line = after
	}
}
