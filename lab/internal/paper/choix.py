# Answers a line with a line: scores by which items were chosen from among others, by choix
# (Maystre), the most likely ones under the penalty that it has by default.
import json
import sys

import choix

for line in sys.stdin:
    q = json.loads(line)
    choices = [(c[0], tuple(c[1:])) for c in q["choices"]]
    print(json.dumps(list(choix.opt_top1(q["items"], choices))), flush=True)
