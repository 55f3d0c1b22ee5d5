package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
)

// What a job may hold in all.
const (
	maxDepth   = 6         // containers in each other
	maxMembers = 200_000   // members, with theirs
	maxRatio   = 200       // bytes of all members, for each byte of the job
	minMembers = 1 << 30   // bytes of all members that every job may have
	mostBytes  = 128 << 30 // bytes of all members that no job may exceed
	// maxWaiting is how many bytes of members and texts may wait for their turn before no more are taken.
	maxWaiting = 128 << 20
	maxAhead   = 64 // members of one container that are under way

	// Containers that lie in containers in containers: each costs a worker, and few bytes are many of them.
	minNested     = 200 // every job may have
	bytesOfNested = 128 // of the job for each one more

	// The time that all workers of a job have together: as much as so many documents, and more for its own bytes and those of its members.
	timeouts      = 10
	bytesOfSecond = 64 << 10
)

// errMembers says that a job holds more than it may. What wraps it says of what.
var errMembers = errors.New("the rest of it was not read")

// tree is a job with all that it holds.
type tree struct {
	pool   *Pool
	yield  func(Document) error
	size   int64 // of the job
	cancel context.CancelCauseFunc
	most   int64 // bytes of all members

	mu      sync.Mutex
	changed sync.Cond
	done    bool // nobody waits any more
	members int
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
	depth    int
	bytes    io.ReaderAt
	size     int64
	own      spool // of a member
	text     spool

	turn chan struct{} // closed when it may yield
	over chan struct{} // closed when it has yielded everything

	// The rest belongs to tree.mu.
	mine      bool // it has its turn
	counts    int64
	children  []*node // not handed their turn yet
	contains  bool    // it has members
	ahead     int     // children that are not over
	complete  bool    // there are no more children
	streaming chan struct{}
}

// Convert converts a document and all that it holds. It calls yield for each document that comes of it, one after the other and in the
// order of the container: a document, then its members, each followed by its own. A container that has no text and no
// notes is not yielded. Members are converted beside each other.
//
// The error is that of ctx or of yield, or says that no worker can be had at all. What is wrong with a document is in Document.Why. When Convert
// returns, nothing of it is left. It may be called by many goroutines: those wait for workers.
func (p *Pool) Convert(ctx context.Context, job Job, yield func(Document) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &tree{pool: p, yield: yield, size: job.Size, cancel: cancel, most: min(max(p.members, job.Size*maxRatio), mostBytes)}
	t.changed.L = &t.mu
	root := t.newNode(shownUpTo(job.Name, 4*maxShown))
	root.path = root.name
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
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (t *tree) newNode(name string) *node {
	return &node{tree: t, name: name, turn: make(chan struct{}), over: make(chan struct{})}
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
		return fmt.Errorf("%w: it unpacks to more than %s, as a bomb does", errMembers, quantity.Binary(t.most))
	}
	return nil
}

// exhausted says why no more of what a job holds is converted; empty if that may be. Pages cost next to nothing, so they count
// as time only.
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
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.members++; t.members > maxMembers {
		return nil, fmt.Errorf("%w: it has more than %d members", errMembers, maxMembers)
	}
	if path == "" {
		path = fmt.Sprintf("member %d", t.members)
	}
	child := t.newNode(n.name + "!/" + path)
	child.parent, child.path, child.modified, child.depth = n, path, meta.Modified, n.depth+1
	child.own.dir, child.text.dir = n.own.dir, n.text.dir
	child.bytes = &child.own
	n.children = append(n.children, child)
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

// hasRoom is room for one who holds the lock. What has its turn always goes on, so that nothing waits for ever: the members that
// stream out one by one, all others at once.
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
