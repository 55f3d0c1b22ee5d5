package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// sessions are those of a server; one of them has a question with a mark in it.
type sessions struct{ url, key, mark string }

type session struct {
	Status string
	State  struct{ Doing string }
}

// abort leaves an answer that does not end: its session is stopped.
func (s sessions) abort(ctx context.Context, c client) error {
	asking, leave := context.WithCancel(ctx)
	defer leave()
	left := make(chan struct{})
	go func() {
		defer close(left)
		_ = c.stream(asking, "do: for { time.Sleep(time.Millisecond) } // "+s.mark, func(string) {}) // some call it an error
	}()
	if _, err := s.until(func(found session) bool { return found.State.Doing != "" }); err != nil {
		return err
	}
	leave()
	ended, err := s.until(func(found session) bool { return found.State.Doing == "" })
	<-left
	return same(ended.Status, "stopped", err)
}

// until waits for the session to be as something says.
func (s sessions) until(holds func(session) bool) (session, error) {
	for range 300 {
		found, ok, err := s.find()
		if err != nil || ok && holds(found) {
			return found, err
		}
		time.Sleep(200 * time.Millisecond)
	}
	return session{}, errors.New("the session does not become what is waited for")
}

func (s sessions) find() (found session, ok bool, err error) {
	req, err := http.NewRequest("GET", s.url+"api/v1/sessions", nil)
	if err != nil {
		return found, false, err
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return found, false, err
	}
	defer res.Body.Close()
	var list struct{ Sessions []json.RawMessage }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		return found, false, err
	}
	for _, one := range list.Sessions {
		if bytes.Contains(one, []byte(s.mark)) {
			return found, true, json.Unmarshal(one, &found)
		}
	}
	return found, false, nil
}
