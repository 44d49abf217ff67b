package feature

import (
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// surfaceNames lists the features of how a text is written, in order.
func surfaceNames() []string {
	return []string{
		"chars", "words", "sentences", "distinct", "type_token", "word_mean", "word_longest", "words_a_sentence", "long_words", "flesch",
		"commas", "exclamations", "questions", "quotes", "capitals", "all_caps", "starts_capital", "ends_stop", "sentence_capitals",
		"lone_i", "digits", "links", "i_words", "you_words", "connectives", "negations", "swear_words", "hedges", "evidence",
		"chat_words", "rare_words", "mean_log_df", "typical", // the last three need the corpus
	}
}

// lexicons are the lists behind the counts of words of a kind.
func lexicons() [][]string {
	list := strings.Fields
	return [][]string{
		list("i i'm i've i'd i'll me my mine myself we us our ours ourselves"),
		list("you you're you've you'd you'll your yours yourself yourselves u ur"),
		list("because therefore however thus hence although though since so but moreover furthermore also additionally first second third finally consequently otherwise instead whereas while unless if then"),
		list("not no never none nobody nothing neither nor nowhere cannot can't don't doesn't didn't won't wouldn't shouldn't couldn't isn't aren't wasn't weren't haven't hasn't hadn't without"),
		list("damn hell crap shit fuck fucking bullshit ass asshole bitch bastard idiot idiots stupid dumb moron suck sucks wtf"),
		list("maybe perhaps possibly probably might may could seem seems seemed likely guess think believe suppose somewhat apparently usually often generally sometimes"),
		list("evidence study studies research researchers percent statistics according data shows show proven prove proof fact facts example examples instance report reports source sources survey scientists"),
	}
}

// chatWords are words of chats and common misspellings.
func chatWords() []string {
	return strings.Fields("u ur r lol omg wtf lmao rofl btw imo imho thx pls plz cuz coz cause'n gonna wanna gotta dont cant wont isnt doesnt didnt im ive id thats whats theres alot teh definately seperate recieve becuase wierd beleive untill thier tho thru ya yeah nah dunno kinda sorta ppl bc b4 2day gr8 lil ok okay")
}

var (
	wordOf     = regexp.MustCompile(`[\pL\pN]+(?:['’][\pL]+)*`)
	sentenceOf = regexp.MustCompile(`[^.!?]+[.!?]*`)
	linkOf     = regexp.MustCompile(`(?i)https?://|www\.`)
)

// wordsOf splits a text into words in lower case.
func wordsOf(text string) []string {
	return wordOf.FindAllString(strings.ToLower(strings.ReplaceAll(text, "’", "'")), -1)
}

// lookups are lexicons as sets.
type lookups struct {
	kinds []map[string]bool
	chat  map[string]bool
}

func newLookups() *lookups {
	set := func(list []string) map[string]bool {
		m := make(map[string]bool, len(list))
		for _, w := range list {
			m[w] = true
		}
		return m
	}
	l := &lookups{chat: set(chatWords())}
	for _, list := range lexicons() {
		l.kinds = append(l.kinds, set(list))
	}
	return l
}

// style returns the features of a text that need nothing else, in the order of surfaceNames, before standardisation.
func style(text string, words []string, l *lookups) []float64 {
	n := max(1, float64(len(words)))
	distinct, long := map[string]bool{}, map[string]bool{}
	var letters, longest, syllables, chat float64
	kinds := make([]float64, len(l.kinds))
	for _, w := range words {
		size := utf8.RuneCountInString(w)
		distinct[w] = true
		if size > 6 {
			long[w] = true
		}
		letters += float64(size)
		longest = max(longest, float64(size))
		syllables += float64(syllablesOf(w))
		for k, set := range l.kinds {
			if set[w] {
				kinds[k]++
			}
		}
		if l.chat[w] {
			chat++
		}
	}
	sentences, capitalised := 0.0, 0.0
	for _, s := range sentenceOf.FindAllString(text, -1) {
		first := strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
		if first == "" {
			continue
		}
		sentences++
		if r, _ := utf8.DecodeRuneInString(first); unicode.IsUpper(r) {
			capitalised++
		}
	}
	sentences = max(1, sentences)
	var upper, alphabetic, digits, allCaps, loneI float64
	for _, r := range text {
		switch {
		case unicode.IsUpper(r):
			upper++
			alphabetic++
		case unicode.IsLetter(r):
			alphabetic++
		case unicode.IsDigit(r):
			digits++
		}
	}
	for _, w := range wordOf.FindAllString(text, -1) {
		if w == "i" {
			loneI++
		}
		if utf8.RuneCountInString(w) > 1 && w == strings.ToUpper(w) && w != strings.ToLower(w) {
			allCaps++
		}
	}
	trimmed := strings.TrimSpace(text)
	first, _ := utf8.DecodeRuneInString(trimmed)
	yes := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	count := func(s string) float64 { return math.Log1p(float64(strings.Count(text, s))) }
	f := []float64{
		math.Log1p(float64(utf8.RuneCountInString(text))), math.Log1p(float64(len(words))), math.Log(sentences), math.Log1p(float64(len(distinct))),
		float64(len(distinct)) / n, letters / n, longest, math.Log1p(float64(len(words)) / sentences), math.Log1p(float64(len(long))),
		206.835 - 1.015*n/sentences - 84.6*syllables/n,
		count(","), count("!"), count("?"), count(`"`),
		upper / max(1, alphabetic), math.Log1p(allCaps), yes(unicode.IsUpper(first)), yes(trimmed != "" && strings.ContainsAny(trimmed[len(trimmed)-1:], `.!?"`)),
		capitalised / sentences, math.Log1p(loneI), math.Log1p(digits), math.Log1p(float64(len(linkOf.FindAllString(text, -1)))),
	}
	for _, k := range kinds {
		f = append(f, math.Log1p(k))
	}
	return append(f, chat/n)
}

// rarity returns the share of words that no other text of the corpus has, and their mean log df.
func rarity(words []use, df []float64) (rare, logDF float64) {
	n := 0.0
	for _, u := range words {
		times := float64(u.times)
		n += times
		if df[u.term] <= 1 {
			rare += times
		}
		logDF += times * math.Log(df[u.term])
	}
	return rare / max(1, n), logDF / max(1, n)
}

// syllablesOf counts runs of vowels.
func syllablesOf(word string) int {
	n, before := 0, false
	for _, r := range word {
		vowel := strings.ContainsRune("aeiouyäöüáéíóúàèìòùâêîôû", r)
		if vowel && !before {
			n++
		}
		before = vowel
	}
	return max(1, n)
}
