package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// listed waits for a message about the list.
func (st *stream) listed(found func(message) bool) object {
	st.t.Helper()
	all := st.until(func(m message) bool { return m.session == "*" && found(m) })
	return all[len(all)-1].data()
}

// TestTheListIsToldOfNamesAndOfSharing: a client that follows the list sees a session appear, change its name, and
// disappear when it is no longer shared; its stream then ends, and sessions that were never shared are not
// mentioned.
func TestTheListIsToldOfNamesAndOfSharing(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{})
	id, secret := s.session(), s.session()
	bob := s.user("bob")
	owners, bobs := s.follow("list=1", ""), bob.follow("list=1", "")
	s.call("PATCH", "sessions/"+secret, object{"name": "a secret"})
	s.call("PATCH", "sessions/"+id, object{"name": "of all"})
	require.Equal(t, "of all", owners.listed(
		func(m message) bool { return m.data().text("id") == id && m.data().text("name") != "" }).text("name"))
	s.call("PATCH", "sessions/"+id, object{"shared": true})
	got := bobs.listed(func(m message) bool {
		require.NotEqual(t, secret, m.data().text("id"))
		return m.kind() == "session"
	})
	require.Equal(t, id, got.text("id"))
	require.Equal(t, "of all", got.text("name"))
	require.Equal(t, true, got["shared"])
	require.Equal(t, true, owners.listed(func(m message) bool { return m.data()["shared"] == true })["shared"])

	reads := bob.follow("session="+id+":0", "")
	reads.until(free)
	s.call("PATCH", "sessions/"+id, object{"shared": false})
	s.do(id, "cells", object{"source": `fmt.Println("not for bob")`})
	require.Equal(t, id, bobs.listed(ofKind("removed")).text("id"))
	for _, m := range reads.until(ofKind("gone")) {
		require.NotEqual(t, "cell_started", m.kind())
	}
	bob.refused("not_found", "GET", "sessions/"+id, nil)

	own := bob.session()
	bobs.listed(func(m message) bool { return m.data().text("id") == own })
	bob.call("DELETE", "sessions/"+own, nil)
	require.Equal(t, own, bobs.listed(ofKind("removed")).text("id"))
	require.Equal(t, own, owners.listed(ofKind("removed")).text("id"))
}

// TestASessionIsOpenUntilItIsAsked: what rests and was never asked does not run.
func TestASessionIsOpenUntilItIsAsked(t *testing.T) {
	t.Parallel()
	s := start(t, &talker{replies: []string{fence("FINAL(1)")}})
	id := s.session()
	status := func() string {
		one := s.call("GET", "sessions/"+id, nil).text("status")
		require.Equal(t, one, s.call("GET", "sessions", nil).list("sessions")[0].text("status"))
		return one
	}
	require.Equal(t, "open", status())
	s.do(id, "cells", object{"source": `fmt.Println(1)`})
	require.Equal(t, "open", status())
	s.do(id, "ask", object{"question": "which?"})
	require.Equal(t, "completed", status())
	s.do(id, "undo", object{})
	require.Equal(t, "open", status())
}
