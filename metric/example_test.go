package metric_test

import (
	"fmt"

	"palate/metric"
)

func Example() {
	p := []float64{0.9, 0.6, 0.2} // probability that the left item wins
	y := []float64{1, 0, 0}       // whether it did
	fmt.Printf("accuracy %.3f\n", metric.Accuracy(p, y, nil))
	fmt.Printf("cross-entropy %.3f nats\n", metric.CrossEntropy(p, y, nil))
	fmt.Printf("ECE %.3f\n", metric.ECE(metric.Reliability(p, y, nil, metric.Bins)))
	// Output:
	// accuracy 0.667
	// cross-entropy 0.415 nats
	// ECE 0.300
}
