package units_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/units"
)

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1 kB", 33_712: "33.7 kB", 999_949: "999.9 kB",
		999_950:   "1 MB",
		1_900_000: "1.9 MB", 999_999_999: "1 GB", 4_000_000_000: "4 GB", 12_340_000_000: "12.3 GB",
	} {
		require.Equal(t, want, units.Bytes(n), n)
	}
}

func TestBinary(t *testing.T) {
	for n, want := range map[int64]string{
		1 << 30: "1 GiB", 512 << 20: "512 MiB", 64 << 10: "64 KiB", 3 << 19: "1536 KiB", 1000: "1 kB",
	} {
		require.Equal(t, want, units.Binary(n), n)
	}
}

func TestExact(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1 000", 1234567: "1 234 567", -1000: "-1 000"} {
		require.Equal(t, want, units.Exact(n), n)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 9999: "9999", 10_000: "10k", 12_345: "12.3k", 999_950: "1M", 4_100_000: "4.1M", 2_000_000_000: "2G",
	} {
		require.Equal(t, want, units.Count(n), n)
	}
}

func TestDollars(t *testing.T) {
	for usd, want := range map[float64]string{
		0: "$0.00", 0.0042: "$0.0042", 0.000012: "$0.000012", 0.01: "$0.01", 1.5: "$1.50",
	} {
		require.Equal(t, want, units.Dollars(usd), usd)
	}
}

func TestOf(t *testing.T) {
	require.Equal(t, "1 document", units.Of(1, "document"))
	require.Equal(t, "0 documents", units.Of(0, "document"))
	require.Equal(t, "3 sub-calls", units.Of(3, "sub-call"))
	require.Equal(t, "2 replies", units.Of(2, "reply"))
	require.Equal(t, "2 days", units.Of(2, "day"))
	require.Equal(t, "1 batch", units.Of(1, "batch"))
	require.Equal(t, "2 batches", units.Of(2, "batch"))
}
