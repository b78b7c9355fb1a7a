# Numbers of tensors in containers (exporter/passes/lower/number_items.h), and the gradients that belong to them: a
# tensor without elements stands for none.


def next_number(gradients: List[Tensor]) -> int:
  gradients.append(torch.zeros([0]))
  return len(gradients) - 1

def next_numbers(gradients: List[Tensor], items: List[Tensor]) -> int:
  first = len(gradients)
  none = torch.zeros([0])
  for i in range(len(items)):
    gradients.append(none)
  return first

def numbered(item: Optional[Tensor], number: int) -> Optional[Tuple[Tensor, int]]:
  pair: Optional[Tuple[Tensor, int]] = None
  if item is not None:
    pair = (item, number)
  return pair

def unnumbered(pair: Optional[Tuple[Tensor, int]]) -> Tuple[Optional[Tensor], int]:
  item: Optional[Tensor] = None
  number = -1
  if pair is not None:
    item = pair[0]
    number = pair[1]
  return (item, number)

def numbered_list(items: List[Tensor], first: int) -> List[Tuple[Tensor, int]]:
  pairs: List[Tuple[Tensor, int]] = []
  for i in range(len(items)):
    pairs.append((items[i], first + i if first >= 0 else -1))
  return pairs

def unnumbered_list(pairs: List[Tuple[Tensor, int]]) -> Tuple[List[Tensor], List[int]]:
  items: List[Tensor] = []
  numbers: List[int] = []
  for i in range(len(pairs)):
    items.append(pairs[i][0])
    numbers.append(pairs[i][1])
  return (items, numbers)


# ---- Gradients ----

def give(gradients: List[Tensor], number: int, grad: Tensor) -> int:
  if number >= 0:
    known = gradients[number]
    gradients[number] = grad if torch.numel(known) == 0 else torch.add(known, grad)
  return 0

def give_all(gradients: List[Tensor], numbers: List[int], grads: List[Tensor]) -> int:
  for i in range(len(numbers)):
    if numbers[i] >= 0:
      known = gradients[numbers[i]]
      gradients[numbers[i]] = grads[i] if torch.numel(known) == 0 else torch.add(known, grads[i])
  return 0

def take(gradients: List[Tensor], number: int, item: Tensor) -> Tensor:
  grad = gradients[number]
  gradients[number] = torch.zeros([0])
  return torch.zeros_like(item) if torch.numel(grad) == 0 else grad

def take_of_some(gradients: List[Tensor], number: int, item: Optional[Tensor]) -> Tensor:
  grad = gradients[number]
  gradients[number] = torch.zeros([0])
  if item is not None:
    if torch.numel(grad) == 0:
      grad = torch.zeros_like(item)
  return grad

def take_all(gradients: List[Tensor], first: int, items: List[Tensor]) -> List[Tensor]:
  taken: List[Tensor] = []
  for i in range(len(items)):
    grad = gradients[first + i]
    gradients[first + i] = torch.zeros([0])
    taken.append(torch.zeros_like(items[i]) if torch.numel(grad) == 0 else grad)
  return taken

# ---- Whether gradients are there at run time (exporter/passes/lower/reverse.h) ----

def either(a: bool, b: bool) -> bool:
  return a | b

def opposite(a: bool) -> bool:
  return not a

def has_turn(turns: int) -> bool:
  return turns > 0

def used(grad: Tensor, is_there: bool) -> Tensor:
  if not is_there:
    ops.prim.RaiseException("One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.")
  return grad

def if_used(grad: Tensor, is_there: bool) -> Optional[Tensor]:
  return grad if is_there else None

def no_gradients(items: List[Tensor]) -> List[Tensor]:
  return [torch.zeros_like(t) for t in items]

# ---- Gradients that outlive the call (exporter/passes/lower/keep_gradients.h) ----

# What .grad of a parameter is after `more` was added to what it was.
def kept_gradient(leaf: Tensor, known: Optional[Tensor], more: Tensor, is_there: bool) -> Optional[Tensor]:
  if not is_there or not leaf.requires_grad:
    return known
  if known is None:
    return torch.clone(more, memory_format=0)
  return torch.add_(known, more)

# The same where further gradients may be asked of it.
def kept_graph(leaf: Tensor, known: Optional[Tensor], more: Tensor, is_there: bool) -> Optional[Tensor]:
  if not is_there or not leaf.requires_grad:
    return known
  if known is None:
    return torch.clone(more, memory_format=0)
  return torch.add(known, more)

# What .grad of the leaf is that v is; None: it is none of them.
def gradient_among(v: Tensor, leaves: List[Tensor], gradients: List[Optional[Tensor]]) -> Optional[Tensor]:
  found: Optional[Tensor] = None
  for i in range(len(leaves)):
    if v is leaves[i]:
      found = gradients[i]
  return found
