package sandbox

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/gorlm/rlm/sandbox/internal/jail"
	"github.com/gorlm/rlm/sandbox/internal/probe"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Report describes what a worker was able to do when it attacked its sandbox.
type Report struct {
	Wanted Level `json:"wanted"`
	Level  Level `json:"level"` // as measured
	// Layers are the layers that lock the worker in.
	Layers Layers `json:"layers"`
	// Probes are the attacks that were tried, with their outcomes.
	Probes []ProbeResult `json:"probes"`
	// Facts describe the machine: the system, its kernel, what it offers.
	Facts []Fact `json:"facts"`
	// Raise lists what would raise the level.
	Raise []string `json:"raise,omitempty"`
}

// Layers lists the parts of the lock-down that took hold; Missing explains why the others did not.
type Layers struct {
	Seccomp    bool     `json:"seccomp"`
	NoNewPrivs bool     `json:"no_new_privs"`
	Rlimits    bool     `json:"rlimits"`
	Landlock   int      `json:"landlock_abi"`
	NoCaps     bool     `json:"no_capabilities"`
	Namespaces bool     `json:"namespaces"`
	EmptyRoot  bool     `json:"empty_root"`
	Missing    []string `json:"missing,omitempty"`
}

// ProbeResult is the result of one probe.
type ProbeResult struct {
	Name string `json:"name"`
	// Tried describes the attack, for people.
	Tried string `json:"tried"`
	// Outcome describes what happened, for people.
	Outcome string `json:"outcome"`
	// Worked means that the attack succeeded.
	Worked bool `json:"worked"`
	// Expected is "stopped", "possible", or "not promised" if the level promises neither.
	Expected string `json:"expected"`
	// OK means that the outcome is as the level promises.
	OK bool `json:"ok"`
}

// The expected outcomes of a probe.
const (
	expectStopped  = "stopped"
	expectPossible = "possible"
	expectNothing  = "not promised"
)

// Fact is a property of the machine that affects the level.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// OK reports whether the level keeps all its promises.
func (r Report) OK() bool {
	for _, p := range r.Probes {
		if !p.OK {
			return false
		}
	}
	return len(r.Probes) > 0
}

// Probe attacks from inside throw-away workers that are locked in at the level, and reports what happened. It fails
// if the level is unavailable or no worker starts on this machine.
func Probe(ctx context.Context, level Level) (Report, error) {
	w := NewWorkers(2, 0)
	defer func() { _ = w.Close() }()
	if level == "" {
		level = Best
	}
	report := Report{Wanted: level, Facts: facts()}
	var p *process
	defer func() {
		if p != nil {
			w.release(p)
		}
	}()
	for _, attack := range probe.All() {
		if p != nil && !p.alive() {
			w.release(p)
			p = nil
		}
		if p == nil {
			next, err := w.prober(ctx, level)
			if ctx.Err() != nil && err != nil {
				err = fmt.Errorf("probe the sandbox: %w", ctx.Err()) // a cancelled start may return any error
			}
			if err != nil {
				return report, err
			}
			p = next
			report.Level = p.level
		}
		report.Probes = append(report.Probes, p.try(ctx, attack))
		if err := ctx.Err(); err != nil {
			return report, fmt.Errorf("probe the sandbox: %w", err)
		}
		report.Layers = layersOf(p.layers)
	}
	report.Raise = raise(report)
	return report, nil
}

func layersOf(l jail.Layers) Layers {
	return Layers{
		Seccomp: l.Seccomp, NoNewPrivs: l.NoNewPrivs, Rlimits: l.Rlimits, Landlock: l.Landlock, NoCaps: l.NoCaps,
		Namespaces: l.Namespaces, EmptyRoot: l.EmptyRoot, Missing: l.Why,
	}
}

// prober starts a worker that makes attacks instead of running cells.
func (w *Workers) prober(ctx context.Context, level Level) (*process, error) {
	p, err := w.acquire(ctx, level)
	if err != nil {
		return nil, err
	}
	limits := Limits{}.WithDefaults()
	if err := p.initialise(ctx, wire.InitMeta{Bounds: limits.bounds(), Probe: true}, limits, Context{}); err != nil {
		w.release(p)
		return nil, fmt.Errorf("start a worker that probes: %w", err)
	}
	w.warm(p.how)
	return p, nil
}

// try makes one attack. If the worker does not survive it, the attack counts as stopped.
func (p *process) try(ctx context.Context, attack probe.Probe) ProbeResult {
	res := ProbeResult{Name: attack.Name, Tried: attack.Tried, Expected: expectStopped}
	switch {
	case attack.Possible:
		res.Expected = expectPossible
	case p.level == Basic && !attack.Always:
		res.Expected = expectNothing
	}
	f, err := p.ask(ctx, wire.Header{Op: wire.Probe}, wire.ProbeMeta{Name: attack.Name, Host: os.Getpid()}, wire.Probe)
	var meta wire.ProbeMeta
	if err == nil {
		err = p.decode(f, &meta)
	}
	res.Worked, res.Outcome = meta.Done, meta.Outcome
	if err != nil {
		<-p.exited // ask has killed a worker that did not answer
		res.Outcome = "the worker was killed"
		if s := p.signal(); s != "" {
			res.Outcome += " (" + s + ")"
		}
	}
	switch res.Expected {
	case expectStopped:
		res.OK = !res.Worked
	case expectPossible:
		res.OK = res.Worked
	default:
		res.OK = true
	}
	return res
}

// facts describes the machine.
func facts() []Fact {
	list := []Fact{
		{"system", runtime.GOOS + "/" + runtime.GOARCH},
		{"processors", fmt.Sprint(runtime.NumCPU())},
		{"user", fmt.Sprint(os.Getuid())},
	}
	return append(list, kernelFacts()...)
}

// raise lists what would raise the level of the report.
func raise(r Report) []string {
	if r.Level == Strict {
		return nil
	}
	if runtime.GOOS != "linux" {
		return []string{"Run on Linux (a virtual machine or container will do): the sandbox uses seccomp, landlock and namespaces."}
	}
	var hints []string
	if raceEnabled {
		hints = append(hints, "Build without the race detector.")
	}
	if !r.Layers.Seccomp {
		hints = append(hints, "Allow seccomp filters: use a kernel with CONFIG_SECCOMP_FILTER and, in a container, a profile that permits the seccomp system call (Docker's default does).")
	}
	switch {
	case linksC():
		hints = append(hints, "Build with CGO_ENABLED=0: only programs that do not link C can use namespaces and landlock.")
	case !r.Layers.Namespaces || !r.Layers.EmptyRoot:
		hints = append(hints, namespaceHints()...)
	}
	if r.Layers.Landlock == 0 && !linksC() {
		hints = append(hints, "Landlock needs Linux 5.13 or later with landlock among the active security modules (lsm=landlock,… on the kernel's command line), and a binary built with CGO_ENABLED=0.")
	}
	return hints
}
