package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"path/filepath"
	"strconv"

	"github.com/gorlm/rlm/internal/server/internal/allowance"
	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/internal/server/internal/past"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// failure is what is wrong with a request, in words for people.
type failure struct {
	status  int
	code    string
	message string
	state   *live.State // what a busy session does
}

func (f *failure) Error() string { return f.message }

// told is a failure as the one who asks is told.
type told struct {
	Error toldError `json:"error"`
}

type toldError struct {
	Code    string      `json:"code"`
	Message string      `json:"message"`
	State   *live.State `json:"state,omitempty"`
}

// badRequest is a fault of the request.
func badRequest(message string) error {
	return &failure{http.StatusBadRequest, "bad_request", message, nil}
}

func notFound(message string) error { return &failure{http.StatusNotFound, "not_found", message, nil} }

// refuse answers a request that failed.
func refuse(w http.ResponseWriter, err error) {
	f := failureOf(err)
	if exceeded := (*allowance.ExceededError)(nil); errors.As(err, &exceeded) {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(exceeded.After.Seconds()))))
	}
	answer(w, f.status, told{toldError{f.code, f.message, f.state}})
}

// failureOf says how an error is told.
func failureOf(err error) *failure {
	var f *failure
	var busy *live.BusyError
	var missing *trajectory.NotFoundError
	var damaged *trajectory.DamagedError
	var locked *trajectory.LockedError
	var noTurn *past.NoTurnError
	var large *http.MaxBytesError
	var exceeded *allowance.ExceededError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &busy):
		return &failure{http.StatusConflict, "busy", err.Error(), &busy.State}
	case errors.Is(err, runner.ErrBusy):
		return &failure{http.StatusConflict, "busy", err.Error(), nil}
	case errors.As(err, &locked):
		return &failure{http.StatusConflict, "locked", err.Error(), nil}
	case errors.As(err, &damaged): // also where a file of it is not there
		return &failure{http.StatusUnprocessableEntity, "failed", repairable(damaged), nil}
	case errors.As(err, &missing):
		return &failure{http.StatusNotFound, "not_found", unknown(missing), nil}
	case errors.As(err, &noTurn), errors.Is(err, fs.ErrNotExist), errors.Is(err, live.ErrRemoved), errors.Is(err, ErrNoBatch):
		return &failure{http.StatusNotFound, "not_found", err.Error(), nil}
	case errors.As(err, &exceeded):
		return &failure{http.StatusTooManyRequests, "limit", err.Error(), nil}
	case errors.As(err, &large):
		return &failure{http.StatusRequestEntityTooLarge, "too_large", "the request is larger than is taken", nil}
	case errors.Is(err, live.ErrClosing):
		return &failure{http.StatusServiceUnavailable, "closing", err.Error(), nil}
	case errors.Is(err, context.Canceled):
		return &failure{http.StatusRequestTimeout, "cancelled", "it was stopped", nil}
	}
	return &failure{http.StatusUnprocessableEntity, "failed", err.Error(), nil}
}

// repairable says that a log is damaged and what helps, without the folder that the error names.
func repairable(e *trajectory.DamagedError) string {
	return fmt.Sprintf("the session's log is damaged in line %d; `rlm repair %s` makes it usable up to there and keeps the rest aside",
		e.Line, filepath.Base(filepath.Dir(e.File)))
}

// unknown says that an id names no session, without the folder and the ids of others' sessions that the error has.
func unknown(e *trajectory.NotFoundError) string {
	if len(e.Matches) > 1 {
		return fmt.Sprintf("%q is the beginning of several ids: use more of it", e.Typed)
	}
	return "there is no session " + e.Typed
}
