package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAStatusIsNotTheOppositeOfWhatWasSeen: an answer that gives a thing one of two opposite words rests on no output
// that gives this thing the other.
func TestAStatusIsNotTheOppositeOfWhatWasSeen(t *testing.T) {
	const (
		tests    = "=== RUN TestParse\n--- FAIL: TestParse (0.02s)\nFAIL\nexit status 1"
		jobs     = `{"job":11,"status":"succeeded"}` + "\n" + `{"job":12,"status":"failed"}`
		valves   = "V2 open\nV3 closed\nV4 open"
		builds   = "build 7: FAILED\nbuild 8: PASSED"
		door     = "At 22:10 the door was not open."
		services = "Dienst mail: inaktiv\nDienst web: aktiv"
		deal     = "The buyers lost the auction; the bid was rejected on 4 May."
	)
	judge(t, []expect{
		{"What was the result of the test run?", tests, "The test run failed.", grounding.Grounded},
		{"What was the result of the test run?", tests, "All tests passed.", grounding.Not},
		{"Did the tests succeed?", tests, "Yes, all tests passed.", grounding.Not},
		{"Did all tests pass?", "ok a\ntests passed: 12\ntests failed: 0", "Yes", grounding.Grounded},
		{"Did any test fail?", "TestA PASS\nTestB FAIL", "No", grounding.Not},
		{"Is two-factor login enabled?", "two_factor=disabled", "Two-factor login is enabled.", grounding.Not},
		{"What is the state of eth1?", "eth0: link up\neth1: link down", "The link eth1 is up.", grounding.Not},
		{"What is the state of eth1?", "eth0: link up\neth1: link down", "The link eth1 is down.", grounding.Grounded},
		{"What became of A-77?", "A-76 accepted\nA-77 rejected", "Application A-77 was accepted.", grounding.Not},
		{"What became of A-77?", "A-76 accepted\nA-77 rejected", "It was rejected.", grounding.Grounded},
		{"Is the valve V3 open or closed?", valves, "V3 is closed.", grounding.Grounded},
		{"Is the valve V3 open or closed?", valves, "V3 is open.", grounding.Not},
		{"What is the status of job 12?", jobs, "Job 12 succeeded.", grounding.Not},
		{"Was the motion carried?", "Motion 4: defeated, 12 votes to 31.", "Yes, it was carried.", grounding.Not},
		{"Ist der Dienst mail aktiv?", services, "Der Dienst mail ist aktiv.", grounding.Not},
		{"Is order 9 paid?", "order 8 paid\norder 9 unpaid", "Order 9 is paid.", grounding.Not},
		{"When was the bid rejected?", deal, "The bid was accepted on 4 May.", grounding.Partly},
		{"Was the door open at 22:10?", door, "At 22:10 the door was closed.", grounding.Grounded},
		{"Did the build pass?", builds, "Build 7 failed, but build 8 passed.", grounding.Grounded},
		{"Did the build pass?", builds, "Build 7 passed, but build 8 failed.", grounding.Partly},
		{"Does the log say that the job failed?", "hits: 0\njob passed", "No", grounding.Grounded},
	})
}
