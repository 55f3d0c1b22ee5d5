package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner"
	"github.com/spf13/pflag"
)

// promptFlag is the flag of the words in which a model is told.
func (a *app) promptFlag(f *pflag.FlagSet) {
	f.StringVar(&a.set.Prompt, "prompt", a.set.Prompt, "words in which the model is told: "+promptNames()+", or a folder of templates ('rlm prompt --write')")
}

// promptNames lists the prompts that come with the program.
func promptNames() string {
	names, err := prompts.Variants()
	if err != nil {
		return prompts.Shipped
	}
	return strings.Join(names, ", ")
}

// prompt is the variant that --prompt names: one that comes with the program, or a folder.
func (s settings) prompt() (prompts.Variant, error) {
	v, err := prompts.Named(cmp.Or(s.Prompt, prompts.Shipped))
	if err == nil {
		return v, nil
	}
	info, statErr := os.Stat(s.Prompt)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return nil, wrongUsage("%w", err)
	case statErr != nil:
		return nil, wrongUsage("--prompt: %w", statErr)
	case !info.IsDir():
		return nil, wrongUsage("--prompt %s: it is a file; name the folder that holds the templates", s.Prompt)
	}
	if v, err = prompts.Read(os.DirFS(s.Prompt)); err != nil {
		return nil, wrongUsage("--prompt %s: %w", s.Prompt, err)
	}
	return v, nil
}

// ending are the options that say when a run ends, and in which words the model is told of it.
func (s settings) ending() ([]runner.Option, error) {
	policy, err := s.stopPolicy()
	if err != nil {
		return nil, err
	}
	words, err := s.prompt()
	if err != nil {
		return nil, err
	}
	return []runner.Option{runner.WithPolicy(policy), runner.WithPrompts(words)}, nil
}

// writePrompt writes the templates into a folder.
func (a *app) writePrompt(dir string) error {
	words, err := a.set.prompt()
	if err != nil {
		return err
	}
	files, err := words.Files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return wrongUsage("--write: %w", err)
	}
	for name := range files {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return wrongUsage("--write %s: it has a %s already", dir, name)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing the templates: %w", err)
		}
	}
	fmt.Fprintf(a.err, "wrote %d templates into %s\n", len(files), dir)
	return nil
}
