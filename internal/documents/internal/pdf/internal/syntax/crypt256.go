package syntax

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"slices"
)

// key256 decrypts the key for revisions 5 and 6 with an empty user or owner password.
func (f *File) key256(d Dict) ([]byte, error) {
	user := []byte(f.String(d["U"]))
	for _, p := range []struct {
		check, sealed Name
		of            []byte // additional input of the hashes
	}{{"U", "UE", nil}, {"O", "OE", user[:min(len(user), 48)]}} {
		check, sealed := []byte(f.String(d[p.check])), []byte(f.String(d[p.sealed]))
		if len(check) < 48 || len(sealed) < 32 {
			return nil, errors.New("its encryption is damaged")
		}
		hash := func(salt []byte) []byte {
			if f.Int(d["R"]) == 5 {
				sum := sha256.Sum256(slices.Concat(salt, p.of))
				return sum[:]
			}
			return hardened(salt, p.of)
		}
		if !bytes.Equal(hash(check[32:40]), check[:32]) {
			continue
		}
		block, err := aes.NewCipher(hash(check[40:48]))
		if err != nil {
			return nil, err
		}
		key := make([]byte, 32)
		cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, sealed[:32])
		return key, nil
	}
	return nil, ErrPassword
}

// hardened is the hash of revision 6 for the empty password: at least 64 rounds of AES and SHA-2, each of which
// chooses the next.
func hardened(salt, of []byte) []byte {
	sum := sha256.Sum256(slices.Concat(salt, of))
	k := sum[:]
	for round := 0; ; round++ {
		in := bytes.Repeat(slices.Concat(k, of), 64)
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(in, in)
		mod := 0
		for _, c := range in[:16] {
			mod += int(c)
		}
		switch mod % 3 {
		case 0:
			sum := sha256.Sum256(in)
			k = sum[:]
		case 1:
			sum := sha512.Sum384(in)
			k = sum[:]
		case 2:
			sum := sha512.Sum512(in)
			k = sum[:]
		}
		if round >= 63 && int(in[len(in)-1]) <= round-31 {
			return k[:32]
		}
	}
}
