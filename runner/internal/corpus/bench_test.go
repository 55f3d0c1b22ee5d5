package corpus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

// logLines returns text like a service's log.
func logLines(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "2026-03-%02d 12:%02d:%02d level=info service=api-%d request=%08x took=%dms path=/v1/items/%d\n", i%28+1, i%60, i%59, i%7, i*2654435761, i%900, i)
	}
	return b.Bytes()[:size]
}

func BenchmarkBuild(b *testing.B) {
	for _, mib := range []int{1, 100, 1024} {
		b.Run(fmt.Sprintf("%dMiB", mib), func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "big.log")
			f, err := os.Create(file)
			require.NoError(b, err)
			block := logLines(1 << 20)
			for range mib {
				_, err := f.Write(block)
				require.NoError(b, err)
			}
			require.NoError(b, f.Close())
			b.SetBytes(int64(mib) << 20)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				text, err := corpus.Build(context.Background(), []corpus.Source{{Path: file}})
				require.NoError(b, err)
				require.NoError(b, text.Close())
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/(1<<20), "MiB-heap/op")
		})
	}
}

// BenchmarkStream reads 100 MiB from a pipe, as from standard input.
func BenchmarkStream(b *testing.B) {
	block := logLines(1 << 20)
	b.SetBytes(100 << 20)
	for b.Loop() {
		r, w, err := os.Pipe()
		require.NoError(b, err)
		go func() {
			for range 100 {
				_, _ = w.Write(block)
			}
			_ = w.Close()
		}()
		text, err := corpus.Build(context.Background(), []corpus.Source{{Name: "stdin", Reader: r}})
		require.NoError(b, err)
		require.Equal(b, int64(100<<20), text.Size())
		require.NoError(b, errors.Join(text.Close(), r.Close()))
	}
}

func BenchmarkSaveAndLoad(b *testing.B) {
	text, err := corpus.Build(
		context.Background(), []corpus.Source{{String: string(bytes.Repeat(logLines(1<<20), 100))}})
	require.NoError(b, err)
	defer text.Close()
	dir := b.TempDir()
	b.Run("save", func(b *testing.B) {
		b.SetBytes(text.Size())
		for b.Loop() {
			require.NoError(b, text.Save(dir))
		}
	})
	b.Run("load", func(b *testing.B) {
		b.SetBytes(text.Size())
		for b.Loop() {
			again, err := corpus.Load(b.Context(), dir)
			require.NoError(b, err)
			require.NoError(b, again.Close())
		}
	})
}

// BenchmarkFolder reads 5 000 small files.
func BenchmarkFolder(b *testing.B) {
	dir := b.TempDir()
	for i := range 5000 {
		sub := filepath.Join(dir, fmt.Sprint(i%50))
		require.NoError(b, os.MkdirAll(sub, 0o755))
		require.NoError(b, os.WriteFile(filepath.Join(sub, fmt.Sprintf("%d.txt", i)), logLines(2000), 0o644))
	}
	for b.Loop() {
		text, err := corpus.Build(context.Background(), []corpus.Source{{Path: dir}})
		require.NoError(b, err)
		require.NoError(b, text.Close())
	}
}
