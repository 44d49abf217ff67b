package model

import (
	"iter"

	"palate"
	"palate/population"
)

// DiskVotes are votes on disk, for more of them than fit in memory: they are added one
// after the other, and a population is fitted to them as it would be to votes of a
// dataset (PopulationOptions.Votes). The model needs them as long as it lives.
type DiskVotes struct{ spool *population.Spool }

// NewDiskVotes begins with no votes, in files of a folder that vanish with the process.
func NewDiskVotes(dir string) (*DiskVotes, error) {
	s, err := population.NewSpool(dir)
	if err != nil {
		return nil, err
	}
	return &DiskVotes{s}, nil
}

// Add adds a vote, whose items and user are those of the dataset to fit to.
func (v *DiskVotes) Add(vote palate.Vote) error { return v.spool.Add(vote) }

// Renumber gives the items and users of the votes other numbers, as
// palate.Builder.SortNames returns them, once all votes are there.
func (v *DiskVotes) Renumber(items, users []int32) { v.spool.Renumber(items, users) }

// Votes goes through the votes in their order.
func (v *DiskVotes) Votes() iter.Seq2[int, palate.Vote] { return v.spool.Votes() }

// Close gives the disk back.
func (v *DiskVotes) Close() error { return v.spool.Close() }

// Need is roughly how many bytes of memory a fit takes, by what takes them.
type Need struct {
	Items   float64 // matrices between items: with features, or a full covariance
	Votes   float64 // pairs with their sites
	Working float64 // parameters, optimiser, workspaces
	Memory  float64 // the sum of all above
	Disk    float64 // votes and sites that are on disk, not in Memory
}
