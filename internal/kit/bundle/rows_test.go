package bundle_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/bundle"
)

// long returns the Rows of a table that is so long that its item has only the first rows.
func long(t *testing.T, rows [][]string) *bundle.Rows {
	t.Helper()
	table, whole, ok := bundle.NewTable(rows, true)
	require.True(t, ok)
	require.Positive(t, table.More)
	require.NotNil(t, whole)
	require.Equal(t, whole.Key, table.Key)
	raw, err := json.Marshal(table)
	require.NoError(t, err)
	i, err := bundle.New("text", bundle.TableType, json.RawMessage(raw))
	require.NoError(t, err)
	got, ok := i.Table()
	require.True(t, ok)
	require.Equal(t, table.Key, got.Key)
	return whole
}

// column returns the values of a page's column.
func column(p bundle.Page, n int) (values []string) {
	for _, row := range p.Rows {
		values = append(values, bundle.Cell(row[n]))
	}
	return values
}

// TestRowsOfATable checks that sorting, filtering and counting cover all rows, whichever part is shown.
func TestRowsOfATable(t *testing.T) {
	rows := [][]string{{"n", "name"}}
	for i := range 10_000 {
		rows = append(rows, []string{fmt.Sprint(i), fmt.Sprintf("Row %d", i*7919%10_000)})
	}
	rows = append(rows, []string{"", "without a number"}, []string{"3"})
	r := long(t, rows)
	p := r.Page(bundle.Query{Sort: 1, Down: true, Limit: 3})
	require.Equal(t, []string{"9999", "9998", "9997"}, column(p, 0))
	require.Equal(t, []int{10_002, 10_002}, []int{p.Total, p.Matched})
	require.Equal(t, []bundle.Column{{Name: "n", Type: "number"}, {Name: "name", Type: "string"}}, p.Columns)

	p = r.Page(bundle.Query{Filter: "ROW 9999", Limit: 10})
	require.Equal(t, []string{"Row 9999"}, column(p, 1))
	require.Equal(t, 1, p.Matched)
	require.Equal(t, []string{"Row 0", "Row 1", "Row 2"},
		column(r.Page(bundle.Query{Sort: 2, Filter: "row", Limit: 3}), 1), "numbers in texts by their values")

	for _, down := range []bool{false, true} {
		p = r.Page(bundle.Query{Sort: 1, Down: down, Offset: 10_001, Limit: 9})
		require.Equal(t, []string{"without a number"}, column(p, 1), "nothing stands behind everything")
		p = r.Page(bundle.Query{Sort: 2, Down: down, Offset: 10_001, Limit: 9})
		require.Equal(t, []any{json.Number("3"), nil}, p.Rows[0])
	}
	for _, odd := range []bundle.Query{{Sort: -4, Limit: 2}, {Sort: 99, Limit: 2}, {Offset: -3, Limit: 2}} {
		require.Equal(t, []string{"0", "1"}, column(r.Page(odd), 0))
	}
	require.Empty(t, r.Page(bundle.Query{Offset: 1 << 40, Limit: 1 << 40}).Rows)
	require.Empty(t, r.Page(bundle.Query{Limit: -1}).Rows)

	var all []string
	for len(all) < 10_002 {
		p := r.Page(bundle.Query{Sort: 1, Offset: len(all), Limit: 1 << 30})
		require.NotEmpty(t, p.Rows)
		all = append(all, column(p, 0)...)
	}
	require.Len(t, all, 10_002)
}

// TestPagesAreBounded checks the limits of rows, values and bytes, and that invalid pages from a worker are
// rejected.
func TestPagesAreBounded(t *testing.T) {
	wide := [][]string{make([]string, 200)}
	for range 300 {
		wide = append(wide, slices.Repeat([]string{strings.Repeat("é", 2000)}, 200))
	}
	r := long(t, wide)
	p := r.Page(bundle.Query{Limit: 1000})
	raw, err := json.Marshal(p)
	require.NoError(t, err)
	require.Len(t, p.Rows, 1)
	require.Less(t, len(raw), 1<<20)
	var got bundle.Page
	require.NoError(t, json.Unmarshal(raw, &got))
	require.True(t, got.Trim())
	require.Equal(t, p, got)
	for _, bad := range []string{
		`{}`, `{"columns":[{"name":"a"}],"rows":[[1,2]]}`,
		`{"columns":[{"name":"a"}],"rows":[[{}]]}`, `{"columns":[],"rows":[]}`,
	} {
		var page bundle.Page
		require.NoError(t, json.Unmarshal([]byte(bad), &page))
		require.False(t, page.Trim(), bad)
	}
	var page bundle.Page
	require.NoError(t, json.Unmarshal(
		[]byte(`{"columns":[{"name":"a","type":"x"}],"rows":[[12345678901234567890]],"total":-5,"matched":-7}`), &page))
	require.True(t, page.Trim())
	require.Equal(t, bundle.Page{
		Columns: []bundle.Column{{Name: "a", Type: "string"}},
		Rows:    [][]any{{json.Number("12345678901234567890")}}, Matched: 1,
	}, page)
}

// TestOrderOfTexts compares the order with a simple definition: by runs of digits and of other bytes.
func TestOrderOfTexts(t *testing.T) {
	names := []string{"b", "a10", "a9", "a", "A2", "a02b", "a2a", "10", "9", "x1y2", "x1y10", "x01y3", "é", "z"}
	rows := [][]string{{"name"}}
	for range 2000 {
		for _, n := range names {
			rows = append(rows, []string{n})
		}
	}
	p := long(t, rows).Page(bundle.Query{Sort: 1, Limit: 1})
	require.Equal(t, []string{"9"}, column(p, 0))
	seen := map[string]bool{}
	var order []string
	r := long(t, rows)
	for at := 0; at < len(rows)-1; at += 2000 {
		name := column(r.Page(bundle.Query{Sort: 1, Offset: at, Limit: 1}), 0)[0]
		require.False(t, seen[name], name)
		seen[name] = true
		order = append(order, name)
	}
	require.Equal(t, []string{
		"9", "10", "a", "A2", "a2a", "a02b", "a9", "a10", "b", "x1y2", "x01y3", "x1y10", "z", "é",
	}, order)
}
