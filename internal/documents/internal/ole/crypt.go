package ole

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"hash"
	"io"
	"strconv"
	"unicode/utf16"

	"github.com/richardlehane/mscfb"

	"github.com/gorlm/rlm/internal/documents/format"
)

// usual is the password of workbooks that are protected only against changes: Excel opens them without asking for
// it.
const usual = "VelvetSweatshop"

const (
	maxInfo    = 1 << 20   // bytes of the encryption parameters
	maxPackage = 128 << 20 // bytes of an encrypted package
	maxSpins   = 1_000_000 // hash rounds, which make a key slow to guess
	segment    = 4096      // bytes that are encrypted together
)

// scheme is the method and the key of an encrypted package (ECMA-376, MS-OFFCRYPTO 2.3.4).
type scheme struct {
	block cipher.Block
	hash  func() hash.Hash // makes the initialization vectors of segments; nil: each block is encrypted separately
	salt  []byte
}

// decrypted returns the decrypted package if the password is correct.
func decrypted(ctx context.Context, info, pack *mscfb.File, password string) ([]byte, error) {
	if info == nil || info.Size > maxInfo || pack.Size < 8 {
		return nil, format.ErrPassword
	}
	head := make([]byte, info.Size)
	if _, err := io.ReadFull(info, head); err != nil || len(head) < 8 {
		return nil, format.ErrPassword
	}
	s, err := newScheme(ctx, head, password)
	if err != nil {
		return nil, err
	}
	if pack.Size > maxPackage {
		return nil, fmt.Errorf("%w: with Excel's default password, files up to %d MiB are read", format.ErrTooLarge,
			maxPackage>>20)
	}
	data := make([]byte, pack.Size)
	if _, err := io.ReadFull(pack, data); err != nil {
		return nil, fmt.Errorf("its encrypted package is damaged: %w", err)
	}
	size := binary.LittleEndian.Uint64(data)
	data = data[8:]
	for i, at := 0, 0; at < len(data); i, at = i+1, at+segment {
		part := data[at:min(at+segment, len(data))]
		s.decrypt(part[:len(part)/aes.BlockSize*aes.BlockSize], i)
	}
	return data[:min(size, uint64(len(data)))], nil
}

func newScheme(ctx context.Context, info []byte, password string) (*scheme, error) {
	var text []byte
	for _, u := range utf16.Encode([]rune(password)) {
		text = binary.LittleEndian.AppendUint16(text, u)
	}
	switch major, minor := binary.LittleEndian.Uint16(info), binary.LittleEndian.Uint16(info[2:]); {
	case major == 4 && minor == 4:
		return agile(ctx, info[8:], text)
	case minor == 2:
		return standard(ctx, info[8:], text)
	}
	return nil, format.ErrPassword
}

// spun returns the hash of a password after the given number of rounds.
func spun(ctx context.Context, h func() hash.Hash, salt, password []byte, spins int) ([]byte, error) {
	if spins > maxSpins {
		return nil, format.ErrPassword
	}
	sum := hashOf(h, salt, password)
	for i := range spins {
		if i&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sum = hashOf(h, binary.LittleEndian.AppendUint32(nil, uint32(i)), sum)
	}
	return sum, nil
}

func hashOf(h func() hash.Hash, parts ...[]byte) []byte {
	w := h()
	for _, p := range parts {
		_, _ = w.Write(p)
	}
	return w.Sum(nil)
}

// standard returns the scheme of Office 2007: AES in ECB mode.
func standard(ctx context.Context, info, password []byte) (*scheme, error) {
	if len(info) < 4 {
		return nil, format.ErrPassword
	}
	header := int64(binary.LittleEndian.Uint32(info))
	if header < 32 || header+4+72 > int64(len(info)) {
		return nil, format.ErrPassword
	}
	bits := binary.LittleEndian.Uint32(info[4+16:])
	verifier := info[4+header:]
	salt, secret, sum := verifier[4:20], bytes.Clone(verifier[20:36]), bytes.Clone(verifier[40:72])
	key, err := spun(ctx, sha1.New, salt, password, 50_000)
	if err != nil {
		return nil, err
	}
	key = hashOf(sha1.New, key, make([]byte, 4))
	var long []byte
	for _, fill := range []byte{0x36, 0x5C} {
		pad := bytes.Repeat([]byte{fill}, 64)
		for i, b := range key {
			pad[i] ^= b
		}
		long = append(long, hashOf(sha1.New, pad)...)
	}
	if bits%64 != 0 || bits > 256 {
		return nil, format.ErrPassword
	}
	block, err := aes.NewCipher(long[:bits/8])
	if err != nil {
		return nil, format.ErrPassword
	}
	s := &scheme{block: block}
	s.decrypt(secret, 0)
	s.decrypt(sum, 0)
	if !bytes.Equal(hashOf(sha1.New, secret), sum[:sha1.Size]) {
		return nil, format.ErrPassword
	}
	return s, nil
}

// agile returns the scheme of Office 2010 and later, described by an XML document.
func agile(ctx context.Context, info, password []byte) (*scheme, error) {
	data, key := attributes{}, attributes{}
	for d := xml.NewDecoder(bytes.NewReader(info)); ; {
		token, err := d.Token()
		if err != nil {
			break
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				switch e.Name.Local {
				case "keyData":
					data[a.Name.Local] = a.Value
				case "encryptedKey":
					key[a.Name.Local] = a.Value
				}
			}
		}
	}
	h, dataHash := hashNamed(key["hashAlgorithm"]), hashNamed(data["hashAlgorithm"])
	if h == nil || dataHash == nil || data["cipherAlgorithm"] != "AES" || data["cipherChaining"] != "ChainingModeCBC" {
		return nil, format.ErrPassword
	}
	salt := key.bytes("saltValue")
	sum, err := spun(ctx, h, salt, password, key.number("spinCount"))
	if err != nil {
		return nil, err
	}
	unlock := func(name, purpose string) []byte {
		long := append(hashOf(h, sum, []byte(purpose)), bytes.Repeat([]byte{0x36}, 64)...)
		block, err := aes.NewCipher(long[:min(key.number("keyBits")/8, 32)])
		text := key.bytes(name)
		if err != nil || len(text) == 0 || len(text)%aes.BlockSize != 0 || len(salt) < aes.BlockSize {
			return nil
		}
		cipher.NewCBCDecrypter(block, salt[:aes.BlockSize]).CryptBlocks(text, text)
		return text
	}
	secret := unlock("encryptedVerifierHashInput", "\xFE\xA7\xD2\x76\x3B\x4B\x9E\x79")
	check := unlock("encryptedVerifierHashValue", "\xD7\xAA\x0F\x6D\x30\x61\x34\x4E")
	if secret == nil || !bytes.HasPrefix(check, hashOf(h, secret)) {
		return nil, format.ErrPassword
	}
	secret = unlock("encryptedKeyValue", "\x14\x6E\x0B\xE7\xAB\xAC\xD0\xD6")
	block, err := aes.NewCipher(secret[:min(data.number("keyBits")/8, len(secret))])
	if err != nil {
		return nil, format.ErrPassword
	}
	return &scheme{block, dataHash, data.bytes("saltValue")}, nil
}

func hashNamed(name string) func() hash.Hash {
	switch name {
	case "SHA1":
		return sha1.New
	case "SHA256":
		return sha256.New
	case "SHA384":
		return sha512.New384
	case "SHA512":
		return sha512.New
	}
	return nil
}

type attributes map[string]string

func (a attributes) bytes(name string) []byte {
	b, _ := base64.StdEncoding.DecodeString(a[name])
	return b
}

func (a attributes) number(name string) int {
	n, _ := strconv.Atoi(a[name])
	return max(n, 0)
}

// decrypt decrypts the i-th segment in place.
func (s *scheme) decrypt(data []byte, i int) {
	if s.hash == nil {
		for ; len(data) > 0; data = data[aes.BlockSize:] {
			s.block.Decrypt(data, data)
		}
		return
	}
	vector := hashOf(s.hash, s.salt, binary.LittleEndian.AppendUint32(nil, uint32(i)))
	cipher.NewCBCDecrypter(s.block, vector[:aes.BlockSize]).CryptBlocks(data, data)
}
