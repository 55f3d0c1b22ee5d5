package fakeapi

import (
	"crypto/sha256"
	"encoding/json"
)

// CacheUse counts the tokens of a prompt, four bytes each, by how Anthropic's cache would treat them.
type CacheUse struct {
	Fresh   int // neither read from the cache nor written to it
	Read    int
	Written int
	Hour    int // part of Written that is kept for an hour
	Marks   int // marked blocks
}

// lookBack is how many blocks before a mark the service searches for a cached prefix.
const lookBack = 20

// cache is the prompt cache of the service: the set of cached prefixes.
type cache map[[sha256.Size]byte]bool

func sum(text string) [sha256.Size]byte { return sha256.Sum256([]byte(text)) }

// use reads the longest cached prefix that a mark finds, and caches those marked prefixes that have at least the
// given number of tokens.
func (c cache) use(m messages, least int) CacheUse {
	blocks := append([]textBlock{}, m.System...)
	for _, t := range m.Messages {
		for _, b := range t.Content {
			b.Type = t.Role + " " + b.Type
			blocks = append(blocks, b)
		}
	}
	sums, sizes := make([][sha256.Size]byte, len(blocks)), make([]int, len(blocks))
	var u CacheUse
	all := 0
	for i, b := range blocks {
		mark := b.Cache
		b.Cache = nil
		text, _ := json.Marshal(b)
		before := [sha256.Size]byte{}
		if i > 0 {
			before = sums[i-1]
		}
		sums[i] = sha256.Sum256(append(before[:], text...))
		all += (len(b.Text) + len(b.Thinking) + 3) / 4
		sizes[i] = all
		b.Cache = mark
	}
	written, hour := 0, 0
	for i, b := range blocks {
		if len(b.Cache) == 0 {
			continue
		}
		u.Marks++
		for j := i; j >= 0 && j > i-lookBack; j-- {
			if c[sums[j]] {
				u.Read = max(u.Read, sizes[j])
				break
			}
		}
		if sizes[i] >= least {
			written = sizes[i]
			if ttlOf(b.Cache) == "1h" {
				hour = sizes[i]
			}
		}
	}
	for i, b := range blocks {
		if len(b.Cache) > 0 && sizes[i] >= least {
			c[sums[i]] = true
		}
	}
	u.Written, u.Hour = max(0, written-u.Read), max(0, hour-u.Read)
	u.Fresh = all - u.Read - u.Written
	return u
}
