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

// What a job may hold in all.
const (
	maxDepth   = 6         // containers in each other
	maxMembers = 1 << 16   // members, with theirs: as many as a zip without extensions lists
	maxSaid    = 6 << 20   // bytes of what is said of them: their names, why they are not there, and remarks
	maxRatio   = 200       // bytes of all members, for each byte of the job
	minMembers = 1 << 30   // bytes of all members that every job may have
	mostBytes  = 128 << 30 // bytes of all members that no job may exceed
	// maxWaiting is how many bytes of members and texts may wait for their turn before no more are taken.
	maxWaiting = 128 << 20
	maxAhead   = 64 // members of one container that are under way

	// Containers that lie in containers in containers: each costs a worker, and few bytes are many of them.
	minNested     = 200 // every job may have
	bytesOfNested = 128 // of the job for each one more

	// The time that all workers of a job have together: as much as so many documents, and more for its own bytes and
	// those of its members.
	timeouts      = 10
	bytesOfSecond = 64 << 10
)

// errMembers says that a job holds more than it may. What wraps it says of what.
var errMembers = errors.New("the rest of it was not read")

// tree is a job with all that it holds.
type tree struct {
	pool   *Pool
	job    string // its number in the pool
	yield  func(Document) error
	size   int64 // of the job
	cancel context.CancelCauseFunc
	most   int64 // bytes of all members

	mu      sync.Mutex
	changed sync.Cond
	done    bool // nobody waits any more
	members int
	said    int           // bytes, of members
	spill   files.Spool   // has the small members that wait for many others
	bytes   int64         // of all members so far
	waiting int64         // bytes that wait for their turn
	nested  int           // containers that lie in two others or more
	worked  time.Duration // by all workers
	joined  sync.WaitGroup
}

// node is a document of a tree. Its documents are yielded when it has its turn: after all that stands before it.
type node struct {
	tree     *tree
	parent   *node
	path     string // of this document in its container
	name     string // with those of its containers
	modified time.Time
	cut      string // why only a part of its bytes is there
	depth    int
	bytes    io.ReaderAt
	size     int64
	own      files.Spool // of a member
	text     files.Spool

	turn chan struct{} // closed when it may yield; nil while many others come first
	over chan struct{} // closed when it has yielded everything

	// The rest belongs to tree.mu.
	work      func() // what is to be done when it comes near; nil before all of it is there, and afterwards
	mine      bool   // it has its turn
	counts    int64
	children  []*node // not handed their turn yet
	contains  bool    // it has members
	ahead     int     // children that are not over
	complete  bool    // there are no more children
	streaming chan struct{}
}

// Convert converts a document and all that it holds. It calls yield for each document that comes of it, one after the
// other and in the order of the container: a document, then its members, each followed by its own. A container that
// has no text and no notes is not yielded. Members are converted beside each other.
//
// The error is that of ctx or of yield, or says that no worker can be had at all. What is wrong with a document is in
// Document.Why. When Convert returns, nothing of it is left. It may be called by many goroutines: those wait for
// workers.
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
	_ = t.spill.Close() // nothing of it is needed
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// handTurn lets a node yield.
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
		return fmt.Errorf("%w: it unpacks to more than %s, as a bomb does", errMembers, units.Binary(t.most))
	}
	return nil
}

// say counts bytes that are said of members.
func (t *tree) say(bytes int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.said += bytes; t.said > maxSaid {
		return fmt.Errorf("%w: the names of its members have more than %s; unpack or split it to have all of them read",
			errMembers, units.Binary(maxSaid))
	}
	return nil
}

// exhausted says why no more of what a job holds is converted; empty if that may be. Pages cost next to nothing, so
// they count as time only.
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

// holds counts a container, once.
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

// newMember adds a member to a container, behind those before it.
func (n *node) newMember(meta memberMeta) (*node, error) {
	path := cleanPath(meta.Path)
	t := n.tree
	if err := t.say(len(n.name) + len(path)); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.members++; t.members > maxMembers {
		return nil, fmt.Errorf("%w: it has more than %d members; unpack or split it to have all of them read",
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

// room says whether another member may be taken now.
func (n *node) room() bool {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	return n.hasRoom()
}

// hasRoom is room for one who holds the lock. What has its turn always goes on, so that nothing waits for ever: the
// members that stream out one by one, all others at once.
func (n *node) hasRoom() bool {
	switch {
	case n.tree.waiting <= maxWaiting && n.ahead < maxAhead, n.tree.done:
		return true
	case !n.mine:
		return false
	}
	return n.streaming == nil || n.ahead == 0
}

// awaitRoom waits for it, or for the end of all.
func (n *node) awaitRoom(ctx context.Context) {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	for ctx.Err() == nil && !n.hasRoom() {
		n.tree.changed.Wait()
	}
}
