"""Learn what people prefer from votes between pairs.

    board = palate.rank(votes)              a leaderboard, from a frame or a file
    model = palate.fit(votes)               a model, to ask
    model.board(user="ann")                 the board of a voter
    model.predict([("Assam", "Sencha")])    chances of pairs
    model = palate.Model.load("m.palate")   a model that palate fit wrote

The work is done by the palate binary. Options are those of the command line, as in
``palate.fit(votes, model="crowd", seed=3, skip_bad=True)``: see ``palate fit --help``.
"""

from ._binary import __version__, find_binary
from ._errors import BinaryError, PalateError, ServerError, UsageError
from ._model import Draws, Model, compare, fit, plot, rank
from ._run import command
from ._tables import Board, Chart, Comparison, Table
from .client import Client, ServedBoard, ServedModel

__all__ = [
    "BinaryError",
    "Board",
    "Chart",
    "Client",
    "Comparison",
    "Draws",
    "Model",
    "PalateError",
    "ServedBoard",
    "ServedModel",
    "ServerError",
    "Table",
    "UsageError",
    "__version__",
    "command",
    "compare",
    "find_binary",
    "fit",
    "plot",
    "rank",
]
