// Command gen collects the licences of the modules linked into rlm from the module cache, and writes
// licences.txt.gz.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	modules, err := linked()
	if err != nil {
		return err
	}
	of := map[string][]string{} // names of modules by the text of their licences
	for name, dir := range modules {
		text, err := licence(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		of[text] = append(of[text], name)
	}
	var sections []string
	for text, names := range of {
		slices.Sort(names)
		sections = append(sections, strings.Join(names, "\n")+"\n\n"+text)
	}
	slices.Sort(sections)
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if _, err := w.Write([]byte(strings.Join(sections, "\n"+strings.Repeat("=", 80)+"\n\n"))); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile("licences.txt.gz", packed.Bytes(), 0o644)
}

// linked returns the folders of all modules linked into rlm on any system, of Go itself and of the mapping
// resources for PDF, by name and version.
func linked() (map[string]string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go: %w", err)
	}
	modules := map[string]string{
		"Go " + runtime.Version():           strings.TrimSpace(string(out)),
		"Adobe's mapping resources for PDF": "../../../../internal/documents/internal/pdf/internal/font/collections",
	}
	const each = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", each, "github.com/gorlm/rlm/cmd/rlm")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("list the modules for %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			if name, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				modules[name] = dir
			}
		}
	}
	return modules, nil
}

var names = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.(txt|md))?$`)

// licence returns the texts of all licences and notices in the top folder of a module.
func licence(dir string) (string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, f := range files {
		if !names.MatchString(f.Name()) || !f.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return "", err
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))+"\n")
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("no licence in %s", dir)
	}
	return strings.Join(texts, "\n"), nil
}
