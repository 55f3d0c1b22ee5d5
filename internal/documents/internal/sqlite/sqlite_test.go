package sqlite_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/sqlite"
)

const corpus = "../../testdata/"

func convert(t *testing.T, data []byte) (formattest.Document, error) {
	t.Helper()
	return formattest.Convert(t.Context(), sqlite.Convert, "a.db", data)
}

func rows(t *testing.T, text string) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	require.NoError(t, err)
	return rows
}

// tables maps the tables of a document to their rows, without the statement before the empty line.
func tables(t *testing.T, doc formattest.Document) map[string][][]string {
	t.Helper()
	m := map[string][][]string{}
	for _, p := range doc.Parts {
		require.Equal(t, format.Table, p.Kind)
		statement, text, _ := strings.Cut(p.Text, ";\n\n")
		require.Contains(t, statement, "CREATE ")
		if i := strings.LastIndex(text, "\n\n--- table "); i >= 0 {
			text = text[:i]
		}
		m[p.Name] = rows(t, text)
	}
	return m
}

// requireRows compares row by row, because whole tables are too large for a failure message.
func requireRows(t *testing.T, want, have [][]string, name string) {
	t.Helper()
	for i := range min(len(want), len(have)) {
		for j := range min(len(want[i]), len(have[i])) {
			if strings.HasPrefix(have[i][j], "X'") { // the sqlite3 shell writes a blob's bytes as they are
				want[i][j] = have[i][j]
			}
		}
		require.Equal(t, want[i], have[i], "%s, row %d", name, i)
	}
	require.Equal(t, len(want), len(have), name)
}

func TestTheCorpus(t *testing.T) {
	data, err := os.ReadFile(corpus + "corpus/lights.sqlite")
	require.NoError(t, err)
	doc, err := convert(t, data)
	require.NoError(t, err)
	got := tables(t, doc)
	for name, file := range map[string]string{"lights": "lights", "log of nights": "log-of-nights"} {
		want, err := os.ReadFile(corpus + "expected/lights.sqlite." + file + ".csv")
		require.NoError(t, err)
		requireRows(t, rows(t, string(want)), got[name], name)
	}
	require.Equal(t, [][]string{{"a", "b", "c"}}, got["empty"])
	require.Equal(t, []string{"view tall is shown as its query, without rows"}, doc.Notes)
}

// TestLikeTheShellOfSQLite compares every table with the output of sqlite3, in each encoding and with several page
// sizes.
func TestLikeTheShellOfSQLite(t *testing.T) {
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("sqlite3 is not installed: its shell is what this test compares with")
	}
	sql, err := os.ReadFile("testdata/make.sql")
	require.NoError(t, err)
	for _, pragma := range []string{
		"encoding = 'UTF-8'", "encoding = 'UTF-16le'", "encoding = 'UTF-16be'",
		"page_size = 65536", "auto_vacuum = FULL",
	} {
		t.Run(pragma, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.db")
			script := "PRAGMA " + pragma + ";\n" + string(sql)
			if strings.HasPrefix(pragma, "page_size") {
				script = strings.Replace(string(sql), "page_size = 512", pragma, 1)
			}
			cmd := exec.Command(shell, "-bail", file)
			cmd.Stdin = strings.NewReader(script)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Skipf("this sqlite3 is too old: %s", out)
			}
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			doc, err := convert(t, data)
			require.NoError(t, err)
			note := "table numbers: columns computed on demand are not in the file, and are left out: twice"
			require.Equal(t, []string{note}, doc.Notes)
			got := tables(t, doc)
			require.Len(t, got, 4)
			for name, have := range got {
				columns := "*"
				if name == "numbers" {
					columns = "id, v, stored" // the other columns are computed
				}
				want, err := exec.Command(shell, "-csv", "-header", file,
					"SELECT "+columns+` FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`).Output()
				require.NoError(t, err)
				requireRows(t, rows(t, strings.ReplaceAll(string(want), "\r\n", "\n")), have, name)
			}
		})
	}
}

func TestDamageCostsWhatIsDamaged(t *testing.T) {
	whole, err := os.ReadFile(corpus + "corpus/lights.sqlite")
	require.NoError(t, err)
	for at := 4096; at < len(whole); at += 4096 {
		data := bytes.Clone(whole)
		copy(data[at:], bytes.Repeat([]byte{0xFF}, 4096))
		doc, err := convert(t, data)
		require.NoError(t, err)
		require.Len(t, doc.Parts, 4)
	}
	doc, err := convert(t, whole[:len(whole)/2])
	require.NoError(t, err)
	require.NotEmpty(t, doc.Text)
	_, err = convert(t, whole[:50])
	require.ErrorContains(t, err, "cut off")
	_, err = convert(t, append(bytes.Clone(whole[:16]), bytes.Repeat([]byte{7}, 4096)...))
	require.ErrorContains(t, err, "page size")
	data := bytes.Clone(whole)
	data[18] = 2
	doc, err = convert(t, data)
	require.NoError(t, err)
	require.Contains(t, doc.Notes, "changes that exist only in its -wal file are missing")
}

func FuzzConvert(f *testing.F) {
	whole, err := os.ReadFile(corpus + "corpus/lights.sqlite")
	require.NoError(f, err)
	f.Add(whole[:8192])
	f.Add(whole)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = formattest.Convert(t.Context(), sqlite.Convert, "a.db", data)
	})
}
