// Package ole identifies compound files. It does not convert the Office formats before 2007, but decrypts newer
// Office files that Excel opens without asking for a password.
package ole

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/richardlehane/mscfb"

	"github.com/gorlm/rlm/internal/documents/format"
)

// maxEntries is how many streams are searched; those that identify the format are at the root.
const maxEntries = 10_000

var errUnknown = errors.New("it is a compound file of an unknown program")

// Converter identifies a compound file and advises what to do with it; it converts a decrypted package with office.
func Converter(office format.Converter) format.Converter {
	return func(ctx context.Context, src format.Source, out format.Output) error {
		pack, err := convert(ctx, src)
		if err != nil {
			return errors.Join(out.Kind("ole"), err)
		}
		return office(ctx, format.Source{Name: src.Name, Bytes: bytes.NewReader(pack), Size: int64(len(pack))}, out)
	}
}

// convert returns the package of a document that the usual password decrypts. For all other files it returns an
// error.
func convert(ctx context.Context, src format.Source) ([]byte, error) {
	doc, err := mscfb.New(src.Bytes)
	if err != nil {
		return nil, fmt.Errorf("its compound file is damaged: %w", err)
	}
	var info *mscfb.File
	for _, f := range doc.File[:min(len(doc.File), maxEntries)] {
		if f.Name == "EncryptionInfo" {
			info = f
		}
	}
	for i, f := range doc.File {
		if err := ctx.Err(); err != nil || i >= maxEntries {
			return nil, errors.Join(err, errUnknown)
		}
		switch f.Name {
		case "EncryptedPackage":
			return decrypted(ctx, info, f, usual)
		case "DRMEncryptedDataSpace", "\x09DRMContent":
			return nil, format.ErrPassword
		}
		if reason := old[f.Name]; reason != "" {
			return nil, errors.New(reason)
		}
	}
	return nil, errUnknown
}

// old maps the name of a stream to the reason why a file with such a stream is not converted.
var old = map[string]string{
	"WordDocument":            "it is a Word document" + before + "docx",
	"Workbook":                "it is an Excel workbook" + before + "xlsx",
	"Book":                    "it is an Excel workbook" + before + "xlsx",
	"PowerPoint Document":     "it is a PowerPoint presentation" + before + "pptx",
	"__properties_version1.0": "it is an Outlook message; save it as .eml",
}

const before = " in the binary format used before 2007; save it as ."
