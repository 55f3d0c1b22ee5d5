package html_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/html"
)

// TestWhatStandsBesideTheTextIsMarked: asides follow as a separate part, and no text is lost.
func TestWhatStandsBesideTheTextIsMarked(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("Words of the story. ", 30))
	for name, c := range map[string]struct{ page, text, beside string }{
		"elements": {
			"<nav>Home</nav><p>" + text + "</p><aside>Most read</aside><footer>Imprint</footer>",
			text, "Home\n\nMost read\n\nImprint",
		},
		"roles": {
			"<div role=navigation>Home</div>" + text + "<div role=contentinfo>Imprint</div>", text,
			"Home\n\nImprint",
		},
		"classes": {"<div class='post-sidebar wide'>Tags</div><p>" + text +
			"</p><div id=relatedPosts><p>More</p><p>Other</p></div>", text, "Tags\n\nMore\n\nOther"},
		"a head": {"<header><p>Daily News</p></header><article><header><h1>Fire</h1></header>" + text +
			"</article>", "# Fire\n\n" + text, "Daily News"},
		"within main": {
			"<p>Top</p><main>" + text + "<div class=share>Share it</div> The end.</main>",
			text + "\n\nThe end.", "Top\n\nShare it",
		},
		"in each other": {
			text +
				"<div class=comments><div>One <div class=share>like</div></div><div>Two</div></div>end", text + "\n\nend",
			"One\n\nlike\n\nTwo",
		},
		"one after other": {
			text + "<nav>Home</nav><aside>Most read</aside><p>end", text + "\n\nend",
			"Home\n\nMost read",
		},
		"main never shut": {
			"<nav>Home</nav>Top<main><p hidden>no<div class=share>Like</div>" + text, text,
			"Home\n\nTop\n\nLike",
		},
		"in an open link": {"<a href=/a>One<nav><a href=/b>Home</nav> " + text, "[One](/a)\n\n" + text, "[Home](/b)"},
		"a list":          {"<ul class=breadcrumb><li>Home<li>News</ul><p>" + text, text, "- Home\n- News"},
		"tables around it": {
			"<table><tr><td><div class=menu>Home</div></td><td>" + text + "</td></tr></table>", text,
			"Home",
		},
		"a word of another": {"<div class='admission reshares'>In</div>" + text, "In\n\n" + text, ""},
		"most of the page":  {"<div class='sidebar-page'>" + text + "</div><p>end", text + "\n\nend", ""},
		"around main":       {"<div class=sidebar><main>" + text + "</main></div>", text, ""},
		"never shut":        {"<p>" + text + "</p><div class=menu><p>Home</p>", text + "\n\nHome", ""},
		"nothing else":      {"<nav>Home page</nav><footer>Imprint 1</footer>", "Home page\n\nImprint 1", ""},
		"empty":             {"<nav></nav>" + text, text, ""},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := formattest.Convert(t.Context(), html.Convert, "a.html", []byte("<!doctype html><body>"+c.page))
			require.NoError(t, err)
			require.Empty(t, doc.Notes)
			if c.beside == "" {
				require.Empty(t, doc.Parts)
				require.Equal(t, c.text+"\n", doc.Text)
				return
			}
			require.Len(t, doc.Parts, 2)
			require.Equal(t, format.Main, doc.Parts[0].Kind)
			require.Equal(t, c.text, strings.TrimSpace(doc.Parts[0].Text))
			require.Equal(t, format.Aside, doc.Parts[1].Kind)
			require.Equal(t, c.beside, strings.TrimSpace(doc.Parts[1].Text))
		})
	}
}
