# The table of tensors that are written to under names which are told apart at run time only
# (exporter/passes/lower/tensor_table.h). An entry has the elements in the order in which they lay in memory at first;
# names are views of that memory.


# The elements of made in the order in which those of name lie.
def table_flat(name: Tensor, made: Tensor) -> Tensor:
  if torch.is_contiguous(name):
    return torch.flatten(made)
  order: List[int] = []
  for i in range(torch.dim(name)):
    at = len(order)
    while at > 0 and torch.stride(name, order[at - 1]) < torch.stride(name, i):
      at -= 1
    order.insert(at, i)
  return torch.flatten(torch.permute(made, order))

def table_number(table: List[Tensor], versions: List[int], made: Tensor) -> int:
  table.append(__torch__.torch.derivatives.table.table_flat(made, made))
  versions.append(0)
  return len(table) - 1

# Of an argument or an attribute, whose memory may be that of others: a negative number, which is not written to.
def table_given(table: List[Tensor], versions: List[int], name: Tensor, made: Tensor) -> int:
  table.append(__torch__.torch.derivatives.table.table_flat(name, made))
  versions.append(0)
  return -1 - (len(table) - 1)

def table_given_name(made: Tensor) -> Tensor:
  return torch.empty(torch.size(made), dtype=made.dtype)

def table_entry(table: List[Tensor], number: int) -> Tensor:
  return table[number if number >= 0 else -1 - number]

def table_check(number: int):
  if number < 0:
    ops.prim.RaiseException("gradients do not pass through a write to an argument or an attribute under a name that is decided when the program runs")

# How often the entry was written to.
def table_version(versions: List[int], number: int) -> int:
  return versions[number if number >= 0 else -1 - number]

# Before a formula reads what the entry held in this version. A gradient of zeros comes from a branch that was not
# taken, too, where PyTorch reads nothing.
def table_check_version(versions: List[int], number: int, version: int, grad: Tensor):
  if __torch__.torch.derivatives.table.table_version(versions, number) != version:
    if bool(torch.any(grad)):
      ops.prim.RaiseException("one of the variables needed for gradient computation has been modified by an inplace operation")

def table_name(made: Tensor) -> Tensor:
  return torch.detach(made)

def table_part(table: List[Tensor], number: int, name: Tensor) -> Tensor:
  return torch.as_strided(__torch__.torch.derivatives.table.table_entry(table, number), torch.size(name), torch.stride(name), torch.storage_offset(name))

def table_whole(table: List[Tensor], number: int, name: Tensor) -> Tensor:
  if torch.is_contiguous(name):
    return torch.reshape(__torch__.torch.derivatives.table.table_entry(table, number), torch.size(name))
  return __torch__.torch.derivatives.table.table_part(table, number, name)

def table_write(table: List[Tensor], versions: List[int], number: int, name: Tensor, made: Tensor):
  __torch__.torch.derivatives.table.table_check(number)
  versions[number] += 1
  table[number] = torch.as_strided_scatter(table[number], made, torch.size(name), torch.stride(name), torch.storage_offset(name))

def table_write_whole(table: List[Tensor], versions: List[int], number: int, name: Tensor, made: Tensor):
  __torch__.torch.derivatives.table.table_check(number)
  versions[number] += 1
  table[number] = __torch__.torch.derivatives.table.table_flat(name, made)

# Of what is a view of the name, or a copy: reshape, contiguous.
def table_same(table: List[Tensor], versions: List[int], number: int, name: Tensor, again: Tensor, made: Tensor) -> int:
  if torch.is_set_to(torch.as_strided(again, [0], [1], 0), torch.as_strided(name, [0], [1], 0)):
    return number
  return __torch__.torch.derivatives.table.table_number(table, versions, made)

# ---- Lists ----

def table_views(views: List[Tensor], number: int) -> List[Tuple[Tensor, int]]:
  pairs: List[Tuple[Tensor, int]] = []
  for i in range(len(views)):
    pairs.append((views[i], number))
  return pairs

def table_add_all(table: List[Tensor], versions: List[int], made: List[Tensor]) -> List[Tuple[Tensor, int]]:
  pairs: List[Tuple[Tensor, int]] = []
  for i in range(len(made)):
    pairs.append((torch.detach(made[i]), __torch__.torch.derivatives.table.table_number(table, versions, made[i])))
  return pairs

def table_all(table: List[Tensor], pairs: List[Tuple[Tensor, int]]) -> List[Tensor]:
  made: List[Tensor] = []
  for i in range(len(pairs)):
    made.append(__torch__.torch.derivatives.table.table_part(table, pairs[i][1], pairs[i][0]))
  return made
