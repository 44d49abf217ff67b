// Command lab is where palate is measured: published experiments run again, workloads
// beside plain gonum, the source counted. Users of palate need none of it, and nothing of
// palate imports it; it is run in a checkout.
//
//	go run ./lab reproduce sushi --data ~/data
//	go run ./lab bench
//	go run ./lab count
//
// An experiment is a file of lab/internal/paper and a row of a table; CONTRIBUTING.md has
// the recipe. lab/peers installs what palate is compared with in Python, outside the
// checkout.
package main
