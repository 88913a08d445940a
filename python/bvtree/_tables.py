"""Tables: dicts of arrays of the same length."""


def to_pandas(table):
    """A pandas frame of a table or of a structured array.

    Args:
        table: What `metrics`, `compare` or `Scene.clash` gives, or a structured array such as `closest` gives for many
            poses. Fields of several numbers become columns such as `on_a_0`.

    Raises:
        ImportError: If pandas is not installed.
    """
    import pandas

    if isinstance(table, dict):
        return pandas.DataFrame(table)
    columns = {}
    for name in table.dtype.names:
        field = table[name].reshape(len(table), -1)
        for place in range(field.shape[1]):
            columns[name if field.shape[1] == 1 else f"{name}_{place}"] = field[:, place]
    return pandas.DataFrame(columns)
