// Package population learns what a population of people prefers, and each
// person in it, from votes between pairs.
//
// Everybody's utilities are a draw from one Gaussian, f_u ~ N(m_u, S), and a
// vote is P(a beats b) = Φ(f_ua − f_ub) (COLLAB, generalised). Given the
// population, people are independent: each is inferred from that person's votes
// alone. Given everybody's posterior, the population is updated.
//
//	people, err := population.NewPeople(items, tallies, answers...)
//	l, engine, err := population.Learn(ctx, people, population.NewItems(items, features, nil, rng), nil, 0, nil)
//	q, err := engine.Posterior(l, u)         // person u
//	q, err := population.FoldIn(l, votes, …) // somebody new
//	mean, variance := q.Difference(i, j)
//
// # One person
//
// EP runs in the space of the person's m items, not of the P pairs: sites sum to
// a weighted graph Laplacian Λ = Bᵀdiag(τ)B, a sweep costs O(m³ + P), and no
// votes need be left out. A liked and b disliked items make ab pairs but only
// a+b items. With Π = S⁻¹ on those items,
//
//	C = (Π + Λ)⁻¹,  η = Bᵀ(ν − τ∘Bm),  d = Cη,
//	s = η − Λd  (= Bᵀe of COLLAB (10)),  W = Λ − ΛCΛ  (= BᵀEB of (7)),
//
// and at a fixed point ∂log Z/∂m = s and ∂log Z/∂S = ½(ssᵀ − W). Steps are
// damped where pairs are redundant and extrapolated from the last few sweeps;
// evaluations start from the sites of the one before. A person with fewer pairs
// than items is inferred in the space of the pairs instead, and one whose covariance
// comes as a root in that of its columns, to the same result. Other rules (Jaakkola,
// Laplace, VI) go through the same engine, and so do other populations: an Engine
// asks a Marginals for what is known of a person before the votes, and hands what
// the votes leave to Collectors. Package crowd infers its voters so.
//
// An answer about several items, such as a ranking or a best and worst, draws a utility of
// each once and compares what it drew: a block of pairs with noise in common, which tells the
// person's items Bᵀ(T⁻¹ + ½BBᵀ)⁻¹B. All else is as with votes (answers.go).
//
// # A family of populations
//
// No one form is right for all people. LearnFamily fits several, and weighs what each says
// by its score, which is about how likely new votes are: the log evidence of the votes less
// 1.25 for each parameter, as far as votes settled it (Akaike's criterion takes 1, and AIC3
// of Bozdogan 1.5). A kind weighs as the sum of exp(score/4), for no kind may be quite right,
// and those of a kind, which differ in σ², share that as exp(score). EP's evidence is amended to first order (amend.go),
// without which people who hardly contradict themselves seem noisier than they are. The kinds
// are: tastes that are everybody's own, f_u ~ N(μ, σ²I); those of people who are not equally
// reliable, c_u times as large with log c_u ~ N(0, ω²) in a few levels; factors beside them,
// N(μ, VVᵀ + σ²I), whose columns have one precision or, started there, precisions of their
// own (ARD) so that those which votes do not call for go, whichever scores higher; both at
// several σ², for together with V it stalls far from the truth; and segments,
// Σ_k π_k N(μ_k, σ²I), two and more as long as the score grows. V starts along the directions in which more variance
// makes the votes likelier, segments from clusters of people's posterior means: nothing is
// drawn. Steps are taken in the coordinates in which the expected curvature is one, and
// the same curvature says how far votes settled a parameter. A person is then a Blend: a
// Gaussian for each class of each member, weighed by the member, and within it by how
// likely the class makes the person's votes.
//
//	f, err := population.LearnFamily(ctx, people, nil, 1, nil)
//	q, err := f.Posterior(u)
//	p := q.Prefer(i, j)
//
// Items and people are known by their votes alone, and it takes some hundred evaluations:
// Blends says for whom. For all others there is one form.
//
// # One population
//
// Learn climbs the penalised evidence over S = s(AAᵀ + kK + (1−k)I) and
// m_u = t + G·x_u by L-BFGS; the penalty on the factors picks the rank by itself.
// LearnFull finds any covariance under an inverse-Wishart prior by closed-form EM;
// it is nearly as good for few items, in a third of the time.
//
// People may be inferred wherever their votes are. The climb asks an Evaluator one Query
// at a time; a Shard answers for the people of one machine, and LearnFrom goes on with
// any other. What a group of people tells is a value (Statistics) that can be sent as bytes
// and adds to that of other groups, to the same bits in any order and grouping (Sum).
//
// Steps are scaled by the information that votes have on each item, which halves
// the number of evaluations.
//
// All settings come from the training votes or are fixed: none is looked up on
// a test set. The scale s, the share k, the spread of the mean and the relevances
// of person features are learnt; the number of factors is a cap, below which the
// penalty decides. Length-scales are medians: ChooseKernel picks among half, once
// and twice that by the evidence of people who were not learnt from, which on the
// SUSHI data changes nothing that can be measured for more than three times the
// work, so it is not the default.
//
// # Laws
//
// Tested for all rules, and with answers: gradients equal finite differences; item space equals
// pair space, and both that of a root; an answer about two items is a vote; statistics of groups, sent as bytes, add up to
// those of all, in any order and grouping to the same bits, and people in shards are learnt
// as those of one machine; jitter and improper cavities are counted; folding in equals the person inside a fit; one goroutine and many
// give the same bits, of a family too; its evidence without factors is that of the engine,
// a mixture of one class, or level of reliability, is own tastes, what classes are called does not matter, and the
// rule of the precisions stays where the evidence is flat; a resumed run equals an uninterrupted one; bounds never
// fall over EM steps; the matrix-free eigen step equals the dense one; renaming
// and turning round do what they should.
//
// # Memory and work
//
// With N items, D factors, m_u items and P_u pairs of person u: 20 bytes a pair,
// 16N² bytes for the item kernel and its factor (nothing without item features)
// and 8N² more between rounds (nothing above 20,000 items without features);
// O(max m_u²) for each goroutine. Nothing is kept of Σ m_u². Memory says so
// beforehand. A person is a unit of work, the largest first; statistics wait in
// batches of 32 MB and are added up in a fixed order.
//
// A Spool takes votes to disk where they do not fit in memory: sorted by person
// and by work, in files that are mapped into memory a batch at a time, with the
// sites beside them. What is learnt is the same to the last bit. Only a
// checkpoint that is resumed from holds all sites for a moment.
package population
