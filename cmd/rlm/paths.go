package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/gorlm/rlm/internal/front/terminal/input"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/runner"
)

// inputs returns the sources of a context: files, folders, patterns, URLs, and stdin for "-". Without paths, stdin is
// the source unless it is a terminal. stdinTaken means that stdin is used for something else, such as the question.
func (std streams) inputs(paths []string, stdinTaken bool) ([]runner.Input, error) {
	paths, err := expanded(paths)
	if err != nil {
		return nil, err
	}
	var inputs []runner.Input
	names := files.ShortNames(paths)
	for i, p := range paths {
		switch {
		case p == "-" && stdinTaken:
			return nil, wrongUsage("- is given twice, but stdin can be read only once")
		case p == "-":
			stdinTaken = true
			inputs = append(inputs, runner.Reader("stdin", std.stdin()))
		default:
			inputs = append(inputs, inputAt(p, names[i]))
		}
	}
	if len(paths) == 0 && !stdinTaken && !isTerminal(std.in) {
		inputs = append(inputs, runner.Reader("stdin", std.stdin()))
	}
	return inputs, nil
}

// expanded returns the paths and URLs on a command line with patterns replaced by the files that match. If there is
// nothing readable, the error is one of wrong usage.
func expanded(paths []string) (all []string, err error) {
	for _, p := range paths {
		switch {
		case p == "":
			err = wrongUsage("a path is empty")
		case p == "-":
		case isURL(p):
			if err = runner.CheckURL(p); err != nil {
				err = wrongUsage("%w", err)
			}
		case isPattern(p):
			matched, err := files.Glob(p)
			if err != nil {
				return nil, wrongUsage("%w", err)
			}
			all = append(all, matched...)
			continue
		default:
			err = readable(p)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// inputAt returns the input for a path or a URL. An absolute path is named by name, because others may see the names
// of documents once the run or session is shared, but not where they lie.
func inputAt(path, name string) runner.Input {
	switch {
	case isURL(path):
		return runner.URL(path)
	case filepath.IsAbs(path):
		return runner.Path(path).As(name)
	}
	return runner.Path(path)
}

// readable opens a file or a folder to check its permissions. It does not open pipes and devices, because that may
// block or consume data.
func readable(path string) error {
	info, err := os.Stat(path)
	if err == nil && (info.Mode().IsRegular() || info.IsDir()) {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			err = f.Close()
		}
	}
	return notOpened(path, err)
}

// notOpened explains why a file or a folder cannot be opened, and suggests the one that was probably meant.
func notOpened(path string, err error) error {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wrongUsage("there is no file or folder %q%s", path, screen.PathMeant(path))
	case errors.As(err, &at):
		return wrongUsage("cannot read %q: %w", path, at.Err)
	}
	return err
}

// readText reads a text from a file, or from stdin if named is "-". It returns when ctx is done, because the writer
// of a pipe may never finish.
func (std streams) readText(ctx context.Context, named string) (string, error) {
	return input.Read(ctx, func() (string, error) {
		if named != "-" {
			return readNamed(named)
		}
		text, err := decoding.Text(std.stdin())
		if err != nil {
			return "", wrongUsage("standard input: %w", err)
		}
		return text, nil
	})
}

// readNamed reads a named text file.
func readNamed(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", notOpened(path, err)
	}
	defer f.Close() // nothing was written
	text, err := decoding.Text(f)
	if err != nil {
		return "", wrongUsage("%s: %w", path, err)
	}
	return text, nil
}

// isURL reports whether an argument is a URL, even with an unsupported scheme, rather than the name of an existing
// file.
func isURL(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	if !ok || scheme == "" || strings.ContainsAny(scheme, "/.*?[{ ") {
		return false
	}
	_, err := os.Lstat(path)
	return err != nil
}

// isPattern reports whether a path is a pattern rather than the name of an existing file.
func isPattern(path string) bool {
	if _, err := os.Lstat(path); err == nil {
		return false
	}
	return strings.ContainsAny(path, "*?[{")
}

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// silentInput is how long stdin may be silent before a message reports that it is being read.
const silentInput = 2 * time.Second

// stdin returns standard input. If it is neither a terminal nor a file, the user may not know that it is read, so a
// message is printed when it stays silent.
func (std streams) stdin() io.Reader {
	if f, ok := std.in.(*os.File); ok {
		if info, err := f.Stat(); isTerminal(f) || err == nil && info.Mode().IsRegular() {
			return f
		}
	}
	return &pipedInput{Reader: std.in, mention: sync.OnceFunc(func() {
		fmt.Fprintln(std.err, "rlm: waiting for the end of standard input; if you did not mean to use it, name a path or redirect it: < /dev/null")
	})}
}

type pipedInput struct {
	io.Reader
	mention func()
}

func (p *pipedInput) Read(b []byte) (int, error) {
	defer time.AfterFunc(silentInput, p.mention).Stop()
	return p.Reader.Read(b)
}

// unread prints a note if stdin has data that the command does not read. It does so immediately, before anything is
// paid for, and when again is called at the end, because the writer may be slow. It neither reads stdin nor waits.
// instead describes how to make the command read it.
func (std streams) unread(quiet bool, instead string) (again func()) {
	note := sync.OnceFunc(func() {
		const says = "rlm: note: standard input contains data, but it is not read here: "
		std.tell(displayFlags{quiet: quiet}, says+instead)
	})
	again = func() {
		if f, ok := std.in.(*os.File); ok && input.HoldsUnread(f) {
			note()
		}
	}
	again()
	return again
}
