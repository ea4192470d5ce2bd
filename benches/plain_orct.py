"""The settings of the papers' plain ORCT, where `fit_orct` would choose otherwise."""

PLAIN_SETTINGS = {
    "gamma": 512.0,
    "scaling": "minmax",
    "balance": False,
    "local_penalty": 0.0,
    "max_iter": 200,
}
