package server

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"

	"github.com/gorlm/rlm/internal/server/internal/live"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// mostBody bounds the JSON of a request. Files come by uploads.
const mostBody = 8 << 20

// failure is what is wrong with a request, in words for people.
type failure struct {
	status  int
	code    string
	message string
}

func (f *failure) Error() string { return f.message }

// badRequest is a failure of whoever asks.
func badRequest(message string) error { return &failure{http.StatusBadRequest, "bad_request", message} }

// route answers with what do returns, as JSON.
func route(do func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil {
			r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		}
		v, err := do(r)
		if err != nil {
			f := failureOf(err)
			fail(w, f.status, f.code, f.message)
			return
		}
		if v == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, http.StatusOK, v)
	}
}

func answer(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"the answer cannot be encoded"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // nobody is left to be told
}

func fail(w http.ResponseWriter, status int, code, message string) {
	answer(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}

// failureOf says how an error is told.
func failureOf(err error) *failure {
	var f *failure
	var busy *live.BusyError
	var missing *trajectory.NotFoundError
	var locked *trajectory.LockedError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &busy), errors.Is(err, runner.ErrBusy):
		return &failure{http.StatusConflict, "busy", err.Error()}
	case errors.As(err, &locked):
		return &failure{http.StatusConflict, "locked", err.Error()}
	case errors.As(err, &missing), errors.Is(err, fs.ErrNotExist):
		return &failure{http.StatusNotFound, "not_found", err.Error()}
	case errors.As(err, &large):
		return &failure{http.StatusRequestEntityTooLarge, "too_large", "the request is too large"}
	case errors.Is(err, live.ErrClosing):
		return &failure{http.StatusServiceUnavailable, "closing", err.Error()}
	case errors.Is(err, context.Canceled):
		return &failure{http.StatusRequestTimeout, "cancelled", "it was stopped"}
	}
	return &failure{http.StatusUnprocessableEntity, "failed", err.Error()}
}

// read takes the JSON of a request.
func read(r *http.Request, v any) error {
	if ct := r.Header.Get("Content-Type"); ct != "application/json" && ct != "application/json; charset=utf-8" {
		return &failure{http.StatusUnsupportedMediaType, "media_type", "send application/json"}
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return err
		}
		return badRequest("the request is not the JSON that is expected: " + err.Error())
	}
	return nil
}

type nonceKey struct{}

func withNonce(ctx context.Context, nonce string) context.Context {
	return context.WithValue(ctx, nonceKey{}, nonce)
}

func nonceOf(ctx context.Context) string {
	nonce, _ := ctx.Value(nonceKey{}).(string)
	return nonce
}
