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
	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox"
)

// Defaults for Options.
const (
	defaultMemory  = 512 << 20
	defaultTimeout = time.Minute
	defaultOutput  = 1 << 30
)

// defaultGrace is how long a worker may take to deliver its results when asked to stop, and to read the job that it
// claims to have finished.
const defaultGrace = 5 * time.Second

// maxReuse is how many documents a reusable worker converts.
const maxReuse = 500

// Pool converts documents in locked-down workers, which it starts on demand.
type Pool struct {
	options Options
	workers workers
	// one slot for each running conversion, shared fairly: a job with many documents does not starve another
	slots *admission.Queue
	jobs  atomic.Int64 // numbers the jobs
	// recognise is format.Recognise, except in tests.
	recognise func(head []byte, size int64, name string) (format.Form, string)
	members   int64 // minimum allowance of members' bytes for each job
	nested    int64 // minimum allowance of containers nested at least three deep
	grace     time.Duration

	mu       sync.Mutex
	idle     []*worker
	starting int  // workers being started ahead of need
	waiting  int  // conversions waiting for a slot
	unlocked bool // sandbox.Best is only sandbox.Basic here
	closed   bool
	joined   sync.WaitGroup
	stop     context.CancelFunc // cancels starts ahead of need
	alive    context.Context
}

// workers is the subset of sandbox.Workers that a pool uses.
type workers interface {
	Start(context.Context, sandbox.Kind, sandbox.Level, otherworker.Admit) (*sandbox.Worker, error)
	Close() error
}

// worker is a worker with its number of conversions.
type worker struct {
	*sandbox.Worker
	converted int
}

// NewPool returns a pool. Close it after its last conversion.
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

// Close ends the workers. All conversions must have returned.
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

// enter acquires a slot for a conversion of a job.
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

// leave releases a slot.
func (p *Pool) leave(job string) { p.slots.Leave(job) }

// take returns a worker for a document: an idle one if reuse is allowed, otherwise one that has converted nothing.
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
		return nil, fmt.Errorf("start a converter of documents: %w", err)
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

// ahead starts a worker for a waiting conversion, because the running ones do not use all of the processors.
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
		if err == nil { // otherwise the conversion gets the error when it starts a worker
			p.idle = append(p.idle, w)
		}
	}()
}

// giveBack returns a reusable worker to the pool.
func (p *Pool) giveBack(w *worker) {
	if w.converted++; w.converted < maxReuse {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.idle = append(p.idle, w)
		return
	}
	w.Close()
}

// refuses returns the reason why the pool does not convert a form; empty if it does.
func (p *Pool) refuses(form format.Form) string {
	c, ok := converters[form]
	if !ok {
		return fmt.Sprintf("the format %s is not supported", form)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unlocked && !c.plain {
		return "this system cannot sandbox its converter (sandbox level basic); --sandbox=basic converts it anyway"
	}
	return ""
}
