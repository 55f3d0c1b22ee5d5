package corpus_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/corpus"
)

// logLines is text such as a service writes.
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
