package corpus_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/examples/incidents/corpus"
)

func TestTheLogNeverChanges(t *testing.T) {
	log := corpus.Log(corpus.Seed)
	sum := sha256.Sum256([]byte(log))
	require.Equal(t, "20fcd21a8649c1438744bb9b1c53b04bf26a1a0ea0aff17815d71a66c7dd3c8d", hex.EncodeToString(sum[:]),
		"a changed log makes the recording useless")
	require.Greater(t, len(log), 4<<20)
}

func TestTheLogHoldsTheIncidentsAndNothingElseThatCounts(t *testing.T) {
	var got []string
	for _, i := range corpus.Incidents(corpus.Log(corpus.Seed)) {
		got = append(got, i.Begin+"-"+i.End)
	}
	require.Equal(t, []string{"02:41-02:57", "07:12-07:25", "11:03-11:18", "15:33-15:51", "19:47-20:04"}, got)
	for seed := range uint64(2) {
		require.Len(t, corpus.Incidents(corpus.Log(seed)), 5)
	}
}

func TestCheck(t *testing.T) {
	causes := []string{
		"the nightly export filled the disk of orders-db", "expired certificate (auth)",
		"payments 3.14.0 crashed", "flag price-preview exhausted the pool of inventory", "dns dropped a zone",
	}
	var lines []string
	for i, in := range corpus.Incidents(corpus.Log(corpus.Seed)) {
		lines = append(lines, fmt.Sprintf("%s-%s, %d failed requests: %s", in.Begin, in.End, in.Failed, causes[i]))
	}
	require.Empty(t, corpus.Check(strings.Join(lines, "\n")))
	require.Len(t, corpus.Check(strings.Join(lines[1:], "\n")), 9)
	require.NotEmpty(t, corpus.Check(strings.Replace(strings.Join(lines, "\n"), "02:41", "02:40", 1)))
	require.NotEmpty(t, corpus.Check(strings.Replace(strings.Join(lines, "\n"), "expired certificate", "the bank", 1)))
}
