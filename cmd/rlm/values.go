package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// duration is a time.Duration as people and configuration files write it: "90s", "1h30m", or plain seconds.
type duration time.Duration

func (d duration) String() string { return time.Duration(d).String() }

// Type names the kind of value in help texts.
func (d duration) Type() string { return "duration" }

// Set reads a duration; it must be longer than nothing.
func (d *duration) Set(text string) error {
	v, err := time.ParseDuration(text)
	if seconds, numErr := strconv.ParseFloat(text, 64); err != nil && numErr == nil {
		v, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || (v <= 0 && text != "-1") {
		return fmt.Errorf("%q is no duration (write 90s, 5m or 1h30m)", text)
	}
	*d = duration(v)
	return nil
}

// UnmarshalText is Set for configuration files.
func (d *duration) UnmarshalText(text []byte) error { return d.Set(string(text)) }

// MarshalText writes it as Set reads it.
func (d duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// byteSize is a number of bytes as people write it: "512MB", "1GiB", "4096". Decimal and binary prefixes mean what they say.
type byteSize int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KIB", 1 << 10},
	{"MIB", 1 << 20},
	{"GIB", 1 << 30},
	{"TIB", 1 << 40},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"K", 1 << 10},
	{"M", 1 << 20},
	{"G", 1 << 30},
	{"T", 1 << 40},
	{"B", 1},
}

func (s byteSize) String() string {
	for i := 3; i >= 0; i-- {
		if u := sizeUnits[i]; s != 0 && int64(s)%u.bytes == 0 {
			return fmt.Sprintf("%d%s", int64(s)/u.bytes, strings.Replace(u.name, "I", "i", 1))
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// Type names the kind of value in help texts.
func (s byteSize) Type() string { return "size" }

// Set reads a size.
func (s *byteSize) Set(text string) error {
	number, factor := strings.ToUpper(strings.TrimSpace(text)), int64(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v <= 0 || v*float64(factor) > 1<<60 {
		return fmt.Errorf("%q is no size (write 512MiB or 1GiB)", text)
	}
	*s = byteSize(v * float64(factor))
	return nil
}

// UnmarshalText is Set for configuration files.
func (s *byteSize) UnmarshalText(text []byte) error { return s.Set(string(text)) }

// MarshalText writes it as Set reads it.
func (s byteSize) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// cacheSize is a size that may be 0, or "off": then there is no cache.
type cacheSize int64

func (s cacheSize) String() string { return byteSize(s).String() }

// Type names the kind of value in help texts.
func (s cacheSize) Type() string { return "size" }

// Set reads a size.
func (s *cacheSize) Set(text string) error {
	if text == "0" || text == "off" {
		*s = 0
		return nil
	}
	return (*byteSize)(s).Set(text)
}

// UnmarshalText is Set for configuration files.
func (s *cacheSize) UnmarshalText(text []byte) error { return s.Set(string(text)) }

// MarshalText writes it as Set reads it.
func (s cacheSize) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// optionalFloat is a number that may be left open.
type optionalFloat struct{ v **float64 }

func (o optionalFloat) String() string {
	if o.v == nil || *o.v == nil {
		return ""
	}
	return strconv.FormatFloat(**o.v, 'g', -1, 64)
}

// Type names the kind of value in help texts.
func (o optionalFloat) Type() string { return "number" }

// Set reads the number.
func (o optionalFloat) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v > 2 {
		return fmt.Errorf("%q is no temperature (0 to 2)", text)
	}
	*o.v = &v
	return nil
}
