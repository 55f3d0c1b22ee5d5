// Command documents compares what the project and other programs read in folders of documents: pdftotext,
// LibreOffice, pandoc and markitdown, if installed.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/gorlm/rlm/internal/documents"
)

func main() {
	asJSON := flag.Bool("json", false, "write JSON with the figures of every file instead of a table")
	goldFile := flag.String("gold", "",
		"search pages for the strings that `FILE` expects in them, which is scripts/comparison/data.go\n"+
			"of go-trafilatura; the pages are in its test-files/comparison")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: %s [--json] [--gold FILE] FOLDER…\n", filepath.Base(os.Args[0]))
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, flag.Args(), *goldFile, *asJSON, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "documents:", err)
		os.Exit(1)
	}
}

// run compares all files in folders, and their text with the strings in goldFile if that is given, and writes the
// report.
func run(ctx context.Context, folders []string, goldFile string, asJSON bool, w io.Writer) error {
	files, err := filesIn(folders)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no files in %s", strings.Join(folders, ", "))
	}
	lab, err := openLab()
	if err != nil {
		return err
	}
	defer lab.close()
	if goldFile != "" {
		if lab.gold, err = readGold(goldFile); err != nil {
			return err
		}
	}
	compared := make([]File, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		group.Go(func() error {
			compared[i], err = lab.compare(ctx, file)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	report := newReport(lab, compared)
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(report)
	}
	_, err = io.WriteString(w, report.table())
	return err
}

// filesIn returns the files in folders, without hidden ones. A folder may also be a file.
func filesIn(folders []string) ([]string, error) {
	var files []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path != folder && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return filepath.SkipDir
				}
			case d.Type().IsRegular():
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list the files to compare: %w", err)
		}
	}
	return files, nil
}

// lab holds the project's pool, the other programs, and a folder for their output.
type lab struct {
	pool     *documents.Pool
	tools    []tool
	missing  []string
	gold     map[string]gold // strings of pages, by file name
	scratch  string
	profiles chan string // LibreOffice's profiles; each converts one file at a time
}

func openLab() (*lab, error) {
	scratch, err := os.MkdirTemp("", "rlm-documents-")
	if err != nil {
		return nil, fmt.Errorf("create a folder for the output of other programs: %w", err)
	}
	l := &lab{pool: documents.NewPool(documents.Options{}), scratch: scratch}
	l.tools, l.missing = installed()
	l.profiles = make(chan string, runtime.GOMAXPROCS(0))
	for i := range cap(l.profiles) {
		l.profiles <- filepath.Join(scratch, fmt.Sprintf("profile%d", i))
	}
	return l, nil
}

func (l *lab) close() {
	_ = l.pool.Close()
	_ = os.RemoveAll(l.scratch)
}
