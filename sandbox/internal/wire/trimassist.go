package wire

// Bounds of a worker's answers to people who write a cell or read the context.
const (
	maxItems  = 500
	maxFound  = 1000
	maxDoc    = 2 << 10
	maxParams = 64
)

// TrimAssist trims an answer to the bounds.
func TrimAssist(a *AssistMeta) {
	a.Completion.Prefix = Short(a.Completion.Prefix, MaxName)
	a.Completion.Items = a.Completion.Items[:min(len(a.Completion.Items), maxItems)]
	for i := range a.Completion.Items {
		it := &a.Completion.Items[i]
		it.Name, it.Kind, it.Detail, it.Doc = Short(it.Name, MaxName), Short(it.Kind, MaxName),
			Short(it.Detail, MaxName), Short(it.Doc, maxDoc)
	}
	if c := a.Called; c != nil {
		c.Name, c.Result, c.Doc = Short(c.Name, MaxName), Short(c.Result, MaxName), Short(c.Doc, maxDoc)
		c.Parameters = trimList(c.Parameters, maxParams, MaxName)
		c.Active = max(c.Active, 0)
	}
	if e := a.Wrong; e != nil {
		e.Message = Short(e.Message, maxText)
		e.Line, e.Column = max(e.Line, 0), max(e.Column, 0)
	}
	a.Finding.Found = a.Finding.Found[:min(len(a.Finding.Found), maxFound)]
	for i := range a.Finding.Found {
		f := &a.Finding.Found[i]
		f.Text = Short(f.Text, maxNote)
		f.Offset, f.Length = max(f.Offset, 0), max(f.Length, 0)
	}
	a.Finding.Next = max(a.Finding.Next, 0)
	if a.Page != nil && !a.Page.Trim() {
		a.Page = nil
	}
	a.Failed = Short(a.Failed, maxNote)
}
