package documents

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/archive"
	"github.com/gorlm/rlm/internal/documents/internal/columns"
	"github.com/gorlm/rlm/internal/documents/internal/html"
	"github.com/gorlm/rlm/internal/documents/internal/ipynb"
	"github.com/gorlm/rlm/internal/documents/internal/mail"
	"github.com/gorlm/rlm/internal/documents/internal/ole"
	"github.com/gorlm/rlm/internal/documents/internal/pdf"
	"github.com/gorlm/rlm/internal/documents/internal/rtf"
	"github.com/gorlm/rlm/internal/documents/internal/sqlite"
	"github.com/gorlm/rlm/internal/documents/internal/zipped"
)

// converter is the converter of one form, with its properties.
type converter struct {
	convert format.Converter
	// version is raised whenever the same bytes may result in different text, parts or members.
	version int
	// streams marks containers without text of their own: their members are yielded before the whole container is
	// read.
	streams bool
	// plain marks memory-safe text parsers that keep no state between documents. They may run where only
	// sandbox.Basic is available, and their workers are reused for other such documents.
	plain bool
}

// converters has all converters. To add one, write its line here. Its package exports a format.Converter, and its
// init must be nearly free, because workers for cells run it too.
var converters = map[format.Form]converter{
	format.PDF:      {convert: pdf.Convert, version: 9},
	format.HTML:     {convert: html.Convert, version: 9, plain: true},
	format.Mail:     {convert: mail.Convert, version: 11},
	format.Mbox:     {convert: mail.ConvertMbox, version: 11},
	format.TNEF:     {convert: mail.ConvertTNEF, version: 2},
	format.Notebook: {convert: ipynb.Convert, version: 3},
	format.Parquet:  {convert: columns.Parquet, version: 2},
	format.SQLite:   {convert: sqlite.Convert, version: 2},
	format.Zip:      {convert: zipped.Converter(archive.Zip), version: 15, streams: true},
	format.RTF:      {convert: rtf.Convert, version: 4},
	format.OLE:      {convert: ole.Converter(zipped.Converter(archive.Zip)), version: 4},
	format.Tar:      {convert: archive.Tar, version: 3, streams: true},
	format.Gzip:     {convert: archive.Gzip, version: 4, streams: true},
	format.Bzip2:    {convert: archive.Bzip2, version: 4, streams: true},
	format.XZ:       {convert: archive.XZ, version: 3, streams: true},
	format.Zstd:     {convert: archive.Zstd, version: 4, streams: true},
}

// rendering is the version of this package's processing of a converter's output.
const rendering = 1

// Version returns a string that changes whenever the same bytes of this form may be converted differently; it
// belongs in the key of a stored text. It is empty for forms that are not converted. For a form that can have
// members, it changes with every converter.
func Version(form format.Form) string {
	c, ok := converters[form]
	if !ok {
		return ""
	}
	if c.plain {
		return fmt.Sprintf("%s/%d.%d", form, c.version, rendering)
	}
	all := fnv.New32a()
	for _, f := range slices.Sorted(maps.Keys(converters)) {
		_, _ = fmt.Fprintf(all, "%s/%d ", f, converters[f].version)
	}
	return fmt.Sprintf("%s/%d.%d-%08x", form, c.version, rendering, all.Sum32())
}

// Recognise returns the converter, with its version, for a document with this head, size and name; empty if there
// is none. For an unsupported binary, reason describes it.
func Recognise(head []byte, size int64, name string) (converter, reason string) {
	form, reason := format.Recognise(head, size, name)
	return Version(form), reason
}
