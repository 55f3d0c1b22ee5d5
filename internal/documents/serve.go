package documents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/sandbox"
)

// kind is the kind of worker that converts documents.
var kind = sandbox.Kind{Name: "documents", Reads: true, Serve: serve}

// init turns a process that was started as such a worker into one; it never gets to its main function.
func init() { kind.Become() }

// maxStack is how many bytes the stack of one goroutine may have: a parser that calls itself for each level of a
// document ends here.
const maxStack = 64 << 20

// serve is a worker's life: it converts the documents that the host hands to it, one after the other.
func serve(host *sandbox.Host) error {
	debug.SetMaxStack(maxStack)
	jobs := make(chan sandbox.Message)
	stop := make(chan struct{}, 1)
	failed := make(chan error, 1)
	go func() {
		for {
			m, err := host.Receive()
			if err != nil {
				failed <- err
				return
			}
			if m.Op == opStop {
				stop <- struct{}{}
				continue
			}
			jobs <- m
		}
	}()
	for {
		select {
		case m := <-jobs:
			if err := convertJob(host, m, stop); err != nil {
				return err
			}
		case err := <-failed:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// convertJob converts one document. What is wrong with the document is told to the host; an error means that the host
// is gone.
func convertJob(host *sandbox.Host, m sandbox.Message, stop <-chan struct{}) error {
	var job jobMeta
	if err := json.Unmarshal(m.JSON, &job); err != nil {
		return fmt.Errorf("read a job: %w", err)
	}
	debug.SetMemoryLimit(job.Memory / 8 * 7)
	src := format.Source{Name: job.Name, Bytes: bytes.NewReader(m.Body), Size: job.Size}
	if m.File != nil {
		defer func() { _ = m.File.Close() }()
		src.Bytes = io.NewSectionReader(m.File, job.Offset, job.Size)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-stop:
			cancel()
		case <-ended:
		}
	}()
	out := &output{host: host, left: job.Output}
	f := explain(ctx, guarded(ctx, converters[job.Form].convert, src, out))
	if err := out.flush(); err != nil {
		return err
	}
	return host.Send(opDone, f, nil)
}

// errPanic is what became of a converter that panicked.
var errPanic = errors.New("panicked")

// guarded runs a converter and makes an error of its panic, so that what it found so far is kept. Panics of other
// goroutines end the process.
func guarded(ctx context.Context, convert format.Converter, src format.Source, out format.Output) (err error) {
	if convert == nil {
		return errors.New("this worker has no converter for it")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v%s", errPanic, r, where())
		}
	}()
	return convert(ctx, src, out)
}

// where says in which line of this module the panic happened that is being handled.
func where() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs)])
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf(" (%s:%d)", f.Function, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// explain tells the host how a conversion ended.
func explain(ctx context.Context, err error) failure {
	if err == nil {
		return failure{}
	}
	f := failure{Error: shown(err.Error())}
	broken := (*fs.PathError)(nil)
	switch {
	case errors.Is(err, errPanic):
		f.Which = panicked
	case ctx.Err() != nil:
		f.Which = stopped
	case errors.Is(err, format.ErrPassword):
		f.Which = password
	case errors.Is(err, format.ErrTooLarge):
		f.Which = tooLarge
	case errors.Is(err, format.ErrBomb):
		f.Which = bomb
	case errors.Is(err, format.ErrNoText):
		f.Which = noText
	case errors.As(err, &broken): // not what the document holds, but what it lies on
		f.Which = unread
	}
	return f
}
