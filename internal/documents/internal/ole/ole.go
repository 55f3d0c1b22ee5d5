// Package ole names documents in the compound files of before 2007, which it does not read, and Office files with a password, which are
// wrapped in one.
package ole

import (
	"context"
	"errors"
	"fmt"

	"github.com/richardlehane/mscfb"

	"github.com/gorlm/rlm/internal/documents/format"
)

// maxEntries is how many streams are looked at; what tells the kinds apart is at the root.
const maxEntries = 10_000

var errUnknown = errors.New("it is a compound file of a program that is not known")

// Convert says what a compound file is and what to do about it. It is a format.Converter, and its result is always an error.
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("ole"); err != nil {
		return err
	}
	doc, err := mscfb.New(src.Bytes)
	if err != nil {
		return fmt.Errorf("its compound file is damaged: %w", err)
	}
	for i, f := range doc.File {
		if err := ctx.Err(); err != nil || i >= maxEntries {
			return errors.Join(err, errUnknown)
		}
		switch f.Name {
		case "EncryptedPackage", "DRMEncryptedDataSpace", "\x09DRMContent":
			return format.ErrPassword
		case "WordDocument":
			return old("a Word document", "docx")
		case "Workbook", "Book":
			return old("an Excel workbook", "xlsx")
		case "PowerPoint Document", "PP97_DUALSTORAGE":
			return old("a PowerPoint presentation", "pptx")
		case "__properties_version1.0":
			return errors.New("it is a message of Outlook; save it as .eml")
		case "VisioDocument":
			return old("a Visio drawing", "pdf")
		}
	}
	return errUnknown
}

func old(what, extension string) error {
	return fmt.Errorf("it is %s in the binary format of before 2007; save it as .%s", what, extension)
}
