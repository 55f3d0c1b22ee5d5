package pdf

import (
	"bytes"
	"time"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

const maxAttachments = 1000

// attachments passes the embedded files to the output.
func (d *document) attachments() error {
	names := d.file.Dict(d.file.Root()["Names"])
	queue, seen, count := []any{names["EmbeddedFiles"]}, 0, 0
	for len(queue) > 0 && seen < maxAttachments {
		node := d.file.Dict(queue[0])
		queue = queue[1:]
		seen++
		if kids := d.file.Array(node["Kids"]); len(queue)+len(kids) < maxAttachments {
			queue = append(queue, kids...)
		}
		list := d.file.Array(node["Names"])
		for i := 0; i+1 < len(list) && count < maxAttachments; i += 2 {
			count++
			if err := d.attachment(d.file.Dict(list[i+1]), d.file.String(list[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *document) attachment(spec syntax.Dict, key syntax.String) error {
	name := key
	for _, k := range []syntax.Name{"UF", "F"} {
		if s := d.file.String(spec[k]); s != "" {
			name = s
			break
		}
	}
	path := textString(name[:min(len(name), 1<<10)])
	files := d.file.Dict(spec["EF"])
	s := d.file.Stream(files["UF"])
	if s == nil {
		s = d.file.Stream(files["F"])
	}
	if s == nil {
		return nil
	}
	data, err := d.file.Data(s)
	if err != nil {
		return d.out.Skip(path, err.Error())
	}
	return d.out.Member(path, time.Time{}, bytes.NewReader(data))
}
