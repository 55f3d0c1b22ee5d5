// Package sheets converts the workbooks of Excel and similar programs (Office Open XML, .xlsx) to CSV.
package sheets

import (
	"context"
	"errors"
	"io/fs"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/grid"
	"github.com/gorlm/rlm/internal/documents/internal/opc"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
	"github.com/gorlm/rlm/internal/kit/units"
)

// Convert converts an .xlsx file, with a part for each sheet in workbook order. It streams the rows; only the
// shared strings are in memory. It is a format.Converter.
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	pkg, err := opc.Begin(ctx, src, out, "xlsx")
	if err != nil {
		return err
	}
	b := &workbook{ctx: ctx, pkg: pkg, out: out, rels: pkg.Rels}
	listErr := b.readList()
	if err := b.pkg.Optional("its styles", b.readStyles(b.rels.First("styles"))); err != nil {
		return err
	}
	if err := b.pkg.Optional("its shared strings", b.readTexts(b.rels.First("sharedStrings"))); err != nil {
		return err
	}
	for i, s := range b.sheets {
		if err := b.sheet(i+1, s); err != nil {
			return err
		}
	}
	if listErr != nil {
		return listErr
	}
	if b.formulas > 0 {
		err = out.Note(units.Of(b.formulas, "formula") + " without a stored result: the formula is shown instead")
	}
	if note := grid.Hidden(b.hidden); err == nil && note != "" {
		err = out.Note(note)
	}
	return err
}

// workbook is the conversion of one workbook.
type workbook struct {
	ctx    context.Context
	pkg    *opc.Package
	out    format.Output
	rels   opc.Relationships
	sheets []sheetRef

	epoch1904 bool
	displays  []*display // displays by cell style
	texts     texts
	formulas  int   // formulas without a result
	hidden    []int // numbers of hidden sheets
}

// sheetRef is an entry in the list of sheets.
type sheetRef struct {
	name   string
	hidden bool
	rel    opc.Relationship
}

// maxSheets limits the list of sheets.
const maxSheets = 10_000

func (b *workbook) readList() error {
	return b.pkg.Elements(b.pkg.Main, func(r *xmlread.Reader) error {
		switch r.Name {
		case "x:workbookPr":
			v := r.Attr("date1904")
			b.epoch1904 = v == "1" || v == "true"
		case "x:sheet":
			rel, _ := b.rels.ByID(r.Attr("r:id"))
			if len(b.sheets) < maxSheets {
				state := r.Attr("state")
				b.sheets = append(b.sheets, sheetRef{r.Attr("name"), state == "hidden" || state == "veryHidden", rel})
			}
		}
		return nil
	})
}

// elements reads an optional part.
func (b *workbook) elements(name string, each func(r *xmlread.Reader) error) error {
	if err := b.pkg.Elements(name, each); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
