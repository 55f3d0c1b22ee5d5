package runner

import "context"

type requestKey struct{}

// ForRequest names the request on whose behalf a session is asked, reviewed or given a cell. The name stands in the events that these begin
// with (run_started, cell_started, reviewed), so that a program that gets a request twice finds what it began the first time, also
// after it was killed.
func ForRequest(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, requestKey{}, name)
}

func requestOf(ctx context.Context) string {
	name, _ := ctx.Value(requestKey{}).(string)
	return name
}
