// Command foreign checks that the module, including its tests, compiles for systems other than this one, and runs
// vet's analyzers over the packages that have files for those systems only:
//
//	go run ./internal/testing/foreign linux/arm64 darwin/arm64 windows/amd64
//
// It type-checks all packages and their imports from source. Compiling them, as go vet does for another system,
// takes ten times as long with an empty cache and finds nothing more.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: foreign OS/ARCH…") }
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	failed := false
	for _, system := range flag.Args() {
		if err := check(".", system); err != nil {
			fmt.Fprintf(os.Stderr, "%s:\n%v\n", system, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check returns an error that lists everything in dir's module that does not compile for a system; if all of it
// compiles, vet's findings.
func check(dir, system string) error {
	goos, arch, ok := strings.Cut(system, "/")
	if !ok {
		return fmt.Errorf("%q is no system: write OS/ARCH, such as linux/arm64", system)
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule,
		Tests: true,
		Dir:   dir,
		Env:   append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		return fmt.Errorf("load the packages: %w", err)
	}
	if err := errors.Join(typeErrors(pkgs)...); err != nil {
		return err
	}
	return vet(withFilesOfTheirOwn(pkgs))
}

// typeErrors lists the errors of all packages and their imports, without duplicates.
func typeErrors(pkgs []*packages.Package) (errs []error) {
	seen := map[string]bool{}
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if text := e.Error(); !seen[text] {
				seen[text] = true
				errs = append(errs, e)
			}
		}
	})
	return errs
}

// withFilesOfTheirOwn returns the packages that have files which are not built on this system.
func withFilesOfTheirOwn(pkgs []*packages.Package) (own []*packages.Package) {
	for _, p := range pkgs {
		for _, file := range p.GoFiles {
			if !builtHere(file) {
				own = append(own, p)
				break
			}
		}
	}
	return own
}

// vet runs the analyzers over packages and returns their findings as an error.
func vet(pkgs []*packages.Package) error {
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		return fmt.Errorf("analyze the packages: %w", err)
	}
	var errs []error
	for _, act := range graph.Roots {
		if act.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", act, act.Err))
		}
		for _, d := range act.Diagnostics {
			errs = append(errs, finding(act, d))
		}
	}
	return errors.Join(errs...)
}

func finding(act *checker.Action, d analysis.Diagnostic) error {
	return fmt.Errorf("%s: %s (%s)", act.Package.Fset.Position(d.Pos), d.Message, act.Analyzer.Name)
}

// builtHere reports whether a file is built on this system.
func builtHere(file string) bool {
	ok, err := build.Default.MatchFile(filepath.Split(file))
	return ok && err == nil
}
