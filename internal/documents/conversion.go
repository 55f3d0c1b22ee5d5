package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/otherworker"
)

// inline is the largest document, in bytes, that is sent with its job; larger ones are read from a file.
const inline = 1 << 20

// conversion is the conversion of one document by one worker.
type conversion struct {
	node    *node
	form    format.Form
	worker  *worker
	watch   *watchdog
	text    textWriter
	kind    string
	member  *node // the member being received, or nil
	passing bool  // the member being received is discarded
	crowded bool  // all further members are discarded
	holds   bool  // whether the conversion occupies a slot of the pool
	ended   bool  // the worker sent opDone
	why     string
	lasting bool // why follows from the document's bytes alone
}

// convert converts the node's document in a worker. It returns an error if ctx ends or no worker can be started.
func (n *node) convert(ctx context.Context, form format.Form) (*conversion, error) {
	p := n.tree.pool
	c := &conversion{node: n, form: form, text: textWriter{to: &n.text, limit: p.options.Output}}
	if err := p.enter(ctx, n.tree.job); err != nil {
		return nil, err
	}
	c.holds = true
	defer func() {
		if c.holds {
			p.leave(n.tree.job)
		}
	}()
	plain := converters[form].plain
	if c.why = p.refuses(form); c.why == "" {
		c.why = n.exhausted(plain)
	}
	if c.why != "" {
		return c, nil
	}
	job, body, file, err := n.job(form)
	if err != nil {
		c.why = "it cannot be read: " + shown(err.Error())
		return c, nil
	}
	if c.worker, err = p.take(ctx, plain); err != nil {
		return nil, err
	}
	if c.why = p.refuses(form); c.why != "" { // the level is known now that a worker has started
		c.worker.Close()
		return c, nil
	}
	if err := c.worker.LimitMemory(2 * p.options.Memory); err != nil {
		c.worker.Close()
		return nil, err
	}
	c.watch = watching(ctx, p, c.worker, n.size)
	sent := make(chan struct{})
	go func() { // even a worker that does not read its job must be listened to
		defer close(sent)
		_ = c.worker.Send(opJob, job, body, file)
	}()
	c.read(ctx)
	c.finish(ctx, sent, plain)
	return c, context.Cause(ctx)
}

// finish ends the conversion, and finds the reason if it failed.
func (c *conversion) finish(ctx context.Context, sent <-chan struct{}, again bool) {
	p := c.node.tree.pool
	lied := c.ended && !soon(sent, p.grace)
	if lied || !c.ended && c.why != "" {
		c.worker.Kill()
	}
	why := c.watch.end() // before Close, because the watch inspects the worker
	c.node.tree.spend(c.watch.took())
	if lied {
		c.disown()
	}
	if c.ended && again && c.why == "" && why == "" && !c.watch.asked {
		p.giveBack(c.worker)
	} else {
		how, last := c.worker.Close()
		<-sent
		if !c.ended && c.why == "" {
			c.why = why
		}
		if !c.ended && c.why == "" {
			c.why = p.whyEnded(how, last)
		}
	}
	if c.member != nil { // the member is incomplete
		c.member.fail(ctx, "only part of it arrived", false)
		c.member = nil
	}
	if err := errors.Join(c.text.end(), c.text.to.Flush()); err != nil {
		c.why, c.lasting = cmp.Or(c.why, whyDisk(err)), false
	}
	if n := c.text.more; n > 0 {
		c.text.notes = append(c.text.notes, fmt.Sprintf("and %d more notes", n))
	}
}

// soon reports whether a job was sent by the time its document is done. A worker that never read its job has made
// up the result.
func soon(sent <-chan struct{}, grace time.Duration) bool {
	select {
	case <-sent:
		return true
	case <-time.After(grace):
	}
	select {
	case <-sent: // the time passed because this process was suspended
		return true
	default:
		return false
	}
}

// disown discards the output of a worker that did not read its job.
func (c *conversion) disown() {
	_ = c.node.text.Close()
	c.node.text = files.Spool{}
	c.text = textWriter{to: &c.node.text, limit: c.text.limit}
	c.kind, c.ended, c.lasting = "", false, false
	c.why = c.node.tree.pool.whyEnded(otherworker.ByRules, "done before it read its job")
}

// read processes the worker's messages until it is done or breaks a rule or a limit.
func (c *conversion) read(ctx context.Context) {
	for !c.ended {
		m, err := c.worker.Receive(context.WithoutCancel(ctx)) // the watch kills the worker when ctx is done
		if err != nil {
			return
		}
		if err := c.take(ctx, m); err != nil {
			switch {
			case ctx.Err() != nil:
				c.why = whyCancelled
			case errors.Is(err, format.ErrTooLarge):
				c.why = whyOutput(c.text.limit)
			case errors.Is(err, errMembers):
				c.why = err.Error()
			case errors.Is(err, errRules):
				c.why = c.node.tree.pool.whyEnded(otherworker.ByRules, err.Error())
			default:
				c.why = whyDisk(err)
			}
			return
		}
	}
}

// decode unmarshals a message that has at most 16 values into v.
func decode(m otherworker.Message, v any) error {
	if err := m.Decode(v, 16); err != nil {
		return fmt.Errorf("%w: %w", errRules, err)
	}
	return nil
}

// take processes one message.
func (c *conversion) take(ctx context.Context, m otherworker.Message) error {
	if (c.member != nil || c.passing) != (m.Op == opData || m.Op == opEnd) {
		return fmt.Errorf("%w: %s in the wrong place", errRules, m.Op)
	}
	if m.Op == opMember || m.Op == opSkip {
		c.node.holds() // before waiting for room
	}
	switch m.Op {
	case opKind:
		return c.takeKind(string(m.Body))
	case opText:
		c.watch.got(len(m.Body))
		return c.text.add(m.Body)
	case opMeta:
		var meta metaMeta
		if err := decode(m, &meta); err != nil {
			return err
		}
		return c.text.meta(meta.Name, meta.Value)
	case opBegin:
		var part partMeta
		if err := decode(m, &part); err != nil {
			return err
		}
		return c.text.begin(part)
	case opNote:
		c.text.note(string(m.Body))
		return nil
	case opSkip:
		return c.takeSkip(ctx, m)
	case opMember, opData, opEnd:
		return c.takeMember(ctx, m)
	}
	var f failure // the message is opDone
	if err := decode(m, &f); err != nil {
		return err
	}
	c.ended = true
	if f.Error != "" {
		c.why, c.lasting = c.node.tree.pool.whyFailed(f), f.lasting()
	}
	return nil
}

func (c *conversion) takeKind(kind string) error {
	if len(kind) == 0 || len(kind) > maxKind {
		return fmt.Errorf("%w: a kind of %d bytes", errRules, len(kind))
	}
	for _, r := range kind {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.' {
			return fmt.Errorf("%w: a kind that is not a word", errRules)
		}
	}
	c.kind = kind
	return nil
}

func (c *conversion) takeSkip(ctx context.Context, m otherworker.Message) error {
	var skip skipMeta
	if err := decode(m, &skip); err != nil {
		return err
	}
	if err := c.wait(ctx); err != nil {
		return err
	}
	child, err := c.newMember(memberMeta{Path: skip.Path})
	if child != nil {
		child.fail(ctx, shown(skip.Reason), true)
	}
	return err
}

// newMember adds a member. In an archive, notes before a member are about its name. When no more members are
// allowed, newMember returns an error, which ends an archive; for a document with text of its own it returns nil
// instead, and the conversion continues without the member.
func (c *conversion) newMember(meta memberMeta) (*node, error) {
	if c.crowded {
		return nil, nil
	}
	child, err := c.node.newMember(meta)
	if errors.Is(err, errMembers) && !converters[c.form].streams {
		c.crowded = true
		c.text.notes = append(c.text.notes, "members are left out"+strings.TrimPrefix(err.Error(), errMembers.Error()))
		return nil, nil
	}
	if child != nil && converters[c.form].streams && c.text.to.Size() == 0 {
		child.notes, c.text.notes = c.text.notes, nil
		for _, note := range child.notes {
			err = errors.Join(err, c.node.tree.say(len(note)))
		}
	}
	return child, err
}

// takeMember processes a part of a member: its start, a piece of its bytes, or its end.
func (c *conversion) takeMember(ctx context.Context, m otherworker.Message) error {
	switch m.Op {
	case opMember:
		var meta memberMeta
		if err := decode(m, &meta); err != nil {
			return err
		}
		if err := c.wait(ctx); err != nil {
			return err
		}
		var err error
		c.member, err = c.newMember(meta)
		c.passing = c.member == nil
		return err
	case opData:
		c.watch.got(len(m.Body))
		if err := c.node.tree.more(int64(len(m.Body))); err != nil {
			return err
		}
		if c.passing {
			return nil
		}
		_, err := c.member.own.Write(m.Body)
		return err
	}
	if c.passing {
		c.passing = false
		return nil
	}
	var f failure
	if err := decode(m, &f); err != nil {
		return err
	}
	child := c.member
	if err := child.own.Flush(); err != nil {
		return err
	}
	c.member = nil
	if f.Error != "" {
		child.cut = c.node.tree.pool.whyFailed(f)
		if child.own.Size() == 0 || f.Which != "" {
			child.fail(ctx, child.cut, f.lasting())
			return nil
		}
	}
	child.begin(ctx)
	return nil
}

// wait waits until there is room for another member. Meanwhile it releases the slot and stops the clock.
func (c *conversion) wait(ctx context.Context) error {
	if converters[c.form].streams && c.text.to.Size() == 0 {
		c.node.stream(ctx)
	}
	if c.node.room() {
		return nil
	}
	p := c.node.tree.pool
	c.watch.wait()
	defer c.watch.resume()
	p.leave(c.node.tree.job)
	c.holds = false
	c.node.awaitRoom(ctx)
	if err := p.enter(ctx, c.node.tree.job); err != nil {
		return err
	}
	c.holds = true
	return nil
}

// job describes the job for a worker. The document's bytes are in body, or in file.
func (n *node) job(form format.Form) (job jobMeta, body []byte, file *os.File, err error) {
	o := n.tree.pool.options
	job = jobMeta{Form: form, Name: n.path, Size: n.size, Memory: o.Memory, Output: o.Output}
	switch b := n.bytes.(type) {
	case *os.File:
		file = b
	case *io.SectionReader:
		outer, off, _ := b.Outer()
		if f, ok := outer.(*os.File); ok {
			file, job.Offset = f, off
		}
	}
	switch {
	case n.size <= inline:
		body, err = io.ReadAll(io.NewSectionReader(n.bytes, 0, n.size))
		job.Offset, job.Size = 0, int64(len(body))
		return job, body, nil, err
	case file != nil:
		return job, nil, file, nil
	case n.bytes != io.ReaderAt(&n.own):
		_, err = io.Copy(&n.own, io.NewSectionReader(n.bytes, 0, n.size))
	}
	if err == nil {
		file, err = n.own.File()
	}
	return job, nil, file, err
}

func whyDisk(err error) string { return "it cannot be stored: " + shown(err.Error()) }
