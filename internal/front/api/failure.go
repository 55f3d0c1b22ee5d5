package api

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/gorlm/rlm/internal/session"
)

// statuses maps the codes of refusals to HTTP statuses. Other codes have the status 422.
var statuses = map[session.Code]int{
	session.BadRequest: http.StatusBadRequest,
	"token":            http.StatusUnauthorized,
	session.Forbidden:  http.StatusForbidden, session.OutOfReach: http.StatusForbidden, "origin": http.StatusForbidden,
	session.NotFound:  http.StatusNotFound,
	"method":          http.StatusMethodNotAllowed,
	session.Cancelled: http.StatusRequestTimeout,
	session.Busy:      http.StatusConflict, session.Locked: http.StatusConflict, session.CutOff: http.StatusConflict,
	session.Deleted:  http.StatusGone,
	session.TooLarge: http.StatusRequestEntityTooLarge,
	"media_type":     http.StatusUnsupportedMediaType,
	"host":           http.StatusMisdirectedRequest,
	session.Limit:    http.StatusTooManyRequests, "rate": http.StatusTooManyRequests,
	"internal": http.StatusInternalServerError, "disk": http.StatusInternalServerError,
	session.Closing: http.StatusServiceUnavailable,
}

func statusOf(e *session.Error) int { return cmp.Or(statuses[e.Code], http.StatusUnprocessableEntity) }

// errorBody is an error in the form that clients receive.
type errorBody struct {
	Error errorDetail `json:"error"`
}

type errorDetail struct {
	Code    session.Code   `json:"code"`
	Message string         `json:"message"`
	State   *session.State `json:"state,omitempty"`
}

// toldOf converts an error to the form that clients receive.
func toldOf(err error) errorDetail {
	e := refusalOf(err)
	return errorDetail{e.Code, e.Message, e.State}
}

// badRequest makes the error for an invalid request.
func badRequest(message string) error {
	return &session.Error{Code: session.BadRequest, Message: message}
}

func notFound(message string) error { return &session.Error{Code: session.NotFound, Message: message} }

// refuse sends an error response.
func refuse(w http.ResponseWriter, err error) {
	e := refusalOf(err)
	if after := retryAfter(e); after != "" {
		w.Header().Set("Retry-After", after)
	}
	answer(w, statusOf(e), errorBody{toldOf(e)})
}

// retryAfter returns the seconds to wait before a retry; empty if unknown.
func retryAfter(e *session.Error) string {
	if e.After <= 0 {
		return ""
	}
	return strconv.Itoa(int(math.Ceil(e.After.Seconds())))
}

// refusalOf converts an error to a refusal.
func refusalOf(err error) *session.Error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return &session.Error{Code: session.TooLarge, Message: "the request is too large"}
	}
	if errors.Is(err, ErrNoBatch) {
		return &session.Error{Code: session.NotFound, Message: err.Error()}
	}
	return session.ErrorOf(err)
}
