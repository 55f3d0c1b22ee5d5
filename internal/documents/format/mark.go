package format

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// String names the part for people: "page 12", "sheet 2 (Costs 2025)", "main text".
func (p Part) String() string { return p.named(" (%s)") }

// named returns the kind and number of the part, and its name, if any, in the given format.
func (p Part) named(format string) string {
	switch {
	case p.Name != "":
		return fmt.Sprintf("%s %d"+format, p.Kind, p.Number, OneLine(p.Name))
	case p.Number != 0:
		return fmt.Sprintf("%s %d", p.Kind, p.Number)
	}
	return string(p.Kind)
}

// Mark returns the line that precedes a part in the text: "--- page 12 ---".
func (p Part) Mark() string { return "--- " + p.named(": %s") + " ---\n" }

// Shown returns the name of a part, marked if the part is hidden.
func Shown(name string, hidden bool) string {
	if hidden {
		return strings.TrimSpace(name + " (hidden)")
	}
	return name
}

// MetaLine returns a line for a document's head; empty for an empty value.
func MetaLine(name, value string) string {
	value = OneLine(value)
	if value == "" {
		return ""
	}
	return name + ": " + value + "\n"
}

// Head writes lines to a document's head. lines are pairs: the name of the line, and the key of its value in found.
func Head(out Output, found map[string]string, lines ...string) error {
	for i := 0; i < len(lines); i += 2 {
		if err := out.Meta(lines[i], found[lines[i+1]]); err != nil {
			return err
		}
	}
	return nil
}

// LostEquations adds a note about n unreadable equations, which are stored only as pictures of another program.
func LostEquations(out Output, n int) error {
	if n == 0 {
		return nil
	}
	return out.Note("equations left out because they are pictures: " + strconv.Itoa(n))
}

// Blob shows the first bytes of a binary value.
func Blob(b []byte) string {
	const most = 16
	if len(b) <= most {
		return fmt.Sprintf("X'%X'", b)
	}
	return fmt.Sprintf("X'%X…' (%d bytes)", b[:most], len(b))
}

// Numbered returns the name to show for the n-th member with the same name: "a.txt", "a (2).txt".
func Numbered(name string, n int) string {
	if n < 2 {
		return name
	}
	ext := path.Ext(name)
	return fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
}

// OneLine turns text into one line: it joins words with single spaces and removes characters that cannot be
// printed.
func OneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))), " ")
}
