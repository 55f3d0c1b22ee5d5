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

// Choose waits and returns the number of the case.
func (r *Runtime) Choose(s *Select) int {
	n, v, ok := reflect.Select(s.cases)
	s.value, s.gotten = v, ok
	return n
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
