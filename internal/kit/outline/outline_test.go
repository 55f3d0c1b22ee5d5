package outline_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/outline"
)

func pages(n int) outline.List {
	var l outline.List
	at := int64(40)
	for i := range n {
		at += 20 // the mark before each page
		l = append(l, outline.Part{Kind: "page", Number: i + 1, Offset: at, Size: 2000})
		at += 2000
	}
	return l
}

func TestAListIsWhatItWasAfterItWasWrittenDown(t *testing.T) {
	for name, l := range map[string]outline.List{
		"pages": pages(1000),
		"named": {
			{Kind: "sheet", Number: 1, Name: "Kosten\n2025", Offset: 3, Size: 0},
			{Kind: "sheet", Number: 2, Name: "", Offset: 3, Size: 9},
		},
		"mixed": {
			{Kind: "chapter", Number: 7, Name: "é", Size: 1},
			{Kind: "page", Number: 3, Offset: 1, Size: 1 << 40},
		},
	} {
		text, err := json.Marshal(l)
		require.NoError(t, err)
		var again outline.List
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, l, again, name)
	}
	text, err := pages(1000).MarshalText()
	require.NoError(t, err)
	require.Less(t, len(text), 6000, "a page takes a few bytes")
}

func TestDamagedListsAreRefused(t *testing.T) {
	whole, err := outline.List{{Kind: "sheet", Number: 4, Name: "a name", Offset: 100, Size: 5000}}.MarshalText()
	require.NoError(t, err)
	for _, text := range []string{"%", "AQ==", "Af////////////8=", string(whole[:12])} {
		require.Error(t, new(outline.List).UnmarshalText([]byte(text)), text)
	}
	for _, l := range []outline.List{
		{{Offset: -1, Size: 1}},
		{{Offset: 9, Size: 2}},
		{{Size: 5}, {Offset: 4, Size: 1}},
		{{Offset: 1 << 62, Size: 1 << 62}},
		{{Size: -1}},
	} {
		require.Error(t, l.Check(10))
	}
	require.NoError(t, outline.List{{Size: 5}, {Offset: 5, Size: 5}}.Check(10))
}

func TestPlacesAndRanges(t *testing.T) {
	l := pages(3) // 60–2060, 2080–4080, 4100–6100
	for offset, want := range map[int64]int{0: 0, 60: 1, 2059: 1, 2060: 0, 2080: 2, 6099: 3, 6100: 0} {
		p, ok := l.At(offset)
		require.Equal(t, want != 0, ok, offset)
		require.Equal(t, want, p.Number, offset)
	}
	require.Equal(t, outline.List{
		{Kind: "page", Number: 1, Size: 60}, {Kind: "page", Number: 2, Offset: 80, Size: 920},
	}, l.Within(2000, 1000))
	require.Empty(t, l.Within(2060, 20))
	require.Empty(t, l.Within(7000, 10))
	require.Equal(t, l, l.Within(0, 7000))
	require.Equal(t, 3, l.Pages())
	require.Equal(t, "sheet 2 (Costs 2025)", outline.Part{Kind: "sheet", Number: 2, Name: "Costs 2025"}.String())
}
