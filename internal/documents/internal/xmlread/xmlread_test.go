package xmlread_test

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// outline returns the tokens in short form: "+a(attributes) text -a".
func outline(in string) (string, error) {
	r := xmlread.New(strings.NewReader(in))
	var found []string
	for {
		kind, err := r.Next()
		switch {
		case err != nil:
			return strings.Join(found, " "), xmlread.Ended(err)
		case kind == xmlread.Start:
			found = append(found, "+"+r.Name)
		case kind == xmlread.End:
			found = append(found, "-"+r.Name)
		case kind == xmlread.Text:
			found = append(found, string(r.Text))
		}
	}
}

func TestEncodings(t *testing.T) {
	const text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>Größe 漢字 \U0001F600</a>"
	encoded := func(order binary.ByteOrder, mark bool) string {
		units := utf16.Encode([]rune(text))
		if mark {
			units = append([]uint16{0xFEFF}, units...)
		}
		b := make([]byte, 2*len(units))
		for i, u := range units {
			order.PutUint16(b[2*i:], u)
		}
		return string(b)
	}
	for name, in := range map[string]string{
		"UTF-8":                  strings.Replace(text, "UTF-16", "UTF-8", 1),
		"UTF-8 with a mark":      "\uFEFF" + strings.Replace(text, "UTF-16", "UTF-8", 1),
		"little with a mark":     encoded(binary.LittleEndian, true),
		"big with a mark":        encoded(binary.BigEndian, true),
		"little without":         encoded(binary.LittleEndian, false),
		"big without":            encoded(binary.BigEndian, false),
		"an encoding of nowhere": strings.Replace(text, "UTF-16", "klingon", 1),
		"another version":        strings.NewReplacer("UTF-16", "utf-8", "1.0", "1.1").Replace(text),
	} {
		t.Run(name, func(t *testing.T) {
			have, err := outline(in)
			require.NoError(t, err)
			require.Equal(t, "+a Größe 漢字 \U0001F600 -a", have)
		})
	}
	have, err := outline("<?xml version='1.0' encoding='windows-1252'?><a>Gr\xf6\xdfe\x80</a>")
	require.NoError(t, err)
	require.Equal(t, "+a Größe€ -a", have)
}

// TestReadsWhatPeopleCanRead: each of these can be read, although encoding/xml rejects it.
func TestReadsWhatPeopleCanRead(t *testing.T) {
	for in, want := range map[string]string{
		"<a>bell\x07 and \xff</a><b/>": "+a bell\uFFFD and \uFFFD -a +b -b",
		"<a>&#7;&#0;</a>":              "+a \uFFFD\uFFFD -a",
		"<a>]]></a>":                   "+a ]]> -a",
		"<a><!-- -- --></a>":           "+a -a",
		"<a><b>text</a>":               "+a +b text -b -a",
	} {
		have, err := outline(in)
		require.NoError(t, err, in)
		require.Equal(t, want, have)
	}
}

func TestNamesHaveTheUsualPrefix(t *testing.T) {
	const main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	r := xmlread.New(strings.NewReader(`<p xmlns="` + main + `" xmlns:q="` + main +
		`" q:val="1" val="2"><x:r xmlns:x="urn:else" x:val="3"/><q:r xmlns:q="urn:else"/><q:r/></p>`))
	var names []string
	require.NoError(t, r.Each(func() error {
		names = append(names, r.Name)
		if r.Name == "w:p" {
			require.Equal(t, "1", r.Attr("w:val"))
			require.Equal(t, "2", string(r.Bytes("val")))
			_, ok := r.Lookup("x:val")
			require.False(t, ok)
		}
		if len(names) == 2 {
			require.Equal(t, "3", r.Attr("urn:else:val"))
			require.Empty(t, r.Attr("w:val"))
		}
		return nil
	}))
	require.Equal(t, []string{"w:p", "urn:else:r", "urn:else:r", "w:r"}, names)
}

func TestOneBranchOfAlternateContent(t *testing.T) {
	const mc = `xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`
	have, err := outline(`<a ` + mc +
		`><mc:AlternateContent><mc:Choice><b><mc:AlternateContent/></b></mc:Choice><mc:Fallback><c/></mc:Fallback></mc:AlternateContent><d/></a>`)
	require.NoError(t, err)
	require.Equal(t, "+a +b -b +d -d -a", have)
}

// endless repeats a piece of text.
type endless struct{ text string }

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e.text) <= len(p) {
		n += copy(p[n:], e.text)
	}
	return n, nil
}

// TestPiecesWithoutEnd: endless input ends with an error and needs no more memory than the longest allowed token.
func TestPiecesWithoutEnd(t *testing.T) {
	for _, begin := range []string{
		"<", "<a ", "<a b='", "<a b=\"x\" ", "</", "</a", "<!--", "<!DOCTYPE ", "<![CDATA[",
		"<?", "<?a ", "text", "<a>&",
	} {
		t.Run(begin, func(t *testing.T) {
			r := xmlread.New(io.MultiReader(strings.NewReader(begin), endless{"x "}))
			var err error
			for range 10 {
				if _, err = r.Next(); err != nil {
					break
				}
			}
			require.Error(t, err)
			require.NotErrorIs(t, err, io.EOF)
		})
	}
	r := xmlread.New(endless{"<a>"})
	var err error
	for err == nil {
		_, err = r.Next()
	}
	require.ErrorContains(t, err, "too deeply")
}

func TestDamageIsNamedWithItsLine(t *testing.T) {
	_, err := outline("<a>\n<b>\n<c =")
	require.EqualError(t, err, "its XML is damaged in line 3: a name is missing for an attribute")
	_, err = outline(strings.Repeat("<a>\n</a>", 50_000) + "<b")
	require.EqualError(t, err, "its XML is damaged in line 50001: it ends too early")
}
