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
	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox"
)

// kind is the kind of worker that converts documents.
var kind = sandbox.Kind{Name: "documents", Reads: true, Serve: serve}

// init turns a process that was started as a worker into one; its main function never runs.
func init() { kind.Become() }

// maxStack limits the stack of a goroutine, in bytes: a parser that recurses too deeply crashes here.
const maxStack = 64 << 20

// serve is a worker's main loop: it converts the host's documents one after another.
func serve(host *sandbox.Host) error {
	debug.SetMaxStack(maxStack)
	jobs := make(chan otherworker.Message)
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

// convertJob converts one document and reports the outcome to the host. It returns an error only if the host is
// gone.
func convertJob(host *sandbox.Host, m otherworker.Message, stop <-chan struct{}) error {
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

// errPanic means that a converter panicked.
var errPanic = errors.New("panicked")

// guarded runs a converter and turns its panic into an error, so that its output so far is kept. Panics of other
// goroutines end the process.
func guarded(ctx context.Context, convert format.Converter, src format.Source, out format.Output) (err error) {
	if convert == nil {
		return errors.New("there is no converter for it")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v%s", errPanic, r, where())
		}
	}()
	return convert(ctx, src, out)
}

// where returns the function and the line of the current panic.
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

// explain describes for the host how a conversion ended.
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
	case errors.As(err, &broken): // reading the file failed, which is not the document's fault
		f.Which = unread
	}
	return f
}
