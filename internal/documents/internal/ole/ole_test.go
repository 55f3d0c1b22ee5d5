package ole

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
)

func TestConvert(t *testing.T) {
	for name, want := range map[string]string{
		"testdata/report.doc":               "it is a Word document in the binary format of before 2007; save it as .docx",
		"testdata/costs.xls":                "it is an Excel workbook in the binary format of before 2007; save it as .xlsx",
		"../../testdata/corpus/secret.xlsx": format.ErrPassword.Error(),
	} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		_, err = formattest.Convert(context.Background(), Convert, name, data)
		require.ErrorContains(t, err, want)
		for _, n := range []int{0, 8, 100, 512, 600, len(data) / 2} {
			_, err = formattest.Convert(context.Background(), Convert, name, data[:n])
			require.Error(t, err)
		}
	}
}

func FuzzConvert(f *testing.F) {
	data, err := os.ReadFile("testdata/costs.xls")
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := formattest.Convert(context.Background(), Convert, "a", data)
		require.Error(t, err)
	})
}
