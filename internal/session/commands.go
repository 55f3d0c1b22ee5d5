package session

// Headings of the commands in lists.
const (
	aboutServer   = "Server"
	aboutSessions = "Sessions"
	doing         = "Doing"
	notebook      = "Notebook"
	inContext     = "Context"
	whatHappened  = "What happened"
)

// Commands returns the table.
func Commands() []Command {
	return []Command{
		Define(Command{Name: "folders", Group: aboutServer, Route: "GET folders"},
			"List a folder below those that the server was started with; without a path, list these folders themselves.", listFolder),
		Define(Command{Name: "search", Group: aboutServer, Route: "GET search"},
			"Search the names, questions, answers and cells of all sessions for a text, ignoring case.", search),

		Define(Command{Name: "list", Group: aboutSessions, Route: "GET sessions"},
			"List the sessions, newest first. q searches names, questions, first lines of answers and ids.",
			list),
		Define(Command{Name: "create", Group: aboutSessions, Route: "POST sessions", Once: true},
			"Create a session. Without texts and paths it uses what the server was started with, unless it is to be empty.", create),
		Define(Command{Name: "demo", Group: aboutSessions, Route: "POST sessions/demo", Once: true, Run: true},
			"Create a session that plays the recorded demo.", playDemo),
		Define(Command{Name: "session", Group: aboutSessions, Route: "GET sessions/{id}", Access: Read},
			"A session.", summary),
		Define(Command{
			Name: "change", Group: aboutSessions, Route: "PATCH sessions/{id}", Access: Write,
			Typed: typedRename,
		},
			"Rename a session, or share it with the server's other users.", change),
		Define(Command{Name: "delete", Group: aboutSessions, Route: "DELETE sessions/{id}", Access: Owner},
			"Delete a session.", remove),
		Define(Command{Name: "settings", Group: aboutSessions, Route: "GET sessions/{id}/settings", Access: Read},
			"The settings for the next questions, and what the session has used so far.", settings),
		Define(Command{Name: "set", Group: aboutSessions, Route: "PATCH sessions/{id}/settings", Access: Write},
			"Change the settings for the next questions.", set),
		// No route: only a person at this process may add MCP servers, because they run commands
		Define(Command{Name: "mcp", Group: aboutSessions, Access: Write, Typed: typedServer},
			"Start an MCP server: its tools become functions of the notebook.", addServer),

		begins(Command{
			Name: "ask", Group: doing, Route: "POST sessions/{id}/ask", Access: Write, Turn: "ask",
			Run: true, Once: true,
		},
			"Ask a question. Its run waits its turn if too many are in progress.", ask),
		begins(Command{
			Name: "cell", Group: doing, Route: "POST sessions/{id}/cells", Access: Write, Turn: "cell",
			Once: true,
		},
			"Run a cell.", runCell),
		Define(Command{Name: "stop", Group: doing, Route: "POST sessions/{id}/stop", Access: Write},
			"Stop what the session is doing.", stop),
		begins(Command{
			Name: "undo", Group: doing, Route: "POST sessions/{id}/undo", Access: Write, Turn: "undo",
			Typed: typedUndo,
		},
			"Take back the last question.", undo),
		begins(Command{
			Name: "resume", Group: doing, Route: "POST sessions/{id}/resume", Access: Write, Turn: "resume",
			Run: true, Once: true,
		},
			"Continue a run that was interrupted or reached a limit.", resume),
		begins(Command{
			Name: "review", Group: doing, Route: "POST sessions/{id}/review", Access: Write, Turn: "review",
			Run: true, Once: true, Typed: typedReview,
		},
			"Approve the answer, or send it back with a note.", review),
		Define(Command{
			Name: "fork", Group: doing, Route: "POST sessions/{id}/fork", Access: Write, Once: true,
			Typed: typedFork,
		},
			"Make a copy of a session. With a turn it keeps the turns up to that one and continues from there.", fork),
		Define(Command{
			Name: "take-over", Group: doing, Route: "POST sessions/{id}/take-over", Access: Owner,
			Typed: typedTakeOver,
		},
			"Close an idle session, so that another process of the same person can open it. Only a terminal gives up a session.", takeOver),
		Define(Command{Name: "verify", Group: doing, Route: "POST sessions/{id}/verify", Access: Read},
			"Check the evidence of the last answer against the context.", verify),

		Define(Command{
			Name: "variables", Group: notebook, Route: "GET sessions/{id}/variables", Access: Read,
			Tool: true, Typed: typedVariables,
		},
			"The variables of the notebook; while it is busy or closed, as the log has them.", variables),
		Define(Command{Name: "builtins", Group: notebook, Route: "GET sessions/{id}/builtins", Access: Read},
			"The functions that cells can call besides Go's own.", builtins),
		Define(Command{Name: "complete", Group: notebook, Route: "POST sessions/{id}/complete", Access: Read},
			"Completions at the cursor of a cell.", complete),
		Define(Command{Name: "signature", Group: notebook, Route: "POST sessions/{id}/signature", Access: Read},
			"The signature of the function whose call the cursor is in.", signature),
		Define(Command{Name: "check", Group: notebook, Route: "POST sessions/{id}/check", Access: Read},
			"Check whether a cell compiles, without running it.", check),
		Define(Command{Name: "table", Group: notebook, Route: "POST sessions/{id}/table", Access: Read},
			"Rows of a table that a cell printed, sorted and filtered over all rows, including those that its event leaves out. `key` is in the event's table.", table),
		Define(Command{Name: "members", Group: notebook, Route: "POST sessions/{id}/members", Access: Read},
			"The names that can follow an operand and a dot.", members),

		Define(Command{
			Name: "documents", Group: inContext, Route: "GET sessions/{id}/documents", Access: Read,
			Tool: true,
		},
			"The documents of the context.", documents),
		begins(Command{
			Name: "add", Group: inContext, Route: "POST sessions/{id}/documents", Access: Write,
			Turn: "add",
		},
			"Add documents to the context.", add),
		begins(Command{Name: "upload", Group: inContext, Access: Write, Turn: "add"}, // it has no route
			"Add files to the context.", addUpload),
		begins(Command{
			Name: "remove-document", Group: inContext, Route: "DELETE sessions/{id}/documents",
			Access: Write, Turn: "remove",
		},
			"Remove a document from the context.", removeDocument),
		begins(Command{
			Name: "reread", Group: inContext, Route: "POST sessions/{id}/reread", Access: Write,
			Turn: "reread",
		},
			"Read documents again whose files have changed.", reread),
		Define(Command{Name: "parts", Group: inContext, Route: "GET sessions/{id}/parts", Access: Read},
			"The parts of a document: pages, sheets, files.", parts),
		Define(Command{Name: "text", Group: inContext, Route: "GET sessions/{id}/text", Access: Read},
			"Whole lines of the context, starting at an offset or a line number; a negative count means the lines before it.", passage),
		Define(Command{Name: "find", Group: inContext, Route: "GET sessions/{id}/find", Access: Read},
			"Search the context like the notebook's own grep and search: how is literal, regular or ranked.", find),
		Define(Command{Name: "marks", Group: inContext, Route: "GET sessions/{id}/marks", Access: Read},
			"The passages that cells marked and those that answers cite.", marks),

		Define(Command{Name: "events", Group: whatHappened, Route: "GET sessions/{id}/events", Access: Read},
			"The events of one run of the tree. Long texts are returned as references.", pathEvents),
		Define(Command{Name: "event", Group: whatHappened, Route: "GET sessions/{id}/events/{seq}", Access: Read},
			"An event with its long texts.", event),
		Define(Command{Name: "calls", Group: whatHappened, Route: "GET sessions/{id}/calls", Access: Read},
			"The sub-calls of a cell. status is running, done or failed; sort is index, duration, tokens or cost, or one of these with a leading - for descending order.", calls),
		Define(Command{Name: "messages", Group: whatHappened, Route: "GET sessions/{id}/messages", Access: Read},
			"The messages sent to the model at a turn.", messages),
		Define(Command{Name: "trace", Group: whatHappened, Route: "GET sessions/{id}/trace", Access: Read},
			"Where the time of a question was spent.", trace),
	}
}
