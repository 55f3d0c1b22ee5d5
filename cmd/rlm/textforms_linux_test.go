package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

// textForms are the encodings of a text by various systems and programs.
var textForms = map[string]func(text string) string{
	"UTF-8 with a mark": inForm(unicode.UTF8BOM, "\n"),
	// As PowerShell writes it.
	"UTF-16LE with a mark and \\r\\n": inForm(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "\r\n"),
	"UTF-16BE without a mark":         inForm(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "\n"),
	"UTF-32LE with a mark":            inForm(utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), "\n"),
	"\\r alone":                       inForm(encoding.Nop, "\r"),
}

func inForm(enc encoding.Encoding, lineEnd string) func(string) string {
	return func(text string) string {
		text, err := enc.NewEncoder().String(strings.ReplaceAll(text, "\n", lineEnd))
		if err != nil {
			panic(err)
		}
		return text
	}
}

// textSources are the places that the command reads text from. Each provides a text in a form and checks that
// it was read.
var textSources = map[string]func(p *shellEnvironment, form func(string) string){
	"question in a file": func(p *shellEnvironment, form func(string) string) {
		p.write("question.md", form("How many lines\nare a Größe?\n"))
		require.Contains(p, p.rlm("run", "-q", "-f", "question.md", "data.txt"), "3 false")
		p.wasAsked("How many lines\nare a Größe?")
	},
	"question in a pipe": func(p *shellEnvironment, form func(string) string) {
		require.Contains(p, p.piped(form("How many lines\nare a Größe?\n"), "run", "-q", "-f", "-", "data.txt"),
			"3 false")
		p.wasAsked("How many lines\nare a Größe?")
	},
	"context in a file": func(p *shellEnvironment, form func(string) string) {
		p.write("other.txt", form("alpha\nGröße\n"))
		require.Contains(p, p.rlm("run", "-q", "How many?", "other.txt"), "2 true")
	},
	"context in a pipe": func(p *shellEnvironment, form func(string) string) {
		require.Contains(p, p.piped(form("alpha\nGröße\n"), "run", "-q", "How many?"), "2 true")
	},
	"notebook as context": func(p *shellEnvironment, form func(string) string) {
		p.write("book.ipynb", form(
			"{\"nbformat\": 4,\n\"cells\": [{\"cell_type\": \"code\", \"source\": \"Größe\"}]}\n"))
		cells := p.cell(`fmt.Println(strings.Contains(context, "cell 1: code"))`)
		require.Contains(p, p.rlm("exec", "-c", "book.ipynb", cells), "true")
	},
	"jobs in a file": func(p *shellEnvironment, form func(string) string) {
		p.write("jobs.jsonl", form(someJobs))
		p.answered(p.rlm("batch", "-q", "jobs.jsonl"))
	},
	"jobs in a pipe": func(p *shellEnvironment, form func(string) string) {
		p.answered(p.piped(form(someJobs), "batch", "-q", "-"))
	},
	"results of a batch": func(p *shellEnvironment, form func(string) string) {
		p.write("jobs.jsonl", someJobs)
		p.rlm("batch", "-q", "jobs.jsonl", "-o", "out.jsonl")
		p.write("out.jsonl", form(p.read("out.jsonl")))
		p.rlm("batch", "-q", "jobs.jsonl", "-o", "out.jsonl")
		p.answered(p.read("out.jsonl"))
		require.Len(p, p.endpoint.Requests(), 2, "nothing is paid for twice")
	},
	"schema": func(p *shellEnvironment, form func(string) string) {
		p.write("schema.json", form("{\"type\": \"object\",\n\"properties\": {\"Größe\": {\"type\": \"integer\"}}}\n"))
		require.Contains(p, p.rlm("run", "--dry-run", "--schema", "schema.json", "How many?", "data.txt"), "Größe")
	},
	"schema in short": func(p *shellEnvironment, form func(string) string) {
		p.write("schema.txt", form("Größe int\n"))
		require.Contains(p, p.rlm("run", "--dry-run", "--schema", "schema.txt", "How many?", "data.txt"), "Größe")
	},
	"cells in Markdown": func(p *shellEnvironment, form func(string) string) {
		p.write("cells.md", form("# Größe\n\n"+goCell("x := 6 * 7 // one\nfmt.Println(\"Größe\", x)")+"\n"))
		require.Contains(p, p.rlm("exec", "cells.md"), "Größe 42")
	},
	"cells in a notebook": func(p *shellEnvironment, form func(string) string) {
		// Within a cell, the author's line ends are kept.
		const source = `["x := 6 * 7 // one\r", "fmt.Println(\"Größe\", x)"]`
		p.write("cells.ipynb", form(
			"{\"nbformat\": 4,\n\"cells\": [{\"cell_type\": \"code\", \"source\": "+source+"}]}\n"))
		require.Contains(p, p.rlm("exec", "cells.ipynb"), "Größe 42")
	},
	"cells in a pipe": func(p *shellEnvironment, form func(string) string) {
		require.Contains(p, p.piped(form("x := 6 * 7 // one\nfmt.Println(\"Größe\", x)\n"), "exec"), "Größe 42")
	},
	"session in a pipe": func(p *shellEnvironment, form func(string) string) {
		said := p.piped(form("> fmt.Println(\"Größe\", 6*7)\nHow many are a Größe?\n"), "chat", "data.txt")
		require.Contains(p, said, "Größe 42")
		require.Contains(p, said, "3 false")
		p.wasAsked("How many are a Größe?")
	},
	"configuration": func(p *shellEnvironment, form func(string) string) {
		p.write("config/rlm/config.toml", form("# Größe\nmax_cost = 7\nsub_model = \"Größe\"\n"))
		said := p.rlm("config")
		require.Contains(p, said, "max_cost = 7")
		require.Contains(p, said, "'Größe'")
	},
	"key in a pipe": func(p *shellEnvironment, form func(string) string) {
		p.piped(form("sk-of-anthropic\n"), "keys", "set", "anthropic")
		require.Contains(p, p.read("config/rlm/keys.toml"), "'sk-of-anthropic'")
	},
	"stored keys": func(p *shellEnvironment, form func(string) string) {
		p.write("config/rlm/keys.toml", form("# Größe\nanthropic = \"sk-of-anthropic\"\n"))
		require.Contains(p, p.rlm("keys", "ls"), "anthropic")
	},
	"templates": func(p *shellEnvironment, form func(string) string) {
		p.write("words/question.tmpl", form("{{/* one */}}\nAsked of a Größe: {{.Text}}\n"))
		said := p.rlm("run", "--dry-run", "--prompt", "words", "How many?", "data.txt")
		require.Contains(p, said, "Asked of a Größe: How many?")
	},
	"items": func(p *shellEnvironment, form func(string) string) {
		item := `{"question": "How many Größe?", "context": "Größe\n", "answer": "1 true", "scorer": "exact"}` + "\n"
		p.write("items.jsonl", form(item+item))
		require.Contains(p, p.rlm("eval", "--data", "items.jsonl", "--arms", "rlm"), "2 of 2")
	},
}

const someJobs = `{"id": "Größe", "question": "How many?", "context": ["data.txt"]}
{"id": "second", "question": "How many?", "context": ["data.txt"]}
`

// answered checks the results of someJobs.
func (p *shellEnvironment) answered(results string) {
	p.Helper()
	require.Equal(p, 2, strings.Count(results, `"answer":"3 false"`), results)
	require.Contains(p, results, `"id":"Größe"`)
}

// cell writes a file with a cell and returns its name.
func (p *shellEnvironment) cell(code string) string {
	p.Helper()
	p.write("cells.md", goCell(code))
	return "cells.md"
}

func (p *shellEnvironment) wasAsked(question string) {
	p.Helper()
	requests := p.endpoint.Requests()
	require.Len(p, requests, 1)
	require.Contains(p, requests[0].Messages[1].Content, question)
}

// piped runs a command that reads a text from a pipe and must succeed, and returns its output.
func (p *shellEnvironment) piped(text string, args ...string) string {
	p.Helper()
	cmd, said := p.command(p.bin, args...)
	cmd.Stdin = strings.NewReader(text)
	require.NoError(p, cmd.Run(), said)
	return said.String()
}

func newTextEnvironment(t *testing.T) *shellEnvironment {
	p := newShellEnvironment(t)
	p.open()
	p.endpoint = fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply {
		const answer = `FINAL(fmt.Sprint(strings.Count(context, "\n"), " ", strings.Contains(context, "Größe")))`
		return fakeapi.Reply{Content: goCell(answer)}
	})
	t.Cleanup(p.endpoint.Close)
	return p
}

// Text from any source is read in every form that other systems write. Without RLM_LONG each source is tried in one
// form, and each form with several sources, since all sources decode with the same code.
func TestTextOfOtherSystems(t *testing.T) {
	t.Parallel()
	forms := slices.Sorted(maps.Keys(textForms))
	for i, source := range slices.Sorted(maps.Keys(textSources)) {
		for j, name := range forms {
			if at := (i + j) % len(forms); at > 0 && os.Getenv("RLM_LONG") == "" {
				continue
			}
			t.Run(source+" in "+name, func(t *testing.T) {
				t.Parallel()
				textSources[source](newTextEnvironment(t), textForms[name])
			})
		}
	}
}

// Data that is not text is not sent: the error names it and gives advice.
func TestWhatIsNoText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"one\na\x00b", "one\ncaf\xe9"} {
		p := newTextEnvironment(t)
		for _, name := range []string{"no.md", "no.jsonl", "no.json", "no.ipynb", "words/system.tmpl"} {
			p.write(name, text)
		}
		const says = "it is not UTF-8 text (see line 2): save it as such"
		require.Contains(t, p.fails(2, "run", "-q", "-f", "no.md", "data.txt"), "no.md: "+says)
		require.Contains(t, p.fails(2, "run", "-q", "caf\xe9?", "data.txt"), "the question is not UTF-8 text")
		require.Contains(t, p.fails(2, "run", "-q", "--schema", "no.json", "How many?", "data.txt"), "no.json: "+says)
		require.Contains(t, p.fails(2, "exec", "no.ipynb"), "no.ipynb: "+says)
		require.Contains(t, p.fails(2, "run", "-q", "--prompt", "words", "How many?", "data.txt"), "system.tmpl: "+says)
		require.Contains(t, p.fails(2, "batch", "no.jsonl"), "no.jsonl:\nreading jobs: "+says)
		for _, args := range [][]string{{"run", "-f", "-", "data.txt"}, {"exec"}, {"chat", "data.txt"}} {
			cmd, said := p.command(p.bin, args...)
			cmd.Stdin = strings.NewReader(text[strings.Index(text, "\n"):])
			require.Error(t, cmd.Run())
			require.Contains(t, said.String(), says, args)
		}
		require.Empty(t, p.endpoint.Requests())
		p.write("config/rlm/config.toml", text)
		require.Contains(t, p.fails(2, "run", "-q", "How many?", "data.txt"), "config.toml: "+says)
	}
}

// A pipe on stdin besides a named source does not block the command, even if it stays open, and a note mentions
// unread data.
func TestAPipeBesideAPath(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"run", "How many?", "data.txt"},
		{"run", "-f", "question.md", "data.txt"},
		{"exec", "cells.md"},
		{"exec", "-c", "data.txt", "cells.md"},
		{"batch", "jobs.jsonl"},
		{"batch", "How many?", "--each", "*.txt"},
		{"show", "last"},
		{"config"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			p := newTextEnvironment(t)
			p.write("question.md", "How many?")
			p.cell("fmt.Println(6 * 7)")
			p.write("jobs.jsonl", someJobs)
			p.rlm("run", "-q", "How many?", "data.txt")
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			defer w.Close()
			run := func() string {
				cmd, said := p.command(p.bin, args...)
				cmd.Stdin = r
				require.NoError(t, cmd.Run(), said)
				return said.String()
			}
			require.NotContains(t, run(), "standard input")
			_, err = w.WriteString("something")
			require.NoError(t, err)
			if reads := args[0] == "run" || args[0] == "exec" || args[0] == "batch"; reads {
				require.Equal(t, 1, strings.Count(
					run(), "standard input contains data, but it is not read here: "))
			} else {
				require.NotContains(t, run(), "standard input")
			}
		})
	}
}

// Typed text is normalized to the form that texts usually have, whatever its source. The strings of a cell are
// unchanged.
func TestLettersAndAccentsApart(t *testing.T) {
	t.Parallel()
	const question, apart = "How many are a Größe?", "How many are a Gro\u0308ße?"
	for name, ask := range map[string]func(p *shellEnvironment){
		"argument": func(p *shellEnvironment) { p.rlm("run", "-q", apart, "data.txt") },
		"pipe":     func(p *shellEnvironment) { p.piped(apart, "run", "-q", "-f", "-", "data.txt") },
		"session":  func(p *shellEnvironment) { p.piped(apart+"\n", "chat", "data.txt") },
		"each":     func(p *shellEnvironment) { p.rlm("batch", "-q", apart, "--each", "data.txt") },
		"jobs": func(p *shellEnvironment) {
			p.piped(`{"question": "`+apart+`", "context": ["data.txt"]}`, "batch", "-q", "-")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTextEnvironment(t)
			ask(p)
			p.wasAsked(question)
		})
	}
	p := newTextEnvironment(t)
	require.Contains(t, p.rlm("run", "--dry-run", "--schema", "gro\u0308ße int", "q", "data.txt"), "größe")
	require.Contains(t, p.piped("gro\u0308ße := \"o\u0308\"\nfmt.Println(größe, len(größe))", "exec"), "o\u0308 3")
}
