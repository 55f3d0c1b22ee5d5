package syntax

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"errors"
	"fmt"
	"hash"
	"io"
)

// method is how a string or stream is encrypted.
type method uint8

const (
	identity method = iota
	rc4Method
	aes128
	aes256
)

// crypt decrypts with the key for the empty password.
type crypt struct {
	key             []byte
	strs, streams   method
	named           map[Name]method
	metadataIsPlain bool
}

// openCrypt computes the key of an encrypted file.
func (f *File) openCrypt() error {
	f.crypt = nil
	if f.Trailer["Encrypt"] == nil {
		return nil
	}
	d := f.Dict(f.Trailer["Encrypt"])
	if d == nil {
		return nil // the dictionary is lost; usually nothing is encrypted
	}
	if filter := f.Name(d["Filter"]); filter != "Standard" && filter != "" {
		return fmt.Errorf("%w: it is encrypted with %s, not with a password", ErrPassword, filter)
	}
	c := &crypt{named: map[Name]method{"Identity": identity}}
	version := f.Int(d["V"])
	switch version {
	case 1, 2, 3:
		c.strs, c.streams = rc4Method, rc4Method
	case 4, 5:
		for name, o := range f.Dict(d["CF"]) {
			switch f.Name(f.Dict(o)["CFM"]) {
			case "V2":
				c.named[name] = rc4Method
			case "AESV2":
				c.named[name] = aes128
			case "AESV3":
				c.named[name] = aes256
			}
		}
		c.strs, c.streams = c.named[f.Name(d["StrF"])], c.named[f.Name(d["StmF"])]
	default:
		return fmt.Errorf("%w: its encryption is unknown (version %d)", ErrPassword, version)
	}
	plain, isBool := f.Resolve(d["EncryptMetadata"]).(bool)
	c.metadataIsPlain = isBool && !plain
	var err error
	if f.Int(d["R"]) >= 5 {
		c.key, err = f.key256(d)
	} else {
		c.key, err = f.key128(d, c.metadataIsPlain)
	}
	if err != nil {
		return err
	}
	f.forget()
	f.crypt = c
	return nil
}

var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// key128 computes and verifies the key for revisions 2 to 4 with an empty user or owner password.
func (f *File) key128(d Dict, metadataIsPlain bool) ([]byte, error) {
	revision, length := f.Int(d["R"]), 5
	if revision >= 3 {
		if length = f.Int(d["Length"]) / 8; f.Int(d["V"]) == 4 || length < 5 || length > 16 {
			length = 16
		}
	}
	var id String
	if ids := f.Array(f.Trailer["ID"]); len(ids) > 0 {
		id = f.String(ids[0])
	}
	owner, user := f.String(d["O"]), f.String(d["U"])
	if len(owner) < 32 || len(user) < 16 {
		return nil, errors.New("its encryption is damaged")
	}
	check := padding
	if revision >= 3 {
		sum := md5.Sum(append(bytes.Clone(padding), id...))
		check = sum[:]
	}
	ofOwner := hashed(md5.New(), padding, revision, length) // decrypts the user password
	for _, password := range [][]byte{padding, ciphered(ofOwner, []byte(owner[:32]), revision, true)} {
		h := md5.New()
		h.Write(password)
		h.Write([]byte(owner[:32]))
		p := uint32(int64(f.Number(d["P"])))
		h.Write([]byte{byte(p), byte(p >> 8), byte(p >> 16), byte(p >> 24)})
		rest := []byte(id)
		if revision >= 4 && metadataIsPlain {
			rest = append(rest, 255, 255, 255, 255)
		}
		key := hashed(h, rest, revision, length)
		if bytes.HasPrefix([]byte(user), ciphered(key, check, revision, false)[:16]) {
			return key, nil
		}
	}
	return nil, ErrPassword
}

// hashed returns the key made from the data already written to h, followed by rest.
func hashed(h hash.Hash, rest []byte, revision, length int) []byte {
	h.Write(rest)
	key := h.Sum(nil)
	if revision >= 3 {
		for range 50 {
			sum := md5.Sum(key[:length])
			copy(key, sum[:])
		}
	}
	return key[:length]
}

// ciphered applies the cipher to text: once in revision 2, otherwise twenty times with variants of the key, in
// reverse order when decrypting.
func ciphered(key, text []byte, revision int, back bool) []byte {
	rounds := byte(20)
	if revision == 2 {
		rounds = 1
	}
	for i := range rounds {
		if back {
			i = rounds - 1 - i
		}
		k := bytes.Clone(key)
		for j := range k {
			k[j] ^= i
		}
		text = rc4Bytes(k, text)
	}
	return text
}

func rc4Bytes(key, in []byte) []byte {
	out := make([]byte, len(in))
	c, err := rc4.NewCipher(key)
	if err != nil {
		return in
	}
	c.XORKeyStream(out, in)
	return out
}

// strings decrypts the strings inside an object, in place.
func (c *crypt) strings(o any, ref Ref) any {
	if c.strs == identity {
		return o
	}
	switch o := o.(type) {
	case String:
		b, err := c.decrypt(c.strs, []byte(o), ref)
		if err != nil {
			return o
		}
		return String(b)
	case Array:
		for i := range o {
			o[i] = c.strings(o[i], ref)
		}
	case Dict:
		for k, v := range o {
			o[k] = c.strings(v, ref)
		}
	case *Stream:
		c.strings(o.Dict, ref)
	}
	return o
}

func (c *crypt) stream(f *File, s *Stream, r io.Reader) (io.Reader, error) {
	m := c.streams
	if s.Dict["Type"] == Name("Metadata") && c.metadataIsPlain {
		m = identity
	}
	for i, o := range f.list(s.Dict, "Filter", "F") {
		if f.Name(o) != "Crypt" {
			continue
		}
		m = identity
		if params := f.list(s.Dict, "DecodeParms", "DP"); i < len(params) {
			m = c.named[f.Name(f.Dict(params[i])["Name"])]
		}
	}
	switch m {
	case identity:
		return bufio.NewReaderSize(r, 32<<10), nil
	case rc4Method:
		k, err := rc4.NewCipher(c.objectKey(m, s.Ref))
		if err != nil {
			return nil, err
		}
		return cipher.StreamReader{S: k, R: bufio.NewReader(r)}, nil
	}
	b, err := readUpTo(stopper{f, r})
	if err != nil {
		return nil, err
	}
	b, err = c.decrypt(m, b, s.Ref)
	return bytes.NewReader(b), err
}

// objectKey mixes the file's key with the object's number.
func (c *crypt) objectKey(m method, ref Ref) []byte {
	if m == aes256 {
		return c.key
	}
	k := append(bytes.Clone(c.key), byte(ref.Num), byte(ref.Num>>8), byte(ref.Num>>16), byte(ref.Gen), byte(ref.Gen>>8))
	if m == aes128 {
		k = append(k, "sAlT"...)
	}
	sum := md5.Sum(k)
	return sum[:min(len(c.key)+5, 16)]
}

func (c *crypt) decrypt(m method, b []byte, ref Ref) ([]byte, error) {
	if m == rc4Method {
		return rc4Bytes(c.objectKey(m, ref), b), nil
	}
	if m == identity || len(b) == 0 {
		return b, nil
	}
	block, err := aes.NewCipher(c.objectKey(m, ref))
	if err != nil {
		return nil, err
	}
	if len(b) < aes.BlockSize {
		return nil, errors.New("something encrypted is cut off")
	}
	iv, b := b[:aes.BlockSize], b[aes.BlockSize:]
	b = b[:len(b)/aes.BlockSize*aes.BlockSize]
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(b, b)
	if n := len(b); n > 0 && int(b[n-1]) <= aes.BlockSize && int(b[n-1]) <= n {
		b = b[:n-int(b[n-1])]
	}
	return b, nil
}
