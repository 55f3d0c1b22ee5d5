package caller

import (
	"iter"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestMarkNamesAGoroutineAndThoseItStarts(t *testing.T) {
	name := func(work func() unsafe.Pointer) unsafe.Pointer {
		out := make(chan unsafe.Pointer)
		go func() { out <- work() }()
		return <-out
	}
	require.Nil(t, name(Self), "nobody has marked it")
	a := name(func() unsafe.Pointer {
		own := Mark()
		require.NotNil(t, own)
		require.Equal(t, own, Self())
		require.Equal(t, own, name(Self), "a goroutine that it starts")
		next, stop := iter.Pull(func(yield func(unsafe.Pointer) bool) { yield(Self()) })
		defer stop()
		in, _ := next()
		require.Equal(t, own, in, "a coroutine that it starts")
		return own
	})
	b := name(func() unsafe.Pointer {
		require.NotEqual(t, a, name(Mark))
		return Mark()
	})
	require.NotEqual(t, a, b)
	require.Nil(t, Self())
}
