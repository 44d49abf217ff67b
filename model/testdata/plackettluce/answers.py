"""Draw rankings, choices and best-worst answers, and find their most likely scores.

Rankings and choices are by choix; best-worst answers, which it does not have, by the
likelihood written out below and SciPy. Prints answers.json.
"""
import json
import sys

import choix
import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

rng = np.random.default_rng(7)


def order(theta, k):
    """Rank k items by exponential races, whose rates are exp(theta)."""
    items = rng.permutation(len(theta))[:k]
    return items[np.argsort(rng.exponential(size=k) / np.exp(theta[items]))].tolist()


def best_worst(items, answers, alpha):
    def loss(x):
        value = alpha * x @ x
        for a in answers:
            value += logsumexp(x[a]) - x[a[0]]  # the best of all
            value += logsumexp(-x[a[1:]]) + x[a[-1]]  # the worst of the others
        return value

    def slope(x):
        g = 2 * alpha * x
        for a in answers:
            a = np.array(a)
            g[a] += np.exp(x[a] - logsumexp(x[a]))
            g[a[0]] -= 1
            g[a[1:]] -= np.exp(-x[a[1:]] - logsumexp(-x[a[1:]]))
            g[a[-1]] += 1
        return g

    x = minimize(loss, np.zeros(items), jac=slope, method="BFGS", options={"gtol": 1e-9}).x
    assert np.abs(slope(x)).max() < 1e-6, np.abs(slope(x)).max()
    return x


cases = []
for items, k, n, alpha in [(6, 4, 30, 0.3), (12, 5, 40, 0.05), (8, 8, 10, 1.0)]:
    for form in ["ranking", "choice", "best and worst"]:
        answers = [order(rng.normal(size=items), k) for _ in range(n)]
        if form == "ranking":
            scores = choix.opt_rankings(items, [tuple(a) for a in answers], alpha, tol=1e-14)
        elif form == "choice":
            scores = choix.opt_top1(items, [(a[0], tuple(a[1:])) for a in answers], alpha, tol=1e-14)
        else:
            scores = best_worst(items, [np.array(a) for a in answers], alpha)
        cases.append({"form": form, "items": items, "alpha": alpha, "answers": answers, "scores": list(scores)})
json.dump(cases, sys.stdout)
print()
