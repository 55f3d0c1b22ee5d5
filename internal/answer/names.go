package answer

// The standard names of the completion signals. Cells call them, replies mention them; a run may rename them.
const (
	NameFinal     = "FINAL"
	NameFinalVar  = "FINAL_VAR"
	NameResponse  = "finish_response"
	NameTask      = "finish_task"
	NameTaskAlias = "task_completed"
)
