package corpus

import "io"

// inPlaceOf replaces each candidate by the converted or fetched documents that the text already has from the same
// page or unchanged file, if there are any.
func (t *Text) inPlaceOf(found []candidate) (out []candidate) {
	made := map[string][]Document{}
	for _, d := range t.docs {
		if d.Derived() {
			made[d.from()] = append(made[d.from()], d)
		}
	}
	for _, c := range found {
		docs := made[c.from()]
		if len(docs) == 0 || c.page == nil && !docs[0].File.same(c) {
			out = append(out, c)
			continue
		}
		for _, d := range docs {
			out = append(out, candidate{
				name: d.Name, named: true, text: true, size: d.Size, known: &d, open: func() (io.ReadCloser, error) {
					return io.NopCloser(io.NewSectionReader(t, d.Offset, d.Size)), nil
				},
			})
		}
	}
	return out
}

// from is the file or the URL that a document comes from.
func (d Document) from() string {
	switch {
	case d.Fetched != nil:
		return d.Fetched.URL
	case d.File != nil:
		return d.File.Path
	}
	return ""
}

// from is the file or the URL of a candidate.
func (c candidate) from() string {
	switch {
	case c.page != nil:
		return c.page.url
	case c.file != nil:
		return c.file.Path
	}
	return ""
}

// same reports whether a candidate is the same file, unchanged.
func (f *File) same(c candidate) bool {
	return f != nil && c.file != nil && f.Size == c.size && f.Time.Equal(c.file.Time)
}
