// Command picture draws the output of the demo as the SVG in the README:
//
//	go run ./cmd/demo 2>&1 | go run ./internal/demo/picture >docs/demo.svg
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"strings"
)

const (
	columns = 100
	advance = 8.43 // width of a character of 14 px
	lead    = 20   // distance of lines
)

// left matches lines that the picture omits.
var left = regexp.MustCompile(`^(demo:|turn \d+ · recorded|sub-calls [1-4]/|what happened)`)

func main() {
	if err := draw(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// draw writes lines as an SVG: progress faint, the answer plain, footnotes in colour.
func draw(in io.Reader, out io.Writer) error {
	rows := []string{row("command", "$ rlm demo")}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		text := lines.Text()
		if left.MatchString(text) {
			continue
		}
		class := "faint"
		question, asked := strings.CutPrefix(text, "question: ")
		switch {
		case asked:
			first, _, _ := strings.Cut(question, "? ")
			text = "question: " + first + "? …"
		case strings.HasPrefix(text, "[^"):
			class = "note"
		case strings.Contains(text, "failed requests: "):
			class = "answer"
		}
		for _, line := range wrap(text) {
			rows = append(rows, row(class, line))
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading what the demo prints: %w", err)
	}
	width, height := int(columns*advance)+32, len(rows)*lead+32
	_, err := fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">
<style>text{white-space:pre;fill:#e6e6e6}.faint{fill:#9aa0a6}.command{fill:#8ab4f8}.note{fill:#81c995}</style>
<rect width="100%%" height="100%%" rx="8" fill="#1e1f22"/>
`, width, height)
	for i, r := range rows {
		if err == nil {
			_, err = fmt.Fprintf(out, r+"\n", 24+lead*(i+1)-12)
		}
	}
	if err == nil {
		_, err = io.WriteString(out, "</svg>\n")
	}
	return err
}

// row is a line of text whose vertical position is filled in later.
func row(class, text string) string {
	return `<text class="` + class + `" x="16" y="%d">` + strings.ReplaceAll(html.EscapeString(text), "%", "%%") +
		`</text>`
}

// wrap breaks a line between words; all lines but the first are indented.
func wrap(text string) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line+" "+word)) > columns {
			lines, line = append(lines, line), " "
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
