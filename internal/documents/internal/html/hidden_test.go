package html_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/html"
)

// TestPagesThatScriptsShow: if nearly everything is hidden until a script runs, the hidden content is converted.
func TestPagesThatScriptsShow(t *testing.T) {
	words := strings.Repeat("words of the story ", 40)
	for name, c := range map[string]struct{ page, want, note string }{
		"a frame that is shown later": {
			"<html><body><p>Menu</p><div style='display: none'><script>var x</script><h1>Story</h1><p>" + words +
				"</p></div></body></html>",
			"Menu\n\n# Story\n\n" + strings.TrimSpace(words) + "\n",
			"most of the page is hidden until a script shows it, or shown without scripts, and was read",
		},
		"a page for readers without scripts": {
			"<html><body><div id=app></div><noscript><h1>Story</h1><p>" + words + "</p></noscript></body></html>",
			"# Story\n\n" + strings.TrimSpace(words) + "\n",
			"most of the page is hidden until a script shows it, or shown without scripts, and was read",
		},
		"a picture for readers without scripts": {
			"<html><body><p>" + words + "</p><noscript><p>" + words + "</p></noscript></body></html>",
			strings.TrimSpace(words) + "\n", "",
		},
		"a hidden menu": {
			"<html><body><p>" + words + "</p><div hidden>" + words + words + "</div></body></html>",
			strings.TrimSpace(words) + "\n", "",
		},
		"frames": {
			"<html><frameset cols='1,2'><frame name=menu src=menu.html><frame src='text.html'><noframes><body><p>See <b>the</b> menu.</p></body></noframes></frameset></html>",
			"Frame menu: menu.html\n\nFrame: text.html\n\nSee the menu.\n", "",
		},
	} {
		doc, err := formattest.Convert(t.Context(), html.Convert, "a.html", []byte(c.page))
		require.NoError(t, err, name)
		require.Equal(t, c.want, doc.Text, name)
		require.Equal(t, c.note, strings.Join(doc.Notes, "; "), name)
	}
}

// TestHiddenItemsWithoutEndTags: the next item or the end of the list ends what is hidden.
func TestHiddenItemsWithoutEndTags(t *testing.T) {
	words := strings.Repeat("words of the story ", 10)
	for page, want := range map[string]string{
		"<ruby>漢<rp>(<rt>kan<rp>)</ruby> after":                                               "漢(kan) after",
		"<ul><li hidden>a<li>b</ul>after<ul><li>c</li></ul>":                                  "- b\n\nafter\n\n- c",
		"<ul><li hidden>a<ul><li>in</li></ul>out<li>b</ul>":                                   "- b",
		"<table><tr hidden><td>a<tr><td>b</table>after":                                       "b\n\nafter",
		"<table><tr><td hidden>a<td>b<tr><td>c</table>after":                                  "b\n\nc\n\nafter",
		"<table><tr hidden><td><table><tr><td>in</table><td>x</table>aft":                     "aft",
		"<dl><dt hidden>a<dd>b</dl>after":                                                     ": b\n\nafter",
		"<select><option hidden>pick<option>red</select>after":                                "red\n\nafter",
		"<div><p hidden>a</div>after":                                                         "after",
		"<p>in <template>no</template><template shadowrootmode=open>the shadow</template>":    "in the shadow",
		"<p>Name <input value=Ann><input type=hidden value=x>, <input type=radio checked>yes": "Name Ann , [x] yes",
	} {
		doc, err := formattest.Convert(t.Context(), html.Convert, "a.html", []byte("<html><body><p>"+words+"</p>"+page))
		require.NoError(t, err)
		require.Equal(t, want, strings.TrimSpace(strings.TrimPrefix(doc.Text, strings.TrimSpace(words))), page)
	}
}

// TestUTF8WhateverThePageSays: a page that was saved as UTF-8 may still declare its old encoding.
func TestUTF8WhateverThePageSays(t *testing.T) {
	const text = "深度学习的新闻与评论，今天发布了一个新的模型。"
	for _, label := range []string{"gb2312", "gbk", "big5", "shift_jis", "euc-kr", "windows-1252", "koi8-r"} {
		doc, err := formattest.Convert(t.Context(), html.Convert, "a.html",
			[]byte("<html><head><meta charset="+label+"></head><body><p>"+text+"</p></body></html>"))
		require.NoError(t, err)
		require.Equal(t, text+"\n", doc.Text, label)
	}
	doc, err := formattest.Convert(t.Context(), html.Convert, "a.html",
		[]byte("<html><head><meta charset=gb2312></head><body><p>\xc4\xe3\xba\xc3</p></body></html>"))
	require.NoError(t, err)
	require.Equal(t, "你好\n", doc.Text)
}

// TestGuessedEncodingsOfPages: the text of a page without a known declared encoding has a note on the guessed one;
// other pages have no note.
func TestGuessedEncodingsOfPages(t *testing.T) {
	for page, want := range map[string][2]string{
		"<p>M\x81nchen und K\x94ln</p>":                          {"München und Köln\n", "encoding guessed: cp850"},
		"<p>caf\xe9</p>":                                         {"café\n", "encoding guessed: windows-1252"},
		"<meta charset=iso-8859-1><p>caf\xe9</p>":                {"café\n", ""},
		"<meta charset=ibm437><p>caf\x82</p>":                    {"café\n", ""},
		"<meta charset=cp850><p>M\x9alange \x9f\xd5</p>":         {"MÜlange ƒı\n", ""},
		"<meta charset=x-nothing-at-all><p>f\x9fr M\x9fller</p>": {"für Müller\n", "encoding guessed: macintosh"},
	} {
		doc, err := formattest.Convert(t.Context(), html.Convert, "a.html",
			[]byte("<html><head></head><body>"+page+"</body></html>"))
		require.NoError(t, err)
		require.Equal(t, want, [2]string{doc.Text, strings.Join(doc.Notes, "; ")}, "%q", page)
	}
}
