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

// converter is how documents of one form are converted.
type converter struct {
	convert format.Converter
	// version is raised whenever the same bytes may give another text, other parts or other members.
	version int
	// streams: it is a container without text of its own, so that its members need not wait until all of it was read.
	streams bool
	// plain: what reads it is a memory-safe parser of text which keeps nothing from one document to the next. So it
	// may run where nothing better than sandbox.Basic can be had, and a worker that converted one such document may
	// convert others.
	plain bool
}

// converters are all that there are. To add one, write its line here: its package exports a format.Converter and has
// an init that costs next to nothing, because Go runs it in workers for cells too.
var converters = map[format.Form]converter{
	format.PDF:      {convert: pdf.Convert, version: 6},
	format.HTML:     {convert: html.Convert, version: 8, plain: true},
	format.Mail:     {convert: mail.Convert, version: 8},
	format.Mbox:     {convert: mail.ConvertMbox, version: 8},
	format.TNEF:     {convert: mail.ConvertTNEF, version: 2},
	format.Notebook: {convert: ipynb.Convert, version: 3},
	format.Parquet:  {convert: columns.Parquet, version: 2},
	format.SQLite:   {convert: sqlite.Convert, version: 2},
	format.Zip:      {convert: zipped.Converter(archive.Zip), version: 11, streams: true},
	format.RTF:      {convert: rtf.Convert, version: 4},
	format.OLE:      {convert: ole.Converter(zipped.Converter(archive.Zip)), version: 4},
	format.Tar:      {convert: archive.Tar, version: 3, streams: true},
	format.Gzip:     {convert: archive.Gzip, version: 4, streams: true},
	format.Bzip2:    {convert: archive.Bzip2, version: 4, streams: true},
	format.XZ:       {convert: archive.XZ, version: 3, streams: true},
	format.Zstd:     {convert: archive.Zstd, version: 4, streams: true},
}

// rendering is the version of what this package makes of a converter's output.
const rendering = 1

// Version changes whenever what is made of the same bytes of this form may change: it belongs to the key under which
// a text is kept. Empty: documents of this form are not converted. A form that can have members changes with every
// converter.
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

// Recognise returns the converter, with its version, that reads a document with these first bytes, of so many, and
// this name; empty: there is none. reason says what a document is that is no text and that none reads.
func Recognise(head []byte, size int64, name string) (converter, reason string) {
	form, reason := format.Recognise(head, size, name)
	return Version(form), reason
}
