package trajectory

import (
	"encoding/json"
	"time"
)

// RunStarted opens a run (one question). A session's log contains several.
type RunStarted struct {
	Run      string `json:"run"`      // id of the run; for the first run of a session, the session's id
	Number   int    `json:"number"`   // number of the question in its session, from 1
	Question string `json:"question"` // as asked
	// how a reply in prose is treated; see the termination package
	Mode      string          `json:"mode"`
	Model     string          `json:"model"`                // the model that answers
	SubModel  string          `json:"sub_model,omitempty"`  // the model for sub-calls, if different
	Sandbox   string          `json:"sandbox"`              // sandbox level: strict, standard, basic
	Version   string          `json:"version"`              // version of the program that wrote the log
	Config    json.RawMessage `json:"config,omitempty"`     // settings for resuming; no secrets
	Metadata  json.RawMessage `json:"metadata,omitempty"`   // the caller's data, unchanged
	ParentRun string          `json:"parent_run,omitempty"` // id of the run that this one was forked from
	Batch     string          `json:"batch,omitempty"`      // id of the batch to which the run belongs as a job
	// name of the caller's request, by which the run is found if the same request arrives again
	Request string `json:"request,omitempty"`
	// Interactive is set when a person is there: a reply in prose is then an answer.
	Interactive bool `json:"interactive,omitempty"`
	// Review is set when the run continues after a rejected review; Question is then the reviewer's note.
	Review bool `json:"review,omitempty"`
}

// ContextAdded records what cells see as context from this event on.
type ContextAdded struct {
	Size int64  `json:"size"` // bytes of the whole text
	Hash string `json:"hash"` // SHA-256 of the whole text
	// name of the folder with a copy of the text, in the run's folder; "" if the sources are read again
	File      string   `json:"file"`
	Sources   []string `json:"sources,omitempty"`  // paths and URLs of the sources, as given
	Absolute  []string `json:"absolute,omitempty"` // the sources with absolute paths; URLs are unchanged
	Documents int      `json:"documents"`          // number of documents
	Skipped   []string `json:"skipped,omitempty"`  // files left out, each with the reason
	// Files is the list of documents with their files, as JSON: name, size in the text, and path, size and
	// modification time of the file. Empty if the text was not read from files.
	Files Text `json:"files,omitzero"`
	// Offset is the position of a child run's text in the context of the run above it, if it is part of that.
	Offset int64 `json:"offset,omitempty"`
	// Text is the text of a child run if it is not part of the context above; empty otherwise.
	Text Text `json:"text,omitzero"`
}

// Reading is the progress of reading a context, reported at most five times a second; a short reading reports
// nothing. For a run's first context it comes before all other events of the run. Transient.
type Reading struct {
	Documents int   `json:"documents"` // files, pages and streams read so far
	Of        int   `json:"of"`        // total number of files, pages and streams
	Bytes     int64 `json:"bytes"`     // bytes read so far
	OfBytes   int64 `json:"of_bytes"`  // total bytes, as far as sizes are known
	// how many of the files, pages and streams have been converted so far
	Conversions int `json:"conversions"`
	// documents produced by conversions so far, including members of archives
	Made    int           `json:"made,omitempty"`
	Elapsed time.Duration `json:"elapsed"`        // since the reading began
	Left    time.Duration `json:"left,omitempty"` // estimated time left; absent if it cannot be estimated
}

// LimitReached means that a budget is used up; the model gets one last turn.
type LimitReached struct {
	Limit string `json:"limit"` // which budget
	Used  string `json:"used"`  // amount used, for people
	Bound string `json:"bound"` // the bound, for people
}

// Warned is a warning for people (sandbox level basic, unknown price, skipped files).
type Warned struct {
	About string `json:"about"` // kind of warning
	Text  string `json:"text"`  // the warning, for people
}

// RunEnded closes a run.
type RunEnded struct {
	Status string `json:"status"` // how the run ended
	// the status that the model or a done sequence gave the answer
	FinishStatus string `json:"finish_status,omitempty"`
	Answer       string `json:"answer"`     // the answer, complete
	HasAnswer    bool   `json:"has_answer"` // distinguishes an empty answer from none
	// the answer was given before the model saw any of the text, and no cell computed it
	Guess bool `json:"guess,omitempty"`
	// replies to sub-calls, and the last one of the model, that were cut, filtered, refused or otherwise incomplete
	CutReplies int `json:"cut_replies,omitempty"`
	// the answer is JSON that follows the run's schema
	Typed bool `json:"typed,omitempty"`
	// final, variable, signal, reply, partial, last_turn
	AnswerFrom string `json:"answer_from,omitempty"`
	// kind of trigger: signal, sequence, guard, limit, prose, error, interrupt, stop
	EndedBy        string `json:"ended_by"`
	Name           string `json:"name,omitempty"`            // name of the signal, guard, sequence or limit
	Reason         string `json:"reason,omitempty"`          // why the run ended, for people
	ErrorKind      string `json:"error_kind,omitempty"`      // kind of the failure, if the run failed
	RequiresReview bool   `json:"requires_review,omitempty"` // a person must approve the answer
	Reply          string `json:"reply,omitempty"`           // last reply of the model, if there is no answer
	// turns taken, without the last one after a limit
	Turns int `json:"turns"`
	Limit int `json:"limit"` // bound on turns
	Cells int `json:"cells"` // cells that ran
	// model calls below the run: its sub-calls, and all turns and sub-calls of child runs; tools and replies from the
	// memo do not count
	SubCalls int              `json:"sub_calls"`
	Usage    map[string]Usage `json:"usage"` // usage by model, including child runs
	// US dollars, including child runs; null if not known
	Cost           *float64      `json:"cost"`
	UnpricedModels []string      `json:"unpriced_models,omitempty"` // models whose price is not known
	Duration       time.Duration `json:"duration"`                  // duration of the run, without interruptions
	// part of Duration: waiting for replies to the run's own turns
	ModelTime time.Duration `json:"model_time"`
	// part of Duration: in the run's own cells, including their sub-calls and child runs
	CellTime time.Duration   `json:"cell_time"`
	Metadata json.RawMessage `json:"metadata,omitempty"` // the caller's data, unchanged
	// passages that the answer's marks refer to, in the order of the answer
	Evidence []Evidence `json:"evidence,omitempty"`
	// text in the answer that looks like a mark but refers to no passage
	UnknownMarks []string `json:"unknown_marks,omitempty"`
	// quotations in the answer that are not in the context
	Unverified []string `json:"unverified,omitempty"`
	// what the answer lacks, if it was accepted although evidence is required
	Unsupported string `json:"unsupported,omitempty"`
	// what the answer rests on; absent in earlier versions
	Grounding *Grounding `json:"grounding,omitempty"`

	// Err is the error itself, for the process in which the run failed. It is not in the log.
	Err error `json:"-"`
}

// Renamed gives a session a display name.
type Renamed struct {
	Name string `json:"name"` // the new name
}

// Undone takes back the last questions of a session, with their messages, cells and variables. Their events stay in
// the log.
type Undone struct {
	Runs int `json:"runs"` // number of questions taken back
}

// Reviewed is a person's decision on a run that is pending review.
type Reviewed struct {
	Approved bool   `json:"approved"`          // the answer is accepted
	Note     string `json:"note,omitempty"`    // the person's comment
	Request  string `json:"request,omitempty"` // as in run_started
}

// Resumed means that an interrupted run continues from here.
type Resumed struct {
	Pause   time.Duration `json:"pause"`             // time since the previous event
	Request string        `json:"request,omitempty"` // as in run_started
}
