package session

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func openKeys(t *testing.T, file string, now time.Time) *Keys {
	t.Helper()
	k, err := OpenKeys(file, now)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, k.Close()) })
	return k
}

func claimKey(t *testing.T, k *Keys, who, key, request string) *Claim {
	t.Helper()
	c, err := k.Claim(t.Context(), who, key, []byte(request))
	require.NoError(t, err)
	t.Cleanup(c.Release)
	return c
}

// TestKeysOutliveTheServer: stored values survive, even if a crash truncated the last line; each user has
// separate keys.
func TestKeysOutliveTheServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "keys")
	k := openKeys(t, file, noon)
	c := claimKey(t, k, "ann", "1", "a")
	require.Nil(t, c.Value)
	require.NoError(t, c.Keep("one", noon))
	require.NoError(t, c.Keep("two", noon))
	c.Release()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(`{"key":"half`)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	k = openKeys(t, file, noon.Add(keyLife-1))
	require.JSONEq(t, `"two"`, string(claimKey(t, k, "ann", "1", "a").Value))
	require.Nil(t, claimKey(t, k, "bob", "1", "a").Value)
	require.Nil(t, claimKey(t, k, "ann", "2", "a").Value)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), "\n"), "lines that do not count any more are gone")

	require.Nil(t, claimKey(t, openKeys(t, file, noon.Add(keyLife)), "ann", "1", "a").Value, "a key has its time")
}

// TestOneClaimAtATime: a concurrent request with the same key waits, and then gets the stored value.
func TestOneClaimAtATime(t *testing.T) {
	k := openKeys(t, filepath.Join(t.TempDir(), "keys"), noon)
	var first atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			c, err := k.Claim(context.Background(), "ann", "1", []byte("a"))
			if !assert.NoError(t, err) {
				return
			}
			defer c.Release()
			if c.Value == nil {
				first.Add(1)
				assert.NoError(t, c.Keep(1, noon))
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, first.Load())

	_, err := k.Claim(t.Context(), "ann", "1", []byte("b"))
	require.ErrorIs(t, err, ErrOther)
	for _, key := range []string{"", strings.Repeat("k", 256), "tab\t", "ключ"} {
		_, err := k.Claim(t.Context(), "ann", key, nil)
		require.ErrorIs(t, err, ErrKey)
	}
	held := claimKey(t, k, "ann", "1", "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = k.Claim(ctx, "ann", "1", []byte("a"))
	require.ErrorIs(t, err, context.Canceled)
	held.Release()
	held.Release()
	claimKey(t, k, "ann", "1", "a")
}

// TestKeysKeepTheirOrder: the oldest keys are dropped first, so a rewritten file preserves their order.
func TestKeysKeepTheirOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	k := openKeys(t, file, noon)
	var want []string
	for i := range 30 {
		want = append(want, strconv.Itoa(i))
		c := claimKey(t, k, "ann", want[i], "a")
		require.NoError(t, c.Keep("at first", noon))
		require.NoError(t, c.Keep(i, noon))
	}
	openKeys(t, file, noon) // rewrites the file
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var got []string
	for line := range strings.Lines(string(text)) {
		var e keyEntry
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		got = append(got, string(e.Value))
	}
	require.Equal(t, want, got)
}
