"""Writes votes.csv and reference.json: the figures of comparative judgement by their
definitions, with a general optimiser, for TestReference. Needs numpy and scipy."""

import csv
import json

import numpy as np
from scipy.optimize import minimize

rng = np.random.default_rng(5)
items = ["best", "a", "b", "c", "d", "e", "f"]
truth = np.array([3, 1.2, 0.7, 0.0, -0.3, -0.9, -1.4])
judges = ["ann", "bob", "cai", "dee", "eve"]
votes = []
for judge in judges:
    for _ in range(24):
        i, j = rng.choice(len(items), 2, replace=False)
        p = 1 / (1 + np.exp(truth[j] - truth[i]))
        y = float(rng.random() < (p if judge != "eve" else 0.5))
        if items[i] == "best" or items[j] == "best":
            y = float(items[i] == "best")
        elif rng.random() < 0.1:
            y = 0.5
        votes.append((judge, i, j, y))
with open("votes.csv", "w", newline="") as f:
    out = csv.writer(f, lineterminator="\n")
    out.writerow(["user", "left", "right", "winner"])
    for judge, i, j, y in votes:
        out.writerow([judge, items[i], items[j], {1.0: "left", 0.0: "right", 0.5: "tie"}[y]])

n = len(items)


def information(theta):
    total = np.zeros((n, n))
    for _, i, j, _ in votes:
        p = 1 / (1 + np.exp(theta[j] - theta[i]))
        x = np.zeros(n)
        x[i], x[j] = 1, -1
        total += p * (1 - p) * np.outer(x, x)
    return total


def objective(free):
    theta = np.append(free, -free.sum())
    log_likelihood = sum(y * -np.log1p(np.exp(theta[j] - theta[i])) + (1 - y) * -np.log1p(np.exp(theta[i] - theta[j])) for _, i, j, y in votes)
    # The determinant of the information in the space of differences.
    values = np.linalg.eigvalsh(information(theta))[1:]
    return -(log_likelihood + np.log(values).sum() / 2)


found = minimize(objective, np.zeros(n - 1), method="BFGS", options={"gtol": 1e-9})
theta = np.append(found.x, -found.x.sum())
se = np.sqrt(np.diag(np.linalg.pinv(information(theta))))
sd, rmse = theta.std(ddof=1), np.sqrt((se**2).mean())


def fit(rows):
    top = bottom = relative = 0.0
    for _, i, j, y in rows:
        p = 1 / (1 + np.exp(theta[j] - theta[i]))
        top += (y - p) ** 2
        bottom += p * (1 - p)
        relative += (y - p) ** 2 / (p * (1 - p))
    return [top / bottom, relative / len(rows)]


json.dump(
    {
        "score": dict(zip(items, theta.tolist())),
        "se": dict(zip(items, se.tolist())),
        "sd": sd,
        "rmse": rmse,
        "separation": np.sqrt((sd**2 - rmse**2) / rmse**2),
        "reliability": (sd**2 - rmse**2) / sd**2,
        "items": {name: fit([v for v in votes if k in v[1:3]]) for k, name in enumerate(items)},
        "judges": {name: fit([v for v in votes if v[0] == name]) for name in judges},
    },
    open("reference.json", "w"),
    indent=1,
)
