package room

import "testing"

func Test(t *testing.T) {
	if !Small(7) || Small(8) || !Large(201) || Large(100) {
		t.Error("Small or Large")
	}
	if sum, count := Sum([]int{2, 3}); sum != 5 || count != 2 {
		t.Error("Sum")
	}
	if i, _ := At([]string{"a", "b"}, "b"); i != 1 {
		t.Error("At")
	}
	if i, _ := At(nil, "b"); i != -1 {
		t.Error("At")
	}
	if Same(1, 2) != 2 || Same(2, 1) != 2 || Same(2, 2) != 2 {
		t.Error("Same")
	}
	if Late(0) {
		t.Error("Late")
	}
}

func TestDown(t *testing.T) {
	if Down(1) != 0 {
		t.Error("Down")
	}
}

func ExampleLate() {
	for Late(0) {
	}
	// Output:
}
