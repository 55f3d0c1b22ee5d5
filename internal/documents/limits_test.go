package documents

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox"
)

// layered returns nested archives: few bytes, and a worker for each archive.
func layered(t *testing.T, levels, width int) []byte {
	t.Helper()
	data := []byte("the core")
	for range levels {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(w, flate.BestCompression)
		})
		for i := range width {
			w, err := z.Create(fmt.Sprintf("%d.zip", i))
			require.NoError(t, err)
			_, err = w.Write(data)
			require.NoError(t, err)
		}
		require.NoError(t, z.Close())
		data = b.Bytes()
	}
	return data
}

// Eight archives inside each of eight, five levels deep, would need 5 000 workers.
func TestABombOfLayersEnds(t *testing.T) {
	data := layered(t, 5, 8)
	require.Less(t, len(data), 8<<10)
	p := newPool(t, Options{})
	p.nested = 20
	reasons := map[string]int{}
	all := convertAll(t, p, "layers.zip", data)
	for _, d := range all {
		reasons[d.Why]++
	}
	most := 20 + len(data)/bytesOfNested
	require.Positive(t, reasons[whyNested(int64(most))], "%v", reasons)
	require.Less(t, len(all), 9*(most+9+2*p.options.Workers), "workers were started beyond the limit")
}

// Honest archives of archives are converted: they have enough bytes for the number of their members.
func TestManyArchivesInAnArchiveAreConverted(t *testing.T) {
	p := newPool(t, Options{})
	p.nested = 20
	var pairs, older, want []string
	for i := range 60 {
		name := fmt.Sprintf("%03d.zip", i)
		inner := string(packed(t, "a.txt", fmt.Sprintf("%d a", i), "b.txt", fmt.Sprintf("%d b", i)))
		if i < 20 {
			older = append(older, name, inner)
		} else {
			pairs = append(pairs, name, inner)
		}
		want = append(want, fmt.Sprintf("%d a", i), fmt.Sprintf("%d b", i))
	}
	pairs = append([]string{"older.zip", string(packed(t, older...))}, pairs...)
	var texts []string
	for _, d := range convertAll(t, p, "folder.zip", packed(t, pairs...)) {
		require.Empty(t, d.Why)
		texts = append(texts, d.text)
	}
	require.Equal(t, want, texts)
}

func TestTheTimeOfAJobIsLimited(t *testing.T) {
	p := newPool(t, Options{Timeout: time.Hour})
	root := &tree{pool: p}
	root.changed.L = &root.mu
	n := &node{tree: root, name: "a.zip"}
	member := &node{tree: root, name: "a.zip!/b.pdf"}
	member.parent, member.depth = n, 1
	root.spend(timeouts * time.Hour)
	require.Empty(t, member.exhausted(false))
	root.spend(time.Minute)
	require.Contains(t, member.exhausted(false), "takes longer than 10h0m0s")
	require.Contains(t, member.exhausted(true), "(--convert-timeout)")
	require.Empty(t, n.exhausted(false), "the document that was asked for")
	root.size = 60 * bytesOfSecond
	require.Empty(t, member.exhausted(false), "a larger job may take longer")
}

// liar is a worker that sends results without reading its job.
var liar = sandbox.Kind{Name: "liar", Reads: true, Serve: func(h *sandbox.Host) error {
	_ = h.Send(opKind, nil, []byte("lies"))
	_ = h.Send(opText, nil, bytes.Repeat([]byte("lies "), 1000))
	_ = h.Send(opNote, nil, []byte("lies"))
	_ = h.Send(opDone, failure{}, nil)
	time.Sleep(time.Hour)
	return nil
}}

func init() { liar.Become() }

type liars struct{ workers }

func (l liars) Start(
	ctx context.Context, _ sandbox.Kind, level sandbox.Level, admit otherworker.Admit,
) (*sandbox.Worker, error) {
	return l.workers.Start(ctx, liar, level, admit)
}

func TestAWorkerThatNeverReadItsJobIsNotBelieved(t *testing.T) {
	p := newPool(t, Options{})
	p.workers = liars{p.workers}
	if os.Getenv("RLM_LONG") == "" {
		p.grace = 500 * time.Millisecond
	}
	d := convertOne(t, p, "plain\n"+strings.Repeat("x", inline-100)) // does not fit into the connection's buffers
	require.Contains(t, d.Why, "the converter broke the rules of its protocol")
	require.Empty(t, d.text)
	require.Empty(t, d.Kind+strings.Join(d.Notes, ""))
	require.Nil(t, d.Text)
}
