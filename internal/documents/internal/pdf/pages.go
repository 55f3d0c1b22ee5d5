package pdf

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/layout"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

const (
	maxPages     = 100_000
	maxTreeDepth = 64
)

// inherited is what the pages below a node of the tree have in common.
type inherited struct {
	resources, mediaBox, rotate any
}

var errLastPage = errors.New("no more pages are read")

// pages writes all pages.
func (d *document) pages() error {
	seen := map[int]bool{}
	err := d.tree(d.file.Root()["Pages"], inherited{}, seen, 0)
	if err == nil && d.count == 0 && d.file.Rebuild() {
		clear(seen)
		err = d.tree(d.file.Root()["Pages"], inherited{}, seen, 0)
	}
	if err == nil && d.count == 0 {
		err = d.loosePages()
	}
	if errors.Is(err, errLastPage) {
		err = d.out.Note(fmt.Sprintf("only the first %d pages are read", maxPages))
	}
	if err != nil {
		return err
	}
	return d.sum()
}

// tree writes the pages below a node. A node that was there before is a circle, or drawn by mistake.
func (d *document) tree(o any, in inherited, seen map[int]bool, depth int) error {
	if ref, ok := o.(syntax.Ref); ok {
		if seen[ref.Num] {
			return nil
		}
		seen[ref.Num] = true
	}
	if err := d.ctx.Err(); err != nil {
		return err
	}
	node := d.file.Dict(o)
	if node == nil || depth > maxTreeDepth {
		return nil
	}
	for _, e := range []struct {
		key syntax.Name
		to  *any
	}{{"Resources", &in.resources}, {"MediaBox", &in.mediaBox}, {"Rotate", &in.rotate}} {
		if node[e.key] != nil {
			*e.to = node[e.key]
		}
	}
	kids := d.file.Array(node["Kids"])
	if node["Kids"] == nil || d.file.Name(node["Type"]) == "Page" {
		return d.page(node, in)
	}
	for _, kid := range kids {
		if err := d.tree(kid, in, seen, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// loosePages writes the pages of a file whose tree is lost, in the order of their objects.
func (d *document) loosePages() error {
	for num := range d.file.Objects() {
		node, _ := d.file.Resolve(syntax.Ref{Num: num}).(syntax.Dict)
		if d.file.Name(node["Type"]) != "Page" {
			continue
		}
		if err := d.page(node, inherited{node["Resources"], node["MediaBox"], node["Rotate"]}); err != nil {
			return err
		}
	}
	return nil
}

// page writes one page.
func (d *document) page(node syntax.Dict, in inherited) error {
	if d.count >= maxPages {
		return errLastPage
	}
	d.count++
	text, lost, err := d.read(node, in)
	if err != nil {
		if err := d.out.Note(fmt.Sprintf("page %d could not be read to its end: %v", d.count, err)); err != nil {
			return err
		}
	}
	switch {
	case lost && err == nil:
		d.unread.add(d.count)
	case strings.TrimSpace(text) == "" && err == nil:
		d.blank.add(d.count)
	}
	if text == "" && !d.written { // a scan is not written at all
		d.empty++
		return nil
	}
	d.written = true
	for ; d.empty > 0; d.empty-- {
		if err := d.begin(d.count - d.empty); err != nil {
			return err
		}
	}
	if err := d.begin(d.count); err != nil {
		return err
	}
	_, err = d.out.Write([]byte(text))
	return err
}

func (d *document) begin(page int) error {
	return d.out.Begin(format.Part{Kind: format.Page, Number: page, Name: d.labels.name(page)})
}

// read reads one page. It is lost when most of its letters have no meaning. Whatever goes wrong costs this page alone.
func (d *document) read(node syntax.Dict, in inherited) (text string, lost bool, err error) {
	defer func() {
		p := recover()
		if stopped, ok := p.(syntax.Stopped); ok {
			panic(stopped)
		}
		if p != nil {
			text, lost, err = "", false, errors.New("it is damaged in a way that was not foreseen")
		}
	}()
	page, ok := boxOf(d.file.Numbers(in.mediaBox))
	if !ok {
		page = box{-1e6, -1e6, 1e6, 1e6}
	}
	turn := turnedBy(d.file.Int(in.rotate))
	res := &resources{dict: d.file.Dict(in.resources)}
	drawn := newDrawing(d, turn, page.under(turn))
	data, dataErr := d.contents(node["Contents"])
	err = drawn.run(data, res, 0)
	drawn.closeMarks()
	if err == nil && len(drawn.chars) == 0 && drawn.lost == 0 {
		err = dataErr
	}
	comments, annotErr := d.annotations(node, turn, drawn)
	if err == nil {
		err = annotErr
	}
	text = layout.Text(drawn.chars) + comments
	return text, drawn.lost > 8 && drawn.lost > len(drawn.chars), err
}

// contents is the content of a page, which may stand in several streams that are read as one.
func (d *document) contents(o any) ([]byte, error) {
	if s := d.file.Stream(o); s != nil {
		return d.file.Data(s)
	}
	var all []byte
	var first error
	for _, o := range d.file.Array(o) {
		s := d.file.Stream(o)
		if s == nil {
			continue
		}
		data, err := d.file.Data(s)
		if first == nil {
			first = err
		}
		if len(all)+len(data) > 64<<20 {
			return all, syntax.ErrTooLarge
		}
		all = append(append(all, data...), '\n')
	}
	return all, first
}

// sum says which pages have no text.
func (d *document) sum() error {
	if !d.written {
		switch {
		case d.count == 0:
			return fmt.Errorf("%w: it has no pages", format.ErrNoText)
		case d.unread.count > d.blank.count:
			return fmt.Errorf("%w that can be read: its fonts do not say what their letters mean (%s)", format.ErrNoText,
				plural(d.count, "page", "pages"))
		}
		return fmt.Errorf("%w: %s without a text layer, as in a scan", format.ErrNoText, plural(d.count, "page", "pages"))
	}
	if d.blank.count > 0 {
		note := fmt.Sprintf("%s without text: %s", plural(d.blank.count, "page", "pages"), d.blank.String())
		if err := d.out.Note(note); err != nil {
			return err
		}
	}
	if d.unread.count > 0 {
		note := fmt.Sprintf("%s with letters whose fonts do not say what they mean: %s", plural(d.unread.count, "page", "pages"),
			d.unread.String())
		return d.out.Note(note)
	}
	return nil
}
