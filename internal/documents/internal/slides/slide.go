package slides

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/drawing"
	"github.com/gorlm/rlm/internal/documents/internal/equation"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/opc"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// slide is a slide, or its notes, being read.
type slide struct {
	*deck
	rels   opc.Relationships
	notes  bool
	hidden bool
	title  string
	body   strings.Builder
	w      *markdown.Writer
}

// placeholder is the role of a shape in the layout.
type placeholder int

const (
	none    placeholder = iota // a text box
	title                      // the title of the slide
	subline                    // below the title
	body                       // text with bullets
	margin                     // a footer, the same on all slides
	date                       // the same on all slides too
	skipped                    // a number, or the picture of the slide in its notes
)

func (s *slide) read(name string) error {
	rels, err := s.pkg.Relationships(name)
	if err := s.pkg.Damaged("data that a slide refers to", err); err != nil {
		return err
	}
	s.rels, s.w = rels, markdown.New(&s.body)
	return s.pkg.Read(name, s.shapes)
}

func (s *slide) shapes(r *xmlread.Reader) error {
	at, hiddenShape := none, 0
	return r.All(func(kind xmlread.Kind) (err error) {
		if kind != xmlread.Start {
			if kind == xmlread.End && r.Depth() < hiddenShape {
				hiddenShape = 0
			}
			return nil
		}
		switch r.Name {
		case "p:sld":
			show := r.Attr("show")
			s.hidden = show == "0" || show == "false"
		case "p:sp", "p:graphicFrame", "p:pic":
			at = none
		case "p:cNvPr":
			if hidden := r.Attr("hidden"); hidden == "1" || hidden == "true" {
				hiddenShape = r.Depth() - 2 // skip it until its shape ends
			} else if text := strings.TrimSpace(r.Attr("descr")); text != "" && !s.notes {
				err = s.w.Paragraph("[image: " + strings.Join(strings.Fields(text), " ") + "]")
			}
		case "p:ph":
			at = s.placeholder(r.Attr("type"))
		case "p:txBody":
			if hiddenShape > 0 || at == skipped || s.notes && at != body {
				err = r.Skip()
			} else {
				err = s.text(r, at)
			}
		case "a:tbl":
			err = s.table(r)
		case "c:chart", "dgm:relIds":
			err = drawing.Graphic(s.pkg, s.rels, r, s.w)
		}
		return err
	})
}

func (s *slide) placeholder(kind string) placeholder {
	switch kind {
	case "title", "ctrTitle":
		return title
	case "subTitle":
		return subline
	case "ftr", "hdr":
		return margin
	case "dt":
		return date
	case "sldNum", "sldImg":
		return skipped
	}
	return body
}

// text reads the text of a shape.
func (s *slide) text(r *xmlread.Reader, at placeholder) error {
	if at != title && at != margin && at != date {
		return s.paragraphs(r, s.w, at)
	}
	var text strings.Builder
	err := s.paragraphs(r, markdown.Flat(&text), none)
	switch line := strings.TrimSpace(text.String()); {
	case at == title && s.title == "":
		s.title = line
	case at == title:
		return cmp.Or(s.w.Heading(2, line), err)
	case at == margin:
		return cmp.Or(s.w.Once(s.shown, "Footer: ", line), err)
	default:
		return cmp.Or(s.w.Once(s.shown, "", line), err)
	}
	return err
}

// paragraphs reads a text body, the current element.
func (s *slide) paragraphs(r *xmlread.Reader, w *markdown.Writer, at placeholder) error {
	var counts [9]int // counters of numbered paragraphs, by level
	return r.Inside(func() error {
		if r.Name != "a:p" {
			return nil
		}
		var err error
		p := &paragraph{rels: s.rels, bullet: at == body && !s.notes}
		readErr := p.read(r)
		if strings.TrimSpace(string(p.text)) == "" && readErr == nil {
			return nil
		}
		if p.numbered == "" {
			clear(counts[p.level:])
		} else {
			if clear(counts[p.level+1:]); counts[p.level] == 0 {
				counts[p.level] = p.start - 1
			}
			counts[p.level]++
		}
		switch text := string(p.text); {
		case p.numbered != "":
			err = w.Item(p.level, autoNumber(counts[p.level], p.numbered), text)
		case p.bullet:
			err = w.Item(p.level, "-", text)
		default:
			err = w.Paragraph(text)
		}
		if err == nil {
			err = readErr
		}
		return err
	})
}

// autoNumber formats the n-th number in a format of PowerPoint: "arabicPeriod", "alphaLcParenBoth".
func autoNumber(n int, format string) string {
	name, before, after := "decimal", "", "."
	for _, f := range [...][2]string{
		{"alphaLc", "lowerLetter"},
		{"alphaUc", "upperLetter"},
		{"romanLc", "lowerRoman"},
		{"romanUc", "upperRoman"},
		{"circleNum", "decimalEnclosedCircle"},
	} {
		if strings.HasPrefix(format, f[0]) {
			name = f[1]
		}
	}
	switch {
	case strings.HasSuffix(format, "ParenBoth"):
		before, after = "(", ")"
	case strings.HasSuffix(format, "ParenR"):
		after = ")"
	case strings.HasSuffix(format, "Plain"):
		after = ""
	}
	return before + markdown.Ordinal(n, name) + after
}

// table reads a table. The text of merged cells is in the first of them.
func (s *slide) table(r *xmlread.Reader) error {
	var (
		rows [][]string
		row  []string
	)
	err := r.Walk(func(kind xmlread.Kind) error {
		switch {
		case kind == xmlread.End && r.Name == "a:tr":
			rows, row = append(rows, row), nil
		case kind == xmlread.Start && r.Name == "a:tc":
			var text strings.Builder
			merged := r.Attr("hMerge") == "1" || r.Attr("vMerge") == "1" || r.Attr("hMerge") == "true" ||
				r.Attr("vMerge") == "true"
			err := s.paragraphs(r, markdown.Flat(&text), none)
			if merged {
				text.Reset()
			}
			row = append(row, text.String())
			if err != nil {
				rows = append(rows, row) // the last row of a truncated slide
			}
			return err
		}
		return nil
	})
	return errors.Join(s.w.Table(rows), err)
}

// paragraph is a paragraph that is being read.
type paragraph struct {
	rels     opc.Relationships
	text     []byte
	level    int
	bullet   bool
	numbered string // format of its number
	start    int
}

// read reads a:p, the current element.
func (p *paragraph) read(r *xmlread.Reader) error {
	run, url, raised := 0, "", 0
	return r.Walk(func(kind xmlread.Kind) error {
		if kind == xmlread.End && (r.Name == "a:r" || r.Name == "a:fld") {
			p.text = append(p.text[:run], markdown.Link(markdown.Shifted(string(p.text[run:]), raised), url)...)
		}
		if kind != xmlread.Start || p.property(r) {
			return nil
		}
		switch r.Name {
		case "a:r", "a:fld":
			run, url, raised = len(p.text), "", 0
		case "a:rPr":
			raised, _ = strconv.Atoi(strings.TrimSuffix(r.Attr("baseline"), "%"))
		case "a:hlinkClick":
			if rel, ok := p.rels.ByID(r.Attr("r:id")); ok && rel.External {
				url = rel.Target
			}
		case "a:t":
			inner, err := r.Inner()
			p.text = append(p.text, inner...)
			return err
		case "a:br":
			p.text = append(p.text, '\n')
		case "m:oMath":
			text, err := equation.Read(r)
			p.text = append(p.text, text...)
			return err
		}
		return nil
	})
}

// property reads a property of the paragraph.
func (p *paragraph) property(r *xmlread.Reader) bool {
	switch r.Name {
	case "a:pPr":
		n, _ := strconv.Atoi(r.Attr("lvl"))
		p.level = min(max(n, 0), 8)
	case "a:buNone":
		p.bullet = false
	case "a:buChar", "a:buBlip":
		p.bullet = true
	case "a:buAutoNum":
		p.numbered, p.start = r.Attr("type"), 1
		if n, err := strconv.Atoi(r.Attr("startAt")); err == nil {
			p.start = n
		}
	default:
		return false
	}
	return true
}
