package documents

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
)

// fail ends a node without a conversion: its document is missing.
func (n *node) fail(ctx context.Context, why string, lasting bool) {
	_, _ = n.own.Close(), n.tree.say(len(why)) // the next member reports an exceeded bound
	n.ready(func() {
		defer n.finish()
		_ = n.give(ctx, Document{Why: why, Lasting: lasting})
	})
}

// begin starts a node whose bytes are complete.
func (n *node) begin(ctx context.Context) {
	if n.parent != nil {
		n.size = n.own.Size()
		n.keep(n.size)
	}
	n.ready(func() {
		defer n.finish()
		if err := n.run(ctx); err != nil {
			n.tree.cancel(err)
		}
	})
}

// ready runs work for a complete node: now if the node is under way, otherwise once it is. Until then the bytes of
// a small member are in a shared file, to save memory: a document with text of its own yields its members only
// after all of that text.
func (n *node) ready(work func()) {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	n.work = work
	if n.turn != nil {
		n.launch()
		return
	}
	if few := n.own.Bytes(); len(few) > 0 {
		spill := &n.tree.spill
		at := spill.Size()
		_, _ = spill.Write(few) // spill.File returns the error
		file, err := spill.File()
		if err != nil {
			n.tree.cancel(err)
			return
		}
		n.bytes = io.NewSectionReader(file, at, int64(len(few)))
		_ = n.own.Close() // its bytes were copied
	}
}

// approach makes a node one of those under way. The caller holds tree.mu.
func (n *node) approach() {
	n.turn, n.over = make(chan struct{}), make(chan struct{})
	if n.work != nil {
		n.launch()
	}
}

// launch starts the node's work. The caller holds tree.mu.
func (n *node) launch() {
	work := n.work
	n.work = nil
	n.tree.joined.Go(work)
}

// keep counts bytes that are stored until the node is done.
func (n *node) keep(bytes int64) {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	n.counts += bytes
	n.tree.waiting += bytes
}

// finish releases the node's resources.
func (n *node) finish() {
	_, _ = n.own.Close(), n.text.Close()
	t := n.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting -= n.counts
	if n.parent != nil {
		n.parent.ahead--
	}
	for _, child := range n.children { // the job was cancelled before these were started
		if child.work != nil {
			_ = child.own.Close()
		}
	}
	close(n.over)
	t.changed.Broadcast()
}

// run recognises the document and converts it if allowed.
func (n *node) run(ctx context.Context) error {
	head := make([]byte, min(n.size, format.HeadLen))
	got, err := n.bytes.ReadAt(head, 0)
	if err != nil && got < len(head) {
		return n.give(ctx, Document{Why: "it cannot be read: " + shown(err.Error())})
	}
	form, reason := n.tree.pool.recognise(format.WithTail(head, n.bytes, n.size), n.size, n.path)
	switch {
	case form == format.Binary:
		return n.give(ctx, Document{Why: shown(reason), Lasting: true})
	case form == format.Text:
		return n.give(ctx, Document{Raw: true, Text: io.NewSectionReader(n.bytes, 0, n.size)})
	case n.depth > maxDepth:
		return n.give(ctx, Document{
			Why: fmt.Sprintf("it is nested in more than %d containers, as in a zip bomb", maxDepth), Lasting: true,
		})
	}
	c, err := n.convert(ctx, form)
	if err != nil {
		n.end()
		return err
	}
	return n.deliver(ctx, c, form)
}

// deliver yields a converted document and its members.
func (n *node) deliver(ctx context.Context, c *conversion, form format.Form) error {
	doc := Document{
		Kind: c.kind, Parts: c.text.parts, Pages: c.text.pages, Notes: c.text.notes, Why: c.why,
		Lasting: c.lasting,
	}
	if doc.Kind == "" && n.text.Size() > 0 {
		doc.Kind = string(form)
	}
	if n.text.Size() > 0 {
		doc.Text = io.NewSectionReader(&n.text, 0, n.text.Size())
		n.keep(n.text.Size())
	}
	said := 0
	for _, note := range doc.Notes {
		said += len(note)
	}
	if n.parent != nil && said > 0 && n.tree.say(said) != nil {
		doc.Notes = []string{"further notes on it are left out, because there are too many"}
	}
	n.end()
	switch {
	case n.streaming != nil: // its members were yielded before it
		<-n.streaming
	case doc.Text == nil && doc.Why == "" && len(doc.Notes) == 0 && len(n.children) > 0:
		if err := n.awaitTurn(ctx); err != nil {
			return err
		}
		n.sequence(ctx)
		return nil
	default:
		if doc.Text == nil && doc.Why == "" {
			doc.Why, doc.Lasting = whyNothing, true
		}
		if err := n.give(ctx, doc); err != nil {
			return err
		}
		n.sequence(ctx)
		return nil
	}
	if doc.Text == nil && doc.Why == "" && len(doc.Notes) == 0 {
		return nil
	}
	return n.give(ctx, doc)
}

// give yields a document of the node once it is the node's turn.
func (n *node) give(ctx context.Context, doc Document) error {
	if err := n.awaitTurn(ctx); err != nil {
		return err
	}
	doc.Name, doc.Modified, doc.Notes = n.name, n.modified, append(n.notes, doc.Notes...)
	switch {
	case n.cut == "":
	case doc.Text == nil:
		doc.Why = n.cut
	default:
		doc.Why = strings.TrimSuffix("only part of it was unpacked: "+n.cut+"; "+doc.Why, "; ")
	}
	return n.tree.yield(doc)
}

// awaitTurn waits until the node may yield.
func (n *node) awaitTurn(ctx context.Context) error {
	select {
	case <-n.turn:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// end marks the list of members as complete.
func (n *node) end() {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	n.complete = true
	n.tree.changed.Broadcast()
}

// stream yields members while others are still arriving. Otherwise they wait for the document that contains them.
func (n *node) stream(ctx context.Context) {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	if n.streaming != nil {
		return
	}
	streaming := make(chan struct{})
	n.streaming = streaming
	n.tree.joined.Add(1)
	go func() {
		defer n.tree.joined.Done()
		defer close(streaming)
		if n.awaitTurn(ctx) == nil {
			n.sequence(ctx)
		}
	}()
}

// sequence gives the turn to one member after another until there are no more.
func (n *node) sequence(ctx context.Context) {
	for {
		child := n.next(ctx)
		if child == nil {
			return
		}
		n.tree.handTurn(child)
		<-child.over
	}
}

// next waits for the next member; nil if there are no more.
func (n *node) next(ctx context.Context) *node {
	n.tree.mu.Lock()
	defer n.tree.mu.Unlock()
	for len(n.children) == 0 && !n.complete && ctx.Err() == nil {
		n.tree.changed.Wait()
	}
	if len(n.children) == 0 || ctx.Err() != nil {
		return nil
	}
	child := n.children[0]
	n.children = n.children[1:]
	if len(n.children) >= maxAhead {
		if next := n.children[maxAhead-1]; next.turn == nil {
			next.approach()
		}
	}
	return child
}
