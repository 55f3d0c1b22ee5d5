package syntax

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
)

// key256 opens the key of the revisions 5 and 6 with the empty password.
func (f *File) key256(d Dict) ([]byte, error) {
	user, sealed := []byte(f.String(d["U"])), []byte(f.String(d["UE"]))
	if len(user) < 48 || len(sealed) < 32 {
		return nil, errors.New("its encryption is damaged")
	}
	hash := func(salt []byte) []byte {
		if f.Int(d["R"]) == 5 {
			sum := sha256.Sum256(salt)
			return sum[:]
		}
		return hardened(salt)
	}
	if !bytes.Equal(hash(user[32:40]), user[:32]) {
		return nil, ErrPassword
	}
	block, err := aes.NewCipher(hash(user[40:48]))
	if err != nil {
		return nil, err
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, sealed[:32])
	return key, nil
}

// hardened is the hash of revision 6 for the empty password: 64 rounds or more of AES and SHA-2, each choosing the next.
func hardened(salt []byte) []byte {
	sum := sha256.Sum256(salt)
	k := sum[:]
	for round := 0; ; round++ {
		in := bytes.Repeat(k, 64)
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
