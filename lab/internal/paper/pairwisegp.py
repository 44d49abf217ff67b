"""BoTorch's PairwiseGP on votes between points: reads tasks as JSON, one a line, and answers
each with the chances of the pairs asked about and the processor time that they took."""

import json
import sys
import time

import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood
from botorch.models.transforms.input import Normalize

torch.set_num_threads(1)
torch.set_default_dtype(torch.double)


def answer(task):
    torch.manual_seed(task["seed"] % 2**31)
    points = torch.tensor(task["points"])
    known = points[: task["known"]]
    votes = torch.tensor(task["votes"])
    start = time.process_time()
    model = PairwiseGP(known, votes, input_transform=Normalize(d=points.shape[-1]))
    fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    model.eval()
    with torch.no_grad():
        posterior = model.posterior(points)
        mean = posterior.mean.squeeze(-1)
        cov = posterior.distribution.covariance_matrix
        a, b = torch.tensor(task["asked"]).T
        # A vote of the model is the sign of the difference with noise N(0, 2).
        spread = 2 + cov[a, a] + cov[b, b] - 2 * cov[a, b]
        chances = torch.special.ndtr((mean[a] - mean[b]) / spread.clamp_min(1e-9).sqrt())
    return {"chances": chances.tolist(), "cpu": time.process_time() - start}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
