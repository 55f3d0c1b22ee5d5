package word

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/drawing"
	"github.com/gorlm/rlm/internal/documents/internal/equation"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/symbols"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// paragraph is a paragraph that is being read.
type paragraph struct {
	text    []byte
	style   string
	numID   string
	level   int // -1: not set
	outline int // -1: not set
	hidden  bool
	joined  bool     // the next paragraph continues it
	boxes   []string // text boxes anchored in it, as Markdown
	links   []link
	reading string // phonetic reading of the following East Asian characters
	run     run
}

// run is the properties of a run of text.
type run struct {
	hidden bool
	raised string
	font   string
}

// link is an open hyperlink.
type link struct {
	url   string
	start int // offset of its text in the paragraph
}

// field is an open field: its code is hidden, its result is shown.
type field struct {
	code     string
	result   bool
	start    int
	homeless bool // it began in another paragraph
}

// paragraph reads a paragraph and writes it, unless the next one continues it.
func (d *document) paragraph(r *xmlread.Reader, w *markdown.Writer, before pendingParagraph) (pendingParagraph, error) {
	p := &paragraph{level: -1, outline: -1}
	for i := range d.fields {
		d.fields[i].homeless = true
	}
	err := r.Walk(func(kind xmlread.Kind) error {
		switch {
		case kind == xmlread.Start:
			return d.inline(r, p)
		case kind == xmlread.End && r.Name == "w:hyperlink":
			p.endLink()
		case kind == xmlread.End && r.Name == "w:rubyBase" && p.reading != "":
			d.say(p, "("+p.reading+")")
			p.reading = ""
		}
		return nil
	})
	after, writeErr := d.write(w, p, before)
	return after, cmp.Or(writeErr, err)
}

// inline reads an element inside a paragraph. If it returns without consuming the element, the caller descends into
// it.
func (d *document) inline(r *xmlread.Reader, p *paragraph) error {
	switch r.Name {
	case "w:pPr":
		return d.properties(r, p)
	case "w:r":
		p.run = run{hidden: p.hidden}
	case "w:rPr":
		return d.runProperties(r, p)
	case "w:t":
		text, err := r.Inner()
		d.say(p, symbols.Text(p.run.font, text))
		return err
	case "w:tab", "w:ptab":
		d.say(p, "\t")
	case "w:br", "w:cr":
		d.say(p, "\n")
	case "w:noBreakHyphen":
		d.say(p, "-")
	case "w:sym":
		if n, err := strconv.ParseUint(r.Attr("w:char"), 16, 21); err == nil {
			d.say(p, symbols.Text(r.Attr("w:font"), string(rune(n))))
		}
	case "w:instrText":
		code, err := r.Inner()
		if n := len(d.fields); n > 0 && len(d.fields[n-1].code) < 4096 {
			d.fields[n-1].code += code
		}
		return err
	case "w:fldChar":
		d.fieldChar(p, r.Attr("w:fldCharType"))
	case "w:checkBox":
		return d.checkBox(r, p)
	case "w:ddList":
		return d.dropDown(r, p)
	case "w:hyperlink":
		rel, _ := d.rels.ByID(r.Attr("r:id"))
		if !rel.External {
			rel.Target = ""
		}
		p.links = append(p.links, link{url: rel.Target, start: len(p.text)})
	case "w:footnoteReference":
		d.reference(p, footnote, r.Attr("w:id"))
	case "w:endnoteReference":
		d.reference(p, endnote, r.Attr("w:id"))
	case "w:commentReference":
		d.reference(p, comment, r.Attr("w:id"))
	case "m:oMath":
		text, err := equation.Read(r)
		d.say(p, text)
		return err
	case "w:rt":
		return d.readReading(r, p)
	case "w:txbxContent":
		return d.box(r, p)
	case "wp:docPr":
		if text := strings.TrimSpace(r.Attr("descr")); text != "" {
			d.say(p, "[image: "+strings.Join(strings.Fields(text), " ")+"]")
		}
		return r.Skip()
	case "o:OLEObject":
		if strings.HasPrefix(r.Attr("ProgID"), "Equation") {
			d.equations++
		}
	case "c:chart", "dgm:relIds":
		return d.graphic(r, p)
	case "w:del", "w:moveFrom", "w:sdtPr", "w:sdtEndPr", "w:rubyPr", "w:delText", "w:delInstrText", "v:shapetype",
		"w:fldData":
		return r.Skip()
	}
	return nil
}

// visible reports whether text here is shown: it is neither hidden nor the code of a field.
func (d *document) visible(p *paragraph) bool {
	for i := range d.fields {
		if f := &d.fields[i]; !f.result || d.margin && markdown.IsPageNumber(f.code) {
			return false
		}
	}
	return !p.run.hidden
}

func (d *document) say(p *paragraph, text string) {
	if !d.visible(p) {
		return
	}
	by := map[string]int{"superscript": 1, "subscript": -1}[p.run.raised]
	p.text = append(p.text, markdown.Shifted(text, by)...)
}

func (p *paragraph) endLink() {
	n := len(p.links) - 1
	if n < 0 {
		return
	}
	l := p.links[n]
	p.links = p.links[:n]
	p.relink(l)
}

// relink turns the text from l.start on into a link.
func (p *paragraph) relink(l link) {
	if l.url == "" || l.start >= len(p.text) {
		return
	}
	p.text = append(p.text[:l.start], markdown.Link(string(p.text[l.start:]), l.url)...)
}

func (d *document) fieldChar(p *paragraph, kind string) {
	n := len(d.fields) - 1
	switch {
	case kind == "begin":
		if n < 100 {
			d.fields = append(d.fields, field{start: len(p.text)})
		}
	case n < 0:
	case kind == "separate":
		d.fields[n].result, d.fields[n].start = true, len(p.text)
	case kind == "end":
		f := &d.fields[n]
		d.fields = d.fields[:n]
		if url := markdown.FieldAddress(f.code); f.result && !f.homeless && url != "" {
			p.relink(link{url: url, start: f.start})
		}
	}
}

// checkBox writes the state of a form's checkbox.
func (d *document) checkBox(r *xmlread.Reader, p *paragraph) error {
	box := "☐"
	err := r.Inside(func() error {
		if r.Name == "w:checked" || r.Name == "w:default" {
			box = map[bool]string{true: "☒", false: "☐"}[toggle(r) == on]
		}
		return nil
	})
	p.text = append(p.text, box...)
	return err
}

// dropDown writes the selected entry of a list of a form, which has no other text.
func (d *document) dropDown(r *xmlread.Reader, p *paragraph) error {
	var entries []string
	selected := 0
	err := r.Inside(func() error {
		switch r.Name {
		case "w:result", "w:default":
			if n, err := strconv.Atoi(r.Attr("w:val")); err == nil && (selected == 0 || r.Name == "w:result") {
				selected = n
			}
		case "w:listEntry":
			entries = append(entries, r.Attr("w:val"))
		}
		return nil
	})
	if selected >= 0 && selected < len(entries) {
		p.text = append(p.text, entries[selected]...)
	}
	return err
}

// readReading stores the phonetic reading of East Asian characters. It precedes them in the file and is written in
// brackets after them.
func (d *document) readReading(r *xmlread.Reader, p *paragraph) error {
	var inner paragraph
	if err := r.Inside(func() error { return d.inline(r, &inner) }); err != nil {
		return err
	}
	p.reading = string(inner.text)
	return nil
}

// graphic reads a chart or a diagram, which is in a separate part.
func (d *document) graphic(r *xmlread.Reader, p *paragraph) error {
	if !d.visible(p) {
		return nil
	}
	var text strings.Builder
	err := drawing.Graphic(d.pkg, d.rels, r, markdown.New(&text))
	p.boxes = append(p.boxes, text.String())
	return err
}

// box reads a text box, which is written after the paragraph that it is anchored in.
func (d *document) box(r *xmlread.Reader, p *paragraph) error {
	fields := d.fields
	d.fields = nil
	var text strings.Builder
	err := d.blocks(r, markdown.New(&text), nil)
	d.fields = fields
	if d.visible(p) && text.Len() > 0 {
		p.boxes = append(p.boxes, text.String())
	}
	if err != nil {
		return fmt.Errorf("in a text box: %w", err)
	}
	return nil
}
