package history

import "github.com/gorlm/rlm/runner/trajectory"

// RequestRecord is what a request began.
type RequestRecord struct {
	Seq   int64  // of the event that it began with
	Doing string // ask, resume, cell or review
	Ended bool   // otherwise it is under way, or was cut off
}

// requests are the requests of which a log knows, with what they began.
type requests struct {
	all map[string]*RequestRecord
	run []*RequestRecord // of the run that goes on: the request that began it and those that resumed it
	own []*RequestRecord // of the person's cell that runs
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
		end(&r.run) // a later run takes the place of one that was cut off
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

// note adds what a request began to what goes on.
func (r *requests) note(goesOn []*RequestRecord, name string, b RequestRecord) []*RequestRecord {
	if name == "" {
		return goesOn
	}
	if r.all == nil {
		r.all = map[string]*RequestRecord{}
	}
	if before := r.all[name]; before != nil { // a review's run has the review's request, and what was cut off goes on under its own
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

// Begun is what a request began; ok is false if the log knows nothing of it.
func (b *Projection) Begun(request string) (begun RequestRecord, ok bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err = b.update()
	if found := b.requests.all[request]; found != nil {
		return *found, true, err
	}
	return RequestRecord{}, false, err
}
