"""Every method by its name: what `cole train` offers."""

from cole import settings
from cole.config.training import TrainCole, TrainSP
from cole.method import Method
from cole.methods import best_response, e3t, fcp, hsp, mep, op, pbt, ppo_bc, trajedi

METHODS: dict[str, Method] = {
    "sp": Method(TrainSP, settings.ready_self_play),
    "cole": Method(TrainCole, settings.ready_cole),
    "pbt": pbt.METHOD,
    "fcp": fcp.METHOD,
    "mep": mep.METHOD,
    "trajedi": trajedi.METHOD,
    "hsp": hsp.METHOD,
    "op": op.METHOD,
    "e3t": e3t.METHOD,
    "ppo_bc": ppo_bc.METHOD,
    "best_response": best_response.METHOD,
}
