package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// jobHeaders is a message of jobs without their texts.
type jobHeaders struct {
	Entries []struct {
		Job struct {
			Schema string `json:"schema"`
		} `json:"job"`
		Key   string `json:"key"`
		Index int    `json:"index"`
		Run   string `json:"run"`
		Try   int    `json:"try"`
	} `json:"entries"`
}

// read reads the messages that are new since the last time. The caller holds mu.
func (x *Index) read(ctx context.Context, r record) error {
	if x.known == nil || !x.created.Equal(r.Created) {
		x.created, x.jobs, x.results = r.Created, 0, 0
		x.known, x.forms, x.order = map[string]*jobEntry{}, map[string]int{}, nil
	}
	for msg, err := range x.queue.messages(ctx, x.queue.jobs, jobsSubject+x.batch, x.jobs+1, false) {
		if err == nil {
			err = x.readJobs(msg)
		}
		if err != nil {
			return fmt.Errorf("read the jobs of %s: %w", x.batch, err)
		}
	}
	for msg, err := range x.queue.messages(ctx, x.queue.results, resultsSubject+x.batch+".*.*", x.results+1, false) {
		if err == nil {
			err = x.readResult(msg)
		}
		if err != nil {
			return fmt.Errorf("read the results of %s: %w", x.batch, err)
		}
	}
	if x.order == nil {
		for _, e := range x.known {
			if e.waits() || e.state != Dropped {
				x.order = append(x.order, e)
			}
		}
		slices.SortFunc(x.order, func(a, b *jobEntry) int {
			return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.key, b.key))
		})
	}
	return nil
}

func (x *Index) readJobs(msg jetstream.Msg) error {
	meta, err := msg.Metadata()
	var s jobHeaders
	if err == nil {
		err = json.Unmarshal(msg.Data(), &s)
	}
	if err != nil {
		return err
	}
	x.order = nil
	x.jobs = meta.Sequence.Stream
	for _, e := range s.Entries {
		old := x.known[e.Key]
		if old != nil && old.try > e.Try {
			continue
		}
		one := &jobEntry{key: e.Key, run: e.Run, place: e.Index, try: e.Try, at: x.jobs, tried: -1}
		if old != nil {
			one.tried, one.state = old.tried, old.state
		}
		x.known[e.Key] = one
		if first, ok := x.forms[e.Job.Schema]; e.Job.Schema != "" && (!ok || e.Index < first) {
			x.forms[e.Job.Schema] = e.Index
		}
	}
	return nil
}

func (x *Index) readResult(msg jetstream.Msg) error {
	meta, err := msg.Metadata()
	var r struct {
		Key   string `json:"key"`
		State State  `json:"state"`
		Try   int    `json:"try"`
	}
	if err == nil {
		err = json.Unmarshal(msg.Data(), &r)
	}
	if err != nil {
		return err
	}
	x.results = meta.Sequence.Stream
	if e := x.known[r.Key]; e != nil && r.Try >= e.tried {
		if r.State == Dropped || e.state == Dropped {
			x.order = nil
		}
		e.tried, e.state = r.Try, r.State
	}
	return nil
}
