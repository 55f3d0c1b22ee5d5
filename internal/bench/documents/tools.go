package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/testing/likeness"
)

// patience is how long another program may take for a document.
const patience = 2 * time.Minute

// tool is a way to read documents with another program.
type tool struct {
	name    string
	program string
	kinds   []string // kinds of documents that it reads
	read    func(ctx context.Context, l *lab, path, kind string) (reading, error)
}

// tools are all ways to read documents with other programs. Several may run the same program on the same kinds: PDFs
// in the order that the program detects, by lines of the page, and in the order of the file, which is right where the
// others read across columns; numbers as stored and as displayed.
var tools = []tool{
	{
		"pdftotext", "pdftotext",
		[]string{"pdf"},
		func(ctx context.Context, _ *lab, path, _ string) (reading, error) {
			return pages(command(ctx, "pdftotext", "-enc", "UTF-8", path, "-"))
		},
	},
	{
		"pdftotext -layout", "pdftotext",
		[]string{"pdf"},
		func(ctx context.Context, _ *lab, path, _ string) (reading, error) {
			return layout(command(ctx, "pdftotext", "-enc", "UTF-8", "-layout", path, "-"))
		},
	},
	{
		"pdftotext -raw", "pdftotext",
		[]string{"pdf"},
		func(ctx context.Context, _ *lab, path, _ string) (reading, error) {
			r, err := pages(command(ctx, "pdftotext", "-enc", "UTF-8", "-raw", path, "-"))
			r.drawn = true
			return r, err
		},
	},
	{
		"LibreOffice", "soffice",
		[]string{"docx", "odt", "rtf"},
		func(ctx context.Context, l *lab, path, kind string) (reading, error) {
			return l.office(ctx, path, kind, "txt:Text (encoded):UTF8", text)
		},
	},
	{
		"LibreOffice, stored", "soffice",
		[]string{"xlsx", "ods"},
		func(ctx context.Context, l *lab, path, kind string) (reading, error) {
			return l.office(ctx, path, kind, sheetsAsCSV("false"), cells)
		},
	},
	{
		"LibreOffice, shown", "soffice",
		[]string{"xlsx", "ods"},
		func(ctx context.Context, l *lab, path, kind string) (reading, error) {
			return l.office(ctx, path, kind, sheetsAsCSV("true"), cells)
		},
	},
	{
		"LibreOffice's PDF", "soffice",
		[]string{"pptx", "odp"},
		func(ctx context.Context, l *lab, path, kind string) (reading, error) {
			return l.office(ctx, path, kind, "pdf", func(pdf []byte, err error) (reading, error) {
				if err != nil {
					return reading{}, err
				}
				file := filepath.Join(l.scratch, fmt.Sprintf("%p.pdf", &pdf))
				defer func() { _ = os.Remove(file) }()
				if err := os.WriteFile(file, pdf, 0o600); err != nil {
					return reading{}, err
				}
				return text(command(ctx, "pdftotext", "-enc", "UTF-8", file, "-"))
			})
		},
	},
	{
		"pandoc", "pandoc",
		[]string{"docx", "odt", "rtf", "html", "epub", "ipynb"},
		func(ctx context.Context, _ *lab, path, kind string) (reading, error) {
			return layout(command(ctx, "pandoc", "-f", kind, "-t", "plain", "--wrap=none", path))
		},
	},
	{
		"markitdown", "markitdown",
		[]string{"pdf", "docx", "pptx", "html", "epub", "ipynb"},
		func(ctx context.Context, _ *lab, path, _ string) (reading, error) {
			return text(command(ctx, "markitdown", path))
		},
	},
}

// sheetsAsCSV is the filter with which LibreOffice writes each sheet of a workbook to a separate file.
func sheetsAsCSV(asShown string) string {
	return "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true," + asShown + ",false,false,-1"
}

// installed returns the tools whose programs are installed, and the missing programs.
func installed() (found []tool, missing []string) {
	for _, t := range tools {
		if _, err := exec.LookPath(t.program); err == nil {
			found = append(found, t)
		} else if !slices.Contains(missing, t.program) {
			missing = append(missing, t.program)
		}
	}
	return found, missing
}

// command runs a program and returns its output.
func command(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.WaitDelay = time.Second
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		last := strings.TrimSpace(said.String())
		return nil, fmt.Errorf("%s: %w: %.200s", name, err, last[strings.LastIndex(last, "\n")+1:])
	}
	return out, nil
}

// office converts a document with LibreOffice and reads the result.
func (l *lab) office(ctx context.Context, path, kind, to string,
	read func([]byte, error) (reading, error),
) (reading, error) {
	profile := <-l.profiles
	defer func() { l.profiles <- profile }()
	dir, err := os.MkdirTemp(l.scratch, "office")
	if err != nil {
		return reading{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	data, err := os.ReadFile(path)
	if err != nil {
		return reading{}, err
	}
	file := filepath.Join(dir, "document."+kind) // LibreOffice chooses the input format by the extension
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return reading{}, err
	}
	out := filepath.Join(dir, "out")
	_, err = command(ctx, "soffice", "--headless", "-env:UserInstallation=file://"+filepath.ToSlash(profile),
		"--convert-to", to, "--outdir", out, file)
	if err != nil {
		return reading{}, err
	}
	return read(written(out))
}

// written is LibreOffice's output: one file, or one for each sheet, in the order of the sheets.
func written(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return nil, errors.New("soffice wrote no output")
	}
	when := map[string]int64{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			when[e.Name()] = info.ModTime().UnixNano()
		}
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(when[a.Name()], when[b.Name()]) })
	var all []byte
	for _, e := range entries {
		part, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(append(all, part...), '\n')
	}
	return all, nil
}

// text reads plain text.
func text(out []byte, err error) (reading, error) {
	return reading{pages: [][]string{likeness.Words(string(out))}}, err
}

// pages reads text with a form feed after each page.
func pages(out []byte, err error) (reading, error) {
	var r reading
	for page := range strings.SplitSeq(strings.TrimSuffix(string(out), "\f"), "\f") {
		r.pages = append(r.pages, likeness.Words(page))
	}
	return r, err
}

// layout reads text whose columns are aligned.
func layout(out []byte, err error) (reading, error) {
	r, err := pages(out, err)
	for page := range strings.SplitSeq(string(out), "\f") {
		r.rows = append(r.rows, likeness.PureRows(page))
	}
	return r, err
}

// cells reads sheets.
func cells(out []byte, err error) (reading, error) {
	var r reading
	var words []string
	var rows [][]string
	for _, row := range likeness.Cells(string(out)) {
		words = append(words, row...)
		if numbers := likeness.Numbers(row); len(numbers) >= 2 {
			rows = append(rows, numbers)
		}
	}
	r.rows = [][][]string{rows}
	r.pages = [][]string{words}
	return r, err
}
