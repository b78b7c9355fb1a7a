# The handle of a block that a profiler would be told of; there is none.


class _RecordFunction:
  def __init__(self: __torch__.torch.classes.profiler._RecordFunction) -> NoneType:
    pass
