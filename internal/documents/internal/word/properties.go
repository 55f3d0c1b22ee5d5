package word

import (
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// properties reads the properties of a paragraph.
func (d *document) properties(r *xmlread.Reader, p *paragraph) error {
	mark := false // the properties of the paragraph mark follow
	return r.Walk(func(kind xmlread.Kind) (err error) {
		if kind != xmlread.Start {
			mark = mark && (kind != xmlread.End || r.Name != "w:rPr")
			return nil
		}
		switch r.Name {
		case "w:pStyle":
			p.style = r.Attr("w:val")
			p.hidden = d.style(p.style).hidden == on
			p.run.hidden = p.hidden
		case "w:outlineLvl":
			p.outline = number(r.Attr("w:val"))
		case "w:numId":
			p.numID = r.Attr("w:val")
		case "w:ilvl":
			p.level = number(r.Attr("w:val"))
		case "w:framePr": // a drop cap is a separate paragraph
			letter := r.Attr("w:dropCap")
			p.joined = p.joined || letter == "drop" || letter == "margin"
		case "w:rPr":
			mark = true
		case "w:del", "w:moveFrom", "w:specVanish":
			p.joined = p.joined || mark
		case "w:vanish":
			p.joined = p.joined || mark && toggle(r) == on && p.outline < 0 && p.numID == ""
		case "w:pPrChange", "w:rPrChange", "w:sectPr", "w:numberingChange":
			err = r.Skip()
		}
		return err
	})
}

// runProperties reads the properties of a run.
func (d *document) runProperties(r *xmlread.Reader, p *paragraph) error {
	return r.Inside(func() (err error) {
		switch r.Name {
		case "w:rStyle":
			s := d.style(r.Attr("w:val"))
			if s.hidden != unsaid {
				p.run.hidden = s.hidden == on
			}
			p.run.raised = s.raised
		case "w:vanish":
			p.run.hidden = toggle(r) == on
		case "w:vertAlign":
			p.run.raised = r.Attr("w:val")
		case "w:position":
			p.run.raised = raisedBy(r.Attr("w:val"), p.run.raised)
		case "w:rFonts":
			p.run.font = r.Attr("w:ascii")
		case "w:rPrChange":
			err = r.Skip()
		}
		return err
	})
}
