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

// pageDefaults are the attributes that pages inherit from the nodes above them.
type pageDefaults struct {
	resources, mediaBox, rotate any
}

var errLastPage = errors.New("no more pages are read")

// pages writes all pages.
func (d *document) pages() error {
	seen := map[int]bool{}
	err := d.tree(d.file.Root()["Pages"], pageDefaults{}, seen, 0)
	if err == nil && d.count == 0 && d.file.Rebuild() {
		clear(seen)
		err = d.tree(d.file.Root()["Pages"], pageDefaults{}, seen, 0)
	}
	if err == nil && d.count == 0 {
		err = d.loosePages()
	}
	if errors.Is(err, errLastPage) {
		err = d.out.Note(fmt.Sprintf("only the first %d pages were read", maxPages))
	}
	if err != nil {
		return err
	}
	return d.sum()
}

// tree writes the pages below a node. It skips nodes it has already seen, which form a cycle or are mistakes.
func (d *document) tree(o any, in pageDefaults, seen map[int]bool, depth int) error {
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

// loosePages writes the pages of a file without a page tree, in the order of their object numbers.
func (d *document) loosePages() error {
	for num := range d.file.Objects() {
		node, _ := d.file.Resolve(syntax.Ref{Num: num}).(syntax.Dict)
		if d.file.Name(node["Type"]) != "Page" {
			continue
		}
		if err := d.page(node, pageDefaults{node["Resources"], node["MediaBox"], node["Rotate"]}); err != nil {
			return err
		}
	}
	return nil
}

// page writes one page.
func (d *document) page(node syntax.Dict, in pageDefaults) error {
	if d.count >= maxPages {
		return errLastPage
	}
	d.count++
	text, drawn, err := d.read(node, in)
	if err != nil {
		if err := d.out.Note(fmt.Sprintf("page %d could not be read completely: %v", d.count, err)); err != nil {
			return err
		}
	}
	if err == nil {
		d.sort(drawn, strings.TrimSpace(text) == "")
	}
	if text == "" && !d.written { // it may be a scan: nothing is written before the first text
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

// sort classifies a page by what is missing or doubtful in its text.
func (d *document) sort(drawn *pageInterpreter, blank bool) {
	read := len(drawn.chars) - drawn.lost
	switch {
	case drawn.lost > read:
		d.unread.add(d.count)
	case drawn.lost > 20 && drawn.lost > read/20: // more than list markers
		d.partly.add(d.count)
	case blank:
		d.blank.add(d.count)
		switch {
		case drawn.images > 0:
			d.scans++
		case drawn.paths > 0:
			d.vectors++
		}
	}
	if drawn.guess > 0 {
		d.guessed.add(d.count)
	}
}

// read reads one page. Errors and panics affect only this page.
func (d *document) read(node syntax.Dict, in pageDefaults) (text string, drawn *pageInterpreter, err error) {
	defer func() {
		p := recover()
		if stopped, ok := p.(syntax.CancelPanic); ok {
			panic(stopped)
		}
		if p != nil {
			text, err = "", errors.New("it is damaged in an unforeseen way")
		}
	}()
	page, ok := boxOf(d.file.Numbers(in.mediaBox))
	if !ok {
		page = box{-1e6, -1e6, 1e6, 1e6}
	}
	turn := turnedBy(d.file.Int(in.rotate))
	res := &resources{dict: d.file.Dict(in.resources)}
	drawn = newPageInterpreter(d, turn, page.under(turn))
	data, dataErr := d.contents(node["Contents"])
	err = drawn.run(data, res, 0)
	drawn.closeMarks()
	if err == nil && len(drawn.chars) == 0 {
		err = dataErr
	}
	comments, annotErr := d.annotations(node, turn, drawn)
	if err == nil {
		err = annotErr
	}
	text = layout.Text(drawn.chars, drawn.rules) + comments
	return text, drawn, err
}

// contents returns the content of a page, which may be split into several streams.
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

// sum adds notes about pages with missing or doubtful text.
func (d *document) sum() error {
	if !d.written {
		return d.noText()
	}
	for _, n := range []struct {
		pages pageList
		what  string
	}{
		{d.blank, "without text"},
		{d.unread, "whose fonts do not say what their letters mean"},
		{d.partly, "with some letters left out because their fonts do not say what they mean"},
		{d.guessed, "with guessed letters, because their fonts are not in the file and do not say what they mean"},
	} {
		if n.pages.count == 0 {
			continue
		}
		if err := d.out.Note(fmt.Sprintf(
			"%s %s: %s", plural(n.pages.count, "page", "pages"), n.what, n.pages.String())); err != nil {
			return err
		}
	}
	return nil
}

// noText returns the reason why no text was written.
func (d *document) noText() error {
	switch {
	case d.count == 0:
		return fmt.Errorf("%w: it has no pages", format.ErrNoText)
	case d.unread.count > 0:
		return fmt.Errorf("%w that can be read: its fonts do not say what its letters mean (%s)", format.ErrNoText,
			plural(d.unread.count, "page", "pages"))
	case d.scans > 0:
		return fmt.Errorf("%w: %s without a text layer, as in a scan", format.ErrNoText,
			plural(d.scans, "page", "pages"))
	case d.vectors > 0:
		return fmt.Errorf("%w: %s of drawings without letters", format.ErrNoText, plural(d.vectors, "page", "pages"))
	case d.blank.count > 0:
		return fmt.Errorf("%w: %s", format.ErrNoText, plural(d.blank.count, "empty page", "empty pages"))
	}
	return fmt.Errorf("%w: none of its pages could be read", format.ErrNoText)
}
