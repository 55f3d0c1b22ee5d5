package builtins

import (
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
)

const completionMarker = "[COMPLETION SIGNAL]"

// Help documents one builtin for a model or a person. Text is the signature on its own line, followed by a
// description.
type Help struct {
	Name   string
	Impl   string // the standard name
	Text   string
	Prompt string // the part of Text for prompts; only the signature if that is enough
	Signal bool
	// Minor marks builtins that a prompt for a small window leaves out.
	Minor bool
	// Spare marks a completion signal that adds nothing to FINAL, so models need not know it.
	Spare bool
}

// Docs documents specs, in their order, rendering all names from Spec.Name. It omits aliases, and signals that do
// not count in the run's mode.
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

// brief returns the part of a builtin's documentation that prompts contain.
func brief(text string, u use) string {
	head, rest, _ := strings.Cut(text, "\n")
	if u == spare {
		return head
	}
	about, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSuffix(head+"\n"+about, "\n")
}

// isSpare reports whether s is a completion signal that adds nothing to a FINAL among specs.
func isSpare(s Spec, specs []Spec) bool {
	others := []string{answer.NameFinalVar, implAnswer, answer.NameResponse}
	return slices.Contains(others, s.Impl) &&
		slices.ContainsFunc(specs, func(o Spec) bool { return o.Impl == answer.NameFinal && o.Signal })
}

// docRenderer renders the documentation of a notebook's builtins.
type docRenderer struct {
	entries map[string]entry  // entries by implementation
	names   map[string]string // names of the notebook's builtins, by implementation
}

// known returns all entries by implementation.
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

// document renders the documentation of s; "" if it should not be shown.
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

// expand replaces placeholders by names. absent means that one of them stands for a missing builtin.
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
		default: // not a placeholder
			out.WriteString("{{")
			line = rest
			continue
		}
		line = after
	}
}
