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
	whyNothing   = "it is empty"
)

// errRules means that a worker violated the protocol. Errors that wrap it describe how.
var errRules = errors.New("the converter broke the rules of its protocol")

func whyMemory(limit int64) string {
	return fmt.Sprintf("converting it needs more than %s of memory (--convert-memory)", units.Binary(limit))
}

func whyTime(limit time.Duration) string {
	return fmt.Sprintf("converting it takes longer than %s (--convert-timeout)", limit)
}

func whyNested(most int64) string {
	return fmt.Sprintf("it was not read, because more than %d containers are nested here, as in a zip bomb",
		most)
}

func whyWorked(limit time.Duration) string {
	return fmt.Sprintf("it was not read, because converting everything in the same file takes longer than %s, "+
		"ten times the limit for one document (--convert-timeout)", limit)
}

func whyOutput(limit int64) string {
	return fmt.Sprintf("its text is larger than the limit of %s", units.Binary(limit))
}

// whyFailed returns the reason for a failure that a worker reported.
func (p *Pool) whyFailed(f failure) string {
	switch f.Which {
	case password:
		return "it is password-protected"
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
		return "the converter tried something forbidden, as if taken over by a hostile document"
	case otherworker.ByRules:
		return fmt.Sprintf("%s (%s), as if taken over by a hostile document", errRules, shown(last))
	case otherworker.ByHost:
		return whyCancelled
	}
	return "the converter crashed: " + shown(last)
}
