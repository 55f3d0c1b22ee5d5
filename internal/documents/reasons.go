package documents

import (
	"errors"
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/otherworker"
)

// Reasons why a document is missing or incomplete, in words for people.
const (
	whyCancelled = "the conversion was cancelled"
	whyNothing   = "it holds nothing"
)

// errRules means that a worker violated the protocol. Errors that wrap it describe how.
var errRules = errors.New("the worker broke the rules of its host")

func whyMemory(limit int64) string {
	return fmt.Sprintf("converting it needs more than %s of memory (--convert-memory)", units.Binary(limit))
}

func whyTime(limit time.Duration) string {
	return fmt.Sprintf("converting it takes longer than %s (--convert-timeout)", limit)
}

func whyNested(most int64) string {
	return fmt.Sprintf("it was not read, because more than %d containers lie inside containers here, as in a bomb",
		most)
}

func whyWorked(limit time.Duration) string {
	return fmt.Sprintf("it was not read, because converting all that lies with it takes longer than %s, ten times the limit of one document (--convert-timeout)", limit)
}

func whyOutput(limit int64) string {
	return fmt.Sprintf("its text is larger than the limit of %s", units.Binary(limit))
}

// whyFailed returns the reason for a failure that a worker reported.
func (p *Pool) whyFailed(f failure) string {
	switch f.Which {
	case password:
		return "it is protected by a password"
	case tooLarge:
		return whyOutput(p.options.Output)
	case stopped:
		return whyTime(p.options.Timeout)
	case panicked:
		return "the converter crashed: " + shown(f.Error)
	}
	return shown(f.Error)
}

// whyEnded returns the reason for a worker that ended unexpectedly.
func (p *Pool) whyEnded(how otherworker.ExitReason, last string) string {
	switch how {
	case otherworker.ByMemory:
		return whyMemory(p.options.Memory)
	case otherworker.ByStack:
		return "the converter crashed: the document is nested too deeply"
	case otherworker.ByKernel:
		return "the converter tried what no converter may do, as one does that a hostile document has taken over"
	case otherworker.ByRules:
		return fmt.Sprintf("%s (%s), as one does that a hostile document has taken over", errRules, shown(last))
	case otherworker.ByHost:
		return whyCancelled
	}
	return "the converter crashed: " + shown(last)
}
