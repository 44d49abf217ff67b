package tune

import "encoding/json"

// Summary is where a search stands, as programs read it.
type Summary struct {
	Duels     int             `json:"duels" doc:"Answers so far, skips included."`
	Best      json.RawMessage `json:"best" doc:"The point of the highest expected utility."`
	Reference json.RawMessage `json:"reference,omitempty" doc:"The start of the space, or the first point that was asked about."`
	Over      *Comparison     `json:"over,omitempty" doc:"The best point against the reference."`
	Regret    float64         `json:"regret" doc:"What the best point is expected to lack of the best there is, in units of the noise of a duel."`
	Ideal     float64         `json:"ideal_wins" doc:"The chance that the best there is would win against the best point."`
	Span      float64         `json:"span" doc:"By how much expected utility differs over the space."`
	Enough    bool            `json:"enough" doc:"Further duels will not help much."`
	// Parameters are those that vary.
	Parameters []ParameterSummary `json:"parameters"`
}

// ParameterSummary is what is believed of one parameter of the best point.
type ParameterSummary struct {
	Name       string             `json:"name"`
	Value      json.RawMessage    `json:"value"`
	Where      *Interval          `json:"where,omitempty" doc:"From where to where it may be, 90 % of it."`
	Likely     map[string]float64 `json:"likely,omitempty" doc:"Of words, the chance of each."`
	Importance Interval           `json:"importance" doc:"Its share in how utility varies."`
}

// Summary writes values as the space does.
func (st *Standing) Summary(s *Space) Summary {
	out := Summary{Duels: st.Duels, Best: s.WritePoint(st.Best), Regret: st.Regret, Ideal: st.Ideal, Span: st.Span, Enough: st.Enough}
	if st.Reference != nil {
		out.Reference, out.Over = s.WritePoint(st.Reference), &st.Over
	}
	for _, j := range s.Varying() {
		p := ParameterSummary{Name: s.Parameters[j].Name, Value: s.WriteValue(j, st.Best[j]), Importance: st.Importance[j]}
		if st.Likely[j] == nil {
			p.Where = &st.Where[j]
		} else {
			p.Likely = map[string]float64{}
			for k, chance := range st.Likely[j] {
				p.Likely[s.Parameters[j].Words[k]] = chance
			}
		}
		out.Parameters = append(out.Parameters, p)
	}
	return out
}
