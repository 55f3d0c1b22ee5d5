package html_test

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/html"
)

func markdown(t *testing.T, page string) string {
	t.Helper()
	var b bytes.Buffer
	_, err := html.Markdown(context.Background(), strings.NewReader(page), &b)
	require.NoError(t, err)
	return strings.TrimSuffix(b.String(), "\n")
}

func lines(l ...string) string { return strings.Join(l, "\n") }

func TestMarkdown(t *testing.T) {
	for name, c := range map[string]struct{ page, want string }{
		"paragraphs":      {"<p>One\n  two<p>Three<br>four</p>", "One two\n\nThree\nfour"},
		"headings":        {"<h1> Title </h1><h3>Sub <em>x</em></h3>text", "# Title\n\n### Sub x\n\ntext"},
		"entities":        {"<p>a &lt; b &amp; c &eacute; &#8364; &#x1F600;&nbsp;x</p>", "a < b & c é € 😀 x"},
		"inline elements": {"<p>one <b>two</b>three <i>four</i>.</p>", "one twothree four."},
		"link": {
			`<p>see <a href="https://e.org/a(b)">the <b>page</b></a>.</p>`,
			"see [the page](https://e.org/a%28b%29).",
		},
		"relative and base": {
			`<base href="https://e.org/d/"><a href="x.html">x</a> <a href="/y">y</a>`,
			"[x](x.html) [y](/y)",
		},
		"links without use":  {`<a href="#top">top</a> <a href="javascript:x()">js</a> <a name=n></a><a href=u></a>end`, "top js end"},
		"link around blocks": {`<a href="u"><h2>News</h2><p>of today</p></a><p>next`, "## [News of today](u)\n\nnext"},
		"unclosed links":     {`<a href=1>one <a href=2>two</a> three`, "[one](1) [two](2) three"},
		"image": {
			`<img src="a.png" alt="A  cat"><img src="b.png"> <a href=u><img src=c alt=logo></a>`,
			"![A cat](a.png) [logo](u)",
		},
		"list": {
			"<ul><li>one<li>two <ul><li>in</ul><li>three</ul>after",
			"- one\n- two\n  - in\n- three\n\nafter",
		},
		"numbered":           {"<ol start=3><li>c<li>d<li value=9>i<ul><li>x</ul></ol>", "3. c\n4. d\n9. i\n  - x"},
		"list of paragraphs": {"<ul><li><p>one</p><p>more</p></li><li><p>two</p></li></ul>", "- one\n\n  more\n- two"},
		"lettered": {
			"<p>x</p><ol type=a start=26><li>z<li>aa</ol><ol type=I><li value=4>four</ol>",
			"x\n\nz. z\naa. aa\n\nIV. four",
		},
		"footnote": {"<p>x.<a href='#fn1'><sup>1</sup></a> y</p>", "x.[1] y"},
		"quote":    {"<p>a</p><blockquote><p>b</p><p>c</p></blockquote>d", "a\n\n> b\n>\n> c\n\nd"},
		"definitions": {
			"<dl><dt>Go<dd>a language<dt>C<dd>another</dl>end",
			"Go\n: a language\n\nC\n: another\n\nend",
		},
		"code":          {"<p>use <code>x  y</code></p><pre><code class='language-go'>if a {\n\n\tb()\n}\n</code></pre>", "use `x y`\n\n```go\nif a {\n\n\tb()\n}\n```"},
		"fence in code": {"<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"},
		"hidden":        {`<script>var x="<p>no</p>"</script><style>p{}</style><p hidden>no<p>yes</p><div style="color:red; Display: none !important">no <div>no</div></div><template><p>no</template><span aria-hidden=true>no</span><noscript>no</noscript><svg><title>no</title><text>no</text></svg>!`, "yes\n\n!"},
		"powers": {
			"<p>10<sup>6</sup> m<sup>-1</sup>, H<sub>2</sub>O, note<sup><a href=#n>1</a></sup>",
			"10^6 m^-1, H2O, note[1]",
		},
		"formula":          {"<p>is <math><semantics><mrow><mi>r</mi><mo>=</mo><mn>2.08</mn><msqrt><mi>h</mi></msqrt></mrow><annotation>r</annotation></semantics></math>.", "is r=2.08√(h)."},
		"fractions":        {"<math><mfrac>\n<mn>1</mn>\n<mn>2</mn>\n</mfrac><mo>+</mo><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac></math> x", "1/2+(a+b)/c x"},
		"exponents":        {"<math><msup><mi>x</mi><mn>2</mn></msup><msub><mi>a</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mroot><mi>y</mi><mn>3</mn></mroot></math>", "x^2a_(ij)root(y, 3)"},
		"sums":             {"<math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mover><mi>x</mi><mo>¯</mo></mover></math>", "∑_(i=1)^nx¯"},
		"matrix":           {"<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable></math>", "1, 2; 3, 4"},
		"unclosed formula": {"<p><math><mfrac><mn>1</mn><mn>2</mn><p>on 10<sup>6</sup></p></msqrt></math></mfrac><p>end", "1/2\n\non 10^6\n\nend"},
		"checkboxes": {
			"<ul><li><input type=checkbox checked> a<li><input type=checkbox> b</ul>",
			"- [x] a\n- [ ] b",
		},
		"ruby":  {"<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>", "漢字(かんじ)"},
		"table": {"<table><thead><tr><th>Name<th>Costs<tbody><tr><td>A|B<td>1,5<tr><td><p>two</p><p>lines</p><td></table>x", lines("| Name | Costs |", "| --- | --- |", `| A\|B | 1,5 |`, "| two lines |  |", "", "x")},
		"table without th": {
			"<table><tr><td>a<td>b<tr><td>c<td>d</table>",
			lines("| a | b |", "| --- | --- |", "| c | d |"),
		},
		"table of numbers": {
			"<table><tr><td>a<td>1<tr><td>c<td>2</table>",
			lines("|  |  |", "| --- | --- |", "| a | 1 |", "| c | 2 |"),
		},
		"span to the end": {"<table><tr><td>a<td>b<tr><td rowspan=0>c<td>d<tr><td>e<tr><td>f</table>", lines("| a | b |", "| --- | --- |", "| c | d |", "|  | e |", "|  | f |")},
		"spans":           {"<table><tr><th rowspan=2>Y<th colspan=2>Sales<tr><th>EU<th>US<tr><td rowspan=2>25<td>1<td>2<tr><td>3<td>4</table>", lines("| Y | Sales | Sales |", "| --- | --- | --- |", "| Y | EU | US |", "| 25 | 1 | 2 |", "|  | 3 | 4 |")},
		"span of a title": {
			"<table><tr><td colspan=99>T<tr><td>a<td>b</table>",
			lines("| T |  |", "| --- | --- |", "| a | b |"),
		},
		"caption": {
			"<table><caption>Tab. 1</caption><tr><th>a<th>b</table>",
			lines("Tab. 1", "", "| a | b |", "| --- | --- |"),
		},
		"lists side by side": {"<table><tr><td><ul><li>a</li><li>b</li></ul></td><td><ul><li>c</li></ul></td></tr></table>", lines("- a", "- b", "", "- c")},
		"lists in fields": {
			"<table><tr><td>x<td><ul><li>a</li><li>b</li></ul><tr><td>y<td>c</table>",
			lines("| x | - a - b |", "| --- | --- |", "| y | c |"),
		},
		"layout":     {"<table><tr><td><h1>Hi</h1><p>text</p></td><td><table><tr><th>a<th>b<tr><td>1<td>2</table></td></tr></table>", lines("# Hi", "", "text", "", "| a | b |", "| --- | --- |", "| 1 | 2 |")},
		"one column": {"<table><tr><td>one<tr><td>two</table>", "one\n\ntwo"},
		"table in a list": {
			"<ul><li>x<table><tr><th>a<th>b<tr><td>c<td>d</table></ul>",
			lines("- x", "", "  | a | b |", "  | --- | --- |", "  | c | d |"),
		},
		"xhtml":               {`<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body><a id="x"/><p>Text</p></body></html>`, "Text"},
		"closing tags alone":  {"</ul></table></td></a></h1></blockquote>text</p></div>", "text"},
		"comments and broken": {"a<!-- no --> b <!doctype x> c < d <3 <b", "a b c < d <3"},
		"no break space":      {"<p>1&nbsp;000</p>", "1 000"},
		"options":             {"<select><option>a<option>b</select>", "a\nb"},
		"details":             {"<details><summary>More</summary><p>text</p></details>", "More\n\ntext"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, markdown(t, c.page)) })
	}
}

func TestConvertReadsTheHead(t *testing.T) {
	doc, err := formattest.Convert(t.Context(), html.Convert, "a.html", []byte(`<!doctype html><html lang="de"><head><meta charset="iso-8859-1">
<title>Gr`+"\xFC"+`n &amp; gut</title><meta name="author" content="A. B."><meta property="article:published_time" content="2026-01-05">
<link rel="canonical" href="https://e.org/x"><base href="https://e.org/d/"></head><body><p>caf`+"\xE9"+` <a href="y">y</a></body>`))
	require.NoError(t, err)
	require.Equal(t, "html", doc.Kind)
	require.Equal(t, map[string]string{
		"Title": "Grün & gut", "Author": "A. B.", "Date": "2026-01-05",
		"URL": "https://e.org/x", "Language": "de",
	}, doc.Meta)
	require.Contains(t, doc.Text, "\ncafé [y](https://e.org/d/y)\n")
}

func TestConvertPrefersTheMainText(t *testing.T) {
	body := strings.Repeat("Long text of the article. ", 20)
	for name, c := range map[string]struct {
		page       string
		want, left []string
	}{
		"main": {
			"<nav>Home About</nav><main><h1>T</h1>" + body + "</main><footer>Imprint</footer>",
			[]string{"# T", "Long"},
			[]string{"Home", "Imprint"},
		},
		"role": {"<nav>Home</nav><div role=main>" + body +
			"<div>inner</div> after</div><div>Imprint</div>", []string{"inner", "after"}, []string{"Home", "Imprint"}},
		"article": {
			"<header>Home</header><article>" + body + "</article>",
			[]string{"Long"},
			[]string{"Home"},
		},
		"a small main": {"<main>x</main><div>" + body + "</div>", []string{"x", "Long"}, nil},
		"several articles": {
			"<p>intro</p><article>" + body + "</article><article>second</article>",
			[]string{"intro", "second"},
			nil,
		},
		"none":              {"<nav>Home</nav>" + body + "<footer>Imprint</footer>", []string{"Home", "Imprint"}, nil},
		"much is outside":   {"<main>" + body + "</main><div>" + body + "Outside</div>", []string{"Outside"}, nil},
		"a main never shut": {"<nav>Home</nav><main>" + body + "<p>end", []string{"end"}, []string{"Home"}},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := formattest.Convert(t.Context(), html.Convert, "a.html", []byte("<!doctype html><body>"+c.page))
			require.NoError(t, err)
			for _, s := range c.want {
				require.Contains(t, doc.Text, s)
			}
			text, beside, _ := strings.Cut(doc.Text, "--- beside the main text ---")
			for _, s := range c.left {
				require.NotContains(t, text, s)
				require.Contains(t, beside, s)
			}
		})
	}
}

// TestHostilePagesStayLinear: neither memory, output nor stack may grow out of proportion.
func TestHostilePagesStayLinear(t *testing.T) {
	const n = 50_000
	for name, page := range map[string]string{
		"divs":       strings.Repeat("<div>", n) + "x",
		"lists":      strings.Repeat("<ul><li>x", n),
		"quotes":     strings.Repeat("<blockquote>x", n),
		"tables":     strings.Repeat("<table><tr><td>x", n),
		"links":      strings.Repeat("<a href=u>x", n),
		"closing":    strings.Repeat("<ul>", n) + strings.Repeat("</ol></blockquote>", n),
		"spans":      "<table>" + strings.Repeat("<tr><td rowspan=65000 colspan=1000>x", 3000),
		"cells":      "<table><tr>" + strings.Repeat("<td>x", n),
		"attributes": "<p " + strings.Repeat("a=b ", n) + ">x",
		"comment":    "<p>x<!--" + strings.Repeat("-", n),
		"code":       strings.Repeat("<pre>x\n", n),
		"hidden":     strings.Repeat("<div hidden>", n) + "x",
		"formulas":   "<math>" + strings.Repeat("<mfrac>x", n) + strings.Repeat("</mi>", n),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out := markdown(t, page)
			runtime.ReadMemStats(&after)
			require.Less(t, len(out), 30*len(page)+1000)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<30))
		})
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"<table><tr><td rowspan=3>a<td>b<tr><td>c</table>", "<ul><li>a<ol><li>b</ol></ul>",
		"<a href=x><h1>a<pre>b</a>", "<sup>1</sup><dl><dt>a<dd>b", "<main><p hidden>x<div>",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		doc, err := formattest.Convert(t.Context(), html.Convert, "a.html", page)
		if err == nil {
			require.NotContains(t, doc.Text, "<script")
		}
	})
}
