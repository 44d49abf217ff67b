package main

import (
	"slices"
	"strings"

	"palate/evaluate"
	"palate/infer"
	"palate/internal/cli"
	"palate/internal/wording"
	"palate/kernel"
	"palate/model"
)

// choice is a word of the command line and what it stands for.
type choice[T any] struct {
	word  string
	value T
}

func words[T any](choices []choice[T]) string { return strings.Join(wordsOf(choices), ", ") }

func wordsOf[T any](choices []choice[T]) (w []string) {
	for _, c := range choices {
		w = append(w, c.word)
	}
	return w
}

func choose[T any](flag, word string, choices []choice[T]) (T, error) {
	for _, c := range choices {
		if c.word == word {
			return c.value, nil
		}
	}
	var zero T
	return zero, notOneOf("--"+flag, word, wordsOf(choices))
}

// notOneOf says that a word is none of those that are known, and which may be meant.
func notOneOf(what, word string, known []string) error {
	return cli.Usage("%s %q is not one of %s%s", what, word, strings.Join(known, ", "), wording.DidYouMean(word, slices.Values(known)))
}

// rules are what --rule may say.
func rules() []choice[infer.Rule] {
	return []choice[infer.Rule]{
		{"ep", infer.EP{}}, {"vi", infer.VI{}}, {"laplace", infer.Laplace{}}, {"linearised", infer.Linearised{}}, {"draft", infer.Linearised{Noise: infer.DraftNoise}}, {"jaakkola", infer.Jaakkola{}},
	}
}

func likelihoods() []choice[model.Likelihood] {
	var all []choice[model.Likelihood]
	for _, l := range []model.Likelihood{model.Probit, model.Logit, model.Davidson} {
		all = append(all, choice[model.Likelihood]{l.String(), l})
	}
	return all
}

// lengths is where length-scales come from.
type lengths struct {
	how    model.Lengths
	median kernel.MedianRule
}

func lengthScales() []choice[lengths] {
	return []choice[lengths]{
		{"median", lengths{}}, {"median-times-d", lengths{median: kernel.MedianTimesD}}, {"median-over-d", lengths{median: kernel.MedianOverD}},
		{"median-reference", lengths{median: kernel.MedianReference}}, {"learnt", lengths{how: model.LearntLengths}},
	}
}

func combinations() (all []choice[kernel.Combination]) {
	for _, c := range []kernel.Combination{kernel.Euclidean, kernel.SoftAnd, kernel.SoftOr} {
		all = append(all, choice[kernel.Combination]{c.String(), c})
	}
	return all
}

func kernels() []choice[kernel.Shape] {
	return []choice[kernel.Shape]{{"matern32", kernel.Matern32}, {"matern12", kernel.Matern12}, {"matern52", kernel.Matern52}, {"se", kernel.SE}}
}

// purposes are what --for may say.
func purposes() []choice[evaluate.By] {
	return []choice[evaluate.By]{{"votes", evaluate.ByVote}, {"voters", evaluate.ByUser}, {"items", evaluate.ByItem}}
}

// purposeOf is the word for what is held out, or that for votes.
func purposeOf(by evaluate.By) string {
	for _, c := range purposes() {
		if c.value == by {
			return c.word
		}
	}
	return purposes()[0].word
}

func duelForms() (all []choice[model.Formulation]) {
	for _, f := range []model.Formulation{model.ProbitDuels, model.TruncatedDuels} {
		all = append(all, choice[model.Formulation]{f.String(), f})
	}
	return all
}
