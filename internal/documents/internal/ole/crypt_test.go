package ole

import (
	"bytes"
	"crypto/aes"
	"crypto/sha1"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
)

// locked returns the EncryptionInfo of Office 2007 for a password (MS-OFFCRYPTO 2.3.4.5 to 2.3.4.8), and its key.
func locked(t *testing.T, password string) (info, key []byte) {
	t.Helper()
	salt, secret := []byte("0123456789abcdef"), []byte("the lamp is lit!")
	var text []byte
	for _, r := range password {
		text = append(text, byte(r), 0)
	}
	sum := sha1.Sum(append(bytes.Clone(salt), text...))
	for i := range uint32(50_000) {
		sum = sha1.Sum(append(binary.LittleEndian.AppendUint32(nil, i), sum[:]...))
	}
	sum = sha1.Sum(append(sum[:], 0, 0, 0, 0))
	pad := bytes.Repeat([]byte{0x36}, 64)
	for i, b := range sum {
		pad[i] ^= b
	}
	first := sha1.Sum(pad)
	key = first[:16]
	block, err := aes.NewCipher(key)
	require.NoError(t, err)
	check := sha1.Sum(secret)
	hidden := append(bytes.Clone(secret), append(check[:], make([]byte, 12)...)...)
	for at := 0; at < len(hidden); at += 16 {
		block.Encrypt(hidden[at:], hidden[at:])
	}
	info = append([]byte{3, 0, 2, 0, 0x24, 0, 0, 0, 34, 0, 0, 0}, make([]byte, 34)...)
	binary.LittleEndian.PutUint32(info[12+16:], 128)
	info = append(append(info, 16, 0, 0, 0), salt...)
	info = append(append(info, hidden[:16]...), 20, 0, 0, 0)
	return append(info, hidden[16:]...), key
}

func TestTheSchemeOfOffice2007(t *testing.T) {
	info, key := locked(t, usual)
	s, err := newScheme(t.Context(), info, usual)
	require.NoError(t, err)
	block, err := aes.NewCipher(key)
	require.NoError(t, err)
	text := []byte("one block of it.and another one.")
	data := bytes.Clone(text)
	block.Encrypt(data, data)
	block.Encrypt(data[16:], data[16:])
	s.decrypt(data, 0)
	require.Equal(t, text, data)

	_, err = newScheme(t.Context(), info, "another")
	require.ErrorIs(t, err, format.ErrPassword)
	for n := 8; n < len(info); n++ {
		_, err = newScheme(t.Context(), info[:n], usual)
		require.ErrorIs(t, err, format.ErrPassword, "%d bytes", n)
	}
}
