package xmlread

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// event is a token of an XML reader.
type event struct {
	kind  Kind
	name  string
	attrs string
	text  string
}

// ours reads with this package.
func ours(in io.Reader) (events []event, err error) {
	r := New(in)
	for {
		kind, err := r.token()
		if err != nil {
			return events, err
		}
		e := event{kind: kind, name: r.Name}
		switch kind {
		case Start:
			piece := r.scan.piece()
			for _, a := range r.attrs {
				raw := string(piece[a.name:a.nameEnd])
				if prefix, _ := split(raw); prefix != "" {
					raw = r.scope.name([]byte(raw)).full
				}
				e.attrs += fmt.Sprintf(" %s=%q", raw, r.value(a))
			}
		case Text:
			e.name, e.text = "", string(r.Text)
		}
		events = append(events, e)
	}
}

// theirs reads with encoding/xml; wellFormed reports whether its names are reliable, which they are not if elements
// are closed in the wrong order.
func theirs(data []byte) (events []event, wellFormed bool, err error) {
	full := func(n xml.Name) string {
		if n.Space == "" {
			return n.Local
		}
		return usual(n.Space) + ":" + n.Local
	}
	decoder := func(strict bool) *xml.Decoder {
		d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\uFEFF"))))
		d.Strict = strict
		d.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
			enc, err := htmlindex.Get(charset)
			if err != nil {
				return input, nil
			}
			return transform.NewReader(input, enc.NewDecoder()), nil
		}
		return d
	}
	for strict := decoder(true); err == nil; {
		_, err = strict.Token()
	}
	wellFormed = errors.Is(err, io.EOF)
	for d := decoder(false); ; {
		token, err := d.Token()
		if err != nil {
			return events, wellFormed, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			e := event{kind: Start, name: full(t.Name)}
			for _, a := range t.Attr {
				e.attrs += fmt.Sprintf(" %s=%q", full(a.Name), a.Value)
			}
			events = append(events, e)
		case xml.EndElement:
			events = append(events, event{kind: End, name: full(t.Name)})
		case xml.CharData:
			events = append(events, event{kind: Text, text: string(t)})
		}
	}
}

// compare requires the same tokens for everything that encoding/xml accepts. This package may accept more.
func compare(t *testing.T, data []byte) {
	t.Helper()
	have, haveErr := ours(iotest.OneByteReader(bytes.NewReader(data)))
	atOnce, atOnceErr := ours(bytes.NewReader(data))
	require.Equal(t, have, atOnce)
	require.Equal(t, haveErr, atOnceErr)
	if len(data) > 1 && (data[0] >= 0xFE || data[0] == 0 || data[1] == 0) || bytes.Count(data, []byte("<?xml")) > 1 ||
		len(data) > 50_000 {
		return // encoding/xml lacks UTF-16, and accepts declarations anywhere
	}
	want, wellFormed, err := theirs(data)
	if !errors.Is(err, io.EOF) {
		return
	}
	if !wellFormed { // encoding/xml then resolves no namespaces
		local := func(events []event) {
			for i := range events {
				events[i].name = events[i].name[strings.LastIndexByte(events[i].name, ':')+1:]
				events[i].attrs = ""
			}
		}
		local(want)
		local(have)
	}
	require.ErrorIs(t, haveErr, io.EOF)
	require.Equal(t, want, have)
}

var pieces = []string{
	`<a/>`, `<a b="1" c='2'>x</a>`, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<a>\r\n\r<b\t=\n\"1\r\n2\"/></a>",
	`<a xmlns="u:1" xmlns:p="u:2" p:q="1" q="2"><p:b/><b xmlns="" xmlns:p="u:3"><p:c/><d/></b><p:e/></a>`,
	`<a>&lt;&gt;&amp;&apos;&quot;&#65;&#x42;&#x1F600;&unknown;&no &#;&#x;&#xD800;</a>`, `<a b="&lt;&#10;&quot;'"/>`,
	`<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>`, `<a><!-- <b> - --><?pi <c> ?></a>`, `<a><![CDATA[]]></a>`,
	`<!DOCTYPE a [<!ENTITY b "c>"> <!-- ' --> <!ELEMENT a (#PCDATA)>]><a>&b;</a>`,
	`<a><b></a>`, `<a><b><c></b>x</a>`, `</a>`, `<a></b></a>`, `<a`, `<a b`, `<a b="`, `<a b=c d/>`, `<a:b:c/>`,
	`<:a/>`, `<a:/>`, `<1a/>`,
	"<a>\x01\xff</a>", "<a>Größe 漢字 \U0001F600</a>", `<größe ä="ö"/>`,
	`<?xml version="1.0" encoding="windows-1252"?><a>` + "\xe4</a>",
	`<a xmlns:p="u:1"><p:b></p:b></a>`, `<x:a><y:b xml:lang="de" xmlns:z="u"/></x:a>`, "text", "", "<", "<!", "<!-",
	"<![CDATA[", "<?", "<a/>text<b/>",
	`<a b="<"/>`, `<a b='>'>></a>`, `<a b="x>y" c="z>'"/>`, `<?xml version='1.0' encoding = 'iso-8859-1' ?><a/>`,
}

func TestLikeEncodingXML(t *testing.T) {
	for _, p := range pieces {
		t.Run(p, func(t *testing.T) { compare(t, []byte(p)) })
	}
}

// TestPartsLikeEncodingXML compares files from LibreOffice, pandoc, openpyxl and others.
func TestPartsLikeEncodingXML(t *testing.T) {
	files, err := filepath.Glob("../../testdata/corpus/*.[deopx][dopl][cdfopstx]*")
	require.NoError(t, err)
	parts := 0
	for _, file := range files {
		z, err := zip.OpenReader(file)
		if err != nil {
			continue
		}
		for _, f := range z.File {
			r, err := f.Open()
			require.NoError(t, err)
			data, err := io.ReadAll(r)
			require.NoError(t, err)
			if bytes.HasPrefix(data, []byte("<")) {
				parts++
				want, wellFormed, err := theirs(data)
				require.ErrorIs(t, err, io.EOF, f.Name)
				require.True(t, wellFormed)
				have, err := ours(bytes.NewReader(data))
				require.ErrorIs(t, err, io.EOF)
				require.Equal(t, want, have, file+" "+f.Name)
			}
		}
		require.NoError(t, z.Close())
	}
	require.Greater(t, parts, 100)
}

func FuzzLikeEncodingXML(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(p))
	}
	f.Fuzz(compare)
}
