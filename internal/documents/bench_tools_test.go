package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/gorlm/rlm/sandbox"
)

// sized is the small number, or with RLM_LONG the full one. Run the full ones with -benchtime=1x.
func sized(small, full int) int {
	if os.Getenv("RLM_LONG") != "" {
		return full
	}
	return small
}

// BenchmarkLongPDF converts a PDF of 1,000 pages, and pdftotext does the same.
func BenchmarkLongPDF(b *testing.B) {
	pages := sized(100, 1000)
	file := filepath.Join(b.TempDir(), "long.pdf")
	require.NoError(b, os.WriteFile(file, manyPages(pages), 0o600))
	contest{
		files: []string{file}, unit: "pages/s", units: pages,
		rival: []string{"pdftotext", "-layout", file, os.DevNull},
	}.run(b)
}

// BenchmarkLargeWorkbook converts an XLSX of 100 MB. No tool here reads it in minutes; unzip -p only unpacks it.
func BenchmarkLargeWorkbook(b *testing.B) {
	file := written(b, "large.xlsx", func(f *os.File) error { return writeLargeWorkbook(f, int64(sized(2, 100))*1e6) })
	contest{files: []string{file}, rival: []string{"unzip", "-p", file}}.run(b)
}

// BenchmarkZipOfLogs unpacks a zip of 1 GB, and unzip -p does the same. The rate is one of packed bytes.
func BenchmarkZipOfLogs(b *testing.B) {
	var unpacked int64
	file := written(b, "logs.zip", func(f *os.File) (err error) {
		unpacked, err = writeLogs(f, int64(sized(8, 1000))*1e6)
		return err
	})
	contest{
		files: []string{file}, unit: "unpacked-MB/s", units: int(unpacked / 1e6),
		rival: []string{"unzip", "-p", file},
	}.run(b)
}

// BenchmarkManyPages converts 10,000 small web pages, and pandoc does the same: a hundred in each process, because it
// starts slowly.
func BenchmarkManyPages(b *testing.B) {
	files := smallPages(b, sized(100, 10_000))
	contest{
		files: files, unit: "files/s", units: len(files), rival: []string{"pandoc", "-f", "html", "-t", "plain"},
		atOnce: 100,
	}.run(b)
}

// written makes a file of a benchmark.
func written(b *testing.B, name string, write func(*os.File) error) string {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), name))
	require.NoError(b, err)
	require.NoError(b, errors.Join(write(f), f.Close()))
	return f.Name()
}

// contest has files converted by a pool, and each time after that by another tool as processes of its own.
type contest struct {
	files  []string
	unit   string // what besides bytes is counted
	units  int    // of them in all files
	rival  []string
	atOnce int // files that each process of the rival gets as more arguments; it has those it needs if 0
}

func (c contest) run(b *testing.B) {
	var size int64
	for _, file := range c.files {
		info, err := os.Stat(file)
		require.NoError(b, err)
		size += info.Size()
	}
	_, err := exec.LookPath(c.rival[0])
	if err != nil {
		b.Logf("SKIP: %s is not installed, so nothing is compared", c.rival[0])
	}
	p := NewPool(Options{Timeout: time.Hour}) // a busy machine ends nothing that is measured
	m := &measured{workers: p.workers, live: map[*sandbox.Worker]bool{}}
	p.workers = m
	defer func() { require.NoError(b, p.Close()) }()
	debug.FreeOSMemory() // what making the files took
	m.resetHost()
	var ours, theirs time.Duration
	var text int64
	b.SetBytes(size)
	for b.Loop() {
		began := time.Now()
		text = c.convert(b, p, m)
		ours += time.Since(began)
		if err == nil {
			b.StopTimer()
			theirs += c.compete(b)
			b.StartTimer()
		}
	}
	rounds := float64(b.N)
	b.ReportMetric(float64(text)/1e6, "MB-text")
	if c.unit != "" {
		b.ReportMetric(float64(c.units)*rounds/ours.Seconds(), c.unit)
	}
	if err == nil {
		b.ReportMetric(float64(size)*rounds/1e6/theirs.Seconds(), "MB/s-"+c.rival[0])
		b.ReportMetric(ours.Seconds()/theirs.Seconds(), "time/"+c.rival[0])
	}
	if m.worker > 0 {
		b.ReportMetric(float64(m.worker)/(1<<20), "MiB-worker")
	}
	if host := m.host(); host > 0 {
		b.ReportMetric(float64(host)/(1<<20), "MiB-host")
	}
}

// convert has all files converted, a few at once, reads their texts and counts their bytes.
func (c contest) convert(b *testing.B, p *Pool, m *measured) int64 {
	stop := m.watch()
	defer stop()
	var mu sync.Mutex
	var all int64
	var group errgroup.Group
	group.SetLimit(2 * p.options.Workers)
	for _, file := range c.files {
		group.Go(func() error {
			f, err := os.Open(file)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			info, err := f.Stat()
			if err != nil {
				return err
			}
			return p.Convert(b.Context(), Job{Name: filepath.Base(file), Bytes: f, Size: info.Size()},
				func(d Document) error {
					if d.Why != "" {
						return fmt.Errorf("%s: %s", d.Name, d.Why)
					}
					n, err := io.Copy(io.Discard, d.Text)
					mu.Lock()
					defer mu.Unlock()
					all += n
					return err
				})
		})
	}
	require.NoError(b, group.Wait())
	return all
}

// compete has the rival do the same, and says how long it took.
func (c contest) compete(b *testing.B) time.Duration {
	began := time.Now()
	if c.atOnce == 0 {
		require.NoError(b, exec.CommandContext(b.Context(), c.rival[0], c.rival[1:]...).Run())
		return time.Since(began)
	}
	for i := 0; i < len(c.files); i += c.atOnce {
		args := append(c.rival[1:len(c.rival):len(c.rival)], c.files[i:min(i+c.atOnce, len(c.files))]...)
		require.NoError(b, exec.CommandContext(b.Context(), c.rival[0], args...).Run())
	}
	return time.Since(began)
}

// measured are workers whose memory is looked at now and then.
type measured struct {
	workers

	mu     sync.Mutex
	live   map[*sandbox.Worker]bool
	worker int64 // the most that one had
}

func (m *measured) Start(
	ctx context.Context, k sandbox.Kind, level sandbox.Level, admit sandbox.Admit,
) (*sandbox.Worker, error) {
	w, err := m.workers.Start(ctx, k, level, admit)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.live[w] = true
	}
	return w, err
}

// watch looks until stop is called.
func (m *measured) watch() (stop func()) {
	quit := make(chan struct{})
	var looks sync.WaitGroup
	looks.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
			}
			m.mu.Lock()
			for w := range m.live {
				m.worker = max(m.worker, w.Memory())
			}
			m.mu.Unlock()
		}
	})
	return func() {
		close(quit)
		looks.Wait()
	}
}

// resetHost forgets what this process had resident at most so far.
func (m *measured) resetHost() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// host is what this process had resident at most since then, in bytes; 0 where it cannot be known.
func (m *measured) host() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kb int64
	_, _ = fmt.Sscan(after, &kb)
	return kb << 10
}
