# Recurrent layers made of operators that have derivatives: what stands for them where a function asks for gradients
# (NAME__by_operators, see exporter/passes/lower/spell_out.h).


def lstm_step(gates: Tensor, c: Tensor) -> Tuple[Tensor, Tensor]:
  i, f, g, o = torch.chunk(gates, 4, -1)
  cell = torch.add(torch.mul(torch.sigmoid(f), c), torch.mul(torch.sigmoid(i), torch.tanh(g)))
  return (torch.mul(torch.sigmoid(o), torch.tanh(cell)), cell)

def gru_step(inputs: Tensor, hidden: Tensor, h: Tensor) -> Tensor:
  r, z, n = torch.chunk(inputs, 3, -1)
  of_r, of_z, of_n = torch.chunk(hidden, 3, -1)
  new = torch.tanh(torch.add(n, torch.mul(torch.sigmoid(torch.add(r, of_r)), of_n)))
  return torch.add(new, torch.mul(torch.sigmoid(torch.add(z, of_z)), torch.sub(h, new)))

def aten_lstm_cell__by_operators(input: Tensor, hx: List[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Optional[Tensor], b_hh: Optional[Tensor]) -> Tuple[Tensor, Tensor]:
  gates = torch.add(torch.linear(input, w_ih, b_ih), torch.linear(hx[0], w_hh, b_hh))
  return __torch__.torch.derivatives.recurrent.lstm_step(gates, hx[1])

def aten_gru_cell__by_operators(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Optional[Tensor], b_hh: Optional[Tensor]) -> Tensor:
  return __torch__.torch.derivatives.recurrent.gru_step(torch.linear(input, w_ih, b_ih), torch.linear(hx, w_hh, b_hh), hx)

def aten_rnn_tanh_cell__by_operators(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Optional[Tensor], b_hh: Optional[Tensor]) -> Tensor:
  return torch.tanh(torch.add(torch.linear(input, w_ih, b_ih), torch.linear(hx, w_hh, b_hh)))

def aten_rnn_relu_cell__by_operators(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Optional[Tensor], b_hh: Optional[Tensor]) -> Tensor:
  return torch.relu(torch.add(torch.linear(input, w_ih, b_ih), torch.linear(hx, w_hh, b_hh)))

# ---- All turns at once: what the gradients read is a few tensors, not some for each turn ----

def tsm_lstm_turns(input: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Optional[Tensor], b_hh: Optional[Tensor], h0: Tensor, c0: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
  gates = torch.linear(input, w_ih, b_ih)
  outputs = torch.empty([torch.size(gates, 0), torch.size(gates, 1), torch.size(h0, 1)], dtype=gates.dtype)
  cells = torch.empty_like(outputs)
  h = h0
  c = c0
  for t in range(torch.size(gates, 0)):
    i, f, g, o = torch.chunk(torch.add_(torch.select(gates, 0, t), torch.linear(h, w_hh, b_hh)), 4, -1)
    torch.sigmoid_(i)
    torch.sigmoid_(f)
    torch.tanh_(g)
    torch.sigmoid_(o)
    c = torch.copy_(torch.select(cells, 0, t), torch.add(torch.mul(f, c), torch.mul(i, g)))
    h = torch.copy_(torch.select(outputs, 0, t), torch.mul(o, torch.tanh(c)))
  return (outputs, gates, cells, torch.clone(c))

def tsm_lstm_turns__gradients(grad: Tensor, grad3: Tensor, result: Tensor, result1: Tensor, result2: Tensor, input: Tensor, w_ih: Tensor, w_hh: Tensor, h0: Tensor, c0: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
  return __torch__.torch.derivatives.recurrent.lstm_gradients(grad, grad3, result, result1, result2, torch.empty_like(result1), input, w_ih, w_hh, h0, c0)

def tsm_lstm_turns__last_gradients(grad: Tensor, grad3: Tensor, result: Tensor, result1: Tensor, result2: Tensor, input: Tensor, w_ih: Tensor, w_hh: Tensor, h0: Tensor, c0: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
  return __torch__.torch.derivatives.recurrent.lstm_gradients(grad, grad3, result, result1, result2, result1, input, w_ih, w_hh, h0, c0)

# of_gates: memory for the gradients of the gates before they were squashed, which may be that of `gates`.
def lstm_gradients(grad: Tensor, of_last: Tensor, outputs: Tensor, gates: Tensor, cells: Tensor, of_gates: Tensor, input: Tensor, w_ih: Tensor, w_hh: Tensor, h0: Tensor, c0: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
  turns = torch.size(outputs, 0)
  of_h = torch.zeros_like(h0)
  of_c = of_last
  for k in range(turns):
    t = turns - 1 - k
    i, f, g, o = torch.chunk(torch.select(gates, 0, t), 4, -1)
    before = c0
    if t > 0:
      before = torch.select(cells, 0, t - 1)
    of_h = torch.add(of_h, torch.select(grad, 0, t))
    squashed = torch.tanh(torch.select(cells, 0, t))
    of_o = torch.mul(torch.mul(of_h, squashed), torch.mul(o, torch.rsub(o, 1)))
    of_c = torch.add(of_c, torch.mul(torch.mul(of_h, o), torch.rsub(torch.mul(squashed, squashed), 1)))
    of_i = torch.mul(torch.mul(of_c, g), torch.mul(i, torch.rsub(i, 1)))
    of_f = torch.mul(torch.mul(of_c, before), torch.mul(f, torch.rsub(f, 1)))
    of_g = torch.mul(torch.mul(of_c, i), torch.rsub(torch.mul(g, g), 1))
    of_c = torch.mul(of_c, f)
    own = torch.copy_(torch.select(of_gates, 0, t), torch.cat([of_i, of_f, of_g, of_o], -1))
    of_h = torch.mm(own, w_hh)
  of_b = torch.sum(of_gates, [0, 1])
  of_w_hh = __torch__.torch.derivatives.recurrent.of_hidden_weights(of_gates, outputs, h0)
  of_w_ih = torch.mm(torch.t(torch.flatten(of_gates, 0, 1)), torch.flatten(input, 0, 1))
  return (torch.matmul(of_gates, w_ih), of_w_ih, of_w_hh, of_b, of_b, of_h, of_c)

# Of the weights that each turn multiplies what the one before gave with.
def of_hidden_weights(of_gates: Tensor, outputs: Tensor, h0: Tensor) -> Tensor:
  first = torch.mm(torch.t(torch.select(of_gates, 0, 0)), h0)
  later = torch.mm(torch.t(torch.flatten(torch.slice(of_gates, 0, 1), 0, 1)), torch.flatten(torch.slice(outputs, 0, 0, -1), 0, 1))
  return torch.add_(later, first)

# One direction of one layer over x [steps, batch, features]; its parameters stand in params from `at` on.
def direction(kind: int, x: Tensor, h0: Tensor, c0: Tensor, params: List[Tensor], at: int, has_biases: bool, has_projection: bool, backward: bool) -> Tuple[Tensor, Tensor, Tensor]:
  b_ih: Optional[Tensor] = None
  b_hh: Optional[Tensor] = None
  if has_biases:
    b_ih = params[at + 2]
    b_hh = params[at + 3]
  seen = x
  if backward:
    seen = torch.flip(x, [0])
  h = h0
  c = c0
  if kind == 4 and not has_projection:
    y, _0, _1, c = ops.tsm.lstm_turns(seen, params[at], params[at + 1], b_ih, b_hh, h0, c0)
    h = torch.select(y, 0, -1)
  else:
    inputs = torch.linear(seen, params[at], b_ih)
    outs: List[Tensor] = []
    for t in range(torch.size(x, 0)):
      hidden = torch.linear(h, params[at + 1], b_hh)
      step = torch.select(inputs, 0, t)
      if kind == 0 or kind == 4:
        h, c = __torch__.torch.derivatives.recurrent.lstm_step(torch.add(step, hidden), c)
        if has_projection:
          h = torch.linear(h, params[at + (4 if has_biases else 2)])
      elif kind == 1:
        h = __torch__.torch.derivatives.recurrent.gru_step(step, hidden, h)
      elif kind == 2:
        h = torch.tanh(torch.add(step, hidden))
      else:
        h = torch.relu(torch.add(step, hidden))
      outs.append(h)
    y = torch.stack(outs)
  if backward:
    y = torch.flip(y, [0])
  return (y, h, c)

def layers(kind: int, input: Tensor, h0: Tensor, c0: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> Tuple[Tensor, Tensor, Tensor]:
  x = input
  if batch_first:
    x = torch.transpose(x, 0, 1)
  directions = 2 if bidirectional else 1
  each = len(params) // (num_layers * directions)
  has_projection = each == (5 if has_biases else 3)
  hs: List[Tensor] = []
  cs: List[Tensor] = []
  for l in range(num_layers):
    made: List[Tensor] = []
    for d in range(directions):
      i = l * directions + d
      y, h, c = __torch__.torch.derivatives.recurrent.direction(kind, x, torch.select(h0, 0, i), torch.select(c0, 0, i), params, i * each, has_biases, has_projection, d == 1)
      made.append(y)
      hs.append(h)
      cs.append(c)
    x = torch.cat(made, 2)
    if l < num_layers - 1 and train and dropout > 0.0:
      x = torch.dropout(x, dropout, True)
  if batch_first:
    x = torch.transpose(x, 0, 1)
  return (x, torch.stack(hs), torch.stack(cs))

def aten_lstm_input__by_operators(input: Tensor, hx: List[Tensor], params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> Tuple[Tensor, Tensor, Tensor]:
  return __torch__.torch.derivatives.recurrent.layers(0, input, hx[0], hx[1], params, has_biases, num_layers, dropout, train, bidirectional, batch_first)

# Where no gradients of gradients are asked for.
def aten_lstm_input__by_turns(input: Tensor, hx: List[Tensor], params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> Tuple[Tensor, Tensor, Tensor]:
  return __torch__.torch.derivatives.recurrent.layers(4, input, hx[0], hx[1], params, has_biases, num_layers, dropout, train, bidirectional, batch_first)

def aten_gru_input__by_operators(input: Tensor, hx: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> Tuple[Tensor, Tensor]:
  y, h, _0 = __torch__.torch.derivatives.recurrent.layers(1, input, hx, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
  return (y, h)

def aten_rnn_tanh_input__by_operators(input: Tensor, hx: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> Tuple[Tensor, Tensor]:
  y, h, _0 = __torch__.torch.derivatives.recurrent.layers(2, input, hx, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
  return (y, h)

def aten_rnn_relu_input__by_operators(input: Tensor, hx: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool, batch_first: bool) -> Tuple[Tensor, Tensor]:
  y, h, _0 = __torch__.torch.derivatives.recurrent.layers(3, input, hx, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
  return (y, h)

# ---- Packed sequences: the rows of all that are so long, step by step ----

# The rows of steps that were made from the last one on, in the order of steps.
def forward_order(counts: List[int]) -> Tensor:
  at = 0
  for n in counts:
    at = at + n
  pieces: List[Tensor] = []
  for n in counts:
    pieces.append(torch.arange(at - n, at))
    at = at - n
  return torch.cat(pieces)

def packed_direction(kind: int, x: Tensor, counts: List[int], h0: Tensor, c0: Tensor, params: List[Tensor], at: int, has_biases: bool, has_projection: bool, backward: bool) -> Tuple[Tensor, Tensor, Tensor]:
  b_ih: Optional[Tensor] = None
  b_hh: Optional[Tensor] = None
  if has_biases:
    b_ih = params[at + 2]
    b_hh = params[at + 3]
  inputs = torch.linear(x, params[at], b_ih)
  h = h0
  c = c0
  batch = torch.size(h0, 0)
  row = torch.size(x, 0) if backward else 0
  outs: List[Tensor] = []
  for t in range(len(counts)):
    n = counts[len(counts) - 1 - t if backward else t]
    if backward:
      row = row - n
    own = torch.narrow(h, 0, 0, n)
    own_c = torch.narrow(c, 0, 0, n)
    hidden = torch.linear(own, params[at + 1], b_hh)
    step = torch.narrow(inputs, 0, row, n)
    if kind == 0:
      own, own_c = __torch__.torch.derivatives.recurrent.lstm_step(torch.add(step, hidden), own_c)
      if has_projection:
        own = torch.linear(own, params[at + (4 if has_biases else 2)])
    elif kind == 1:
      own = __torch__.torch.derivatives.recurrent.gru_step(step, hidden, own)
    elif kind == 2:
      own = torch.tanh(torch.add(step, hidden))
    else:
      own = torch.relu(torch.add(step, hidden))
    if not backward:
      row = row + n
    outs.append(own)
    h = torch.cat([own, torch.narrow(h, 0, n, batch - n)])
    c = torch.cat([own_c, torch.narrow(c, 0, n, batch - n)])
  y = torch.cat(outs)
  if backward:
    y = torch.index_select(y, 0, __torch__.torch.derivatives.recurrent.forward_order(counts))
  return (y, h, c)

def packed_layers(kind: int, data: Tensor, batch_sizes: Tensor, h0: Tensor, c0: Tensor, params: List[Tensor], has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool) -> Tuple[Tensor, Tensor, Tensor]:
  x = data
  counts = [int(batch_sizes[i]) for i in range(torch.numel(batch_sizes))]
  directions = 2 if bidirectional else 1
  each = len(params) // (num_layers * directions)
  has_projection = each == (5 if has_biases else 3)
  hs: List[Tensor] = []
  cs: List[Tensor] = []
  for l in range(num_layers):
    made: List[Tensor] = []
    for d in range(directions):
      i = l * directions + d
      y, h, c = __torch__.torch.derivatives.recurrent.packed_direction(kind, x, counts, torch.select(h0, 0, i), torch.select(c0, 0, i), params, i * each, has_biases, has_projection, d == 1)
      made.append(y)
      hs.append(h)
      cs.append(c)
    x = torch.cat(made, 1)
    if l < num_layers - 1 and train and dropout > 0.0:
      x = torch.dropout(x, dropout, True)
  return (x, torch.stack(hs), torch.stack(cs))
