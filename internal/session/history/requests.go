package history

import "github.com/gorlm/rlm/runner/trajectory"

// RequestRecord describes what a request began.
type RequestRecord struct {
	Seq   int64  // number of its first event
	Doing string // ask, resume, cell or review
	Ended bool   // false while it is in progress, and if it was cut off
}

// requests collects the requests recorded in a log and what they began.
type requests struct {
	all map[string]*RequestRecord
	run []*RequestRecord // requests that began or resumed the current run
	own []*RequestRecord // the request that began the person's running cell
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
		end(&r.run) // if the previous run was cut off, this one replaces it
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

// note records what a request began, and appends it to goesOn, the records of what is in progress.
func (r *requests) note(goesOn []*RequestRecord, name string, b RequestRecord) []*RequestRecord {
	if name == "" {
		return goesOn
	}
	if r.all == nil {
		r.all = map[string]*RequestRecord{}
	}
	if before := r.all[name]; before != nil { // keep what the request's first event recorded
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
