package dyn

import "reflect"

// Select is a select statement being made.
type Select struct {
	cases  []reflect.SelectCase
	value  reflect.Value
	gotten bool
}

// NewSelect starts a select statement. Its cases come in order.
func (r *Runtime) NewSelect() *Select { return &Select{} }

// SelectDefault adds the default case.
func (r *Runtime) SelectDefault(s *Select) {
	s.cases = append(s.cases, reflect.SelectCase{Dir: reflect.SelectDefault})
}

// SelectSend adds a case that sends what value points to.
func (r *Runtime) SelectSend(s *Select, ch, value any) {
	v := reflect.ValueOf(value).Elem()
	c := reflect.ValueOf(ch)
	if c.IsValid() && !c.IsNil() && v.Type() != c.Type().Elem() {
		p := reflect.New(c.Type().Elem())
		p.Elem().Set(v)
		v = p.Elem()
	}
	s.cases = append(s.cases, reflect.SelectCase{Dir: reflect.SelectSend, Chan: c, Send: v})
}

// SelectReceive adds a case that receives.
func (r *Runtime) SelectReceive(s *Select, ch any) {
	s.cases = append(s.cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ch)})
}

// Choose waits and returns the number of the case. Which of several that are ready is drawn from the goroutine's stream.
func (r *Runtime) Choose(s *Select) int {
	fallback := -1
	for i, c := range s.cases {
		if c.Dir == reflect.SelectDefault {
			fallback = i
		}
	}
	if len(s.cases) > 2 || len(s.cases) == 2 && fallback < 0 {
		for _, i := range r.stream().Cases(len(s.cases)) {
			if s.ready(i) {
				return i
			}
		}
		if fallback >= 0 {
			return fallback
		}
	}
	n, v, ok := reflect.Select(s.cases)
	s.value, s.gotten = v, ok
	return n
}

// ready takes a case if it need not wait.
func (s *Select) ready(i int) bool {
	c := s.cases[i]
	switch {
	case !c.Chan.IsValid() || c.Chan.IsNil():
		return false
	case c.Dir == reflect.SelectSend:
		return c.Chan.TrySend(c.Send)
	}
	v, ok := c.Chan.TryRecv()
	if !v.IsValid() {
		return false
	}
	s.value, s.gotten = v, ok
	return true
}

// Received stores what was received where p points.
func (r *Runtime) Received(s *Select, p any) bool {
	if s.value.IsValid() {
		reflect.ValueOf(p).Elem().Set(s.value)
	}
	return s.gotten
}

// ReceivedOK reports whether what was received had been sent.
func (r *Runtime) ReceivedOK(s *Select) bool { return s.gotten }
