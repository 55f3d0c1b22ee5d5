package runner_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/runner/trajectory"
)

// TestItemsAreKeptBesideTheText: the result and the log contain tables, but the model sees only text.
func TestItemsAreKeptBesideTheText(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence("type Row struct { Name string; N int }\nrows := []Row{{\"a\", 1}, {\"b\", 22}}\nshow(rows)\nfmt.Println(\"and\", table(map[string]int{\"x\": 1}))\n_ = table(rows[:1])\nrows"),
		fence("FINAL(1)"),
	}, nil)
	r := newRunner(t, model)
	res, err := r.Answer(timeout(t), "q")
	require.NoError(t, err)
	items := res.Cells[0].Items
	require.Len(t, items, 3, "a table that is neither printed nor the value is nothing that was put out")
	for i, rows := range []int{2, 1, 2} {
		table, ok := items[i].Table()
		require.True(t, ok)
		require.Len(t, table.Rows, rows)
		require.Equal(t, i == 2, items[i].Value)
	}
	require.Equal(t, "Name   N\na      1\nb     22\nand x  1\n", res.Cells[0].Output)
	require.Equal(t, `[{"Name":"a","N":1},{"Name":"b","N":22}]`, res.Cells[0].Value)
	require.Equal(t, res.Cells[0].Value, items[2].Text())
	seen := model.Requests()[1].Messages[3].Content
	require.NotContains(t, seen, "columns")
	require.Contains(t, seen,
		"[cell 1] ok\nName   N\na      1\nb     22\nand x  1\nvalue: [{\"Name\":\"a\",\"N\":1},{\"Name\":\"b\",\"N\":22}]\n")

	ended := dataOf[trajectory.CellEnded](eventsOf(t, r, res.RunID))
	require.Contains(t, string(ended[0].Result), bundle.TableType)
}
