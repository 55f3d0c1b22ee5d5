package licences_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/cmd/rlm/internal/licences"
)

// Every module linked into the program is listed, with its version and a licence text.
func TestEveryLinkedModuleHasItsLicence(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, licences.Write(&b))
	texts := map[string]string{}
	for section := range strings.SplitSeq(b.String(), "\n"+strings.Repeat("=", 80)+"\n\n") {
		modules, text, _ := strings.Cut(section, "\n\n")
		for module := range strings.SplitSeq(modules, "\n") {
			texts[module] = text
		}
	}
	cmd := exec.Command("go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "github.com/gorlm/rlm/cmd/rlm")
	out, err := cmd.Output()
	require.NoError(t, err)
	modules := 0
	for line := range strings.Lines(string(out)) {
		if module := strings.TrimSpace(line); module != "" {
			require.Contains(t, strings.ToLower(texts[module]), "copyright",
				"%s: go generate ./cmd/rlm/internal/licences", module)
			modules++
		}
	}
	require.Greater(t, modules, 50)
	require.Contains(t, texts["Adobe's mapping resources for PDF"], "Adobe. All rights reserved")
}
