package trajectory_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// What compresses well is padded just enough for the bound on the ratio that readers enforce.
func TestAStoredTextIsPaddedJustEnough(t *testing.T) {
	dir := t.TempDir()
	log, err := trajectory.Create(dir, nil)
	require.NoError(t, err)
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
	require.NoError(t, err)
	var texts []string
	stored, exact := int64(0), 0
	for n := range 60 {
		for _, more := range []int{0, 1, 249} {
			texts = append(texts, strings.Repeat("a", 64<<10+250*n+more))
			_, err := log.Append("", 0, trajectory.MessageAdded{Content: trajectory.T(texts[len(texts)-1])})
			require.NoError(t, err)
			frame, least := len(zip.EncodeAll([]byte(texts[len(texts)-1]), nil)), n+min(more, 1)
			if frame == least {
				exact++
			} else if frame < least {
				frame = max(frame+8, least)
			}
			stored += int64(56 + frame)
			info, err := os.Stat(filepath.Join(dir, "texts.zst"))
			require.NoError(t, err)
			require.Equal(t, stored, info.Size(), "with %d", len(texts[len(texts)-1]))
		}
	}
	require.Positive(t, exact)
	require.NoError(t, log.Close())
	for i, e := range readAll(t, dir) {
		require.Equal(t, texts[i], e.Data.(trajectory.MessageAdded).Content.String())
	}
	unzip, err := zstd.NewReader(nil)
	require.NoError(t, err)
	file, err := os.ReadFile(filepath.Join(dir, "texts.zst"))
	require.NoError(t, err)
	printed, err := unzip.DecodeAll(file, nil)
	require.NoError(t, err)
	require.True(t, strings.Join(texts, "") == string(printed), "zstd -d prints all texts")
	_, err = log.Append("", 0, trajectory.MessageAdded{Content: trajectory.T(strings.Repeat("a", 256<<20+1))})
	require.ErrorContains(t, err, "but the limit is 268435456")
}

// Equal texts share memory while they are few enough to be kept.
func TestEqualTextsShareMemory(t *testing.T) {
	half, other := strings.Repeat("a", 8<<20), strings.Repeat("b", 8<<20)
	for _, c := range []struct {
		texts  []string
		shared bool // by the first and the last
	}{
		{[]string{half, other, half}, true},
		{[]string{half, other, longText(1), half}, false},
		{[]string{half + other, half + other}, true},
		{[]string{half + other + "c", half + other + "c"}, false},
		{[]string{half, half + other + "c", half}, true},
	} {
		var payloads []trajectory.Data
		for _, text := range c.texts {
			payloads = append(payloads, trajectory.MessageAdded{Content: trajectory.T(text)})
		}
		var got []string
		for _, e := range readAll(t, written(t, payloads...)) {
			got = append(got, e.Data.(trajectory.MessageAdded).Content.String())
		}
		first, last := got[0], got[len(got)-1]
		require.Equal(t, c.shared, unsafe.StringData(first) == unsafe.StringData(last), len(c.texts))
	}
}

// A header from elsewhere may say anything: what cannot be is moved aside as a torn end is, and nothing hangs.
func TestHeadersOfTexts(t *testing.T) {
	dir := written(t, trajectory.MessageAdded{Content: trajectory.T(longText(1))})
	file := filepath.Join(dir, "texts.zst")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, c := range []struct {
		id           uint32
		length       uint32
		size, stored int64
		kept         bool
	}{
		{0x184D2A50, 48, 0, 0, true},
		{0x184D2A50, 48, 7, 0, true},
		{0x184D2A50, 48, -1, 0, false},
		{0x184D2A50, 48, 0, -56, false},
		{0x184D2A50, 48, 0, 1, false},
		{0x184D2A51, 48, 0, 0, false},
		{0x184D2A50, 49, 0, 0, false},
	} {
		_ = os.Remove(file + ".tail")
		header := binary.LittleEndian.AppendUint32(nil, c.id)
		header = binary.LittleEndian.AppendUint32(header, c.length)
		header = append(header, make([]byte, sha256.Size)...)
		header = binary.LittleEndian.AppendUint64(header, uint64(c.size))
		header = binary.LittleEndian.AppendUint64(header, uint64(c.stored))
		require.NoError(t, os.WriteFile(file, append(whole[:len(whole):len(whole)], header...), 0o600))
		log, err := trajectory.Open(dir, nil)
		require.NoError(t, err)
		require.NoError(t, log.Close())
		_, moved := files(t, dir)["texts.zst.tail"]
		require.Equal(t, c.kept, !moved, fmt.Sprint(c))
	}
}

// A text without escapes is taken as it is, and any other is read as JSON.
func TestATextIsReadFromJSON(t *testing.T) {
	allocs := func(quoted, want string) float64 {
		var text trajectory.Text
		require.NoError(t, text.UnmarshalJSON([]byte(quoted)))
		require.Equal(t, want, text.String())
		return testing.AllocsPerRun(20, func() { _ = text.UnmarshalJSON([]byte(quoted)) })
	}
	escaped := allocs(`"a\tb"`, "a\tb")
	require.Less(t, allocs(`"a b"`, "a b"), escaped)
	require.Less(t, allocs(`""`, ""), escaped)
	allocs("\"a\xff\"", "a\uFFFD")
	for _, bad := range []string{``, `"`, `x"a"`, `7`, `{"sha256":"00","size":1}`} {
		require.Error(t, new(trajectory.Text).UnmarshalJSON([]byte(bad)), bad)
	}
	hash := trajectory.T("").Hash()
	for reference, fits := range map[string]bool{
		`"size":0,"at":0,"stored":0`: true, `"size":-1,"at":0,"stored":0`: false, `"size":0,"at":-1,"stored":0`: false,
		`"size":0,"at":0,"stored":-1`: false,
	} {
		var text trajectory.Text
		err := text.UnmarshalJSON([]byte(`{"sha256":"` + hash + `",` + reference + `}`))
		require.Equal(t, fits, err == nil, reference)
		require.Equal(t, !fits, text.Loaded(), reference)
	}
}

// A reference beyond the end of the texts costs no memory.
func TestATextBeyondTheEnd(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "texts.zst"))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(400<<20)) // zeros that take no space
	require.NoError(t, f.Close())
	for _, stored := range []int{200 << 20, 600 << 20} {
		line := fmt.Sprintf(`{"seq":1,"time":"2030-01-01T00:00:00Z","type":"message_added","data":{"content":{"sha256":"%s",`+
			`"size":5000,"at":%d,"stored":%d}}}`, trajectory.T("").Hash(), 300<<20, stored)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "trajectory.jsonl"), []byte(line+"\n"), 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, err := range trajectory.Read(dir) {
			require.ErrorContains(t, err, "unexpected EOF")
		}
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
	}
}
