package main

import "testing"

// Neighbouring seeds have no world in common, nor has a seed the same one twice.
func TestSeedsShareNoWorlds(t *testing.T) {
	of := map[uint64]uint64{}
	for seed := range uint64(200) {
		for r, world := range worldSeeds(seed, 60) {
			if other, ok := of[world]; ok {
				t.Fatalf("repeat %d of seed %d is a world of seed %d", r, seed, other)
			}
			of[world] = seed
		}
	}
}
