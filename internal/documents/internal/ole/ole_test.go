package ole

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
)

// reader copies its input.
var reader = Converter(func(_ context.Context, src format.Source, out format.Output) error {
	_, err := io.Copy(out, src.Reader())
	return err
})

func TestConvert(t *testing.T) {
	for name, want := range map[string]string{
		"testdata/report.doc":               "it is a Word document in the binary format used before 2007; save it as .docx",
		"testdata/costs.xls":                "it is an Excel workbook in the binary format used before 2007; save it as .xlsx",
		"../../testdata/corpus/secret.xlsx": format.ErrPassword.Error(),
	} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		_, err = formattest.Convert(context.Background(), reader, name, data)
		require.ErrorContains(t, err, want)
		for _, n := range []int{0, 8, 100, 512, 600, len(data) / 2} {
			_, err = formattest.Convert(context.Background(), reader, name, data[:n])
			require.Error(t, err)
		}
	}
}

// TestTheUsualPasswordOpens: files protected only against changes are read; excelize wrote them.
func TestTheUsualPasswordOpens(t *testing.T) {
	data, err := os.ReadFile("testdata/protected.xlsx")
	require.NoError(t, err)
	doc, err := formattest.Convert(t.Context(), reader, "protected.xlsx", data)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(doc.Text, "PK\x03\x04"))
	for n := 0; n < len(data); n += 97 {
		cut := bytes.Clone(data)
		cut[n] ^= 0x55
		_, _ = formattest.Convert(t.Context(), reader, "protected.xlsx", cut)
		_, _ = formattest.Convert(t.Context(), reader, "protected.xlsx", data[:n])
	}
}

func FuzzConvert(f *testing.F) {
	data, err := os.ReadFile("testdata/costs.xls")
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := formattest.Convert(context.Background(), reader, "a", data)
		require.Error(t, err)
	})
}
