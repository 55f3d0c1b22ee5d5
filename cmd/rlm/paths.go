package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/gorlm/rlm/runner"
)

// inputs are what the context is made from: files, folders, patterns, URLs, and stdin, which is - or what is left where no path is
// given. stdinTaken says that stdin holds something else.
func (a *app) inputs(paths []string, stdinTaken bool) ([]runner.Input, error) {
	var inputs []runner.Input
	for _, p := range paths {
		switch {
		case p == "-" && stdinTaken:
			return nil, wrongUsage("- is named twice, but stdin can be read once")
		case p == "-":
			stdinTaken = true
			inputs = append(inputs, runner.Reader("stdin", a.in))
		default:
			more, err := files(p)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, more...)
		}
	}
	if len(paths) == 0 && !stdinTaken && !isTerminal(a.in) {
		inputs = append(inputs, runner.Reader("stdin", a.in))
	}
	return inputs, nil
}

// files are the inputs that a path, a pattern or a URL of the command line means. One that means nothing that can be read is wrong usage.
func files(path string) ([]runner.Input, error) {
	switch {
	case path == "":
		return nil, wrongUsage("a path is empty")
	case isURL(path):
		if err := runner.CheckURL(path); err != nil {
			return nil, wrongUsage("%w", err)
		}
		return []runner.Input{runner.URL(path)}, nil
	case isPattern(path):
		matched, err := runner.Glob(path)
		if err != nil {
			return nil, wrongUsage("%w", err)
		}
		return matched, nil
	}
	if err := readable(path); err != nil {
		return nil, err
	}
	return []runner.Input{runner.Path(path)}, nil
}

// readable opens a file or a folder to see whether that is allowed. A pipe or a device is left alone: opening it may wait or take something.
func readable(path string) error {
	info, err := os.Stat(path)
	if err == nil && (info.Mode().IsRegular() || info.IsDir()) {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			err = f.Close()
		}
	}
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wrongUsage("there is no file or folder %q: check the path", path)
	case errors.As(err, &at):
		return wrongUsage("cannot read %q: %w", path, at.Err)
	}
	return err
}

// readNamed reads a file that the command line names.
func readNamed(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, wrongUsage("%w", err)
	}
	return data, nil
}

// isURL reports whether an argument is meant as a URL, also of a kind that is not fetched, and no file is called so.
func isURL(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	if !ok || scheme == "" || strings.ContainsAny(scheme, "/.*?[{ ") {
		return false
	}
	_, err := os.Lstat(path)
	return err != nil
}

// isPattern reports whether a path that does not exist as it stands is a pattern of several.
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
