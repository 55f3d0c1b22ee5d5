package documents

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/kit/admission"
	"github.com/gorlm/rlm/sandbox"
)

// The defaults of Options.
const (
	defaultMemory  = 512 << 20
	defaultTimeout = time.Minute
	defaultOutput  = 1 << 30
)

// defaultGrace is how long a worker that has to stop may take to deliver what it has, and a job to arrive whose
// document is done.
const defaultGrace = 5 * time.Second

// maxReuse is how many documents a worker converts that may convert more than one.
const maxReuse = 500

// Pool converts documents in locked-down workers. It starts them when they are needed.
type Pool struct {
	options Options
	workers workers
	// for each conversion that runs; those of a job with many documents keep none from another job
	slots *admission.Queue
	jobs  atomic.Int64 // that were begun
	// recognise is format.Recognise; tests have forms of their own.
	recognise func(head []byte, size int64, name string) (format.Form, string)
	members   int64 // bytes of all members that every job may have
	nested    int64 // containers in containers in containers that every job may have
	grace     time.Duration

	mu       sync.Mutex
	idle     []*worker
	starting int  // workers that are started ahead
	waiting  int  // conversions that wait for a slot
	unlocked bool // workers came to no more than sandbox.Basic, and nobody asked for that
	closed   bool
	joined   sync.WaitGroup
	stop     context.CancelFunc // ends what is started ahead
	alive    context.Context
}

// workers is what a pool needs of sandbox.Workers.
type workers interface {
	Start(context.Context, sandbox.Kind, sandbox.Level, sandbox.Admit) (*sandbox.Worker, error)
	Close() error
}

// worker is a worker and what it did.
type worker struct {
	*sandbox.Worker
	converted int
}

// NewPool makes a pool. Close it after its last conversion.
func NewPool(o Options) *Pool {
	if o.Level == "" {
		o.Level = sandbox.Best
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Output <= 0 {
		o.Output = defaultOutput
	}
	p := &Pool{
		options: o,
		workers: sandbox.NewWorkers(o.Workers, 0),
		slots:   admission.NewQueue(o.Workers),

		recognise: format.Recognise,
		members:   minMembers,
		nested:    minNested,
		grace:     defaultGrace,
	}
	p.alive, p.stop = context.WithCancel(context.Background())
	return p
}

// Close ends the workers. Conversions must have returned.
func (p *Pool) Close() error {
	p.stop()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.joined.Wait()
	for _, w := range p.idle {
		w.Close()
	}
	p.idle = nil
	return p.workers.Close()
}

// enter waits until one more conversion of a job may run.
func (p *Pool) enter(ctx context.Context, job string) error {
	p.mu.Lock()
	p.waiting++
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.waiting--
		p.mu.Unlock()
	}()
	if err := p.slots.Enter(ctx, admission.Wish{Who: job}); err != nil {
		return context.Cause(ctx)
	}
	return nil
}

// leave lets another conversion run.
func (p *Pool) leave(job string) { p.slots.Leave(job) }

// take gets a worker for a document: one that converted others, if that may be; else one that knows nothing yet.
func (p *Pool) take(ctx context.Context, again bool) (*worker, error) {
	for {
		w := p.takeIdle(again)
		if w == nil {
			break
		}
		if w.Alive() {
			p.ahead()
			return w, nil
		}
		w.Close()
	}
	w, err := p.start(ctx)
	if err != nil {
		return nil, fmt.Errorf("start a worker that converts documents: %w", err)
	}
	p.ahead()
	return w, nil
}

func (p *Pool) takeIdle(again bool) *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := -1
	for i, w := range p.idle {
		if w.converted == 0 || again {
			if found = i; (w.converted > 0) == again {
				break
			}
		}
	}
	if found < 0 {
		return nil
	}
	w := p.idle[found]
	p.idle = append(p.idle[:found], p.idle[found+1:]...)
	return w
}

func (p *Pool) start(ctx context.Context) (*worker, error) {
	w, err := p.workers.Start(ctx, kind, p.options.Level, admit)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.unlocked = w.Level() == sandbox.Basic && p.options.Level != sandbox.Basic && !raceEnabled
	p.mu.Unlock()
	return &worker{Worker: w}, nil
}

// ahead starts a worker for a conversion that waits already, while those that run use the processors not quite.
func (p *Pool) ahead() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.waiting == 0 || p.starting > 0 || len(p.idle) > 0 {
		return
	}
	p.starting++
	p.joined.Add(1)
	go func() {
		defer p.joined.Done()
		w, err := p.start(p.alive)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.starting--
		if err == nil { // an error is met again by the one who needs the worker
			p.idle = append(p.idle, w)
		}
	}()
}

// giveBack takes a worker that may convert other documents.
func (p *Pool) giveBack(w *worker) {
	if w.converted++; w.converted < maxReuse {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.idle = append(p.idle, w)
		return
	}
	w.Close()
}

// refuses says why documents of a form are not converted here; empty if they are.
func (p *Pool) refuses(form format.Form) string {
	c, ok := converters[form]
	if !ok {
		return fmt.Sprintf("nothing here reads %s", form)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unlocked && !c.plain {
		return "this system cannot lock in what reads it (sandbox level basic); --sandbox=basic converts it all the same"
	}
	return ""
}
