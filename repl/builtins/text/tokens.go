package text

// CountTokens estimates how many tokens a language model makes of text.
func CountTokens(text string) int { return (len(text) + 3) / 4 }
