package format

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// String is how people name the part: "page 12", "sheet 2 (Costs 2025)", "main text".
func (p Part) String() string {
	if p.Number == 0 && p.Name == "" {
		return string(p.Kind)
	}
	if p.Name == "" {
		return fmt.Sprintf("%s %d", p.Kind, p.Number)
	}
	return fmt.Sprintf("%s %d (%s)", p.Kind, p.Number, OneLine(p.Name))
}

// Mark is the line that stands before a part in the text: "--- page 12 ---".
func (p Part) Mark() string {
	if p.Number == 0 && p.Name == "" {
		return fmt.Sprintf("--- %s ---\n", p.Kind)
	}
	if p.Name == "" {
		return fmt.Sprintf("--- %s %d ---\n", p.Kind, p.Number)
	}
	return fmt.Sprintf("--- %s %d: %s ---\n", p.Kind, p.Number, OneLine(p.Name))
}

// MetaLine is a line of a document's head, empty for an empty value.
func MetaLine(name, value string) string {
	value = OneLine(value)
	if value == "" {
		return ""
	}
	return name + ": " + value + "\n"
}

// Head writes lines of the head of a document: pairs of the name of one, and the key under which its value was found.
func Head(out Output, found map[string]string, lines ...string) error {
	for i := 0; i < len(lines); i += 2 {
		if err := out.Meta(lines[i], found[lines[i+1]]); err != nil {
			return err
		}
	}
	return nil
}

// LostEquations notes equations that are pictures of another program, if there are any: what they say cannot be read.
func LostEquations(out Output, n int) error {
	if n == 0 {
		return nil
	}
	return out.Note("equations that are left out, because they are pictures: " + strconv.Itoa(n))
}

// OneLine makes one line of a text: every run of space is one space, what cannot be printed is left out.
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
