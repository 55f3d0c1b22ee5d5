package documents

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/gorlm/rlm/internal/documents/format"
)

// hostile is a malicious or broken document.
type hostile struct {
	name string
	data []byte
	// why is a pattern that the reason of one resulting document must match; empty if the document may also
	// succeed.
	why string
}

// Limits for hostile documents. The defaults are larger, which would only take longer.
const (
	hostileMemory  = 192 << 20
	hostileOutput  = 8 << 20
	hostileMembers = 32 << 20
	hostileTimeout = time.Minute
)

// newHostilePool returns a pool with the limits above. Its temporary folder must be empty in the end. The folder is
// set in the environment, so the test cannot be parallel.
func newHostilePool(t *testing.T) *Pool {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	p := NewPool(Options{Memory: hostileMemory, Output: hostileOutput, Timeout: hostileTimeout})
	p.members = hostileMembers
	t.Cleanup(func() {
		require.NoError(t, p.Close())
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		require.Empty(t, left, "files were left behind")
	})
	return p
}

// harmless is a page that the same pool converts alongside each hostile document.
const harmless = "<!DOCTYPE html><html><head><title>Harmless</title></head><body><h1>Harmless</h1><p>Nothing happens here.</p></body></html>"

// technical matches what no reason may contain, because people read it.
var technical = regexp.MustCompile(
	`panic|goroutine|runtime error|\.go:\d|%!|0x[0-9a-f]{6}|<nil>|interface \{\}|index out of range|crashed: .*(slice|nil pointer|divide)`)

// survive converts a document and reports what is wrong with the results.
func survive(t *testing.T, p *Pool, h hostile) (reasons []string, wrong []string) {
	t.Helper()
	complain := func(format string, args ...any) { wrong = append(wrong, h.name+": "+fmt.Sprintf(format, args...)) }
	var all int64
	documents := 0
	err := p.Convert(t.Context(), Job{Name: h.name, Bytes: bytes.NewReader(h.data), Size: int64(len(h.data))},
		func(d Document) error {
			documents++
			if documents <= 100 {
				for _, s := range append([]string{d.Why, d.Name, d.Kind}, d.Notes...) {
					if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
						complain("%.200q is no line of printable text", s)
					}
				}
			}
			if technical.MatchString(d.Why) ||
				strings.Contains(d.Why, "converter crashed") && !strings.Contains(d.Why, "nested too deeply") {
				complain("reason %.300q is not for people", d.Why)
			}
			if d.Why != "" && len(reasons) < 20 {
				reasons = append(reasons, d.Why)
			}
			if d.Text == nil {
				if d.Why == "" && len(d.Notes) == 0 && d.Raw {
					complain("%s has neither text nor a reason", d.Name)
				}
				return nil
			}
			if all += d.Text.Size(); !d.Raw && d.Text.Size() > hostileOutput {
				complain("%d bytes of text", d.Text.Size())
			}
			for _, part := range d.Parts {
				if part.Offset < 0 || part.Size < 0 || part.Offset+part.Size > d.Text.Size() {
					complain("%s lies outside the text", part)
					break
				}
			}
			return nil
		})
	if err != nil {
		complain("the run ended: %v", err)
	}
	if most := int64(hostileMembers)*4 + int64(len(h.data))*maxRatio; all > most {
		complain("%d bytes of text in all, of at most %d", all, most)
	}
	if h.why != "" && !notYet(reasons) && !regexp.MustCompile(h.why).MatchString(strings.Join(reasons, "\n")) {
		complain("reasons %q, want %q", reasons, h.why)
	}
	return reasons, wrong
}

// notYet reports whether the form has no converter.
func notYet(reasons []string) bool {
	return regexp.MustCompile(`the format \S+ is not supported`).MatchString(strings.Join(reasons, "\n"))
}

func needConverters(t *testing.T, forms ...format.Form) {
	t.Helper()
	for _, form := range forms {
		if _, ok := converters[form]; !ok {
			t.Skipf("SKIP: nothing converts %s yet", form)
		}
	}
}

// TestHostileDocuments converts each hostile document alongside a harmless one.
func TestHostileDocuments(t *testing.T) {
	needConverters(t, format.HTML)
	all := hostileDocuments(t)
	require.GreaterOrEqual(t, len(all), 60)
	before := listing(t)
	p := newHostilePool(t)
	var mu sync.Mutex
	var took []string
	debug.FreeOSMemory() // releases the memory used to create the documents
	base, peak := heap(), uint64(0)
	run := new(errgroup.Group)
	run.SetLimit(2)
	for _, h := range all {
		run.Go(func() error {
			began := time.Now()
			reasons, wrong := survive(t, p, h)
			good := convertAllOf(t, p, "harmless.html", []byte(harmless))
			mu.Lock()
			defer mu.Unlock()
			peak = max(peak, heap())
			assert.Empty(t, wrong)
			assert.Contains(t, good, "Nothing happens here.", "a harmless page beside %s", h.name)
			took = append(took, fmt.Sprintf(
				"%6.2f s %-34.30q %9d bytes  %.150q", time.Since(began).Seconds(), h.name, len(h.data), reasons))
			return nil
		})
	}
	require.NoError(t, run.Wait())
	t.Log("\n" + strings.Join(took, "\n"))
	require.Equal(t, before, listing(t), "files outside")
	grown := int64(peak) - int64(base)
	t.Logf("%d documents; the host's heap grew by %d MB at most", len(all), grown>>20)
	require.Less(t, grown, int64(512<<20), "memory of the host")
}

// heap returns the bytes of heap in use.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// convertAllOf converts a document and returns all texts and reasons.
func convertAllOf(t *testing.T, p *Pool, name string, data []byte) string {
	t.Helper()
	var all strings.Builder
	err := p.Convert(t.Context(), Job{Name: name, Bytes: bytes.NewReader(data), Size: int64(len(data))},
		func(d Document) error {
			all.WriteString(d.Why)
			if d.Text == nil {
				return nil
			}
			_, err := io.Copy(&all, d.Text)
			return err
		})
	if err != nil {
		all.WriteString(err.Error())
	}
	return all.String()
}

// listing lists the folders to which a path with .. would lead.
func listing(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, dir := range []string{".", "..", "../..", "/"} {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), "rlm-escaped") {
				names = append(names, dir+"/"+e.Name())
			}
		}
	}
	return names
}

// TestHarmlessMembersOfHostileArchives has good and bad members in one archive: all good ones are converted.
func TestHarmlessMembersOfHostileArchives(t *testing.T) {
	needConverters(t, format.HTML, format.Zip)
	p := newHostilePool(t)
	files := []string{"a.html", harmless}
	for _, h := range append(hostileTables(t), append(hostileArchives(t), emptyOnes()...)...) {
		if len(h.data) < 1<<16 && len(files) < 60 && !strings.Contains(h.name, "bomb") {
			files = append(files, "bad/"+h.name, string(h.data))
		}
	}
	files = append(files, "z.html", harmless)
	found := map[string]bool{}
	data := zipOf(files...)
	err := p.Convert(t.Context(), Job{Name: "all.zip", Bytes: bytes.NewReader(data), Size: int64(len(data))},
		func(d Document) error {
			if d.Text != nil && (d.Name == "all.zip!/a.html" || d.Name == "all.zip!/z.html") {
				text, err := io.ReadAll(d.Text)
				require.NoError(t, err)
				found[d.Name] = strings.Contains(string(text), "Nothing happens here.")
			}
			return nil
		})
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"all.zip!/a.html": true, "all.zip!/z.html": true}, found)
}

// TestDamagedDocuments truncates and changes every file of the corpus, at offsets that depend only on its name.
func TestDamagedDocuments(t *testing.T) {
	variants := 1
	if os.Getenv("RLM_LONG") != "" {
		variants = 12
	}
	p := newHostilePool(t)
	run := new(errgroup.Group)
	run.SetLimit(2)
	var mu sync.Mutex
	reasons := map[string]int{}
	for _, name := range corpus(t) {
		data := corpusFile(t, name)
		for i := range variants {
			for _, h := range []hostile{cutOff(name, data, uint64(i)), changed(name, data, uint64(i))} {
				run.Go(func() error {
					why, wrong := survive(t, p, h)
					mu.Lock()
					defer mu.Unlock()
					for _, w := range why {
						reasons[w]++
					}
					assert.Empty(t, wrong, "variant %d", i)
					return nil
				})
			}
		}
	}
	require.NoError(t, run.Wait())
	for why, n := range reasons {
		t.Logf("%4d %.200q", n, why)
	}
}

func random(name string, seed uint64) *rand.Rand {
	sum := uint64(14695981039346656037)
	for _, b := range []byte(name) {
		sum = (sum ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(sum, seed))
}

func cutOff(name string, data []byte, seed uint64) hostile {
	return hostile{name: "cut-" + name, data: data[:random(name, seed).IntN(len(data))]}
}

// changed returns a variant with changed bytes, copied runs and absurd lengths.
func changed(name string, data []byte, seed uint64) hostile {
	r := random(name, seed+1000)
	data = bytes.Clone(data)
	for range 1 + r.IntN(20) {
		i := r.IntN(len(data))
		switch r.IntN(4) {
		case 0:
			data[i] ^= 1 << r.IntN(8)
		case 1:
			data[i] = byte(r.Uint32())
		case 2:
			from := r.IntN(len(data))
			copy(data[i:], data[from:min(from+64, len(data))])
		case 3:
			for j := i; j < min(i+4, len(data)); j++ {
				data[j] = 0xFF
			}
		}
	}
	return hostile{name: "changed-" + name, data: data}
}
