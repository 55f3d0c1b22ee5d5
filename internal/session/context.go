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
	State    string `json:"state"` // of its file: empty (as it was read), grown, changed, gone
	Kind     string `json:"kind"`
	Pages    int    `json:"pages"`
	Parts    int    `json:"parts"`
	Note     string `json:"note,omitempty"`
	// Fetched is when a page of the web was read.
	Fetched time.Time `json:"fetched,omitzero"`
}

// Documents are a part of the documents of a context.
type Documents struct {
	Size      int64      `json:"size"` // of the context
	Total     int        `json:"total"`
	Bytes     int64      `json:"bytes"`   // of all these documents
	Changed   int        `json:"changed"` // whose files are not as they were read
	Gone      int        `json:"gone"`    // of which nothing is left
	Documents []Document `json:"documents"`
}

// DocumentsRequest asks for documents: those whose name holds Query, with Changed those first whose files changed.
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
			out.Documents = append(out.Documents, Document{d.Name, d.Offset, d.Size, d.Encoding, string(d.State), d.Kind, d.Pages, len(d.Parts), d.Note, d.Fetched})
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

// Parts are those of a document.
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
	Size   int64  `json:"size"` // of the context
	Line   int64  `json:"line"` // of the first line, from 1; of the document if one is named
	Text   string `json:"text"`
}

// passage is a window of the context. No more of it is read than is shown, besides what counts its lines.
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
	Partly bool   `json:"partly"` // answer soon, also when it is not done
}

// SearchHit is a place in the context that a search found.
type SearchHit struct {
	Offset   int64   `json:"offset"`
	Length   int64   `json:"length"`
	Line     int64   `json:"line"` // of the document, from 1
	Document string  `json:"document"`
	Where    string  `json:"where"` // the document and its part
	Text     string  `json:"text"`
	Score    float64 `json:"score,omitempty"`
}

// Finding is what a search found. More says that there is more from the offset Next on. A ranked search that was asked for partly and is not
// done has no hits; then the same request goes on, and Next is how much of the context it has read.
type Finding struct {
	Hits []SearchHit `json:"hits"`
	More bool        `json:"more"`
	Next int64       `json:"next,omitempty"`
}

const hitsAtOnce = 1000

// partTime is how long a search goes on that is asked for partly.
const partTime = 500 * time.Millisecond

func find(ctx context.Context, c *Call, in findRequest) (Finding, error) {
	search := runner.Search{Query: in.Query, How: cmp.Or(in.How, "literal"), From: in.From, Most: atMost(in.Limit, 200, hitsAtOnce)}
	if !in.Partly {
		return c.find(ctx, search, (*runner.Session).Find)
	}
	for out, end := (Finding{}), time.Now().Add(partTime); ; search = search.Next(out.Next) {
		some, err := c.find(ctx, search, (*runner.Session).FindSome)
		if out.More && Is(err, Busy) {
			return out, nil // a cell has come between
		}
		if out = some; err != nil || !out.More || len(out.Hits) > 0 || ctx.Err() != nil || time.Now().After(end) {
			return out, err
		}
	}
}

// finder is how much of a search is done at once.
type finder func(*runner.Session, context.Context, runner.Search) (found []runner.SearchHit, more bool, next int64, err error)

// find asks the notebook where something stands; cells run before and behind it.
func (c *Call) find(ctx context.Context, search runner.Search, by finder) (Finding, error) {
	out := Finding{Hits: []SearchHit{}}
	err := c.live.Ask(ctx, func(rs *runner.Session) error {
		found, more, next, err := by(rs, ctx, search)
		if err != nil {
			return badRequest(err.Error())
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

// place says in which document a hit stands, and where in it.
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

// Marks are passages that cells pointed at or that answers cite.
type Marks struct {
	Marks []history.Mark `json:"marks"`
}

func marks(_ context.Context, c *Call, _ struct{}) (Marks, error) {
	marks, err := history.Marks(c.live.Dir())
	return Marks{append([]history.Mark{}, marks...)}, err
}
