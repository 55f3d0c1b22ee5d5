package export

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Notebook writes a run as a Jupyter notebook (nbformat 4.5): the question, the model's replies, its Go cells with
// their outputs, and the answer. Tables and charts are included as data, and also as HTML and SVG for readers that
// support only those. `rlm exec` runs its cells.
func Notebook(w io.Writer, events iter.Seq2[trajectory.Event, error]) error {
	n := notebook{printer: printer{w: w}}
	n.print(`{"cells":[`)
	for t, err := range turns(events) {
		if err != nil {
			return err
		}
		n.turn(t)
	}
	n.print(`],"metadata":{"kernelspec":{"display_name":"Go (rlm)","language":"go","name":"rlm"},` +
		`"language_info":{"file_extension":".go","mimetype":"text/x-go","name":"go"}},"nbformat":4,"nbformat_minor":5}` + "\n")
	return n.err
}

type notebook struct {
	printer
	cells int
}

// markdownCell and codeCell are the cells of nbformat 4.5.
type markdownCell struct {
	Type     string         `json:"cell_type"`
	ID       string         `json:"id"`
	Metadata map[string]any `json:"metadata"`
	Source   string         `json:"source"`
}

type codeCell struct {
	Type     string         `json:"cell_type"`
	Count    *int           `json:"execution_count"`
	ID       string         `json:"id"`
	Metadata map[string]any `json:"metadata"`
	Outputs  []any          `json:"outputs"`
	Source   string         `json:"source"`
}

func (n *notebook) add(cell any) {
	raw, err := json.Marshal(cell)
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("write the export: %w", err)
	}
	if n.cells > 1 {
		n.print(",")
	}
	n.print("\n" + string(raw))
}

func (n *notebook) id() string {
	n.cells++
	return fmt.Sprintf("c%d", n.cells)
}

// markdown adds a Markdown cell that loads and runs nothing.
func (n *notebook) markdown(format string, args ...any) {
	text := inert(strings.TrimSpace(fmt.Sprintf(format, args...)))
	if text != "" {
		n.add(markdownCell{"markdown", n.id(), map[string]any{}, strings.ToValidUTF8(text, "\uFFFD")})
	}
}

func (n *notebook) turn(t *turn) {
	if t.start != nil {
		n.markdown("# %s", t.start.Question)
	}
	for _, d := range t.before {
		if d, ok := d.(trajectory.ContextAdded); ok {
			n.markdown("Context: %s in %s.", units.Bytes(d.Size), units.Of(d.Documents, "document"))
		}
	}
	before, after := make([]string, len(t.cells)), ""
	if t.reply != nil {
		before, after = segments(t.reply.Content.String(), t.cells)
	}
	for i, c := range t.cells {
		n.markdown("%s", before[i])
		n.code(c)
	}
	n.markdown("%s", after)
	for _, d := range t.notes {
		if text := noteText(d); text != "" {
			n.markdown("*%s*", text)
		}
	}
	if t.end != nil {
		n.answer(t.end)
	}
	if t.back != nil {
		n.markdown("*%s*", t.back)
	}
}

func (n *notebook) answer(d *trajectory.RunEnded) {
	status := "Status: " + code(d.Status)
	if d.Reason != "" {
		status += " (" + shorten(d.Reason, 300) + ")"
	}
	below := footnotes(d.Evidence) + remarks(d) + restsOn(d.Grounding)
	switch {
	case !d.HasAnswer:
		n.markdown("## No answer\n\n%s", status)
	case d.Typed:
		n.markdown("## Answer\n\n```json\n%s\n```\n\n%s%s", d.Answer, below, status)
	default:
		n.markdown("## Answer\n\n%s\n\n%s%s", d.Answer, below, status)
	}
}

// footnotes lists the passages that an answer's marks refer to.
func footnotes(evidence []trajectory.Evidence) string {
	var b strings.Builder
	for _, e := range evidence {
		fmt.Fprintf(&b, "- %s %s: %s\n", e.Mark, code(e.Place()), code(shorten(e.Quote, 200))+remark(e))
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// stopped adds a stopped cell as text, and after it a cell that can run and has the effects that remain.
func (n *notebook) stopped(c *cell) {
	var p page
	p.printf("*Cell %d was stopped before it finished; it is not run again:*\n\n", c.started.Cell)
	p.fenced("go", c.started.Source)
	if c.ended != nil && c.ended.Output != "" {
		p.fenced("text", c.ended.Output)
	}
	if c.kept() == "" {
		n.markdown("%s", p.String())
		return
	}
	p.printf("*What it had set by then:*")
	n.markdown("%s", p.String())
	n.add(codeCell{Type: "code", ID: n.id(), Metadata: map[string]any{}, Source: c.kept(), Outputs: []any{}})
}

func (n *notebook) code(c *cell) {
	if c.stopped() {
		n.stopped(c)
		return
	}
	number := c.started.Cell
	out := codeCell{
		Type: "code", ID: n.id(), Count: &number, Metadata: map[string]any{},
		Source: strings.ToValidUTF8(c.started.Source, "\uFFFD"), Outputs: []any{},
	}
	if len(c.calls) > 0 {
		out.Metadata["rlm"] = map[string]any{"sub_calls": len(c.calls)}
	}
	res, _ := c.ended.Decode() // if the form is unknown, show what can be decoded
	for _, p := range bundle.Pieces(c.ended.Output, res.Value, res.Items) {
		out.Outputs = append(out.Outputs, output(p, number))
	}
	if res.Error != nil {
		out.Outputs = append(out.Outputs, map[string]any{
			"output_type": "error", "ename": res.Error.Kind, "evalue": shorten(res.Error.Message, 200),
			"traceback": strings.Split(res.Error.Message, "\n"),
		})
	}
	n.add(out)
}

// output converts a piece of a cell's output to nbformat.
func output(p bundle.Piece, number int) map[string]any {
	if p.Item == nil && !p.Value {
		return map[string]any{"output_type": "stream", "name": "stdout", "text": p.Text}
	}
	data := map[string]any{bundle.TextType: p.Text}
	if p.Item != nil {
		for media, raw := range p.Item.Data {
			var text string
			switch {
			case media == bundle.TextType:
			case media == bundle.MarkdownType && json.Unmarshal(raw, &text) == nil:
				data[media] = inert(text)
			default:
				data[media] = raw
			}
		}
		if c, ok := p.Item.Chart(); ok {
			data["image/svg+xml"] = c.SVG()
		}
		if t, ok := p.Item.Table(); ok {
			data["text/html"] = tableHTML(t)
		}
	}
	out := map[string]any{"output_type": "display_data", "data": data, "metadata": map[string]any{}}
	if p.Value {
		out["output_type"], out["execution_count"] = "execute_result", number
	}
	return out
}

// tableHTML renders a table as HTML, with all text escaped.
func tableHTML(t bundle.Table) string {
	var b strings.Builder
	b.WriteString("<table>")
	headed := false
	for _, c := range t.Columns {
		headed = headed || c.Name != ""
	}
	if headed {
		b.WriteString("<thead><tr>")
		for _, c := range t.Columns {
			b.WriteString("<th>" + escaped(c.Name) + "</th>")
		}
		b.WriteString("</tr></thead>")
	}
	b.WriteString("<tbody>")
	for _, row := range t.Rows {
		b.WriteString("<tr>")
		for j, v := range row {
			if t.Columns[j].Type == "number" {
				b.WriteString(`<td align="right">`)
			} else {
				b.WriteString("<td>")
			}
			b.WriteString(escaped(bundle.Cell(v)) + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	if t.More > 0 {
		fmt.Fprintf(&b, "<p>and %s</p>", units.Of(t.More, "more row"))
	}
	return b.String()
}
