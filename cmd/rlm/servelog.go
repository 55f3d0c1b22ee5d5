package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/pflag"
)

// logging says where a server writes what it does, and how. Without a place it writes nothing.
type logging struct {
	to, format, level string
}

func (l *logging) flags(f *pflag.FlagSet) {
	f.StringVar(&l.to, "log", "", "write what the server does to a file, or - for stderr: who asked which address of which session, what came of it, no contents (default: nowhere)")
	f.StringVar(&l.format, "log-format", "text", "text or json")
	f.StringVar(&l.level, "log-level", "info", "debug, info, warn or error")
}

// open makes the logger, nil for none. Close what it writes to.
func (l logging) open(stderr io.Writer) (*slog.Logger, func() error, error) {
	options := &slog.HandlerOptions{}
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil {
		return nil, nil, wrongUsage("--log-level is debug, info, warn or error, not %q", l.level)
	}
	options.Level = level
	if l.format != "text" && l.format != "json" {
		return nil, nil, wrongUsage("--log-format is text or json, not %q", l.format)
	}
	to, closed := stderr, func() error { return nil }
	switch l.to {
	case "":
		return nil, closed, nil
	case "-":
	default:
		file, err := os.OpenFile(l.to, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("open the log: %w", err)
		}
		to, closed = file, file.Close
	}
	if l.format == "json" {
		return slog.New(slog.NewJSONHandler(to, options)), closed, nil
	}
	return slog.New(slog.NewTextHandler(to, options)), closed, nil
}
