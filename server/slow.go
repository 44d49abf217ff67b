package server

// task is something that may take long. It is done without a lock on the board,
// from what was read off it before.
type task string

const (
	choosing   task = "choose a pair"
	ranking    task = "make a leaderboard"
	folding    task = "fold a voter into the population"
	refitting  task = "refit a board"
	learning   task = "learn a population, or of a group"
	counting   task = "count wins"
	surveying  task = "check the votes"
	describing task = "describe the voters"
	exporting  task = "export"
)

// tasks are all of them.
var tasks = []task{choosing, ranking, folding, refitting, learning, counting, surveying, describing, exporting}

// slow says that a task begins.
func (s *Service) slow(t task) {
	if s.options.begins != nil {
		s.options.begins(t)
	}
}
