package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/session/history"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/trajectory"
)

// Error is a refusal with a message for people. The message reveals no folders and no sessions of other users.
type Error struct {
	Code    Code
	Message string
	State   *State        // what a busy session is doing
	After   time.Duration // when a retry makes sense; 0 if unknown
	Day     bool          // the day's budget is used up
}

func (e *Error) Error() string { return e.Message }

// Code names the kind of a refusal. Each front end maps it to its own form, such as an HTTP status.
type Code string

// The codes of refusals.
const (
	BadRequest Code = "bad_request" // the request is malformed or its values are wrong
	NotFound   Code = "not_found"
	Forbidden  Code = "forbidden" // only the session's owner may do this
	OutOfReach Code = "path"      // a file outside those offered when the process was started
	Busy       Code = "busy"      // the session is doing something else
	Locked     Code = "locked"    // another process has the session open
	CutOff     Code = "cut_off"   // the process ended while the cell of an earlier request ran
	Deleted    Code = "deleted"   // the session created by an earlier request with this key was deleted
	KeyUsed    Code = "key_used"  // the key was used with another request
	Limit      Code = "limit"     // a limit on runs, sessions or the day's budget was reached
	TooLarge   Code = "too_large"
	NoModel    Code = "no_model"
	DiskFull   Code = "disk"
	Failed     Code = "failed"
	Cancelled  Code = "cancelled"
	Closing    Code = "closing" // the process is shutting down
)

// Is reports whether an error is a refusal with a code.
func Is(err error, code Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

// ErrorOf converts an error of this package or those below it to a refusal.
func ErrorOf(err error) *Error {
	var e *Error
	var missing *trajectory.NotFoundError
	var damaged *trajectory.DamagedError
	var locked *trajectory.LockedError
	var noTurn *history.NoTurnError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT): // its path is nobody's business
		return &Error{
			Code: DiskFull, Message: "the disk is full: nothing more can be recorded; free some space and try again",
		}
	case errors.Is(err, runner.ErrBusy):
		return &Error{Code: Busy, Message: err.Error()}
	case errors.As(err, &locked):
		return &Error{Code: Locked, Message: err.Error()}
	case errors.As(err, &damaged): // before the check for a missing file, which can be the cause
		return &Error{
			Code: Failed,
			Message: fmt.Sprintf("the session's log is damaged in line %d; `rlm repair %s` makes it usable "+
				"up to there and sets the rest aside", damaged.Line, filepath.Base(filepath.Dir(damaged.File))),
		}
	case errors.As(err, &missing) && len(missing.Matches) > 1:
		return &Error{
			Code:    NotFound,
			Message: fmt.Sprintf("several ids begin with %q: give more of it", missing.Typed),
		}
	case errors.As(err, &missing):
		return &Error{Code: NotFound, Message: "there is no session " + text.Short(missing.Typed, 64)}
	case errors.As(err, &noTurn), errors.Is(err, fs.ErrNotExist):
		return &Error{Code: NotFound, Message: WithoutFolders(err)}
	case errors.Is(err, context.Canceled), errors.Is(err, ErrStopped):
		return &Error{Code: Cancelled, Message: "it was stopped"}
	case errors.Is(err, host.ErrEnding):
		return &Error{Code: Closing, Message: ErrClosing.Error()}
	}
	return &Error{Code: Failed, Message: WithoutFolders(err)}
}

// WithoutFolders returns the message of an error in which a file that cannot be used has its name, but not its folder.
func WithoutFolders(err error) string {
	message := err.Error()
	var file *fs.PathError
	if errors.As(err, &file) && filepath.IsAbs(file.Path) {
		message = strings.ReplaceAll(message, file.Path, filepath.Base(file.Path))
	}
	return message
}

func badRequest(message string) error { return &Error{Code: BadRequest, Message: message} }

// busy returns the refusal of a session that is doing something else.
func busy(state State) error {
	return &Error{
		Code: Busy, State: &state,
		Message: fmt.Sprintf("the session is busy: %s began %q %s ago; stop that first, or wait for it to finish",
			state.By, state.Doing, time.Since(state.Since).Round(time.Second)),
	}
}
