package evidence

import (
	"context"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Words returns the words of a passage, as far as its evidence quotes them.
func Words(e trajectory.Evidence) string {
	if int64(len(e.Quote)) == e.Length {
		return e.Quote
	}
	return strings.TrimSuffix(e.Quote, cutMark)
}

// PassageQuery is words that once were in a document, at an offset from its beginning.
type PassageQuery struct {
	Words  string
	Offset int64
}

// FindLines looks for words in a document of a text: at their old offset, else at their first occurrence. For each
// query it returns the line, from 1, where the words begin, 0 if they are not there. The document is read only
// once.
func FindLines(ctx context.Context, text *corpus.Text, doc corpus.Document, wanted []PassageQuery) ([]int64, error) {
	r := reader{text: text}
	lines := make([]int64, len(wanted))
	var sought []string
	var of []int
	for i, w := range wanted {
		n := int64(len(w.Words))
		if w.Offset >= 0 && w.Offset+n <= doc.Size {
			words, _, err := r.passage(doc.Offset+w.Offset, n)
			if err != nil {
				return nil, err
			}
			if string(words) == w.Words {
				if lines[i], err = r.line(doc.Offset, doc.Offset+w.Offset); err != nil {
					return nil, err
				}
				continue
			}
		}
		sought, of = append(sought, w.Words), append(of, i)
	}
	if len(sought) == 0 {
		return lines, nil
	}
	places, err := search.ReadQuotations(ctx, io.NewSectionReader(text, doc.Offset, doc.Size), doc.Size, sought)
	if err != nil {
		return nil, err
	}
	for i, p := range places {
		if p.Count == 0 || p.Folded {
			continue
		}
		if lines[of[i]], err = r.line(doc.Offset, doc.Offset+p.Offset); err != nil {
			return nil, err
		}
	}
	return lines, nil
}
