package bench

import (
	"context"
	"testing"
)

// TestEveryNameHasWork finds names without a workload, and workloads without sense.
func TestEveryNameHasWork(t *testing.T) {
	for _, name := range routines() {
		if _, ok := routineNamed(name); !ok {
			t.Errorf("no workload %q", name)
		}
	}
	if err := Run(context.Background(), []string{"nonsense"}, 1, nil); err == nil {
		t.Error("accepted an unknown name")
	}
	err := Run(context.Background(), []string{"exp", "potrf100"}, Peak(), func(m Measurement) {
		if !(m.Seconds > 0 && m.VsGonum > 0 && m.VsTwin > 0) {
			t.Errorf("%+v", m)
		}
	})
	if err != nil {
		t.Error(err)
	}
}
