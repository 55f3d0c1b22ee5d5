package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/jsondoc"
	"github.com/gorlm/rlm/repl"
)

func TestTimersComeBackAsTheyWerePacked(t *testing.T) {
	fires := []repl.Fire{{Timer: 1, After: 5}, {Timer: 300, After: 5}, {Timer: 2, After: 1000}}
	packed := PackFires(fires)
	require.Equal(t, fires, UnpackFires(packed))
	require.Equal(t, fires[:2], UnpackFires(packed[:len(packed)-1]), "what is damaged is left out")
	require.Equal(t, fires[:2], UnpackFires(packed[:len(packed)-2]), "without its second half")
	require.Nil(t, UnpackFires(nil))
	require.Nil(t, UnpackFires([]byte{0x80}))
	require.Nil(t, UnpackFires(append([]byte{1}, strings.Repeat("\xff", 11)...)))
	require.Nil(t, PackFires(nil))
}

// If not all timers fit, the first ones are packed.
func TestPackedTimersAreBounded(t *testing.T) {
	fires := make([]repl.Fire, firesRoom)
	for i := range fires {
		fires[i] = repl.Fire{Timer: 1, After: i}
	}
	packed := PackFires(fires)
	require.Len(t, packed, firesRoom-2*binary.MaxVarintLen64+2, "two bytes each, until a large one might not fit")
	got := UnpackFires(packed)
	require.Equal(t, fires[:len(packed)/2], got)

	long := append(make([]byte, firesRoom), 1, 2)
	require.Len(t, UnpackFires(long), firesRoom/2)
}

func TestReadingsComeBackAsTheyWerePacked(t *testing.T) {
	readings := []int64{5, 5, 3, math.MaxInt64, math.MinInt64, 0}
	packed := PackClock(readings)
	require.Equal(t, readings, UnpackClock(packed))
	require.Equal(t, readings[:5], UnpackClock(packed[:len(packed)-1]))
	require.Nil(t, UnpackClock(nil))
	require.Nil(t, UnpackClock([]byte{0x80}))
	require.Nil(t, UnpackClock([]byte(strings.Repeat("\xff", 11))))
}

func TestPackedReadingsAreBounded(t *testing.T) {
	readings := make([]int64, clockRoom+5)
	packed := PackClock(readings)
	require.Len(t, packed, clockRoom-binary.MaxVarintLen64+1)
	require.Len(t, UnpackClock(packed), len(packed))
	require.Len(t, UnpackClock(make([]byte, clockRoom+1)), clockRoom)
}

// The clock and timers sent with a call have room for the largest numbers.
func TestWhatTravelsWithACall(t *testing.T) {
	require.Len(t, CutClock(make([]int64, 5)), 5)
	require.Len(t, CutFires(make([]repl.Fire, 5)), 5)
	clock, fires := make([]int64, callRoom), make([]repl.Fire, callRoom)
	for i := range clock {
		clock[i] = int64(i%2) * math.MinInt64
		fires[i] = repl.Fire{Timer: math.MaxUint64, After: (i%2)*math.MaxInt64 - 1}
	}
	for name, packed := range map[string][]byte{
		"clock": PackClock(CutClock(clock)), "timers": PackFires(CutFires(fires)),
	} {
		require.LessOrEqual(t, len(packed), callRoom, name)
		require.Greater(t, len(packed), callRoom-2*binary.MaxVarintLen64, name)
	}
}

func mark(number int) builtins.Mark {
	return builtins.Mark{Number: number, Context: -1, Offset: 7, Length: 1, Digest: "0102030405060708"}
}

func TestMarksComeBackAsTheyWerePacked(t *testing.T) {
	marks := []builtins.Mark{
		mark(1), mark(builtins.HighestMark),
		{
			Number: 2, Context: 1<<31 - 1, Offset: 1 << 62, Length: 1 << 62, Occurrences: 1 << 31,
			Digest: "ff00000000000000",
		},
	}
	got, err := UnpackMarks(PackMarks(marks))
	require.NoError(t, err)
	require.Equal(t, marks, got)

	short := mark(1)
	short.Digest = "0102"
	got, err = UnpackMarks(PackMarks([]builtins.Mark{short}))
	require.NoError(t, err)
	require.Equal(t, "0102000000000000", got[0].Digest, "a digest has eight bytes")
	got, err = UnpackMarks(nil)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestMarksThatMakeNoSense(t *testing.T) {
	with := func(change func(*builtins.Mark)) []byte {
		m := mark(1)
		change(&m)
		return PackMarks([]builtins.Mark{m})
	}
	whole := PackMarks([]builtins.Mark{mark(1)})
	for name, packed := range map[string][]byte{
		"number zero":              with(func(m *builtins.Mark) { m.Number = 0 }),
		"a number of ten digits":   with(func(m *builtins.Mark) { m.Number = builtins.HighestMark + 1 }),
		"no length":                with(func(m *builtins.Mark) { m.Length = 0 }),
		"a context beyond all":     with(func(m *builtins.Mark) { m.Context = 1 << 31 }),
		"an offset beyond all":     with(func(m *builtins.Mark) { m.Offset = 1<<62 + 1 }),
		"too many occurrences":     with(func(m *builtins.Mark) { m.Occurrences = 1<<31 + 1 }),
		"a digest that is cut":     whole[:len(whole)-1],
		"cut behind its numbers":   whole[:5],
		"cut in its numbers":       whole[:3],
		"cut in its last number":   append(bytes.Clone(whole[:4]), strings.Repeat("\x80", digestLen)...),
		"a number that never ends": []byte(strings.Repeat("\xff", 20)),
	} {
		got, err := UnpackMarks(packed)
		require.ErrorIs(t, err, ErrMalformed, name)
		require.Nil(t, got, name)
	}
	many := make([]builtins.Mark, MarksAtOnce+1)
	for i := range many {
		many[i] = mark(i + 1)
	}
	got, err := UnpackMarks(PackMarks(many[1:]))
	require.NoError(t, err)
	require.Len(t, got, MarksAtOnce)
	_, err = UnpackMarks(PackMarks(many))
	require.ErrorIs(t, err, ErrMalformed)
	require.EqualValues(t, MarksAtOnce*58, MaxMarksFrame)
}

func TestValuesAreCountedBeforeTheyAreMade(t *testing.T) {
	for text, n := range map[string]int{
		`{}`: 1, `[]`: 1, `[1,2]`: 2, `{"a":[1,{}]}`: 4, `"a,[{\",{"`: 0, `["\\",1]`: 2, `5`: 0, `{"a":"\""},`: 2,
	} {
		f := Frame{Header: Header{Op: Vars}, JSON: []byte(text)}
		require.Equal(t, n, jsondoc.CountValues(f.JSON), text)
		if n > 0 {
			require.ErrorIs(t, f.DecodeFew(new(any), n-1), ErrTooLarge, text)
		}
		require.Equal(t, json.Unmarshal(f.JSON, new(any)) == nil, f.DecodeFew(new(any), n) == nil, text)
	}
	err := Frame{Header: Header{Op: Vars}, JSON: []byte(`{`)}.DecodeFew(new(any), 10)
	require.ErrorIs(t, err, ErrMalformed)
	require.ErrorContains(t, err, "vars")
}
