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
	"slices"
	"syscall"

	"github.com/klauspost/compress/s2"

	"github.com/gorlm/rlm/internal/kit/files"
)

// manifest is the first line of a saved text, with the facts that its bytes do not contain.
type manifest struct {
	SHA256    string        `json:"sha256"`
	Size      int64         `json:"size"`
	Documents []Document    `json:"documents,omitempty"`
	Skipped   []SkippedFile `json:"skipped,omitempty"`
	// Partial means that only the texts of derived documents follow; the others are read from their files.
	Partial bool `json:"partial,omitempty"`
}

// savedFile is a saved text in its folder.
const savedFile = "text.s2"

// Save writes the text, compressed, into the folder dir, which it creates. Load restores it. The file appears only
// when complete, and is durable when Save returns.
//
// The file is one line of JSON about the documents, and the text, compressed as an S2 stream: zstd would halve the
// size but take twice as long, and a run waits for it.
func (t *Text) Save(dir string) error { return t.save(dir, false) }

// SaveDerived is like Save but writes only the texts that cannot be read from files again, such as converted ones.
// Load reads the rest from the files.
func (t *Text) SaveDerived(dir string) error { return t.save(dir, true) }

// Derived reports whether anything in the text differs from the bytes of a file.
func (t *Text) Derived() bool { return slices.ContainsFunc(t.docs, Document.Derived) }

func (t *Text) save(dir string, partial bool) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("save the context: %w", err)
	}
	err := files.Write(filepath.Join(dir, savedFile), true, func(f *os.File) error { return t.writeTo(f, partial) })
	if err != nil {
		return fmt.Errorf("save the context in %s: %w", dir, err)
	}
	if err := files.SyncFolders(dir, filepath.Dir(dir)); err != nil {
		return fmt.Errorf("save the context: %w", err)
	}
	return nil
}

func (t *Text) writeTo(w io.Writer, partial bool) error {
	size := t.Size() + manifestOf*int64(len(t.docs)+len(t.skipped))
	z := s2.NewWriter(w, s2.WriterConcurrency(2), s2.WriterBlockSize(blockFor(size)))
	err := manifest{t.facts.SHA256, t.Size(), t.docs, t.skipped, partial}.writeTo(z)
	buf := make([]byte, min(pieceLen, t.Size()+1))
	pieces := []Document{{Size: t.Size()}}
	if partial {
		pieces = slices.DeleteFunc(slices.Clone(t.docs), func(d Document) bool { return !d.Derived() })
	}
	for _, d := range pieces {
		if err == nil {
			_, err = io.CopyBuffer(plainWriter{z}, io.NewSectionReader(t, d.Offset, d.Size), buf)
		}
	}
	return errors.Join(err, z.Close())
}

// manifestOf is the approximate size of a document in a manifest, in bytes.
const manifestOf = 300

// writeTo writes a manifest as a line, one document at a time: a hundred thousand at once would take much memory.
func (about manifest) writeTo(w io.Writer) error {
	documents, skipped := about.Documents, about.Skipped
	about.Documents, about.Skipped = nil, nil
	head, err := json.Marshal(about)
	if err != nil {
		return err
	}
	if _, err := w.Write(head[:len(head)-1]); err != nil {
		return err
	}
	if err := errors.Join(writeList(w, "documents", documents), writeList(w, "skipped", skipped)); err != nil {
		return err
	}
	_, err = io.WriteString(w, "}\n")
	return err
}

// writeList appends a list to an object as a further field.
func writeList[T any](w io.Writer, field string, list []T) error {
	for i, item := range list {
		data, err := json.Marshal(item)
		if err != nil {
			return err
		}
		before := ","
		if i == 0 {
			before = fmt.Sprintf(",%q:[", field)
		}
		if _, err := w.Write(append([]byte(before), data...)); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	_, err := io.WriteString(w, "]")
	return err
}

// blockFor is the compression block size for size bytes: the writer allocates several blocks, even for little
// data.
func blockFor(size int64) int {
	const least, most = 16 << 10, 1 << 20
	return int(min(max(size, least), most))
}

// plainWriter hides the other methods of a writer, so that io.CopyBuffer uses the given buffer.
type plainWriter struct{ io.Writer }

// ErrChanged means that files no longer contain the same text.
var ErrChanged = errors.New("the files of the context changed")

// Load restores the text that Save or SaveDerived wrote into dir. If it also needs other files and their text
// differs, the error is ErrChanged. A damaged file is an error, and so is anything but a regular file in a folder:
// dir may come from somebody else, and a link in it could point anywhere.
func Load(ctx context.Context, dir string) (*Text, error) {
	return loadFrom(ctx, dir, manifest.complete)
}

// LoadKept restores only what the copy in dir contains: after Save everything, after SaveDerived the documents
// that were converted or fetched.
func LoadKept(ctx context.Context, dir string) (*Text, error) {
	return loadFrom(ctx, dir, manifest.kept)
}

func loadFrom(
	ctx context.Context, dir string, partial func(manifest, context.Context, io.Reader) (*Text, error),
) (*Text, error) {
	f, err := openSaved(dir)
	if err != nil {
		return nil, fmt.Errorf("load the saved context: %w", err)
	}
	defer f.Close() // an error after reading does not matter
	t, err := load(ctx, f, partial)
	if err != nil {
		return nil, fmt.Errorf("load the saved context %s: %w", f.Name(), err)
	}
	return t, nil
}

// openSaved opens the file that Save wrote into dir.
func openSaved(dir string) (*os.File, error) {
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close() // the opened file stays open
	folder := filepath.Base(dir)
	file := filepath.Join(folder, savedFile)
	info, err := root.Lstat(folder)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", dir)
	}
	if err != nil {
		return nil, err
	}
	before, err := root.Lstat(file)
	if err == nil && !before.Mode().IsRegular() {
		err = fmt.Errorf("%s in %s is not a regular file", savedFile, dir)
	}
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0) // do not block on a pipe that has replaced it
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(before, now) {
		err = fmt.Errorf("%s in %s was replaced in the meantime", savedFile, dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// mostManifest bounds the bytes of a manifest: a million documents have one of 200 MB.
const mostManifest = 256 << 20

func load(
	ctx context.Context, f *os.File, partial func(manifest, context.Context, io.Reader) (*Text, error),
) (*Text, error) {
	head := io.LimitedReader{R: s2.NewReader(f), N: mostManifest}
	r := bufio.NewReaderSize(&head, 64<<10)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("it has no header: %w", err)
	}
	var about manifest
	if err := json.Unmarshal(line, &about); err != nil {
		return nil, fmt.Errorf("its header is damaged: %w", err)
	}
	head.N = max(about.Size-int64(r.Buffered()), 0) + 1 // a longer text is damaged
	if about.Partial {
		return partial(about, ctx, r)
	}
	s, err := newStore(about.Size, 0)
	if err != nil {
		return nil, err
	}
	counted := newTally()
	w := newWriter(s, counted)
	n, err := io.CopyBuffer(plainWriter{w}, r, make([]byte, pieceLen))
	w.finish()
	if err == nil && n != about.Size {
		err = errors.New("its size is wrong: it is damaged")
	}
	if err == nil && counted.facts().SHA256 != about.SHA256 {
		err = errors.New("its checksum is wrong: it is damaged")
	}
	if err != nil {
		return nil, errors.Join(err, s.f.Close())
	}
	return s.text(counted, about.Documents, about.Skipped)
}

// complete restores a text from the converted texts in r, one after the other, and from files.
func (about manifest) complete(ctx context.Context, r io.Reader) (*Text, error) {
	return about.spooled(r, func(sources []Source) (*Text, error) {
		t, err := Build(ctx, sources)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("%w: %w", ErrChanged, err)
		}
		if t.facts.SHA256 != about.SHA256 {
			return nil, errors.Join(ErrChanged, t.Close())
		}
		t.skipped = about.Skipped
		return t, nil
	})
}

// kept makes a text from only the documents whose texts are in r.
func (about manifest) kept(ctx context.Context, r io.Reader) (*Text, error) {
	return about.spooled(r, func(sources []Source) (*Text, error) {
		return Build(ctx, slices.DeleteFunc(sources, func(s Source) bool { return s.Known == nil }))
	})
}

// spooled calls build with the documents as sources, the converted ones read from r. build must copy what it
// needs.
func (about manifest) spooled(r io.Reader, build func([]Source) (*Text, error)) (*Text, error) {
	f, size, err := spooled(r, about.Size)
	if err != nil {
		return nil, err
	}
	defer closeFile(f)
	sources, err := about.sources(f, size)
	if err != nil {
		return nil, err
	}
	return build(sources)
}

// sources returns the documents as sources: files, and ranges of f.
func (about manifest) sources(f *os.File, size int64) ([]Source, error) {
	sources := make([]Source, len(about.Documents))
	var at int64
	for i, d := range about.Documents {
		switch {
		case !d.Derived() && d.File == nil:
			return nil, errors.New("its header is damaged: a document has no file")
		case !d.Derived():
			sources[i] = Source{Name: d.Name, File: d.File}
			continue
		case d.Size < 0 || d.Size > size-at:
			return nil, errors.New("its size is wrong: it is damaged")
		}
		sources[i] = Source{Known: &about.Documents[i], Reader: io.NewSectionReader(f, at, d.Size)}
		at += d.Size
	}
	return sources, nil
}
