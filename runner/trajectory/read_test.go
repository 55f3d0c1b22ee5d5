package trajectory_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// written makes a log of the given payloads and returns its folder.
func written(t testing.TB, payloads ...trajectory.Data) string {
	t.Helper()
	dir := t.TempDir()
	log, err := trajectory.Create(dir, nil)
	require.NoError(t, err)
	for _, d := range payloads {
		_, err := log.Append("", 0, d)
		require.NoError(t, err)
	}
	require.NoError(t, log.Close())
	return dir
}

func TestTornLastLine(t *testing.T) {
	dir := written(t, trajectory.Warned{Text: "one"}, trajectory.Warned{Text: "two"}, trajectory.Warned{Text: "three"})
	file := filepath.Join(dir, "trajectory.jsonl")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	two := strings.LastIndex(strings.TrimSpace(string(whole)), "\n") + 1
	tails := []string{"\x00\x00\x00\x00", "\x00\x00\x00\n", "{\"seq\":3,\n"}
	for cut := two; cut < len(whole); cut++ {
		tails = append(tails, string(whole[two:cut]))
	}
	for _, tail := range tails {
		require.NoError(t, os.WriteFile(file, append(whole[:two:two], tail...), 0o600))
		require.Len(t, readAll(t, dir), 2, "after %q", tail)
		log, err := trajectory.Open(dir, nil)
		require.NoError(t, err)
		now, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(whole[:two]), string(now), "the torn end is cut off")
		_, err = log.Append("", 0, trajectory.Warned{Text: "new three"})
		require.NoError(t, err)
		require.NoError(t, log.Close())
		events := readAll(t, dir)
		require.Len(t, events, 3)
		require.Equal(t, trajectory.Warned{Text: "new three"}, events[2].Data)
	}
}

func TestTornText(t *testing.T) {
	long := trajectory.T(strings.Repeat("a text ", 1000))
	dir := written(t, trajectory.MessageAdded{Content: long})
	file := filepath.Join(dir, "texts.zst")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	// Remains of a crash: part of a text whose line was never written.
	for cut := range len(whole) {
		require.NoError(t, os.WriteFile(file, append(whole[:len(whole):len(whole)], whole[:cut]...), 0o600))
		log, err := trajectory.Open(dir, nil)
		require.NoError(t, err)
		now, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, bytes.Equal(whole, now), "the torn end is cut off")
		require.NoError(t, log.Close())
	}
	log, err := trajectory.Open(dir, nil)
	require.NoError(t, err)
	other := trajectory.T(strings.Repeat("another ", 1000))
	_, err = log.Append("", 0, trajectory.MessageAdded{Content: other})
	require.NoError(t, err)
	require.NoError(t, log.Close())
	events := readAll(t, dir)
	require.Equal(t, trajectory.MessageAdded{Content: long}, events[0].Data)
	require.Equal(t, trajectory.MessageAdded{Content: other}, events[1].Data)
}

func TestDamageInTheMiddleIsAnError(t *testing.T) {
	dir := written(t, trajectory.Warned{Text: "one"}, trajectory.Warned{Text: "two"}, trajectory.Warned{Text: "three"})
	file := filepath.Join(dir, "trajectory.jsonl")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, damaged := range []string{
		strings.Replace(string(whole), `"seq":2`, `"seq";2`, 1),
		strings.Replace(string(whole), `"seq":2`, `"seq":5`, 1),
	} {
		require.NoError(t, os.WriteFile(file, []byte(damaged), 0o600))
		var seen int
		var failed error
		for _, err := range trajectory.Read(dir) {
			if failed = err; err == nil {
				seen++
			}
		}
		require.Equal(t, 1, seen)
		require.ErrorContains(t, failed, "line 2")
		_, err = trajectory.Open(dir, nil)
		require.ErrorContains(t, err, "line 2")
	}
}

func TestDamagedTextIsAnError(t *testing.T) {
	dir := written(t, trajectory.MessageAdded{Content: trajectory.T(strings.Repeat("text ", 1000))})
	file := filepath.Join(dir, "texts.zst")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	whole[len(whole)-1] ^= 1
	require.NoError(t, os.WriteFile(file, whole, 0o600))
	for _, err := range trajectory.Read(dir) {
		require.ErrorContains(t, err, "texts.zst")
	}
	require.NoError(t, os.Remove(file))
	for _, err := range trajectory.Read(dir) {
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

func TestLogOfALaterVersion(t *testing.T) {
	dir := written(t, trajectory.Warned{Text: "one"})
	file := filepath.Join(dir, "trajectory.jsonl")
	lines := []string{
		`{"seq":1,"time":"2030-01-01T00:00:00Z","type":"thought","data":{"deep":{"er":[1,2.50]}}}`,
		`{"seq":2,"time":"2030-01-01T00:00:00Z","type":"warned","data":{"about":"a","text":"b","mood":{"x":1}}}`,
	}
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	events := readAll(t, dir)
	require.Equal(t, trajectory.Unknown{Type: "thought", Raw: json.RawMessage(`{"deep":{"er":[1,2.50]}}`)},
		events[0].Data)
	require.Equal(t, trajectory.Warned{About: "a", Text: "b"}, events[1].Data)
	for i, e := range events {
		b, err := json.Marshal(e)
		require.NoError(t, err)
		require.JSONEq(t, lines[i], string(b))
	}
	log, err := trajectory.Open(dir, nil)
	require.NoError(t, err)
	e, err := log.Append("", 0, events[0].Data)
	require.NoError(t, err)
	require.Equal(t, int64(3), e.Seq)
	require.NoError(t, log.Close())
	require.Equal(t, events[0].Data, readAll(t, dir)[2].Data)
}

func TestSkimLeavesLongTexts(t *testing.T) {
	long := strings.Repeat("long ", 10_000)
	dir := written(t, trajectory.SubCallEnded{Reply: trajectory.T(long)},
		trajectory.SubCallEnded{Reply: trajectory.T("short")})
	var replies []trajectory.Text
	for e, err := range trajectory.Skim(dir) {
		require.NoError(t, err)
		replies = append(replies, e.Data.(trajectory.SubCallEnded).Reply)
	}
	require.False(t, replies[0].Loaded())
	require.Equal(t, int64(len(long)), replies[0].Size())
	require.Equal(t, trajectory.T(long).Hash(), replies[0].Hash())
	require.NotContains(t, replies[0].String(), "long ")
	got, err := replies[0].Load()
	require.NoError(t, err)
	require.Equal(t, long, got)
	require.True(t, replies[1].Loaded())
	require.Equal(t, "short", replies[1].String())
}

func TestEqualTextsAreStoredOnce(t *testing.T) {
	long := strings.Repeat("the same prompt again and again; ", 10_000)
	dir := t.TempDir()
	log, err := trajectory.Create(dir, nil)
	require.NoError(t, err)
	grow := func(n int) int64 {
		for range n {
			_, err := log.Append("", 0, trajectory.SubCallStarted{Prompt: trajectory.T(long)})
			require.NoError(t, err)
		}
		info, err := os.Stat(filepath.Join(dir, "texts.zst"))
		require.NoError(t, err)
		return info.Size()
	}
	once := grow(1)
	require.Equal(t, once, grow(20))
	require.NoError(t, log.Close())
	log, err = trajectory.Open(dir, nil)
	require.NoError(t, err)
	require.Equal(t, once, grow(1), "also after the log was opened again")
	require.NoError(t, log.Close())
	require.Len(t, readAll(t, dir), 22)
	// A crash may leave a text without its line.
	require.NoError(t, os.Truncate(filepath.Join(dir, "trajectory.jsonl"), 0))
	log, err = trajectory.Open(dir, nil)
	require.NoError(t, err)
	require.Equal(t, once, grow(1), "also where no line refers to it")
	require.NoError(t, log.Close())
}

func FuzzRead(f *testing.F) {
	dir := written(f, trajectory.RunStarted{Question: "q"}, trajectory.MessageAdded{
		Content: trajectory.T(strings.Repeat("x", 5000)),
	}, trajectory.RunEnded{Status: "answered"})
	lines, err := os.ReadFile(filepath.Join(dir, "trajectory.jsonl"))
	require.NoError(f, err)
	texts, err := os.ReadFile(filepath.Join(dir, "texts.zst"))
	require.NoError(f, err)
	f.Add(lines, texts)
	f.Add([]byte("{}\n{}\n"), []byte{})
	f.Add([]byte(`{"seq":1,"type":"message_added","data":{"content":{"sha256":"","size":-1}}}`+"\n"), texts)
	f.Fuzz(func(t *testing.T, lines, texts []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "trajectory.jsonl"), lines, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "texts.zst"), texts, 0o600))
		var events, failed int64
		for e, err := range trajectory.Read(dir) {
			if err != nil {
				failed++
				continue
			}
			events++
			require.Equal(t, events, e.Seq)
			_, err := json.Marshal(e)
			require.NoError(t, err)
		}
		log, err := trajectory.Open(dir, nil)
		if err != nil {
			require.NotZero(t, failed, "what can be read can be gone on with: %v", err)
			return
		}
		// Open does not read the texts, so it may accept a log that Read does not.
		e, err := log.Append("", 0, trajectory.Warned{})
		require.NoError(t, err)
		require.NoError(t, log.Close())
		if failed == 0 {
			require.Equal(t, events+1, e.Seq)
		}
	})
}
