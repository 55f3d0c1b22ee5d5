package session

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gorlm/rlm/internal/session/history"
	"github.com/gorlm/rlm/internal/session/window"
	"github.com/gorlm/rlm/runner"
)

// Document is a document of a context. Offset and Size are in bytes of the context.
type Document struct {
	Name     string `json:"name"`
	Offset   int64  `json:"offset"`
	Size     int64  `json:"size"`
	Encoding string `json:"encoding"`
	State    string `json:"state"` // of its file: empty (as it was when read), grown, changed, gone
	Kind     string `json:"kind"`
	Pages    int    `json:"pages"`
	Parts    int    `json:"parts"`
	Note     string `json:"note,omitempty"`
	Path     string `json:"path,omitempty"` // of its file; only the owner of the data folder sees where it lies
	// Fetched is when a web page was read.
	Fetched time.Time `json:"fetched,omitzero"`
}

// Documents is a page of the list of a context's documents.
type Documents struct {
	Size      int64      `json:"size"` // size of the context in bytes
	Total     int        `json:"total"`
	Bytes     int64      `json:"bytes"`   // total size of the listed documents on all pages
	Changed   int        `json:"changed"` // number with a changed or missing file
	Gone      int        `json:"gone"`    // number of documents that the context no longer contains
	Documents []Document `json:"documents"`
}

// DocumentsRequest asks for documents whose name contains Query. If Changed is set, those with changed or missing
// files come first.
type DocumentsRequest struct {
	Query   string `json:"q"`
	Limit   int    `json:"limit"`
	Offset  int    `json:"offset"`
	Changed bool   `json:"changed"`
}

const documentsAtOnce = 1000

func documents(ctx context.Context, c *Call, in DocumentsRequest) (Documents, error) {
	out := Documents{Documents: []Document{}}
	err := c.live.Look(ctx, func(rs *runner.Session) error {
		all := rs.Documents()
		out.Size = rs.Context().Size()
		if in.Query != "" {
			want := history.Want(in.Query)
			all = slices.DeleteFunc(all, func(d runner.Document) bool { return !want.In(d.Name) })
		}
		out.Total = len(all)
		for _, d := range all {
			out.Bytes += d.Size
			if d.State != runner.DocumentSame {
				out.Changed++
			}
			if d.State == runner.DocumentGone && d.Size == 0 {
				out.Gone++
			}
		}
		if in.Changed {
			slices.SortStableFunc(all, func(a, b runner.Document) int {
				return cmp.Compare(min(1, len(b.State)), min(1, len(a.State)))
			})
		}
		from := min(max(in.Offset, 0), len(all))
		for _, d := range all[from:min(len(all), from+atMost(in.Limit, documentsAtOnce, documentsAtOnce))] {
			if !c.Who.Owner {
				d.Path = ""
			}
			out.Documents = append(out.Documents, Document{
				d.Name, d.Offset, d.Size, d.Encoding, string(d.State),
				d.Kind, d.Pages, len(d.Parts), d.Note, d.Path, d.Fetched,
			})
		}
		return nil
	})
	return out, err
}

// DocumentRequest names a document.
type DocumentRequest struct {
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

// Parts are the parts of a document.
type Parts struct {
	Parts []Part `json:"parts"`
}

func parts(ctx context.Context, c *Call, in DocumentRequest) (Parts, error) {
	out := Parts{Parts: []Part{}}
	err := c.live.Look(ctx, func(rs *runner.Session) error {
		d, err := documentOf(rs, in.Document)
		for _, p := range d.Parts {
			out.Parts = append(out.Parts, Part{p.Kind, p.Number, p.Name, d.Offset + p.Offset, p.Size})
		}
		return err
	})
	return out, err
}

func documentOf(rs *runner.Session, name string) (runner.Document, error) {
	d, ok := window.DocumentNamed(rs.Documents(), name)
	if !ok {
		return runner.Document{}, &Error{Code: NotFound, Message: "there is no document " + name}
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
	Size   int64  `json:"size"` // size of the context in bytes
	Line   int64  `json:"line"` // of the first line, from 1; counted in the document if one is named
	Text   string `json:"text"`
}

// passage returns a window of the context. It reads only what it returns and what it needs to count lines.
func passage(ctx context.Context, c *Call, in textRequest) (out Passage, err error) {
	if in.Lines == 0 {
		in.Lines = 200
	}
	err = c.live.Look(ctx, func(rs *runner.Session) error {
		t := c.live.Lines(rs)
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
			w, err = t.Line(ctx, within, in.Line, in.Lines)
		} else {
			w, err = t.At(ctx, within, in.Offset, in.Lines)
		}
		out = Passage{w.Offset, w.Offset + int64(len(w.Text)), t.Size(), w.Line, w.Text}
		return err
	})
	return out, err
}

type findRequest struct {
	Query  string `json:"q"`
	How    string `json:"how"`
	Limit  int    `json:"limit"`
	From   int64  `json:"from"`
	Partly bool   `json:"partly"` // return soon, even if the search is incomplete
}

// SearchHit is a place in the context that a search found.
type SearchHit struct {
	Offset   int64   `json:"offset"`
	Length   int64   `json:"length"`
	Line     int64   `json:"line"` // line number in the document, from 1
	Document string  `json:"document"`
	Where    string  `json:"where"` // the document and its part
	Text     string  `json:"text"`
	Score    float64 `json:"score,omitempty"`
}

// Finding is the result of a search. More means that the search can continue at the offset Next. While a partial
// ranked search is incomplete, it has no hits, and Next is the end of the part read so far; repeat the request.
type Finding struct {
	Hits []SearchHit `json:"hits"`
	More bool        `json:"more"`
	Next int64       `json:"next,omitempty"`
}

const hitsAtOnce = 1000

// partTime bounds one request of a partial search.
const partTime = 500 * time.Millisecond

func find(ctx context.Context, c *Call, in findRequest) (Finding, error) {
	search := runner.Search{
		Query: in.Query, How: cmp.Or(in.How, "literal"), From: in.From,
		Most: atMost(in.Limit, 200, hitsAtOnce),
	}
	if !in.Partly {
		return c.find(ctx, search, (*runner.Session).Find)
	}
	for out, end := (Finding{}), time.Now().Add(partTime); ; search = search.Next(out.Next) {
		some, err := c.find(ctx, search, (*runner.Session).FindSome)
		if out.More && Is(err, Busy) {
			return out, nil // a cell has started since the previous part
		}
		if out = some; err != nil || !out.More || len(out.Hits) > 0 || ctx.Err() != nil || time.Now().After(end) {
			return out, err
		}
	}
}

// finder runs a search, or one part of it.
type finder func(*runner.Session, context.Context, runner.Search) (
	found []runner.SearchHit, more bool, next int64, err error)

// find searches in the notebook, between cells.
func (c *Call) find(ctx context.Context, search runner.Search, by finder) (Finding, error) {
	out := Finding{Hits: []SearchHit{}}
	err := c.live.Ask(ctx, func(ctx context.Context, rs *runner.Session) error {
		found, more, next, err := by(rs, ctx, search)
		if err != nil && ctx.Err() == nil {
			err = badRequest(err.Error())
		}
		if err != nil {
			return err
		}
		out.More, out.Next = more, next
		docs, t := rs.Documents(), c.live.Lines(rs)
		for _, f := range found {
			hit, err := place(ctx, docs, t, f)
			if err != nil {
				return err
			}
			out.Hits = append(out.Hits, hit)
		}
		return nil
	})
	return out, err
}

// place locates a hit in its document.
func place(ctx context.Context, docs []runner.Document, t *window.Text, f runner.SearchHit) (SearchHit, error) {
	hit := SearchHit{Offset: f.Offset, Length: f.Length, Text: f.Text, Score: f.Score}
	within := window.Range{Size: t.Size()}
	if d, ok := window.DocumentAt(docs, f.Offset); ok {
		hit.Document, hit.Where = d.Name, d.Name
		if part := window.PartAt(d, f.Offset); part != "" {
			hit.Where += ", " + part
		}
		within = window.Range{Offset: d.Offset, Size: d.Size}
	}
	line, err := t.LineOf(ctx, within, f.Offset)
	hit.Line = line
	return hit, err
}

// Marks are passages that cells marked or that answers cite.
type Marks struct {
	Marks []history.Mark `json:"marks"`
}

func marks(_ context.Context, c *Call, _ struct{}) (Marks, error) {
	marks, err := history.Marks(c.live.Dir())
	return Marks{append([]history.Mark{}, marks...)}, err
}
