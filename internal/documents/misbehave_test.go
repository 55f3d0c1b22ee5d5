package documents

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
)

// The test binary is also the worker, so its converters must be registered before the init that turns the process
// into a worker. The first line of a test document says how it is converted: "TEST crash\n".
var _ = func() bool {
	for name, convert := range testConverters {
		converters[testForm(name)] = converter{
			convert: convert, version: 1, plain: name == "plain", streams: name == "archive",
		}
	}
	return true
}()

func testForm(name string) format.Form { return format.Form("test-" + name) }

// recogniseTest recognises test documents, and passes others to format.Recognise.
func recogniseTest(head []byte, size int64, name string) (format.Form, string) {
	if rest, ok := bytes.CutPrefix(head, []byte("TEST ")); ok {
		word, _, _ := strings.Cut(string(rest), "\n")
		return testForm(word), ""
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		return testForm("archive"), ""
	}
	return format.Recognise(head, size, name)
}

// rest returns a test document without its first line.
func rest(src format.Source) []byte {
	all, _ := io.ReadAll(src.Reader())
	_, text, _ := bytes.Cut(all, []byte("\n"))
	return text
}

var testConverters = map[string]format.Converter{
	"plain": func(_ context.Context, src format.Source, out format.Output) error {
		_ = out.Kind("plain")
		_, err := out.Write(rest(src))
		return err
	},
	"pages": func(_ context.Context, src format.Source, out format.Output) error {
		_ = out.Kind("pages")
		_ = out.Meta("Title", "All\n\x1b[31mpages")
		_ = out.Meta("Author", "")
		for i, page := range strings.Split(string(rest(src)), "\f") {
			_ = out.Begin(format.Part{Kind: format.Page, Number: i + 1})
			if _, err := io.WriteString(out, page); err != nil {
				return err
			}
		}
		return out.Note("1 page without\ntext")
	},
	"mail": func(_ context.Context, src format.Source, out format.Output) error {
		_ = out.Kind("mail")
		_, _ = io.WriteString(out, "hello")
		for i, part := range strings.Split(string(rest(src)), "\f") {
			if err := out.Member(fmt.Sprintf("part%d.txt", i+1), time.Unix(1e9, 0),
				strings.NewReader(part)); err != nil {
				return err
			}
		}
		_ = out.Skip("virus.exe", "it is a program")
		_, err := io.WriteString(out, " world")
		return err
	},
	"archive": func(_ context.Context, src format.Source, out format.Output) error {
		_ = out.Kind("zip")
		z, err := zip.NewReader(src.Bytes, src.Size)
		if err != nil {
			return errors.New("its directory is damaged")
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				return err
			}
			if err := out.Member(f.Name, f.Modified, r); err != nil {
				return err
			}
		}
		return nil
	},
	"half": func(_ context.Context, _ format.Source, out format.Output) error {
		_, _ = io.WriteString(out, "the first half")
		return errors.New("the second half is\ndamaged")
	},
	"password": func(context.Context, format.Source, format.Output) error {
		return fmt.Errorf("open: %w", format.ErrPassword)
	},
	"panic": func(_ context.Context, _ format.Source, out format.Output) error {
		_, _ = io.WriteString(out, "before")
		var none []int
		_ = none[len(os.Args)+7]
		return nil
	},
	"goroutine": func(context.Context, format.Source, format.Output) error {
		go panic("in another goroutine")
		select {}
	},
	"deep": func(context.Context, format.Source, format.Output) error { return deep(0) },
	"exit": func(context.Context, format.Source, format.Output) error { os.Exit(0); return nil },
	"loop": func(_ context.Context, _ format.Source, out format.Output) error {
		_ = out.Begin(format.Part{Kind: format.Page, Number: 1})
		_, _ = io.WriteString(out, "before")
		_ = out.Begin(format.Part{Kind: format.Page, Number: 2})
		for remembered = 1; remembered > 0; remembered |= 1 {
		}
		return nil
	},
	"patient": func(ctx context.Context, _ format.Source, out format.Output) error {
		_, _ = io.WriteString(out, "before")
		<-ctx.Done()
		return ctx.Err()
	},
	"slow": func(ctx context.Context, _ format.Source, out format.Output) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Second):
		}
		_, err := io.WriteString(out, "in time")
		return err
	},
	"memory": func(_ context.Context, _ format.Source, out format.Output) error {
		_ = out.Begin(format.Part{Kind: format.Page, Number: 1})
		_, _ = io.WriteString(out, "before")
		_ = out.Begin(format.Part{Kind: format.Page, Number: 2})
		var hog [][]byte
		for {
			hog = append(hog, bytes.Repeat([]byte("x"), 1<<20))
			remembered = len(hog)
		}
	},
	"one big piece": func(context.Context, format.Source, format.Output) error {
		return fmt.Errorf("%d", len(bytes.Repeat([]byte("x"), 1<<34)))
	},
	"flood": func(_ context.Context, _ format.Source, out format.Output) error {
		for {
			if _, err := io.WriteString(out, strings.Repeat("é", 1000)); err != nil {
				return err
			}
		}
	},
	"stderr": func(context.Context, format.Source, format.Output) error {
		for {
			fmt.Fprintln(os.Stderr, "panic: at the disco")
		}
	},
	"bomb": func(_ context.Context, _ format.Source, out format.Output) error {
		return out.Member("zeros", time.Time{}, zeros{})
	},
	"remembers": func(_ context.Context, _ format.Source, out format.Output) error {
		remembered++
		_, err := fmt.Fprint(out, remembered)
		return err
	},
	"nothing": func(_ context.Context, _ format.Source, out format.Output) error { return out.Kind("nothing") },
	"outside": outside,
}

var remembered int

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func deep(n int) error {
	var frame [1 << 10]int
	frame[n%len(frame)] = n
	if n < 0 {
		return errors.New("it came around")
	}
	if err := deep(n + 1); err != nil {
		return err
	}
	return fmt.Errorf("%d", frame[0])
}

// outside tries what a converter must not be able to do, and writes what succeeded.
func outside(_ context.Context, _ format.Source, out format.Output) error {
	if _, err := os.ReadFile("/etc/passwd"); err == nil {
		_, _ = io.WriteString(out, "read a file;")
	}
	if err := os.WriteFile(os.TempDir()+"/pwned", nil, 0o600); err == nil {
		_, _ = io.WriteString(out, "wrote a file;")
	}
	if d, err := os.ReadDir("/"); err == nil && len(d) > 0 {
		_, _ = io.WriteString(out, "listed a folder;")
	}
	for _, v := range os.Environ() {
		if strings.Contains(v, "CANARY") || strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "PATH=") {
			_, _ = io.WriteString(out, v+";")
		}
	}
	_, _ = io.WriteString(out, "done")
	return nil
}
