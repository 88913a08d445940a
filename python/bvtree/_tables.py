"""Tables: dicts of arrays of the same length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bvtree._types import Table


def to_pandas(table: Union[Table, NDArray[Any]]) -> Any:
    """Converts a table or a structured array to a pandas DataFrame.

    Args:
        table: The result of `metrics`, `compare` or `Scene.clash`, or a structured array such as that of
            `closest_points` for many poses. Fields of several numbers become columns such as `on_a_0`.

    Raises:
        ImportError: If pandas is not installed.
        TypeError: If `table` is neither.
    """
    import pandas

    if isinstance(table, dict):
        return pandas.DataFrame(table)
    if getattr(getattr(table, "dtype", None), "names", None) is None:
        raise TypeError(f"expected a dict of arrays or a structured array, got {type(table).__name__}")
    columns = {}
    for name in table.dtype.names:
        field = table[name].reshape(len(table), -1)
        for place in range(field.shape[1]):
            columns[name if field.shape[1] == 1 else f"{name}_{place}"] = field[:, place]
    return pandas.DataFrame(columns)
