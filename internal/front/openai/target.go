package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// target is where a question is asked: in an existing session, or in a new one if session is nil.
type target struct {
	session  *session.Session
	run      int       // number of the last question before this one
	messages []message // messages that the session does not have yet
	said     string    // hash of the conversation up to the question
	one      bool      // the conversation has only one notebook, which is not forked if busy
	pair     string    // hash of the messages since the last answer
	before   turn      // the turn that the question continues
	why      string    // why the notebook of earlier answers is not continued
}

// place finds the session and the turn that a request continues.
func (a *API) place(q *ask) (target, error) {
	said, pair, answered, whole := "", "", 0, false
	var answers []answer
	for i, m := range q.messages {
		said, pair = m.hash(said), m.hash(pair)
		switch m.role {
		case roleUser:
			whole = true
		case roleAssistant:
			answered = i + 1
			answers = append(answers, answer{answered, said, pair, whole})
			pair, whole = "", false
		}
	}
	fresh := target{messages: q.messages, said: said, pair: pair}
	switch {
	case q.previous != "":
		t, ok := a.turns.of(q.who, q.previous)
		if !ok {
			return fresh, &Failure{
				Status: http.StatusBadRequest, Code: "previous_response_not_found",
				Param:   "previous_response_id",
				Message: "previous response with id '" + text.Short(q.previous, 64) + "' not found",
			}
		}
		return a.goOn(q, t, target{messages: q.messages, said: rehash(t.Said, q.messages), pair: pair},
			"previous_response_id")
	case q.conversation != "":
		t, ok := a.turns.in(q.who, q.conversation)
		if !ok {
			return fresh, nil
		}
		return a.goOn(q, t, target{messages: q.messages[answered:], said: said, one: true, pair: pair}, "conversation")
	}
	if len(answers) > 0 {
		fresh.why = "this endpoint knows no answer to the same messages"
	}
	for i, past := range slices.Backward(answers) { // if a message was edited, answers before it still match
		t, ok := a.turns.after(q.who, past.said)
		if !ok && i == len(answers)-1 {
			t, ok = a.turns.tail(q.who, answers)
		}
		if !ok {
			continue
		}
		if t.Schema != schemaHash(q.schema) {
			fresh.why = "the answer's format has changed"
			continue
		}
		p, err := a.goOn(q, t, target{messages: q.messages[past.end:], said: said, pair: pair}, q.spoken())
		if err == nil {
			if i < len(answers)-1 {
				p.why = "a later answer among the messages did not come from this endpoint"
			}
			return p, nil
		}
		fresh.why = "the session of the last answer no longer exists" // the request has all messages
	}
	return fresh, nil
}

// answer is an answer among the messages of a request.
type answer struct {
	end   int    // index of the message after it
	said  string // hash of the conversation up to it
	pair  string // hash of the answer and the messages since the previous answer
	whole bool   // the request includes its question
}

func rehash(said string, messages []message) string {
	for _, m := range messages {
		said = m.hash(said)
	}
	return said
}

// goOn sets the session and the turn of a target that continues a turn.
func (a *API) goOn(q *ask, t turn, p target, param string) (target, error) {
	if t.Schema != schemaHash(q.schema) {
		return p, wrong(param, "the answer's format cannot change within a conversation with a notebook: send the messages without '"+param+"'")
	}
	l, err := a.cfg.Sessions.Find(q.who, t.Session)
	if err != nil {
		return p, &Failure{
			Status: http.StatusNotFound, Code: "session_not_found", Param: param,
			Message: "the session of that answer no longer exists",
		}
	}
	p.session, p.run, p.before = l, t.Run, t
	if !p.one {
		return p, nil
	}
	runs, err := runsOf(l.Dir())
	if err == nil && len(runs) > 0 { // questions asked elsewhere are part of the conversation
		p.run = runs[len(runs)-1].number
	}
	return p, err
}

// schemaHash returns a hash of the schema of answers, which stays the same within a notebook.
func schemaHash(schema string) string {
	if schema == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(schema))
	return hex.EncodeToString(sum[:8])
}

// pastRun is a question in a session's log.
type pastRun struct {
	before   int64 // number of the last event before the run
	number   int
	question string
	request  string               // id of the turn for which it began
	end      *trajectory.RunEnded // nil if it has not ended
}

// runsOf returns the questions in a log, except undone ones.
func runsOf(dir string) ([]pastRun, error) {
	var runs []pastRun
	for ev, err := range trajectory.Skim(dir) {
		if err != nil {
			return nil, err
		}
		if ev.Path != "" {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.RunStarted:
			runs = append(runs, pastRun{number: d.Number, question: d.Question, request: d.Request, before: ev.Seq - 1})
		case trajectory.Resumed:
			if len(runs) > 0 {
				runs[len(runs)-1].end = nil
			}
		case trajectory.RunEnded:
			if len(runs) > 0 {
				runs[len(runs)-1].end = toldBack(d)
			}
		case trajectory.Undone:
			runs = runs[:max(0, len(runs)-d.Runs)]
		}
	}
	return runs, nil
}

// toldBack returns the end of a run as a conversation sees it: a question of the model is a message that the user can
// reply to. Its status still tells a program that it is no answer.
func toldBack(end trajectory.RunEnded) *trajectory.RunEnded {
	if end.Status == string(termination.NeedsInput) && end.EndedBy == string(termination.ByProse) {
		end.Answer, end.HasAnswer = end.Reply, true
	}
	return &end
}

// among returns the index of a turn's run; -1 if the run never began or was undone.
func (t turn) among(runs []pastRun) int {
	return slices.IndexFunc(runs, func(p pastRun) bool { return p.request == t.ID })
}

// unfinished reports whether a run can be resumed, because it was interrupted or failed.
func (p pastRun) unfinished() bool {
	if p.end == nil {
		return true
	}
	switch termination.Trigger(p.end.EndedBy) {
	case termination.ByInterrupt, termination.ByEndpoint, termination.ByError:
		return true
	}
	return false
}

// errGone means that the run of an idempotency key has been deleted.
var errGone = errors.New("the run of this idempotency key was deleted; use a new key to ask again")
