package llm

// Secret holds an API key. It cannot be printed by accident: the value is inside a closure, so no verb of fmt, no
// encoder and no dump of a struct that contains it (even in an unexported field) shows the value.
type Secret struct{ reveal func() string }

// NewSecret wraps a key. An empty key is the zero Secret.
func NewSecret(key string) Secret {
	if key == "" {
		return Secret{}
	}
	return Secret{reveal: func() string { return key }}
}

// Empty reports whether there is no key.
func (s Secret) Empty() bool { return s.reveal == nil }

// Reveal returns the key. Only the code that sends it to the endpoint may call this.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return "[hidden]"
}

// GoString hides the key from %#v.
func (s Secret) GoString() string { return "llm.Secret(" + s.String() + ")" }

// MarshalText hides the key from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the key from a configuration file.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}
