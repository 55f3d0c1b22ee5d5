package trajectory_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// longText returns a text for the side file.
func longText(n int) string { return strings.Repeat(fmt.Sprintf("text %d ", n), 300) }

// files returns the contents of a run's files.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{"trajectory.jsonl", "texts.zst", "trajectory.jsonl.tail", "texts.zst.tail"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			out[name] = string(b)
		}
	}
	return out
}

func restore(t *testing.T, dir string, all map[string]string) {
	t.Helper()
	for name := range files(t, dir) {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	for name, b := range all {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(b), 0o600))
	}
}

// salvaged returns the readable texts of a log.
func salvaged(t *testing.T, dir string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for e, err := range trajectory.Salvage(dir) {
		if err != nil {
			var bad *trajectory.DamagedError
			require.ErrorAs(t, err, &bad)
			break
		}
		if d, ok := e.Data.(trajectory.MessageAdded); ok && len(d.Content.String()) > 2000 {
			out[d.Content.Hash()] = true
		}
	}
	return out
}

// TestNoFlippedByteDestroysWhatCanBeRead opens a log for appending after damaging each of its bytes in turn.
func TestNoFlippedByteDestroysWhatCanBeRead(t *testing.T) {
	dir := written(t, trajectory.RunStarted{Question: "q"},
		trajectory.MessageAdded{Content: trajectory.T(longText(1))},
		trajectory.MessageAdded{Content: trajectory.T(longText(2))},
		trajectory.Warned{Text: "between"}, trajectory.MessageAdded{Content: trajectory.T(longText(3))},
		trajectory.RunEnded{Status: "answered"})
	whole := files(t, dir)
	require.Len(t, salvaged(t, dir), 3)
	flips := 0
	for name, content := range whole {
		for at := range content {
			flips++
			damaged := maps.Clone(whole)
			b := []byte(content)
			b[at] ^= 1 << (at % 8)
			damaged[name] = string(b)
			restore(t, dir, damaged)
			before := salvaged(t, dir)
			where := fmt.Sprintf("%s, byte %d", name, at)

			log, err := trajectory.Open(dir, nil)
			if err != nil {
				var bad *trajectory.DamagedError
				require.ErrorAs(t, err, &bad, where)
				require.ErrorContains(t, err, "rlm repair "+filepath.Base(dir))
				require.Equal(t, damaged, files(t, dir), "%s: a log that cannot be opened is not changed", where)
				continue
			}
			_, err = log.Append("", 0, trajectory.MessageAdded{Content: trajectory.T(longText(1))})
			require.NoError(t, err)
			require.NoError(t, log.Close())
			after := salvaged(t, dir)
			for hash := range before {
				require.True(t, after[hash], "%s: a text is gone", where)
			}
			require.True(t, after[trajectory.T(longText(1)).Hash()], "%s: a text that is appended can be read", where)
			// No byte is lost.
			now := files(t, dir)
			for name, was := range damaged {
				kept := commonPrefix(was, now[name])
				require.Equal(t, was[kept:], now[name+".tail"], "%s: %s", where, name)
			}
		}
	}
	t.Logf("%d bytes", flips)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	// The appended part may start like the part that was moved aside, so only whole lines count.
	if n < len(a) {
		if i := strings.LastIndexByte(a[:n], '\n'); i >= 0 && strings.HasPrefix(a, "{") {
			n = i + 1
		}
	}
	return n
}

func TestRepair(t *testing.T) {
	dir := written(t, trajectory.RunStarted{Question: "q"}, trajectory.MessageAdded{Content: trajectory.T(longText(1))},
		trajectory.Warned{Text: "three"}, trajectory.MessageAdded{Content: trajectory.T(longText(2))},
		trajectory.RunEnded{Status: "answered"})
	whole := files(t, dir)
	lines := strings.SplitAfter(whole["trajectory.jsonl"], "\n")
	lines = lines[:len(lines)-1]
	with := func(changed ...string) map[string]string {
		m := maps.Clone(whole)
		m["trajectory.jsonl"] = strings.Join(changed, "")
		return m
	}
	badText := maps.Clone(whole)
	second := strings.LastIndex(whole["texts.zst"], "text 2")
	badText["texts.zst"] = whole["texts.zst"][:second] + "T" + whole["texts.zst"][second+1:]

	for what, c := range map[string]struct {
		files        map[string]string
		kept, behind int // number of events kept, and of undamaged events moved aside
		line         int // the damaged line; 0: none
	}{
		"whole":                      {whole, 5, 0, 0},
		"a torn end":                 {with(append(slices.Clone(lines), `{"seq":6,"ti`)...), 5, 0, 0},
		"the first line twice":       {with(append(lines[:1:1], lines...)...), 5, 0, 0},
		"the last line twice":        {with(append(slices.Clone(lines), lines[4])...), 5, 0, 0},
		"a line in the middle twice": {with(lines[0], lines[1], lines[1], lines[2], lines[3], lines[4]), 5, 0, 0},
		"a block twice": {
			with(lines[0], lines[1], lines[2], lines[1], lines[2], lines[3], lines[4]), 5, 0, 0,
		},
		"a bad line in the middle": {with(lines[0], lines[1], "not JSON\n", lines[3], lines[4]), 2, 2, 3},
		"an empty line":            {with(lines[0], lines[1], "\n", lines[2], lines[3], lines[4]), 2, 3, 3},
		"a bad first line":         {with("{}\n", lines[1], lines[2], lines[3], lines[4]), 0, 4, 1},
		"a line is missing":        {with(lines[0], lines[1], lines[3], lines[4]), 2, 2, 3},
		"two lines changed places": {with(lines[0], lines[2], lines[1], lines[3], lines[4]), 1, 4, 2},
		"a number that was given already": {
			with(lines[0], lines[1], strings.Replace(lines[2], `"seq":3`, `"seq":2`, 1), lines[3], lines[4]), 2, 3, 3,
		},
		"the last line has another number": {
			with(lines[0], lines[1], lines[2], lines[3], strings.Replace(lines[4], `"seq":5`, `"seq":9`, 1)), 4, 1, 5,
		},
		"two lines are one": {
			with(lines[0], strings.TrimSpace(lines[1]), lines[2], lines[3], lines[4]), 1, 2, 2,
		},
		"a text is damaged": {badText, 3, 2, 4},
		"something behind the data": {
			with(lines[0], strings.Replace(lines[1], `}}`, `}}}`, 1), lines[2], lines[3], lines[4]), 1, 3, 2,
		},
	} {
		t.Run(what, func(t *testing.T) {
			restore(t, dir, c.files)
			seen, err := trajectory.Inspect(dir)
			require.NoError(t, err)
			require.Equal(t, c.files, files(t, dir), "Inspect changes nothing")
			readable := salvaged(t, dir)

			d, err := trajectory.Repair(dir)
			require.NoError(t, err)
			require.Equal(t, int64(c.kept), d.Kept)
			require.Equal(t, c.behind, d.Events)
			if c.line == 0 {
				require.Nil(t, d.First)
				require.Equal(t, c.files, files(t, dir), "there is nothing to repair")
			} else {
				require.Equal(t, c.line, d.First.Line)
				require.Equal(t, c.line, seen.First.Line)
				require.Equal(t, d.Bytes, seen.Bytes)
				aside, err := os.ReadFile(d.Aside)
				require.NoError(t, err)
				require.EqualValues(t, len(aside), d.Bytes)
				now := files(t, dir)
				require.Equal(t, c.files["trajectory.jsonl"], now["trajectory.jsonl"]+string(aside), "nothing is lost")
				require.Equal(t, c.files["texts.zst"], now["texts.zst"])
			}
			require.Len(t, readAll(t, dir), c.kept)
			log, err := trajectory.Open(dir, nil)
			require.NoError(t, err)
			e, err := log.Append("", 0, trajectory.Warned{Text: "goes on"})
			require.NoError(t, err)
			require.Equal(t, int64(c.kept+1), e.Seq)
			require.NoError(t, log.Close())
			require.Len(t, readAll(t, dir), c.kept+1)
			again, err := trajectory.Repair(dir)
			require.NoError(t, err)
			require.Nil(t, again.First)
			require.NotEmpty(t, readable)
		})
	}
}

func TestSalvageGoesOnBehindDamage(t *testing.T) {
	dir := written(t, trajectory.RunStarted{Question: "q"}, trajectory.MessageAdded{Content: trajectory.T(longText(1))},
		trajectory.Warned{Text: "three"},
		trajectory.RunEnded{Status: "answered"})
	file := filepath.Join(dir, "trajectory.jsonl")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	bad := bytes.Replace(whole, []byte(`"seq":3`), []byte(`"seq";3`), 1)
	require.NoError(t, os.WriteFile(file, bad, 0o600))
	require.NoError(t, os.Remove(filepath.Join(dir, "texts.zst")))
	var got []string
	var failed error
	for e, err := range trajectory.Salvage(dir) {
		if failed = err; err != nil {
			break
		}
		switch d := e.Data.(type) {
		case trajectory.Warned:
			require.Equal(t, "log", d.About)
			got = append(got, d.Text)
		case trajectory.MessageAdded:
			got = append(got, d.Content.String())
		default:
			got = append(got, d.EventType())
		}
	}
	require.Len(t, got, 4)
	require.Contains(t, got[1], "[text of")
	require.Contains(t, got[2], "line 3 of the log is damaged")
	require.Equal(t, "run_ended", got[3])
	require.ErrorContains(t, failed, "line 2", "the first damage comes last")
}

func TestRepairLeavesALogAloneThatIsInUse(t *testing.T) {
	dir := t.TempDir()
	log, err := trajectory.Create(dir, nil)
	require.NoError(t, err)
	_, err = trajectory.Repair(dir)
	var locked *trajectory.LockedError
	require.ErrorAs(t, err, &locked)
	require.NoError(t, log.Close())
	_, err = trajectory.Repair(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Two different events of one number: the later one is not shown as if it were right.
func TestSalvageNotesANumberGivenTwice(t *testing.T) {
	dir := written(t, trajectory.Warned{Text: "one"}, trajectory.Warned{Text: "two"}, trajectory.Warned{Text: "three"})
	file := filepath.Join(dir, "trajectory.jsonl")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.Replace(whole, []byte(`"seq":2`), []byte(`"seq":1`), 1), 0o600))
	var texts []string
	for e, err := range trajectory.Salvage(dir) {
		if err != nil {
			require.ErrorContains(t, err, "line 2: event 1 follows event 1")
			break
		}
		texts = append(texts, e.Data.(trajectory.Warned).Text)
	}
	require.Equal(t, []string{"one", "line 2 of the log is damaged and was left out: event 1 follows event 1", "three"}, texts)
}

// Zeros behind the end are what a file system leaves; anything else is kept.
func TestOnlyZerosBehindTheEndAreDropped(t *testing.T) {
	dir := written(t, trajectory.Warned{Text: "one"})
	file := filepath.Join(dir, "trajectory.jsonl")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	zeros := strings.Repeat("\x00", 100<<10)
	for _, c := range []struct{ torn, aside string }{{zeros, ""}, {zeros + "x", zeros + "x"}} {
		require.NoError(t, os.WriteFile(file, append(bytes.Clone(whole), c.torn...), 0o600))
		log, err := trajectory.Open(dir, nil)
		require.NoError(t, err)
		require.NoError(t, log.Close())
		require.Equal(t, string(whole), files(t, dir)["trajectory.jsonl"])
		require.Equal(t, c.aside, files(t, dir)["trajectory.jsonl.tail"])
	}
	// A whole log is not touched: its summary stays valid.
	old := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	require.NoError(t, os.Chtimes(file, old, old))
	log, err := trajectory.Open(dir, nil)
	require.NoError(t, err)
	require.NoError(t, log.Close())
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, old, info.ModTime().UTC())
}
