package report

import (
	"math"
	"strings"

	"palate/internal/draw"
	"palate/internal/phrases"
)

// speech is the language of a chart or a page, with the ways in which it writes numbers.
type speech struct{ *phrases.Tongue }

// Languages are the tags of the languages that charts and pages are written in, English first.
func Languages() []string { return phrases.Tags() }

// in returns a language by its tag, English for one that is not among Languages.
func in(language string) speech {
	if t := phrases.Of(language); t != nil {
		return speech{t}
	}
	return speech{phrases.Of("")}
}

// fixed says a number with so many decimals, and zero without a sign.
func (s speech) fixed(x float64, decimals int) string {
	return strings.Replace(draw.Signed(x, decimals), ".", s.Say("number-point"), 1)
}

// percent says a share without needless decimals.
func (s speech) percent(p float64) string {
	return s.Say("percent", strings.Replace(amount(100*p), ".", s.Say("number-point"), 1))
}

// amount says a number of votes, which may be weighted.
func (s speech) amount(x float64) string {
	if whole := math.Round(x); math.Abs(x-whole) < 1e-6 { // weights of votes sum to it
		return s.Count(int(whole))
	}
	return s.cell(x)
}

// cell says the same in a table, which is sorted by numbers: thousands are not set apart.
func (s speech) cell(x float64) string {
	return strings.Replace(amount(x), ".", s.Say("number-point"), 1)
}

// span says an interval.
func (s speech) span(lo, hi float64, decimals int) string {
	return s.fixed(lo, decimals) + " … " + s.fixed(hi, decimals)
}

// list names the first few of some names.
func (s speech) list(names []string, most int) string {
	text := strings.Join(names[:min(most, len(names))], s.Say("comma"))
	if len(names) > most {
		return s.Say("and-more", text, len(names)-most)
	}
	return text
}

// ticks are round numbers between lo and hi, about n of them.
func (s speech) ticks(lo, hi float64, n int) []draw.Tick {
	return s.pointed(draw.Ticks(lo, hi, n))
}

// factors are ticks of an axis of logarithms.
func (s speech) factors(lo, hi float64, n int) []draw.Tick { return s.pointed(draw.Factors(lo, hi, n)) }

// pointed are ticks with the decimal point of the language.
func (s speech) pointed(ticks []draw.Tick) []draw.Tick {
	for k := range ticks {
		ticks[k].Text = strings.Replace(ticks[k].Text, ".", s.Say("number-point"), 1)
	}
	return ticks
}

// percents are ticks of a share.
func (s speech) percents(lo, hi float64, n int) []draw.Tick {
	ticks := s.ticks(100*lo, 100*hi, n)
	for k := range ticks {
		ticks[k].Value /= 100
		ticks[k].Text = s.Say("percent", ticks[k].Text)
	}
	return ticks
}
