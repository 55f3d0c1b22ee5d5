package symbols

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

func TestTablesAreThoseOfThePackagesThatCellsMayUse(t *testing.T) {
	require.Equal(t, stdlib.Compiled(), slices.Sorted(maps.Keys(tables)),
		"run go generate ./repl/internal/stdlib/symbols")
	for path := range tables {
		require.NotEmpty(t, Table(path), path)
	}
	require.Nil(t, Table("path/filepath"))
}
