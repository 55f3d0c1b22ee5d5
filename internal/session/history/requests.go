package history

import "github.com/gorlm/rlm/runner/trajectory"

// RequestRecord is what a request began.
type RequestRecord struct {
	Seq   int64  // of its first event
	Doing string // ask, resume, cell or review
	Ended bool   // otherwise it is in progress, or was cut off
}

// requests are the requests that a log records, with what they began.
type requests struct {
	all map[string]*RequestRecord
	run []*RequestRecord // of the current run: the request that began it and those that resumed it
	own []*RequestRecord // of the person's cell that is running
}

func (r *requests) add(ev trajectory.Event) {
	if ev.Path != "" {
		return
	}
	switch d := ev.Data.(type) {
	case trajectory.RunStarted:
		doing := "ask"
		if d.Review {
			doing = "review"
		}
		end(&r.run) // a later run replaces one that was cut off
		r.run = r.note(nil, d.Request, RequestRecord{Seq: ev.Seq, Doing: doing})
	case trajectory.Resumed:
		r.run = r.note(r.run, d.Request, RequestRecord{Seq: ev.Seq, Doing: "resume"})
	case trajectory.RunEnded:
		end(&r.run)
	case trajectory.Reviewed:
		r.run = r.note(nil, d.Request, RequestRecord{Seq: ev.Seq, Doing: "review"})
		if d.Approved {
			end(&r.run)
		}
	case trajectory.CellStarted:
		if d.Own {
			r.own = r.note(nil, d.Request, RequestRecord{Seq: ev.Seq, Doing: "cell"})
		}
	case trajectory.CellEnded:
		if ev.Turn == 0 {
			end(&r.own)
		}
	}
}

// note records what a request began, and adds it to what is in progress.
func (r *requests) note(goesOn []*RequestRecord, name string, b RequestRecord) []*RequestRecord {
	if name == "" {
		return goesOn
	}
	if r.all == nil {
		r.all = map[string]*RequestRecord{}
	}
	if before := r.all[name]; before != nil { // a review's run has the review's request; a resumed run keeps its own
		b.Seq, b.Doing = before.Seq, before.Doing
	}
	r.all[name] = &b
	return append(goesOn, &b)
}

func end(all *[]*RequestRecord) {
	for _, b := range *all {
		b.Ended = true
	}
	*all = nil
}

// Begun returns what a request began; ok is false if the log does not have it.
func (b *Projection) Begun(request string) (begun RequestRecord, ok bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err = b.update()
	if found := b.requests.all[request]; found != nil {
		return *found, true, err
	}
	return RequestRecord{}, false, err
}
