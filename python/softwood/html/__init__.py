"""Pages: a model as a part of a page that needs nothing from elsewhere, and the report of a fit."""

from .report import report_page
from .tree import model_html

__all__ = ["model_html", "report_page"]
