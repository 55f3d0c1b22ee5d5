// Package zipped distinguishes the formats that are zip archives: Office and OpenDocument documents, books, and
// plain archives.
package zipped

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/container"
	"github.com/gorlm/rlm/internal/documents/internal/epub"
	"github.com/gorlm/rlm/internal/documents/internal/opc"
	"github.com/gorlm/rlm/internal/documents/internal/opendocument"
	"github.com/gorlm/rlm/internal/documents/internal/sheets"
	"github.com/gorlm/rlm/internal/documents/internal/slides"
	"github.com/gorlm/rlm/internal/documents/internal/unzip"
	"github.com/gorlm/rlm/internal/documents/internal/word"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// Converter returns a converter for zip files. It converts documents according to their format, all others with
// archive.
func Converter(archive format.Converter) format.Converter {
	return func(ctx context.Context, src format.Source, out format.Output) error {
		convert, cut, err := recognise(ctx, src)
		switch {
		case err != nil:
			return err
		case convert == nil:
			return archive(ctx, src, out)
		}
		if err = convert(ctx, src, out); cut && ctx.Err() == nil {
			err = errors.Join(err, out.Note("its file is damaged or cut off; everything that could be found in it was read"))
		}
		return err
	}
}

var errBinary = errors.New("it is an Excel workbook in the binary format; save it as .xlsx")

// recognise returns the converter for a document; nil for a plain or damaged archive.
func recognise(ctx context.Context, src format.Source) (convert format.Converter, cut bool, err error) {
	z, cut, err := unzip.Open(src)
	if err != nil {
		return nil, false, nil
	}
	office := false
	for _, f := range z.File {
		switch container.Clean(f.Name) {
		case "mimetype":
			if convert := byType(f); convert != nil {
				return convert, cut, nil
			}
		case "META-INF/container.xml":
			return epub.Convert, cut, nil
		case "[Content_Types].xml", "_rels/.rels":
			office = true
		}
	}
	if !office {
		return nil, cut, nil
	}
	pkg, err := opc.Open(ctx, src, nil)
	if err != nil {
		return nil, cut, ctx.Err()
	}
	if strings.HasSuffix(pkg.Main, ".bin") {
		return nil, cut, errBinary
	}
	return byRoot(pkg), cut, ctx.Err()
}

// byType returns the converter for a document that declares its type in its first part.
func byType(f *zip.File) format.Converter {
	r, err := f.Open()
	if err != nil {
		return nil
	}
	defer r.Close()
	b, _ := io.ReadAll(io.LimitReader(r, 256))
	kind := strings.TrimSpace(string(b))
	if kind == "application/epub+zip" {
		return epub.Convert
	}
	name, _ := strings.CutPrefix(kind, "application/vnd.oasis.opendocument.")
	name, _, _ = strings.Cut(name, "-") // text-template, text-master
	switch name {
	case "text":
		return opendocument.Text
	case "spreadsheet":
		return opendocument.Spreadsheet
	case "presentation", "graphics":
		return opendocument.Presentation
	}
	return nil
}

// byRoot returns the converter for an Office document by the first element of its main part.
func byRoot(pkg *opc.Package) format.Converter {
	root := ""
	_ = pkg.Read(pkg.Main, func(r *xmlread.Reader) error {
		for root == "" {
			if _, err := r.Next(); err != nil {
				return err
			}
			root = r.Name
		}
		return nil
	})
	return map[string]format.Converter{
		"w:document": word.Convert, "x:workbook": sheets.Convert, "p:presentation": slides.Convert,
	}[root]
}
