package trajectory

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"
)

// bubble runs a test on a clock of its own. A loop that does not end would stop that clock; it ends all tests.
func bubble(t *testing.T, test func(t *testing.T)) {
	hang := time.AfterFunc(30*time.Second, func() { panic(t.Name() + " does not end") })
	defer hang.Stop()
	synctest.Test(t, test)
}

// TestNobodyWaitsForever runs where a wait that nothing ends is a failure at once.
func TestNobodyWaitsForever(t *testing.T) {
	bubble(t, func(t *testing.T) {
		log, err := Create(t.TempDir(), nil)
		require.NoError(t, err)
		log.sync = func(*os.File) error { return nil } // a busy disk may take long
		events, stop := log.Subscribe()
		defer stop()
		var observed, got []int64
		log.Observe(func(e Event) { observed = append(observed, e.Seq) })
		go func() {
			for e := range events {
				got = append(got, e.Seq)
			}
		}()
		for seq := range int64(2) {
			e, err := log.Append("", 0, Warned{})
			require.NoError(t, err)
			require.Equal(t, []int64{seq + 1, seq + 1}, []int64{e.Seq, log.Seq()}, "what is appended is durable")
		}
		_, err = log.Append("", 0, ReplyDelta{})
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, []int64{1, 2, 2}, got, "a transient event does not wait for the next durable one")
		e, err := log.Post("", 0, Warned{})
		require.NoError(t, err)
		require.NoError(t, log.Await(e.Seq))
		require.Equal(t, e.Seq, log.Seq())
		seq, err := log.Settle()
		require.NoError(t, err)
		require.EqualValues(t, 3, seq)
		for range 2 {
			_, err = log.Post("", 0, Warned{})
			require.NoError(t, err)
		}
		require.NoError(t, log.Close())
		synctest.Wait()
		require.Equal(t, []int64{1, 2, 2, 3, 4, 5}, got)
		require.Equal(t, []int64{1, 2, 3, 4, 5}, observed)
	})
}

// What was posted is in the log once it is closed, unless writing failed, which ends all waits.
func TestCloseWaitsForWhatWasPosted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for range 20 {
			log, err := Create(t.TempDir(), nil)
			require.NoError(t, err)
			log.sync = func(*os.File) error { return nil }
			for range 3 {
				_, err = log.Post("", 0, Warned{})
				require.NoError(t, err)
			}
			require.NoError(t, log.Close())
			seqs := []int64{}
			for e, err := range Read(log.Dir()) {
				require.NoError(t, err)
				seqs = append(seqs, e.Seq)
			}
			require.Equal(t, []int64{1, 2, 3}, seqs)
		}
		dir := t.TempDir()
		log, err := Create(dir, nil)
		require.NoError(t, err)
		require.NoError(t, log.Close())
		log, err = Open(dir, nil)
		require.NoError(t, err)
		log.sync = func(*os.File) error { return syscall.EIO }
		e, err := log.Post("", 0, Warned{})
		require.NoError(t, err)
		require.ErrorIs(t, log.Await(e.Seq), syscall.EIO)
		require.NoError(t, log.Close())
	})
}

func TestAReaderThatIsBehindGetsAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		log, err := Create(t.TempDir(), nil)
		require.NoError(t, err)
		log.sync = func(*os.File) error { return nil } // a busy disk may take long
		events, stop := log.Subscribe()
		defer stop()
		const n = 2 * queueLen
		for range n {
			_, err := log.Post("", 0, Warned{})
			require.NoError(t, err)
		}
		_, err = log.Settle()
		require.NoError(t, err)
		var got []int64
		for e := range events {
			if got = append(got, e.Seq); e.Seq == n { // caught up: what follows comes through the queue again
				_, err = log.Append("", 0, Warned{})
				require.NoError(t, err)
				require.NoError(t, log.Close())
			}
		}
		require.Len(t, got, n+1)
		require.True(t, slices.IsSorted(got))
	})
}

// A reader that looks whether a log is owned holds its lock for a moment. The owner to be waits for that.
func TestALockIsAwaitedForAMoment(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		log, err := Create(dir, nil)
		require.NoError(t, err)
		require.NoError(t, log.Close())
		for wait, opens := range map[time.Duration]bool{lockPatience / 2: true, lockPatience * 2: false} {
			lock := flock.New(filepath.Join(dir, lockFile))
			ok, err := lock.TryLock()
			require.NoError(t, err)
			require.True(t, ok)
			require.NoError(t, (&ownership{dir: dir}).sign())
			time.AfterFunc(wait, func() { _ = lock.Close() })
			log, err := Open(dir, nil)
			if !opens {
				require.ErrorAs(t, err, new(*LockedError))
				time.Sleep(wait)
				continue
			}
			require.NoError(t, err)
			require.NoError(t, log.Close())
		}
	})
}
