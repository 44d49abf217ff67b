# Answers a line with a line: chances of pairs at a time, by kickscore (Maystre, Kristof and
# Grossglauser 2019), whose kernel, variance and length-scale are the likeliest of a grid.
import json
import sys

import kickscore as ks


def answer(q):
    best, chosen = None, None
    for kind in (ks.kernel.Exponential, ks.kernel.Matern32):
        for var in q["variances"]:
            for length in q["lengths"]:
                model = ks.BinaryModel(obs_type="probit")
                kernel = ks.kernel.Constant(var=q["constant"]) + kind(var=var, lscale=length)
                for i in range(q["items"]):
                    model.add_item(str(i), kernel=kernel)
                for winner, loser, time in q["votes"]:
                    model.observe(winners=[str(winner)], losers=[str(loser)], t=float(time))
                model.fit(max_iter=100)
                if best is None or model.log_likelihood > best:
                    best, chosen = model.log_likelihood, model
    at = float(q["at"])
    return [chosen.probabilities([str(a)], [str(b)], t=at)[0] for a, b in q["pairs"]]


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
