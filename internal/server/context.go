package server

import (
	"context"
	"slices"

	"github.com/gorlm/rlm/internal/server/internal/past"
	"github.com/gorlm/rlm/internal/server/internal/places"
	"github.com/gorlm/rlm/internal/server/internal/window"
	"github.com/gorlm/rlm/runner"
)

// Document is a document of a context. Offset and Size are in bytes of the context.
type Document struct {
	Name     string `json:"name"`
	Offset   int64  `json:"offset"`
	Size     int64  `json:"size"`
	Encoding string `json:"encoding"`
	State    string `json:"state"` // of its file: empty (as it was read), grown, changed, gone
	Kind     string `json:"kind"`
	Pages    int    `json:"pages"`
	Parts    int    `json:"parts"`
	Note     string `json:"note,omitempty"`
}

// Documents are a part of the documents of a context.
type Documents struct {
	Size      int64      `json:"size"` // of the context
	Total     int        `json:"total"`
	Documents []Document `json:"documents"`
}

const documentsAtOnce = 1000

func (s *Server) documents(r *request, in listRequest) (Documents, error) {
	out := Documents{Documents: []Document{}}
	err := s.look(r, func(rs *runner.Session) error {
		all := rs.Documents()
		out.Size = rs.Context().Size()
		if in.Query != "" {
			want := past.Want(in.Query)
			all = slices.DeleteFunc(all, func(d runner.Document) bool { return !want.In(d.Name) })
		}
		out.Total = len(all)
		from := min(max(in.Offset, 0), len(all))
		for _, d := range all[from:min(len(all), from+atMost(in.Limit, documentsAtOnce, documentsAtOnce))] {
			out.Documents = append(out.Documents, Document{d.Name, d.Offset, d.Size, d.Encoding, string(d.State), d.Kind, d.Pages, len(d.Parts), d.Note})
		}
		return nil
	})
	return out, err
}

type documentRequest struct {
	Document string `json:"document"`
	Name     string `json:"name"`
}

// Part is a part of a document. Offset is in bytes of the context.
type Part struct {
	Kind   string `json:"kind"`
	Number int    `json:"number"`
	Name   string `json:"name,omitempty"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
}

// Parts are those of a document.
type Parts struct {
	Parts []Part `json:"parts"`
}

func (s *Server) parts(r *request, in documentRequest) (Parts, error) {
	out := Parts{Parts: []Part{}}
	err := s.look(r, func(rs *runner.Session) error {
		d, err := documentOf(rs, in.Document)
		for _, p := range d.Parts {
			out.Parts = append(out.Parts, Part{p.Kind, p.Number, p.Name, d.Offset + p.Offset, p.Size})
		}
		return err
	})
	return out, err
}

func documentOf(rs *runner.Session, name string) (runner.Document, error) {
	d, ok := places.Named(rs.Documents(), name)
	if !ok {
		return runner.Document{}, notFound("there is no document " + name)
	}
	return d, nil
}

type textRequest struct {
	Offset   int64  `json:"offset"`
	Line     int64  `json:"line"`
	Lines    int    `json:"lines"`
	Document string `json:"document"`
}

// Passage is a part of a context: whole lines.
type Passage struct {
	Offset int64  `json:"offset"`
	End    int64  `json:"end"`
	Size   int64  `json:"size"` // of the context
	Line   int64  `json:"line"` // of the first line, from 1; of the document if one is named
	Text   string `json:"text"`
}

// text is a window of the context. No more of it is read than is shown, besides what counts its lines.
func (s *Server) text(r *request, in textRequest) (out Passage, err error) {
	if in.Lines == 0 {
		in.Lines = 200
	}
	l, err := s.find(r)
	if err != nil {
		return out, err
	}
	err = l.Look(r.Context(), func(rs *runner.Session) error {
		t := l.Lines(rs)
		within := window.Range{Size: t.Size()}
		if in.Document != "" {
			d, err := documentOf(rs, in.Document)
			if err != nil {
				return err
			}
			within = window.Range{Offset: d.Offset, Size: d.Size}
			if in.Offset == 0 {
				in.Offset = d.Offset
			}
		}
		var w window.Window
		if in.Line > 0 {
			w, err = t.Line(r.Context(), within, in.Line, in.Lines)
		} else {
			w, err = t.At(r.Context(), within, in.Offset, in.Lines)
		}
		out = Passage{w.Offset, w.Offset + int64(len(w.Text)), t.Size(), w.Line, w.Text}
		return err
	})
	return out, err
}

type findRequest struct {
	Query string `json:"q"`
	How   string `json:"how"`
	Limit int    `json:"limit"`
	From  int64  `json:"from"`
}

// FoundAt is a place in the context that a search found.
type FoundAt struct {
	Offset   int64   `json:"offset"`
	Length   int64   `json:"length"`
	Line     int64   `json:"line"` // of the document, from 1
	Document string  `json:"document"`
	Where    string  `json:"where"` // the document and its part
	Text     string  `json:"text"`
	Score    float64 `json:"score,omitempty"`
}

// Finding is what a search found. More says that there is more from the offset Next on.
type Finding struct {
	Hits []FoundAt `json:"hits"`
	More bool      `json:"more"`
	Next int64     `json:"next,omitempty"`
}

const hitsAtOnce = 1000

func (s *Server) findText(r *request, in findRequest) (Finding, error) {
	if in.How == "" {
		in.How = "literal"
	}
	out := Finding{Hits: []FoundAt{}}
	l, err := s.find(r)
	if err != nil {
		return out, err
	}
	err = l.Ask(r.Context(), func(rs *runner.Session) error {
		found, more, next, err := rs.Find(r.Context(), runner.Search{Query: in.Query, How: in.How, From: in.From, Most: atMost(in.Limit, 200, hitsAtOnce)})
		if err != nil {
			return badRequest(err.Error())
		}
		out.More, out.Next = more, next
		docs, t := rs.Documents(), l.Lines(rs)
		for _, f := range found {
			hit, err := place(r.Context(), docs, t, f)
			if err != nil {
				return err
			}
			out.Hits = append(out.Hits, hit)
		}
		return nil
	})
	return out, err
}

// place says in which document a hit stands, and where in it.
func place(ctx context.Context, docs []runner.Document, t *window.Text, f runner.Found) (FoundAt, error) {
	hit := FoundAt{Offset: f.Offset, Length: f.Length, Text: f.Text, Score: f.Score}
	within := window.Range{Size: t.Size()}
	if d, ok := places.Holding(docs, f.Offset); ok {
		hit.Document, hit.Where = d.Name, d.Name
		if part := places.Part(d, f.Offset); part != "" {
			hit.Where += ", " + part
		}
		within = window.Range{Offset: d.Offset, Size: d.Size}
	}
	line, err := t.LineOf(ctx, within, f.Offset)
	hit.Line = line
	return hit, err
}

// Marks are passages that cells pointed at or that answers cite.
type Marks struct {
	Marks []past.Mark `json:"marks"`
}

func (s *Server) marks(r *request, _ none) (Marks, error) {
	l, err := s.find(r)
	if err != nil {
		return Marks{}, err
	}
	marks, err := past.Marks(l.Dir())
	return Marks{listed(marks)}, err
}

func (s *Server) addDocuments(r *request, in Added) (Begun, error) {
	inputs, err := s.inputs(in)
	if err != nil {
		return Begun{}, err
	}
	if len(inputs) == 0 {
		return Begun{}, badRequest("name texts or paths to add")
	}
	return s.start(r, doing{name: "add", do: func(ctx context.Context, rs *runner.Session) error { return rs.AddContext(ctx, inputs...) }})
}

func (s *Server) removeDocument(r *request, in documentRequest) (Begun, error) {
	if in.Name == "" {
		return Begun{}, badRequest("name the document: ?name=")
	}
	return s.start(r, doing{name: "remove", do: func(ctx context.Context, rs *runner.Session) error { return rs.RemoveContext(ctx, in.Name) }})
}

func (s *Server) reread(r *request, _ none) (Begun, error) {
	return s.start(r, doing{name: "reread", do: func(ctx context.Context, rs *runner.Session) error { return rs.Reread(ctx) }})
}
