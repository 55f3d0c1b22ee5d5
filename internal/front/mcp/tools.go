package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/internal/session/window"
	"github.com/gorlm/rlm/runner"
)

// Limits of one response.
const (
	mostRead  = 32 << 10 // bytes
	mostFound = 200
	mostDocs  = 500
)

func (s *Server) addTools() {
	closed, open := false, true
	local := func(readOnly bool) *sdk.ToolAnnotations {
		return &sdk.ToolAnnotations{
			ReadOnlyHint: readOnly, IdempotentHint: readOnly, DestructiveHint: &closed, OpenWorldHint: &closed,
		}
	}
	addTool(s, &sdk.Tool{
		Name: "ask", Title: "Ask a question over files",
		Description: "Answer a question over files, folders or text of any size. A model reads them in a notebook; it takes minutes and costs money. " +
			"Without paths and text it works on nothing but the question.",
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &closed, OpenWorldHint: &open},
	}, s.ask)
	addTool(s, &sdk.Tool{
		Name: "open_notebook", Title: "Open a notebook",
		Description: "Open a Go notebook over files, folders or text, for search, read, run_cell and ask. No model is called.",
		Annotations: local(false),
	}, s.openNotebook)
	addTool(s, &sdk.Tool{
		Name: "run_cell", Title: "Run a Go cell",
		Description: "Run a Go cell in a notebook and see what it prints. context is the whole text (a string), docs []Doc{Name, Text, …}; variables live on. " +
			"The cell has no files, network or processes. llm_query asks a model and costs money.",
		Annotations: local(false),
	}, s.runCell)
	addTool(s, &sdk.Tool{
		Name: "search", Title: "Search a context",
		Description: "Find places in the context of a notebook: by words (ranked), a literal text, or a regular expression.",
		Annotations: local(true),
	}, s.search)
	addTool(s, &sdk.Tool{
		Name: "read", Title: "Read a part of a context",
		Description: "Read a part of the context of a notebook, or of one of its documents, by offset in bytes.",
		Annotations: local(true),
	}, s.read)
	addTool(s, &sdk.Tool{
		Name: "close_notebook", Title: "Close a notebook",
		Description: "Close a notebook that is not needed any more. It stays on disk.",
		Annotations: local(false),
	}, s.closeNotebook)
}

// addTool adds a tool and records the type of its arguments.
func addTool[In, Out any](s *Server, tool *sdk.Tool, do sdk.ToolHandlerFor[In, Out]) {
	s.takes[tool.Name] = reflect.TypeFor[In]()
	told := func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		res, out, err := do(ctx, req, in)
		if err != nil && session.WithoutFolders(err) != err.Error() {
			err = errors.New(session.WithoutFolders(err))
		}
		return res, out, err
	}
	sdk.AddTool(s.sdk, tool, told)
}

type openArgs struct {
	Paths []string `json:"paths,omitempty" jsonschema:"files and folders of the context"`
	Text  string   `json:"text,omitempty" jsonschema:"text of the context, beside or instead of files"`
}

type document struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset" jsonschema:"in bytes of the context"`
	Size   int64  `json:"size" jsonschema:"in bytes"`
	Kind   string `json:"kind,omitempty"`
	Pages  int    `json:"pages,omitempty"`
	Note   string `json:"note,omitempty"`
}

type openResult struct {
	Session   string     `json:"session"`
	Size      int64      `json:"size" jsonschema:"of the context, in bytes"`
	Documents []document `json:"documents,omitempty"`
	More      int        `json:"more_documents,omitempty" jsonschema:"documents that are not listed"`
	Begins    string     `json:"begins,omitempty" jsonschema:"how the context begins"`
}

func (s *Server) openNotebook(
	ctx context.Context, _ *sdk.CallToolRequest, in openArgs,
) (*sdk.CallToolResult, openResult, error) {
	inputs, err := s.inputs(in.Paths, in.Text)
	if err != nil {
		return nil, openResult{}, err
	}
	session, err := s.notebooks.begin(ctx, inputs)
	if err != nil {
		return nil, openResult{}, err
	}
	out := openResult{Session: session}
	err = s.notebooks.look(ctx, session, func(n *runner.Session) error {
		source, docs := n.Context(), n.Documents()
		out.Size = source.Size()
		for _, d := range docs[:min(len(docs), mostDocs)] {
			out.Documents = append(out.Documents,
				document{d.Name, d.Offset, d.Size, d.Kind, d.Pages, text.Line(d.Note, 200)})
		}
		out.More = max(0, len(docs)-mostDocs)
		var err error
		out.Begins, err = part(source, 0, 1000)
		return err
	})
	return nil, out, err
}

type cellArgs struct {
	Session string `json:"session" jsonschema:"of open_notebook or ask"`
	Code    string `json:"code" jsonschema:"a Go cell"`
}

type cellResult struct {
	Output string   `json:"output,omitempty" jsonschema:"what the cell printed"`
	Value  string   `json:"value,omitempty" jsonschema:"of its last expression"`
	Error  string   `json:"error,omitempty"`
	Answer string   `json:"answer,omitempty" jsonschema:"what it gave to FINAL"`
	Notes  []string `json:"notes,omitempty"`
}

func (s *Server) runCell(
	ctx context.Context, _ *sdk.CallToolRequest, in cellArgs,
) (*sdk.CallToolResult, cellResult, error) {
	var out cellResult
	err := s.notebooks.cell(ctx, in.Session, func(ctx context.Context, n *runner.Session) error {
		activityOf(ctx).say("the cell runs", false)
		res, err := n.Exec(ctx, in.Code)
		if err != nil {
			return err
		}
		out.Output, out.Value, out.Notes = res.Output, res.Value, res.Notes
		if res.Truncated > 0 {
			out.Notes = append(out.Notes,
				fmt.Sprintf("%d bytes of the output are left out in the middle", res.Truncated))
		}
		if res.Final != nil {
			out.Answer = res.Final.Answer
		}
		if res.Error != nil {
			out.Error = res.Error.Message
		}
		return nil
	})
	if err != nil {
		return nil, cellResult{}, err
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: out.text()}}, IsError: out.Error != ""},
		out, nil
}

// text returns the result for clients that do not read structured content.
func (c cellResult) text() string {
	var parts []string
	for _, p := range []struct{ what, text string }{
		{"", c.Output},
		{"value: ", c.Value},
		{"answer: ", c.Answer},
		{"error: ", c.Error},
		{"note: ", strings.Join(c.Notes, "\nnote: ")},
	} {
		if text := strings.TrimRight(p.text, "\n"); text != "" {
			parts = append(parts, p.what+text)
		}
	}
	if len(parts) == 0 {
		return "the cell printed nothing"
	}
	return strings.Join(parts, "\n")
}

type searchArgs struct {
	Session string `json:"session" jsonschema:"of open_notebook or ask"`
	Query   string `json:"query" jsonschema:"what to look for"`
	How     string `json:"how,omitempty" jsonschema:"ranked (default: passages by words), literal, or regular"`
	From    int64  `json:"from,omitempty" jsonschema:"offset to go on at"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many places; default 20"`
}

type location struct {
	Document string `json:"document,omitempty"`
	Part     string `json:"part,omitempty" jsonschema:"of the document: a page, a sheet, a file"`
	Offset   int64  `json:"offset" jsonschema:"in bytes of the context"`
	Length   int64  `json:"length"`
	Text     string `json:"text"`
}

type foundPlaces struct {
	Places []location `json:"places"`
	More   bool       `json:"more" jsonschema:"there may be others, from the offset next on"`
	Next   int64      `json:"next,omitempty"`
}

func (s *Server) search(
	ctx context.Context, _ *sdk.CallToolRequest, in searchArgs,
) (*sdk.CallToolResult, foundPlaces, error) {
	if in.How == "" {
		in.How = "ranked"
	}
	if in.Limit <= 0 {
		in.Limit = 20
	}
	out := foundPlaces{Places: []location{}}
	err := s.notebooks.look(ctx, in.Session, func(n *runner.Session) error {
		found, more, next, err := n.Find(
			ctx, runner.Search{Query: in.Query, How: in.How, From: max(in.From, 0), Most: min(in.Limit, mostFound)})
		if out.More = more; more {
			out.Next = next
		}
		docs := n.Documents()
		for _, f := range found {
			p := location{Offset: f.Offset, Length: f.Length, Text: f.Text}
			if d, ok := window.DocumentAt(docs, f.Offset); ok {
				p.Document, p.Part = d.Name, window.PartAt(d, f.Offset)
			}
			out.Places = append(out.Places, p)
		}
		return err
	})
	return nil, out, err
}

type readArgs struct {
	Session  string `json:"session" jsonschema:"of open_notebook or ask"`
	Document string `json:"document,omitempty" jsonschema:"name of a document; offset is then in it"`
	Offset   int64  `json:"offset,omitempty" jsonschema:"in bytes"`
	Length   int64  `json:"length,omitempty" jsonschema:"in bytes; default 4000, at most 32768"`
}

type readText struct {
	Text   string `json:"text"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size" jsonschema:"of the context or the document, in bytes"`
}

func (s *Server) read(ctx context.Context, _ *sdk.CallToolRequest, in readArgs) (*sdk.CallToolResult, readText, error) {
	if in.Length <= 0 {
		in.Length = 4000
	}
	out := readText{Offset: in.Offset}
	err := s.notebooks.look(ctx, in.Session, func(n *runner.Session) error {
		text := n.Context()
		if in.Document != "" {
			d, ok := window.DocumentNamed(n.Documents(), in.Document)
			if !ok {
				return fmt.Errorf("the context has no document %q", in.Document)
			}
			text = io.NewSectionReader(text, d.Offset, d.Size)
		}
		if in.Offset < 0 || in.Offset > text.Size() {
			return fmt.Errorf("the offset %d is not within %d bytes", in.Offset, text.Size())
		}
		out.Size = text.Size()
		var err error
		out.Text, err = part(text, in.Offset, min(in.Length, mostRead))
		return err
	})
	return nil, out, err
}

type closeArgs struct {
	Session string `json:"session"`
}

func (s *Server) closeNotebook(
	_ context.Context, _ *sdk.CallToolRequest, in closeArgs,
) (*sdk.CallToolResult, any, error) {
	if err := s.notebooks.leave(in.Session); err != nil {
		return nil, nil, err
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "closed"}}}, nil, nil
}

// part reads a part of a text, without an incomplete character at its end.
func part(text *io.SectionReader, offset, length int64) (string, error) {
	buf := make([]byte, min(length, text.Size()-offset))
	n, err := text.ReadAt(buf, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading the context: %w", err)
	}
	out := buf[:n]
	for len(out) > 0 && offset+int64(n) < text.Size() {
		if r, size := utf8.DecodeLastRune(out); r != utf8.RuneError || size != 1 {
			break
		}
		out = out[:len(out)-1]
	}
	return strings.ToValidUTF8(string(out), "\uFFFD"), nil
}

func firstLine(said string) string { return text.Line(text.First(said), 100) }
