"""BoTorch's PairwiseGP with its EUBO: reads points of the unit cube and duels between them
as JSON, one task a line, and answers each with the pair to ask next, or with the point of the
highest posterior mean, and with the processor time that it took. Where BoTorch cannot fit the
hyper-parameters they are those that it starts from."""

import json
import sys
import time

import torch
from botorch.acquisition import PosteriorMean
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.exceptions.errors import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.optim import optimize_acqf

torch.set_num_threads(1)
torch.set_default_dtype(torch.double)


def answer(task):
    torch.manual_seed(task["seed"] % 2**31)
    points = torch.tensor(task["points"])
    duels = torch.tensor(task["duels"])
    start = time.process_time()
    model = PairwiseGP(points, duels)
    try:
        fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    except ModelFittingError:
        model = PairwiseGP(points, duels)
    number = task["number"]
    acquisition = AnalyticExpectedUtilityOfBestOption(pref_model=model) if number == 2 else PosteriorMean(model)
    bounds = torch.stack([torch.zeros(points.shape[-1]), torch.ones(points.shape[-1])])
    chosen, _ = optimize_acqf(acquisition, bounds=bounds, q=number, num_restarts=3, raw_samples=256)
    return {"points": chosen.tolist(), "cpu": time.process_time() - start}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
