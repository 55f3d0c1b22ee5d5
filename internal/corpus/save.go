package corpus

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// manifest is the first line of a saved text: what cannot be told from its bytes.
type manifest struct {
	SHA256    string     `json:"sha256"`
	Size      int64      `json:"size"`
	Documents []Document `json:"documents"`
	Skipped   []Skipped  `json:"skipped,omitempty"`
}

// Save writes the text, compressed, to a file in dir and returns the file's name. Load makes the same text of it. The file is
// complete and durable or not there. Saving a text twice does nothing.
//
// Uncompressed (`zstd -dc`) it is one line of JSON about the documents, and the text.
func (t *Text) Save(ctx context.Context, dir string) (name string, err error) {
	name = "context-" + t.facts.SHA256[:16] + ".zst"
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return name, nil
	}
	f, err := os.CreateTemp(dir, ".context-*")
	if err != nil {
		return "", fmt.Errorf("save the context: %w", err)
	}
	err = t.writeTo(ctx, f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("save the context in %s: %w", dir, err), os.Remove(f.Name()))
	}
	return name, nil
}

func (t *Text) writeTo(ctx context.Context, w io.Writer) error {
	about, err := json.Marshal(manifest{t.facts.SHA256, t.Size(), t.docs, t.skipped})
	if err != nil {
		return err
	}
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(1<<20))
	if err != nil {
		return err
	}
	_, err = z.Write(append(about, '\n'))
	if err == nil {
		text := io.NewSectionReader(t, 0, t.Size())
		err = copyText(ctx, z, text)
	}
	return errors.Join(err, z.Close())
}

func copyText(ctx context.Context, w io.Writer, r io.Reader) error {
	buf := make([]byte, pieceLen)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		if _, err := w.Write(buf[:n]); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Load makes the text again that Save wrote to dir under this name. A file that is damaged is an error.
func Load(ctx context.Context, dir, name string) (*Text, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("load the saved context: %w", err)
	}
	defer f.Close() // opened for reading
	t, err := load(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("load the saved context %s: %w", f.Name(), err)
	}
	return t, nil
}

func load(ctx context.Context, f *os.File) (*Text, error) {
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	r := bufio.NewReaderSize(z, 64<<10)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("it has no beginning: %w", err)
	}
	var about manifest
	if err := json.Unmarshal(line, &about); err != nil {
		return nil, fmt.Errorf("its beginning is damaged: %w", err)
	}
	s, err := newStore(about.Size)
	if err != nil {
		return nil, err
	}
	counted := newTally()
	w := newWriter(s, counted)
	err = copyText(ctx, w, r)
	w.finish()
	if err == nil && counted.facts().SHA256 != about.SHA256 {
		err = errors.New("its hash is another: it is damaged")
	}
	if err != nil {
		return nil, errors.Join(err, s.f.Close())
	}
	return s.text(counted, about.Documents, about.Skipped)
}
