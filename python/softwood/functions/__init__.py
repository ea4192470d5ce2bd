"""The functions users call, a file each: check the arguments, hand them to the compiled core."""

from .functional_orct import fit_functional_orct
from .functional_orct_cv import fit_functional_orct_cv
from .functional_orrt import fit_functional_orrt
from .functional_orrt_cv import fit_functional_orrt_cv
from .loading import load
from .orct import fit_orct
from .orct_cv import fit_orct_cv
from .orrt import fit_orrt
from .orrt_cv import fit_orrt_cv
from .spdt import fit_spdt
from .srt import fit_srt
from .srt_cv import fit_srt_cv
from .svm1_odt import fit_svm1_odt
from .theory import LambdaMax, VcBounds, lambda_max, vc_bounds

__all__ = [
    "LambdaMax",
    "VcBounds",
    "fit_functional_orct",
    "fit_functional_orct_cv",
    "fit_functional_orrt",
    "fit_functional_orrt_cv",
    "fit_orct",
    "fit_orct_cv",
    "fit_orrt",
    "fit_orrt_cv",
    "fit_spdt",
    "fit_srt",
    "fit_srt_cv",
    "fit_svm1_odt",
    "lambda_max",
    "load",
    "vc_bounds",
]
