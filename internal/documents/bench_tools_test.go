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

	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox"
)

// sized returns small, or full if RLM_LONG is set. Run full sizes with -benchtime=1x.
func sized(small, full int) int {
	if os.Getenv("RLM_LONG") != "" {
		return full
	}
	return small
}

// BenchmarkLongPDF compares the conversion of a PDF of 1,000 pages with pdftotext.
func BenchmarkLongPDF(b *testing.B) {
	pages := sized(100, 1000)
	file := filepath.Join(b.TempDir(), "long.pdf")
	require.NoError(b, os.WriteFile(file, manyPages(pages), 0o600))
	contest{
		files: []string{file}, unit: "pages/s", units: pages,
		rival: []string{"pdftotext", "-layout", file, os.DevNull},
	}.run(b)
}

// BenchmarkLargeWorkbook converts an XLSX of 100 MB. No other tool here reads it within minutes; unzip -p only
// unpacks it.
func BenchmarkLargeWorkbook(b *testing.B) {
	file := written(b, "large.xlsx", func(f *os.File) error { return writeLargeWorkbook(f, int64(sized(2, 100))*1e6) })
	contest{files: []string{file}, rival: []string{"unzip", "-p", file}}.run(b)
}

// BenchmarkZipOfLogs compares unpacking a zip of 1 GB with unzip -p. The rate is in compressed bytes.
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

// BenchmarkManyPages compares the conversion of 10,000 small web pages with pandoc, which gets a hundred per
// process because it starts slowly.
func BenchmarkManyPages(b *testing.B) {
	files := smallPages(b, sized(100, 10_000))
	contest{
		files: files, unit: "files/s", units: len(files), rival: []string{"pandoc", "-f", "html", "-t", "plain"},
		atOnce: 100,
	}.run(b)
}

// written creates an input file.
func written(b *testing.B, name string, write func(*os.File) error) string {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), name))
	require.NoError(b, err)
	require.NoError(b, errors.Join(write(f), f.Close()))
	return f.Name()
}

// contest converts files with a pool and, after each run, with another tool in separate processes.
type contest struct {
	files  []string
	unit   string // a unit that is counted in addition to bytes
	units  int    // number of units in all files
	rival  []string
	atOnce int // files per process of the rival, added to its arguments; 0: rival names them all
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
	p := NewPool(Options{Timeout: time.Hour}) // a busy machine must not end a conversion
	m := &measured{workers: p.workers, live: map[*sandbox.Worker]bool{}}
	p.workers = m
	defer func() { require.NoError(b, p.Close()) }()
	debug.FreeOSMemory() // releases the memory used to create the files
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

// convert converts all files, several at a time, and reads and counts the bytes of their texts.
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

// compete converts all files with the rival and returns the time.
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

// measured samples the memory of workers.
type measured struct {
	workers

	mu     sync.Mutex
	live   map[*sandbox.Worker]bool
	worker int64 // maximum memory of one worker
}

func (m *measured) Start(
	ctx context.Context, k sandbox.Kind, level sandbox.Level, admit otherworker.Admit,
) (*sandbox.Worker, error) {
	w, err := m.workers.Start(ctx, k, level, admit)
	if err == nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.live[w] = true
	}
	return w, err
}

// watch samples until stop is called.
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

// resetHost resets the peak resident memory of this process.
func (m *measured) resetHost() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// host returns the peak resident memory of this process since the reset, in bytes; 0 if unknown.
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
