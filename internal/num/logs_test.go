package num

import (
	"math"
	"testing"
)

func TestLogs(t *testing.T) {
	inf := math.Inf(1)
	// The references are series or exact values good to the last digit.
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"log1mexp at −1e-20", Log1mExp(-1e-20), math.Log(1e-20)},
		{"log1mexp at −log 2", Log1mExp(-math.Ln2), -math.Ln2},
		{"log1mexp at −50", Log1mExp(-50), -math.Exp(-50)},
		{"log1mexp at −∞", Log1mExp(-inf), 0},
		{"log1mexp at 0", Log1mExp(0), -inf},
		{"logsumexp of nothing", LogSumExp(nil), -inf},
		{"logsumexp of −∞", LogSumExp([]float64{-inf, -inf}), -inf},
		{"logsumexp with ∞", LogSumExp([]float64{1, inf}), inf},
		{"logsumexp far away", LogSumExp([]float64{-5000, -5000}), -5000 + math.Ln2},
		{"logsumexp far above", LogSumExp([]float64{5000, 0}), 5000},
		{"logsumexp of one", LogSumExp([]float64{3}), 3},
		{"sigmoid at 0", Sigmoid(0), 0.5},
		{"sigmoid at −700", Sigmoid(-700), math.Exp(-700)},
		{"sigmoid at 800", Sigmoid(800), 1},
		{"sigmoid at −800", Sigmoid(-800), 0},
		{"log sigmoid at 0", LogSigmoid(0), -math.Ln2},
		{"log sigmoid at −1e5", LogSigmoid(-1e5), -1e5},
		{"log sigmoid at 50", LogSigmoid(50), -math.Exp(-50)},
	} {
		if !(relErr(c.got, c.want) < 4e-16) {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	if !math.IsNaN(LogSumExp([]float64{1, math.NaN()})) || !math.IsNaN(Log1mExp(1)) {
		t.Error("NaN was swallowed")
	}
	for z := -40.0; z < 40; z += 0.37 {
		if got, want := Sigmoid(z)+Sigmoid(-z), 1.0; math.Abs(got-want) > 3e-16 {
			t.Errorf("σ(%v) + σ(−%v) = %v", z, z, got)
		}
		if got, want := math.Exp(LogSigmoid(z)), Sigmoid(z); relErr(got, want) > 1e-14 {
			t.Errorf("exp log σ(%v) = %v, want %v", z, got, want)
		}
	}
}
