package worker

import "github.com/gorlm/rlm/sandbox/internal/wire"

// assist answers a question from a person who writes a cell or reads the context. It does not run a cell.
func (w *worker) assist(f wire.Frame) error {
	var asked, out wire.AssistMeta
	if err := f.Decode(&asked); err != nil {
		return err
	}
	switch {
	case asked.Complete != nil:
		out.Completion = w.notebook.Complete(*asked.Complete)
	case asked.Signature != nil:
		if sig, ok := w.notebook.Signature(*asked.Signature); ok {
			out.Called = &sig
		}
	case asked.Check != nil:
		out.Wrong = w.notebook.Check(*asked.Check)
	case asked.Table != nil:
		page, ok := w.notebook.Table(*asked.Table)
		if out.Page = &page; !ok {
			out.Page, out.Failed = nil, "the rows of this table are not kept: run its cell again"
		}
	case asked.Find != nil:
		found, err := w.finder.Find(w.text.text, *asked.Find)
		if out.Finding = found; err != nil {
			out.Failed = err.Error()
		}
	}
	wire.TrimAssist(&out)
	return w.conn.Send(wire.Header{Op: wire.Assist}, out, nil)
}
