package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/units"
)

// Limits of one job.
const (
	maxDepth   = 6         // levels of nested containers
	maxMembers = 1 << 16   // members, including those of members: as many as a zip without extensions lists
	maxSaid    = 6 << 20   // total bytes of members' names, reasons and notes
	maxRatio   = 200       // bytes of all members for each byte of the job
	minMembers = 1 << 30   // bytes of all members that are always allowed
	mostBytes  = 128 << 30 // bytes of all members that are never exceeded
	// maxWaiting is how many bytes of members and texts may wait for their turn before no more are accepted.
	maxWaiting = 128 << 20
	maxAhead   = 64 // members of one container that are under way

	// Limits for containers nested at least three deep: each costs a worker, and a few bytes encode many of them.
	minNested     = 200 // containers that are always allowed
	bytesOfNested = 128 // bytes of the job that allow one more

	// Limits for the total time of a job's workers: some timeouts of one document, plus time for the bytes of the
	// job and of its members.
	timeouts      = 10
	bytesOfSecond = 64 << 10
)

// errMembers means that a job exceeds a limit. Errors that wrap it name the limit.
var errMembers = errors.New("the rest of it was not read")

// tree is a job with all its documents.
type tree struct {
	pool   *Pool
	job    string // its number in the pool
	yield  func(Document) error
	size   int64 // bytes of the job
	cancel context.CancelCauseFunc
	most   int64 // limit for bytes

	mu      sync.Mutex
	changed sync.Cond
	done    bool // the job has ended
	members int
	said    int           // total bytes of members' names, reasons and notes
	spill   files.Spool   // stores small members that wait for many others
	bytes   int64         // bytes of all members so far
	waiting int64         // bytes that wait for their turn
	nested  int           // containers nested at least three deep
	worked  time.Duration // total time of all workers
	joined  sync.WaitGroup
}

// node is a document in a tree. It yields its documents when it has the turn: after everything that precedes it.
type node struct {
	tree     *tree
	parent   *node
	path     string // path of this document in its container
	name     string // name with those of its containers
	modified time.Time
	cut      string   // why its bytes are incomplete
	notes    []string // notes of its container on its name
	depth    int
	bytes    io.ReaderAt
	size     int64
	own      files.Spool // a member's bytes
	text     files.Spool

	turn chan struct{} // closed when it may yield; nil while it is not under way
	over chan struct{} // closed when it has yielded everything

	// tree.mu guards the fields below.
	work      func() // runs once it is under way; nil before its bytes are complete, and afterwards
	mine      bool   // it has the turn
	counts    int64
	children  []*node // children that have not had the turn
	contains  bool    // it has members
	ahead     int     // children that are not done
	complete  bool    // there are no more children
	streaming chan struct{}
}

// Convert converts a document and everything inside it. It calls yield for each resulting document, one at a time
// and in the order of the container: a document, then its members, each followed by its own members. A container
// without text and notes is not yielded. Members are converted concurrently.
//
// The error is that of ctx or of yield, or means that no worker can be started. Problems of a document are in
// Document.Why. When Convert returns, it has released everything. It is safe for concurrent use; conversions wait
// for a free worker.
func (p *Pool) Convert(ctx context.Context, job Job, yield func(Document) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &tree{pool: p, job: fmt.Sprint(p.jobs.Add(1)), yield: yield, size: job.Size, cancel: cancel}
	t.most = min(max(p.members, job.Size*maxRatio), mostBytes)
	t.changed.L = &t.mu
	root := &node{tree: t, name: shownUpTo(job.Name, 4*maxShown)}
	root.path = root.name
	root.approach()
	root.bytes, root.size = job.Bytes, job.Size
	t.handTurn(root)
	unhook := context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.done = true
		t.changed.Broadcast()
	})
	defer unhook()
	root.begin(ctx)
	t.joined.Wait()
	_ = t.spill.Close() // the job has ended
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// handTurn gives a node the turn.
func (t *tree) handTurn(n *node) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n.mine = true
	close(n.turn)
	t.changed.Broadcast()
}

// more counts bytes of a member.
func (t *tree) more(bytes int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bytes += bytes; t.bytes > t.most {
		return fmt.Errorf("%w: it unpacks to more than %s, as a zip bomb does", errMembers, units.Binary(t.most))
	}
	return nil
}

// say counts bytes of members' names, reasons and notes.
func (t *tree) say(bytes int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.said += bytes; t.said > maxSaid {
		return fmt.Errorf("%w: the names of its members are longer than %s in total; unpack or split it to read them all",
			errMembers, units.Binary(maxSaid))
	}
	return nil
}

// exhausted returns the reason why no more of the job's members are converted, or "" while more are. Formats with a
// plain converter cost next to nothing, so only their time is limited.
func (n *node) exhausted(plain bool) string {
	t := n.tree
	if n.parent == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	most := t.pool.nested + t.size/bytesOfNested
	if n.depth >= 2 && !plain && int64(t.nested) >= most {
		return whyNested(most)
	}
	timeout := t.pool.options.Timeout
	if t.worked > timeouts*timeout+time.Duration(t.size/bytesOfSecond+t.bytes/perSecond)*time.Second {
		return whyWorked(timeouts * timeout)
	}
	return ""
}

// holds counts a document that has members as a container, once.
func (n *node) holds() {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	if !n.contains && n.depth >= 2 {
		n.tree.nested++
	}
	n.contains = true
}

// spend counts the time that a worker took.
func (t *tree) spend(used time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.worked += used
}

// newMember appends a member to a container.
func (n *node) newMember(meta memberMeta) (*node, error) {
	path := cleanPath(meta.Path)
	t := n.tree
	if err := t.say(len(n.name) + len(path)); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.members++; t.members > maxMembers {
		return nil, fmt.Errorf("%w: it has more than %d members; unpack or split it to read them all",
			errMembers, maxMembers)
	}
	if path == "" {
		path = fmt.Sprintf("member %d", t.members)
	}
	name := n.name + "!/" + path
	child := &node{
		tree: t, parent: n, name: name, path: name[len(name)-len(path):], modified: meta.Modified,
		depth: n.depth + 1,
	}
	child.bytes = &child.own
	if n.children = append(n.children, child); len(n.children) <= maxAhead {
		child.approach()
	}
	n.ahead++
	t.changed.Broadcast()
	return child, nil
}

// room reports whether another member may be accepted now.
func (n *node) room() bool {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	return n.hasRoom()
}

// hasRoom is room for callers that hold tree.mu. The node with the turn always makes progress, so that nothing
// waits forever: it accepts one member at a time if it streams, otherwise all of them.
func (n *node) hasRoom() bool {
	switch {
	case n.tree.waiting <= maxWaiting && n.ahead < maxAhead, n.tree.done:
		return true
	case !n.mine:
		return false
	}
	return n.streaming == nil || n.ahead == 0
}

// awaitRoom waits for room, or for the end of ctx.
func (n *node) awaitRoom(ctx context.Context) {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	for ctx.Err() == nil && !n.hasRoom() {
		n.tree.changed.Wait()
	}
}
