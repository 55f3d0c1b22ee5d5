package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/server/internal/idempotent"
)

const (
	mostBody = 8 << 20          // of the JSON of a request; files come by uploads
	bodyTime = 30 * time.Second // for it to come in
)

// endpoint is a route of the API with the types of what it takes and gives.
type endpoint struct {
	pattern string // as http.ServeMux takes it, below /api/v1/
	in, out reflect.Type
	gives   string // media type of the answer
	once    bool   // an Idempotency-Key counts
	serve   http.HandlerFunc
}

// none is the type of requests and answers that say nothing.
type none struct{}

// request is a request of somebody who is known.
type request struct {
	*http.Request
	who   Person
	claim *idempotent.Claim // of its Idempotency-Key; nil without one, or where none counts
}

// on makes an endpoint. What the request says comes from its JSON body, or without one from the query, by the JSON names of In's
// fields. An Out with a status method sets the status.
func on[In, Out any](pattern string, do func(*request, In) (Out, error)) endpoint {
	return raw[In, Out](pattern, "application/json", func(w http.ResponseWriter, r *http.Request) {
		var in In
		err := take(w, r, &in)
		var out Out
		if err == nil {
			out, err = do(&request{Request: r, who: personOf(r.Context())}, in)
		}
		if err != nil {
			refuse(w, err)
			return
		}
		status := http.StatusOK
		switch v := any(out).(type) {
		case none:
			w.WriteHeader(http.StatusNoContent)
			return
		case interface{ status() int }:
			status = v.status()
		}
		answer(w, status, out)
	})
}

// raw makes an endpoint that reads and writes by itself. In has the names of the query or form, Out is a part of the answer.
func raw[In, Out any](pattern, gives string, serve http.HandlerFunc) endpoint {
	return endpoint{pattern: pattern, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](), gives: gives, serve: serve}
}

// take reads what a request says.
func take(w http.ResponseWriter, r *http.Request, in any) error {
	if _, nothing := in.(*none); nothing {
		return nil
	}
	if r.Method == http.MethodGet || r.Method == http.MethodDelete {
		return query(r, in)
	}
	if ct, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(ct) != "application/json" && r.ContentLength != 0 {
		return &failure{http.StatusUnsupportedMediaType, "media_type", "send application/json", nil}
	}
	if r.ContentLength > mostBody {
		return &http.MaxBytesError{Limit: mostBody}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostBody))
	d.DisallowUnknownFields()
	err := whole(d, in)
	var large *http.MaxBytesError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the client may be silent while it is answered; a WebSocket has no deadlines
		return nil
	case errors.As(err, &large):
		return err
	}
	return badRequest("the request is not the JSON that is expected: " + err.Error())
}

// whole decodes a value with nothing behind it.
func whole(d *json.Decoder, v any) error {
	if err := d.Decode(v); err != nil {
		return err
	}
	switch _, err := d.Token(); {
	case err == nil:
		return errors.New("there is something behind its end")
	case errors.Is(err, io.EOF):
		return nil
	default: // what was behind it did not come, or is no JSON
		return err
	}
}

// query reads the query of a request into the fields of a struct.
func query(r *http.Request, in any) error {
	v := reflect.ValueOf(in).Elem()
	q := r.URL.Query()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		text := q.Get(name)
		if text == "" {
			continue
		}
		var err error
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(text)
		case reflect.Int, reflect.Int64:
			var n int64
			n, err = strconv.ParseInt(text, 10, 64)
			f.SetInt(n)
		case reflect.Bool:
			var b bool
			b, err = strconv.ParseBool(text)
			f.SetBool(b)
		}
		if err != nil {
			return badRequest(fmt.Sprintf("%s is not what %q says", name, text))
		}
	}
	return nil
}

// answer sends a value as JSON.
func answer(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"the answer cannot be encoded"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // nobody is left to be told
}

type (
	nonceKey  struct{}
	personKey struct{}
)

func nonceOf(ctx context.Context) string {
	nonce, _ := ctx.Value(nonceKey{}).(string)
	return nonce
}

func personOf(ctx context.Context) Person {
	who, _ := ctx.Value(personKey{}).(Person)
	return who
}
