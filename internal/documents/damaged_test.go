package documents

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
)

// realPool returns a pool that recognises real formats, unlike newPool.
func realPool(t *testing.T) *Pool {
	p := newPool(t, Options{})
	p.recognise = format.Recognise
	return p
}

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestCompressedTextKeepsWhatItHas: zeros after the data are harmless, any other data there is noted as left out, and
// truncated data yields its beginning.
func TestCompressedTextKeepsWhatItHas(t *testing.T) {
	p := realPool(t)
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString(strings.Repeat("x", i*i%97) + " line\n")
	}
	text := b.String()
	whole := gzipped(t, text)
	for name, data := range map[string][]byte{
		"zeros":   append(bytes.Clone(whole), make([]byte, 512)...),
		"garbage": append(bytes.Clone(whole), "left by a copier"...), "as it is": whole,
	} {
		all := convertAll(t, p, "a.log.gz", data)
		require.Len(t, all, 1, name)
		require.True(t, all[0].text == text, name)
		require.Equal(t, name == "garbage", strings.Contains(all[0].Why, "data after its end"), all[0].Why)
	}
	two := convertAll(t, p, "a.log.gz", append(bytes.Clone(whole), gzipped(t, "and more\n")...))
	require.True(t, two[0].text == text+"and more\n")

	for _, cut := range []int{8, 100, len(whole) / 2} {
		all := convertAll(t, p, "a.log.gz", whole[:len(whole)-cut])
		require.Len(t, all, 1)
		require.Equal(t, "only part of it was unpacked: the compressed file is cut off", all[0].Why)
		require.True(t, strings.HasPrefix(text, all[0].text))
		require.Greater(t, len(all[0].text)*10, len(text)*9*(len(whole)-cut)/len(whole), "%d bytes are missing", cut)
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-5] ^= 1
	all := convertAll(t, p, "b.zip", packed(t, "a.log.gz", string(damaged)))
	require.Len(t, all, 1)
	require.Contains(t, all[0].Why, "its checksum is wrong")
	require.True(t, all[0].text == text)
}

// TestWhatUnpacksAThousandfoldIsLeftOut: members that decompress to far more than their size are left out; all
// others are read.
func TestWhatUnpacksAThousandfoldIsLeftOut(t *testing.T) {
	p := realPool(t)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{"zeros.txt": strings.Repeat("\x00", 40<<20), "good.txt": "hello\n"} {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	texts := map[string]string{}
	for _, d := range convertAll(t, p, "a.zip", b.Bytes()) {
		texts[d.Name] = d.text + d.Why
	}
	require.Equal(t, map[string]string{
		"a.zip!/good.txt":  "hello\n",
		"a.zip!/zeros.txt": "it unpacks to far more than documents of its size contain",
	}, texts)
	all := convertAll(t, p, "a.txt.gz", gzipped(t, strings.Repeat("a", 40<<20)))
	require.Len(t, all, 1)
	require.Equal(t, "it unpacks to far more than documents of its size contain", all[0].Why)
	require.Nil(t, all[0].Text)
}

// TestDocumentsWithoutTheirList: a document without the list of its parts, at the end of the file, has the same
// text.
func TestDocumentsWithoutTheirList(t *testing.T) {
	p := realPool(t)
	for _, name := range []string{"report.docx", "costs.xlsx", "report.odt", "letter.epub", "slides-office.pptx"} {
		data, err := os.ReadFile("testdata/corpus/" + name)
		require.NoError(t, err)
		want := convertAll(t, p, name, data)
		got := convertAll(t, p, name, data[:bytes.Index(data, []byte("PK\x01\x02"))])
		require.Len(t, got, len(want), name)
		require.Equal(t, want[0].text, got[0].text, name)
		require.Equal(t, append(want[0].Notes, "its file is damaged or cut off; everything that could be found in it was read"),
			got[0].Notes, name)
		half := convertAll(t, p, name, data[:len(data)/2])
		require.NotEmpty(t, half[0].Notes, name)
	}
}

// TestAWorkbookThatIsProtectedFromChanges opens without a password, as in Excel.
func TestAWorkbookThatIsProtectedFromChanges(t *testing.T) {
	data, err := os.ReadFile("internal/ole/testdata/protected.xlsx")
	require.NoError(t, err)
	all := convertAll(t, realPool(t), "costs.xlsx", data)
	require.Len(t, all, 1)
	require.Equal(t, "xlsx", all[0].Kind)
	require.Contains(t, all[0].text, "A1:B2\nLamp,Oil\nNorth mole,340\n")
}
