package prompts_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/prompts"
)

func TestVariants(t *testing.T) {
	names, err := prompts.Variants()
	require.NoError(t, err)
	require.Equal(t, []string{prompts.Shipped, "short"}, names)
	setup := prompts.Setup{
		Names:    prompts.Names{Final: "FINAL", Query: "ask", QueryBatched: "askall"},
		Builtins: []prompts.Builtin{{Name: "ask", Doc: "ask(prompt string) string\nAsks.", Signal: false}}, Output: 100,
	}
	whole, err := prompts.Variant{}.System(setup)
	require.NoError(t, err)
	for _, name := range names {
		v, err := prompts.Named(name)
		require.NoError(t, err)
		require.NoError(t, v.Check())
		text, err := v.System(setup)
		require.NoError(t, err)
		require.Contains(t, text, "FINAL", name)
		require.Contains(t, text, "ask(prompt string) string", name)
		require.Contains(t, text, "`context`", name)
		if name != prompts.Shipped {
			require.Less(t, len(text), len(whole)/2, "%s is shorter", name)
		}
	}
	_, err = prompts.Named("long")
	require.ErrorContains(t, err, `no prompt "long": use shipped, short`)
}

// A folder's templates replace shipped ones, also where other templates include them.
func TestAFolderOfTemplates(t *testing.T) {
	v, err := prompts.Read(fstest.MapFS{
		"system.tmpl":    {Data: []byte("Write Go.\n{{template \"examples.tmpl\" .}}")},
		"examples.tmpl":  {Data: []byte("No examples.")},
		"README.md":      {Data: []byte("{{not a template")},
		"notes/bad.tmpl": {Data: []byte("{{")},
	})
	require.NoError(t, err)
	text, err := v.System(prompts.Setup{})
	require.NoError(t, err)
	require.Equal(t, "Write Go.\nNo examples.\n", text)
	ask := prompts.Question{Text: "Why?", First: true}
	own, err := v.Ask(ask)
	require.NoError(t, err)
	shipped, err := prompts.Variant{}.Ask(ask)
	require.NoError(t, err)
	require.Equal(t, shipped, own)
	files, err := v.Files()
	require.NoError(t, err)
	require.Len(t, files, 6)
	require.Equal(t, "No examples.", files["examples.tmpl"])
	after, err := prompts.Variant{}.System(prompts.Setup{})
	require.NoError(t, err)
	require.NotContains(t, after, "No examples.", "the shipped prompt stays as it was")
}

func TestBadTemplates(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"unknown file":  {"sistem.tmpl", "x", `no template "sistem.tmpl": use examples.tmpl, lastturn.tmpl`},
		"unknown field": {"system.tmpl", "{{.Nothing}}", "Nothing"},
		"in a branch":   {"system.tmpl", "{{if .Task}}{{.Nothing}}{{end}}", "Nothing"},
		"for children":  {"system.tmpl", "{{if .Child}}{{.Nothing}}{{end}}", "Nothing"},
		"in a review":   {"question.tmpl", "{{if .Review}}{{.Nothing}}{{end}}", "Nothing"},
		"of documents": {
			"question.tmpl", "{{with .Facts}}{{range .Documents}}{{.Nothing}}{{end}}{{end}}",
			"Nothing",
		},
		"of a recap":      {"recap.tmpl", "{{if .Mechanical}}{{.Nothing}}{{end}}", "Nothing"},
		"syntax":          {"lastturn.tmpl", "{{if}}", "lastturn.tmpl"},
		"unknown func":    {"summarise.tmpl", "{{shout .Words}}", "shout"},
		"never ends":      {"system.tmpl", `{{template "system.tmpl" .}}`, "exceeded maximum template depth"},
		"nothing at all":  {"notes.txt", "x", "no template in it"},
		"unknown include": {"system.tmpl", `{{template "more.tmpl" .}}`, "more.tmpl"},
	} {
		_, err := prompts.Read(fstest.MapFS{c.file: {Data: []byte(c.text)}})
		require.ErrorContains(t, err, c.want, name)
	}
	require.ErrorContains(t, prompts.Variant{"other.tmpl": "x"}.Check(), "no template")
}
