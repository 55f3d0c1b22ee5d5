package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/reply"
)

// notebookCell is a cell of nbformat 4.
type notebookCell struct {
	Type     string          `json:"cell_type"`
	Source   json.RawMessage `json:"source"`
	Metadata json.RawMessage `json:"metadata"`
}

// NotebookCells returns the code cells of a Jupyter notebook. Cells that declare another language are skipped. If
// the notebook itself declares another language, it is an error.
func NotebookCells(text string) (reply.Reply, error) {
	var nb struct {
		Format   int `json:"nbformat"`
		Metadata struct {
			Language struct{ Name string }     `json:"language_info"`
			Kernel   struct{ Language string } `json:"kernelspec"`
		}
		Cells []notebookCell
	}
	if err := json.Unmarshal([]byte(text), &nb); err != nil {
		return reply.Reply{}, fmt.Errorf("it is not a Jupyter notebook: %w", err)
	}
	if nb.Format != 4 {
		return reply.Reply{}, fmt.Errorf("its format is %d, but only format 4 is supported", nb.Format)
	}
	for _, lang := range []string{nb.Metadata.Language.Name, nb.Metadata.Kernel.Language} {
		if !isGo(lang) {
			return reply.Reply{}, fmt.Errorf("its cells are %s, not Go", lang)
		}
	}
	var out reply.Reply
	for i, c := range nb.Cells {
		if c.Type != "code" {
			continue
		}
		source, err := sourceOf(c.Source)
		if err != nil {
			return reply.Reply{}, fmt.Errorf("cell %d: %w", i+1, err)
		}
		if why := c.foreign(source); why != "" {
			out.Skipped = append(out.Skipped,
				reply.SkippedBlock{Reason: fmt.Sprintf("cell %d of the notebook %s", i+1, why)})
			continue
		}
		if source = body(source); strings.TrimSpace(source) != "" {
			out.Cells = append(out.Cells, reply.Cell{Source: source, Lang: reply.CellTag, Line: 1})
		}
	}
	if len(out.Cells)+len(out.Skipped) == 0 {
		return out, errors.New("it contains no code cell")
	}
	return out, nil
}

func isGo(language string) bool {
	return language == "" || strings.EqualFold(language, reply.CellTag) || strings.EqualFold(language, "golang")
}

// language returns the language that a cell declares: in its metadata, as the editors of polyglot notebooks write
// it, or in a magic that passes the cell to another kernel (%%python, #!fsharp). Most cells declare none, and it
// returns "".
func (c notebookCell) language(source string) string {
	var said struct {
		Language string `json:"language"`
		Editor   struct {
			Language string `json:"languageId"`
		} `json:"vscode"`
		Polyglot struct {
			Kernel string `json:"kernelName"`
		} `json:"polyglot_notebook"`
		Dotnet struct {
			Language string `json:"language"`
		} `json:"dotnet_interactive"`
	}
	_ = json.Unmarshal(c.Metadata, &said) // metadata in another format is ignored
	for _, lang := range []string{said.Editor.Language, said.Polyglot.Kernel, said.Dotnet.Language, said.Language} {
		if lang != "" {
			return lang
		}
	}
	if m := handedOn().FindStringSubmatch(source); m != nil {
		return m[1]
	}
	return ""
}

// foreign returns why a cell cannot be run here; "" if it may be Go.
func (c notebookCell) foreign(source string) string {
	if lang := c.language(source); !isGo(lang) {
		return "is " + lang + ", not Go"
	}
	if m := shell().FindStringSubmatch(source); m != nil {
		return "runs a system command (" + m[1] + "), and there is no shell here"
	}
	return ""
}

// shell matches a first line that is a shell command with arguments. Without arguments the line may be Go (!done).
var shell = startup.Regexp(`^\s*(!\*?[\w./-]+)[ \t]+\S`)

// handedOn matches a first line that passes a cell to another kernel or program.
var handedOn = startup.Regexp(`^\s*(?:%%|#!)([a-zA-Z][\w#./ -]*)`)

// mainBody matches a first line for the Go kernel gonb, which marks the cell as the body of main: statements, like
// the cells here.
var mainBody = startup.Regexp(`^\s*%(?:%|main)(?:[ \t][^\n]*)?(?:\n|$)`)

// body removes a line that mainBody matches from a source. The other lines keep their numbers.
func body(source string) string {
	if mark := mainBody().FindString(source); mark != "" {
		return strings.Repeat("\n", strings.Count(mark, "\n")) + source[len(mark):]
	}
	return source
}

// sourceOf decodes a source, which is either one text or a list of lines.
func sourceOf(raw json.RawMessage) (string, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		return "", errors.New("its source is neither text nor lines")
	}
	return strings.Join(lines, ""), nil
}
