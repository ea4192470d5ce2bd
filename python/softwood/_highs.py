"""Mixed-integer programs of the core, solved by HiGHS; needs ``pip install "softwood[mip]"``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Answer = tuple["list[float] | None", float, int, bool, list[tuple[float, float, float]]]
Solver = Callable[
    [dict[str, Any], "NDArray[np.float64]", "float | None", Callable[[], bool]], Answer
]


def highs_solver(n_threads: int | None) -> Solver:
    """Return what the core calls to have a program solved.

    Raises
    ------
    ImportError
        If HiGHS is not installed.
    """
    try:
        import highspy
    except ImportError as missing:
        raise ImportError(
            "solver='mip' and solver='paper' need HiGHS: pip install \"softwood[mip]\""
        ) from missing

    def solve(
        program: dict[str, Any],
        start: NDArray[np.float64],
        seconds: float | None,
        stopped: Callable[[], bool],
    ) -> Answer:
        make: Any = highspy.Highs  # which has no types
        highs = make()
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("mip_rel_gap", 0.0)
        if n_threads is not None:
            highs.setOptionValue("threads", n_threads)
        if seconds is not None:
            highs.setOptionValue("time_limit", max(seconds, 0.01))
        highs.passModel(_model(highspy, program))
        begun = highspy.HighsSolution()
        begun.col_value = start.tolist()
        highs.setSolution(begun)
        return _run(highspy, highs, stopped)

    return solve


def _model(highspy: Any, program: dict[str, Any]) -> Any:
    """Return the program as HiGHS takes it."""
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program["cost"]), len(program["row_lower"])
    model.col_cost_ = program["cost"]
    model.col_lower_, model.col_upper_ = program["lower"], program["upper"]
    model.row_lower_, model.row_upper_ = program["row_lower"], program["row_upper"]
    matrix = model.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = model.num_col_, model.num_row_
    matrix.start_ = program["starts"].astype(np.int32)
    matrix.index_ = program["indices"].astype(np.int32)
    matrix.value_ = program["values"]
    kinds = highspy.HighsVarType
    model.integrality_ = [
        kinds.kInteger if one else kinds.kContinuous for one in program["integer"].tolist()
    ]
    return model


def _run(highspy: Any, highs: Any, stopped: Callable[[], bool]) -> Answer:
    """Return what HiGHS finds until it is done, out of time or stopped.

    The best solution is kept as it comes: after an interruption HiGHS may not return it.
    """
    kept: list[Any] = [None]
    course: list[tuple[float, float, float]] = []

    def keep(event: Any) -> None:
        data = event.data_out
        kept[0] = np.array(data.mip_solution)
        note(data, data.objective_function_value)

    def look_up(event: Any) -> None:
        if stopped():
            event.interrupt()

    def log(event: Any) -> None:
        note(event.data_out, event.data_out.mip_primal_bound)
        look_up(event)

    def note(data: Any, objective: float) -> None:
        if np.isfinite(objective) and np.isfinite(data.mip_dual_bound):
            course.append((data.running_time, objective, data.mip_dual_bound))

    highs.cbMipImprovingSolution += keep
    highs.cbMipLogging += log
    highs.cbMipInterrupt += look_up
    highs.cbSimplexInterrupt += look_up
    highs.run()
    info, status = highs.getInfo(), highs.getModelStatus()
    solution = highs.getSolution()
    feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = np.array(solution.col_value) if feasible else kept[0]
    bound = info.mip_dual_bound
    return (
        None if values is None or not len(values) else values.tolist(),
        float(bound) if np.isfinite(bound) else 0.0,
        max(int(info.mip_node_count), 0),
        status == highspy.HighsModelStatus.kOptimal,
        course,
    )
