package session

import (
	"context"
)

// takeOver closes a session here, so that the process that sent the request can open it.
func takeOver(_ context.Context, c *Call, _ struct{}) (struct{}, error) {
	if !c.manager.cfg.Local {
		return struct{}{}, &Error{Code: Forbidden, Message: "a server keeps its sessions"}
	}
	return struct{}{}, c.live.handOver()
}
