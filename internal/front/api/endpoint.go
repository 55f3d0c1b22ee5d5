package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/session"
)

const (
	mostBody = 8 << 20          // bytes of a request's JSON body
	bodyTime = 30 * time.Second // for the JSON to arrive
)

// endpoint is a route of the API below /api/v1/: either a command's, or one that reads and writes HTTP itself.
type endpoint struct {
	session.Command
	gives string // media type of the response
	serve http.HandlerFunc
}

// empty is the type of requests and responses without content.
type empty struct{}

// raw makes an endpoint that reads and writes HTTP itself. In declares its query or form, and Out an item of its
// response.
func raw[In, Out any](group, route, help, gives string, serve http.HandlerFunc) endpoint {
	return endpoint{session.Define[In, Out](session.Command{Group: group, Route: route}, help, nil), gives, serve}
}

// of makes the endpoint of a command.
func (s *Server) of(c session.Command) endpoint {
	return endpoint{c, "application/json", func(w http.ResponseWriter, r *http.Request) {
		out, err := s.do(c, r, personOf(r.Context()), func(in any) error { return take(w, r, in) })
		switch status := succeeded(out); {
		case err != nil:
			refuse(w, err)
		case status == http.StatusNoContent:
			w.WriteHeader(status)
		default:
			answer(w, status, out)
		}
	}}
}

// do runs a command for a request. The arguments come from the query for GET and DELETE, otherwise from body; both
// use the JSON names of the fields.
func (s *Server) do(c session.Command, r *http.Request, who session.Person, body func(in any) error) (any, error) {
	params, _ := match(c.Route, r)
	do := session.Request{
		Command: c.Name, Session: params["id"], Params: params, Key: r.Header.Get("Idempotency-Key"), Who: who,
		Client: clientOf(r.Header),
	}
	if c.In != nil {
		in := reflect.New(c.In)
		read := body
		if r.Method == http.MethodGet || r.Method == http.MethodDelete {
			read = func(in any) error { return query(r.URL, in) }
		}
		if err := read(in.Interface()); err != nil {
			return nil, err
		}
		do.Args = in.Elem().Interface()
	}
	return s.sessions.Do(r.Context(), do)
}

// succeeded returns the status of the response for a command's result.
func succeeded(out any) int {
	switch out.(type) {
	case nil:
		return http.StatusNoContent
	case session.Receipt:
		return http.StatusAccepted
	}
	return http.StatusOK
}

// match reports whether a request matches a route, and returns the values in its path.
func match(route string, r *http.Request) (params map[string]string, ok bool) {
	method, path, _ := strings.Cut(route, " ")
	want, got := strings.Split(path, "/"), strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/api/v1/"), "/")
	if len(want) != len(got) || method != r.Method && (method != http.MethodGet || r.Method != http.MethodHead) {
		return nil, false
	}
	params = map[string]string{}
	for i, part := range want {
		name, variable := strings.CutPrefix(part, "{")
		text, err := url.PathUnescape(got[i])
		switch {
		case variable && text != "" && err == nil:
			params[strings.TrimSuffix(name, "}")] = text
		case part != text:
			return nil, false
		}
	}
	return params, true
}

// clientOf returns the name that the sending window or program gave itself; empty if malformed.
func clientOf(h http.Header) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	if client := h.Get("Rlm-Client"); len(client) <= 64 && strings.Trim(client, letters) == "" {
		return client
	}
	return ""
}

// take decodes the body of a request.
func take(w http.ResponseWriter, r *http.Request, in any) error {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(kind), "application/json") && r.ContentLength != 0 {
		return &session.Error{Code: "media_type", Message: "send application/json"}
	}
	if r.ContentLength > mostBody {
		return &http.MaxBytesError{Limit: mostBody}
	}
	err := decode(http.MaxBytesReader(w, r.Body, mostBody), in)
	if err == nil {
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the client may be silent from now on
	}
	return err
}

// decode decodes a JSON body into in, tolerating some common mistakes. An empty body leaves in unchanged.
func decode(body io.Reader, in any) error {
	data, err := io.ReadAll(decoding.Reader(body))
	var large *http.MaxBytesError
	if err == nil {
		err = whole(jsondoc.Meant(data, reflect.TypeOf(in)), in)
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	} else if errors.As(err, &large) || errors.Is(err, errNoAccess) {
		return err
	}
	return badRequest("the request is not the expected JSON: " + jsondoc.Refusal(err))
}

// whole decodes a single value, and fails if anything follows it.
func whole(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	switch _, err := d.Token(); {
	case err == nil:
		return errors.New("there is extra text after its end")
	case errors.Is(err, io.EOF):
		return nil
	default: // the rest is not JSON or has not arrived
		return err
	}
}

// query reads a query into the fields of a struct.
func query(u *url.URL, in any) error {
	v := reflect.ValueOf(in).Elem()
	q := u.Query()
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
			return badRequest(fmt.Sprintf("%s cannot be %q", name, text))
		}
	}
	return nil
}

// answer sends a value as JSON.
func answer(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError,
			[]byte(`{"error":{"code":"internal","message":"the answer cannot be encoded"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)+1)) // marks the end even if the request is still being read
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // fails only if the client is gone
}

type (
	nonceKey   struct{}
	visitorKey struct{}
)

func nonceOf(ctx context.Context) string {
	nonce, _ := ctx.Value(nonceKey{}).(string)
	return nonce
}

func visitorOf(ctx context.Context) visitor {
	who, _ := ctx.Value(visitorKey{}).(visitor)
	return who
}

func personOf(ctx context.Context) session.Person { return visitorOf(ctx).Person }
