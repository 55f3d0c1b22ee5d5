package past

import "github.com/gorlm/rlm/runner/trajectory"

// Begun is what a request began.
type Begun struct {
	Seq   int64  // of the event that it began with
	Doing string // ask, cell or review
	Text  string // the question, the cell, the note
	Ended bool   // otherwise it is under way, or was cut off
}

// requests are the requests of which a log knows, with what they began.
type requests struct {
	all map[string]*Begun
	run *Begun // of the run that goes on, nil if no request began it
	own *Begun // of the person's cell that runs
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
		r.run = r.note(d.Request, Begun{Seq: ev.Seq, Doing: doing, Text: d.Question})
	case trajectory.RunEnded:
		end(&r.run)
	case trajectory.Reviewed:
		r.run = r.note(d.Request, Begun{Seq: ev.Seq, Doing: "review", Text: d.Note})
		if d.Approved {
			end(&r.run)
		}
	case trajectory.CellStarted:
		if d.Own {
			r.own = r.note(d.Request, Begun{Seq: ev.Seq, Doing: "cell", Text: d.Source})
		}
	case trajectory.CellEnded:
		if ev.Turn == 0 {
			end(&r.own)
		}
	}
}

func (r *requests) note(name string, b Begun) *Begun {
	if name == "" {
		return nil
	}
	if r.all == nil {
		r.all = map[string]*Begun{}
	}
	if before := r.all[name]; before != nil { // a review's run has the review's request
		b.Seq = before.Seq
	}
	r.all[name] = &b
	return &b
}

func end(b **Begun) {
	if *b != nil {
		(*b).Ended, *b = true, nil
	}
}

// Begun is what a request began; ok is false if the log knows nothing of it.
func (b *Book) Begun(request string) (begun Begun, ok bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err = b.update()
	if found := b.requests.all[request]; found != nil {
		return *found, true, err
	}
	return Begun{}, false, err
}
