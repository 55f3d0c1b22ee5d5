package pdf

import (
	"crypto/md5"
	"crypto/rc4"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
)

// pad pads a password as the standard security handler does.
func pad(password string) []byte {
	const padding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"
	return []byte((password + padding)[:32])
}

func rounds(t *testing.T, key, text []byte, revision int) []byte {
	t.Helper()
	out := append([]byte(nil), text...)
	for i := range byte(20) {
		if i > 0 && revision == 2 {
			break
		}
		k := append([]byte(nil), key...)
		for j := range k {
			k[j] ^= i
		}
		c, err := rc4.NewCipher(k)
		require.NoError(t, err)
		c.XORKeyStream(out, out)
	}
	return out
}

func digest(of []byte, revision, length int) []byte {
	sum := md5.Sum(of)
	for range 50 * (revision - 2) {
		sum = md5.Sum(sum[:length])
	}
	return append([]byte(nil), sum[:length]...)
}

// rc4PDF returns a page encrypted with RC4 and two passwords (ISO 32000-1, 7.6.3). If there is no owner password,
// programs that follow the standard closely use the user password in its place; others use the empty one.
func rc4PDF(t *testing.T, content, user, owner string, revision int) []byte {
	t.Helper()
	length, id, flags := 5, "0123456789abcdef", []byte{0xFC, 0xFF, 0xFF, 0xFF} // flags: -4
	if revision == 3 {
		length = 16
	}
	o := rounds(t, digest(pad(owner), revision, length), pad(user), revision)
	key := digest([]byte(string(pad(user))+string(o)+string(flags)+id), revision, length)
	u := rounds(t, key, pad(""), revision)
	if revision == 3 {
		sum := md5.Sum(append(pad(""), id...))
		u = append(rounds(t, key, sum[:], revision), make([]byte, 16)...)
	}
	object := md5.Sum(append(append([]byte(nil), key...), 5, 0, 0, 0, 0)) // the key of object number 5
	c, err := rc4.NewCipher(object[:min(length+5, 16)])
	require.NoError(t, err)
	hidden := []byte(content)
	c.XORKeyStream(hidden, hidden)
	pdf := string(page(string(hidden), helvetica))
	encrypt := fmt.Sprintf("<</Filter/Standard/V %d/R %d/Length %d/P -4/O<%x>/U<%x>>>", revision-1, revision, 8*length,
		o, u)
	return []byte(strings.Replace(
		pdf, "/Root 1 0 R>>", fmt.Sprintf("/Root 1 0 R/ID[<%x><%x>]/Encrypt %s>>", id, id, encrypt), 1))
}

func TestRC4OpensWithEitherEmptyPassword(t *testing.T) {
	content := at(50, 700, "the lamp is lit at dusk")
	for _, revision := range []int{2, 3} {
		for _, passwords := range [][2]string{{"", "owner"}, {"user", ""}, {"", ""}} {
			text := textOf(t, rc4PDF(t, content, passwords[0], passwords[1], revision))
			assert.Equal(t, "the lamp is lit at dusk\n", text, "revision %d, %q", revision, passwords)
		}
		_, err := formattest.Convert(t.Context(), Convert, "x.pdf", rc4PDF(t, content, "user", "owner", revision))
		assert.ErrorIs(t, err, format.ErrPassword)
	}
}
