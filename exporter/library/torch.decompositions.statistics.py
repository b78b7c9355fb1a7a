# Operators without kernels of their own, made of others (see torch.decompositions): sums, order statistics, counts and
# running values.

# ---- Means and variances ----

# The mean beside a variance is made of differences: it is no number where an element is infinite.
def mean_of_differences(mean: Tensor) -> Tensor:
  return mean + (mean - mean)


def aten_std_mean(self: Tensor, unbiased: bool) -> Tuple[Tensor, Tensor]:
  return (torch.std(self, unbiased), mean_of_differences(torch.mean(self)))


def aten_std_mean_dim(self: Tensor, dim: Optional[List[int]], unbiased: bool, keepdim: bool) -> Tuple[Tensor, Tensor]:
  return (torch.std(self, dim, unbiased, keepdim), mean_of_differences(torch.mean(self, dim, keepdim)))


def aten_std_mean_correction(self: Tensor, dim: Optional[List[int]], correction: Optional[number], keepdim: bool) -> Tuple[Tensor, Tensor]:
  return (torch.std(self, dim, correction=correction, keepdim=keepdim), mean_of_differences(torch.mean(self, dim, keepdim)))


def aten_var_mean(self: Tensor, unbiased: bool) -> Tuple[Tensor, Tensor]:
  return (torch.var(self, unbiased), mean_of_differences(torch.mean(self)))


def aten_nanmean(self: Tensor, dim: Optional[List[int]], keepdim: bool, dtype: Optional[int]) -> Tensor:
  if not torch.is_floating_point(self):
    ops.prim.RaiseException("nanmean(): expected input to have floating point dtype")
  return torch.nansum(self, dim, keepdim, dtype=dtype) / torch.sum(self == self, dim, keepdim)


def check_weights(w: Tensor, name: str, kind: str, is_of_kind: bool, count: int):
  if torch.dim(w) > 1:
    ops.prim.RaiseException(torch.format("cov(): expected {} to have one or fewer dimensions but got {} with {} dimensions", name, name, torch.dim(w)))
  if not is_of_kind:
    ops.prim.RaiseException(torch.format("cov(): expected {} to have {} dtype but got {} with {} dtype", name, kind, name,
                                         __torch__.torch.decompositions.derived.dtype_name(w.dtype)))
  if torch.numel(w) != count:
    ops.prim.RaiseException(torch.format("cov(): expected {} to have the same numel as there are observations in the input but got {} != {}",
                                         name, torch.numel(w), count))
  if bool(torch.any(w < 0)):
    ops.prim.RaiseException(torch.format("cov(): {} cannot be negative", name))


# Of `count` observations.
def weights_of(fweights: Optional[Tensor], aweights: Optional[Tensor], dtype: int, count: int) -> Optional[Tensor]:
  w: Optional[Tensor] = None
  if fweights is not None:
    check_weights(fweights, "fweights", "integral", fweights.dtype <= 4, count)
    w = torch.to(fweights, dtype)
  if aweights is not None:
    check_weights(aweights, "aweights", "floating point", torch.is_floating_point(aweights), count)
    a = torch.to(aweights, dtype)
    w = a if w is None else w * a
  return w


def aten_cov(self: Tensor, correction: int, fweights: Optional[Tensor], aweights: Optional[Tensor]) -> Tensor:
  if torch.dim(self) > 2:
    ops.prim.RaiseException(torch.format("cov(): expected input to have two or fewer dimensions but got an input with {} dimensions", torch.dim(self)))
  x = torch.reshape(self, [1, -1]) if torch.dim(self) < 2 else self
  if not torch.is_floating_point(x) and not torch.is_complex(x):
    x = torch.to(x, 6)
  real = torch.real(x)
  dtype = real.dtype
  if aweights is not None:
    dtype = torch.result_type(real, aweights)
  w = weights_of(fweights, aweights, dtype, torch.size(x, 1))
  if w is not None and bool(torch.sum(w) == 0):
    ops.prim.RaiseException("cov(): weights sum to zero, can't be normalized")
  if torch.numel(x) == 0:
    return torch.squeeze(torch.full([torch.size(x, 0), torch.size(x, 0)], nan, dtype=x.dtype))
  total = torch.full([], torch.size(x, 1), dtype=dtype)
  weighted = x
  if w is not None:
    total = torch.sum(w)
    weighted = x * w
  centred = x - torch.unsqueeze(torch.sum(weighted, [1]) / total, 1)
  divisor = total - correction
  if w is not None:
    weighted = centred * w
    if aweights is not None and correction != 0:
      divisor = total - torch.sum(w * aweights) / total * correction
  else:
    weighted = centred
  divisor = torch.clamp_min(divisor, 0)
  return torch.squeeze(torch.mm(weighted, torch.conj(torch.transpose(centred, 0, 1))) / divisor)


def aten_corrcoef(self: Tensor) -> Tensor:
  c = torch.cov(self)
  if torch.dim(c) == 0:
    return c / c
  d = torch.sqrt(torch.real(torch.diagonal(c)))
  made = c / torch.unsqueeze(d, 1) / torch.unsqueeze(d, 0)
  if torch.is_complex(made):
    return torch.complex(torch.clamp(torch.real(made), -1, 1), torch.clamp(torch.imag(made), -1, 1))
  return torch.clamp(made, -1, 1)


# ---- Order ----

def aten_median(self: Tensor) -> Tensor:
  if torch.numel(self) == 0:
    return torch.full([], nan, dtype=self.dtype)
  value, _0 = torch.median(torch.flatten(self), 0, False)
  return value


def aten_nanmedian(self: Tensor) -> Tensor:
  if torch.numel(self) == 0:
    return torch.full([], nan, dtype=self.dtype)
  value, _0 = torch.nanmedian(torch.flatten(self), 0, False)
  return value


def quantiles(self: Tensor, q: Tensor, dim: Optional[int], keepdim: bool, interpolation: str, skip_nan: bool) -> Tensor:
  if torch.dim(q) > 1:
    ops.prim.RaiseException("quantile() q must be a scalar or 1D tensor")
  if not bool(torch.all((q >= 0) & (q <= 1))):
    ops.prim.RaiseException("quantile() q values must be in the range [0, 1]")
  if torch.numel(self) == 0:
    ops.prim.RaiseException("quantile() input tensor must be non-empty")
  if self.dtype != q.dtype or not torch.is_floating_point(self):
    ops.prim.RaiseException("quantile() input tensor must be either float or double dtype and q must have the same")
  lines = torch.flatten(self) if dim is None else torch.transpose(torch.unsqueeze(self, 0) if torch.dim(self) == 0 else self, dim, -1)
  n = torch.size(lines, -1)
  values, _0 = torch.sort(lines, -1, False)
  count = torch.sum(values == values, [-1], True)
  last = torch.clamp_min(count - 1, 0) if skip_nan else torch.full_like(count, n - 1)
  rank = torch.reshape(q, [-1]) * last
  if not skip_nan:
    rank = torch.where(count < n, torch.full_like(rank, n - 1), rank)
  below = torch.floor(rank)
  part = rank - below
  if interpolation == "lower":
    part = torch.zeros_like(part)
  elif interpolation == "higher":
    part = torch.to(part > 0, part.dtype)
  elif interpolation == "nearest":
    part = torch.round(rank) - below
  elif interpolation == "midpoint":
    part = torch.full_like(part, 0.5)
  elif interpolation != "linear":
    ops.prim.RaiseException(torch.format("quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {}", interpolation))
  low = torch.gather(values, -1, torch.to(below, 4))
  high = torch.gather(values, -1, torch.to(torch.ceil(rank), 4))
  made = torch.where(part == 0, low, torch.where(part == 1, high, torch.lerp(low, high, part)))
  made = torch.movedim(made, -1, 0)
  if keepdim and torch.dim(self) > 0:
    if dim is None:
      made = torch.reshape(made, [-1] + [1 for i in range(torch.dim(self))])
    else:
      made = torch.transpose(torch.unsqueeze(made, -1), dim if dim < 0 else dim - torch.dim(self), -1)
  elif dim is not None and torch.dim(self) > 1:
    made = torch.squeeze(torch.transpose(torch.unsqueeze(made, -1), dim if dim < 0 else dim - torch.dim(self), -1), dim if dim < 0 else dim - torch.dim(self))
  return torch.squeeze(made, 0) if torch.dim(q) == 0 else made


def aten_quantile(self: Tensor, q: Tensor, dim: Optional[int], keepdim: bool, interpolation: str) -> Tensor:
  return quantiles(self, q, dim, keepdim, interpolation, False)


def aten_quantile_scalar(self: Tensor, q: float, dim: Optional[int], keepdim: bool, interpolation: str) -> Tensor:
  return quantiles(self, torch.full([], q, dtype=self.dtype), dim, keepdim, interpolation, False)


def aten_nanquantile(self: Tensor, q: Tensor, dim: Optional[int], keepdim: bool, interpolation: str) -> Tensor:
  return quantiles(self, q, dim, keepdim, interpolation, True)


def aten_nanquantile_scalar(self: Tensor, q: float, dim: Optional[int], keepdim: bool, interpolation: str) -> Tensor:
  return quantiles(self, torch.full([], q, dtype=self.dtype), dim, keepdim, interpolation, True)


# ---- Differences ----

def aten_diff(self: Tensor, n: int, dim: int, prepend: Optional[Tensor], append: Optional[Tensor]) -> Tensor:
  if torch.dim(self) == 0 or n < 0:
    ops.prim.RaiseException("diff expects input to be at least one-dimensional and an order that is not negative")
  x = self
  if n > 0 and prepend is not None:
    x = torch.cat([prepend, x], dim)
  if n > 0 and append is not None:
    x = torch.cat([x, append], dim)
  for i in range(min(n, torch.size(x, dim))):
    count = torch.size(x, dim) - 1
    after = torch.narrow(x, dim, 1, count)
    before = torch.narrow(x, dim, 0, count)
    x = torch.logical_xor(after, before) if x.dtype == 11 else after - before
  return x


# Sums of neighbours: twice the middle of each trapezium.
def sums_of_neighbours(y: Tensor, dim: int) -> Tensor:
  n = torch.size(y, dim)
  return torch.narrow(y, dim, 1, n - 1) + torch.narrow(y, dim, 0, n - 1)


def steps_of(y: Tensor, x: Tensor, dim: int) -> Tensor:
  if torch.dim(x) == 0 or torch.dim(y) == 0:
    ops.prim.RaiseException("trapezoid(): expected y and x to have at least one dimension")
  if torch.dim(x) == 1:
    if torch.size(x, 0) != torch.size(y, dim):
      ops.prim.RaiseException("trapezoid(): There must be one `x` value for each sample point")
    shape = [1 for i in range(torch.dim(y))]
    shape[dim] = -1
    return torch.reshape(torch.diff(x), shape)
  d = dim if dim < 0 or torch.dim(x) >= torch.dim(y) else dim - torch.dim(y)
  return torch.diff(x, 1, d)


def none_yet(y: Tensor, dim: int) -> bool:
  return torch.size(y, dim) == 0


def aten_trapezoid_x(y: Tensor, x: Tensor, dim: int) -> Tensor:
  if none_yet(y, dim):
    return torch.sum(y, [dim])
  return torch.sum(sums_of_neighbours(y, dim) * steps_of(y, x, dim), [dim]) / 2.0


def aten_trapezoid_dx(y: Tensor, dx: number, dim: int) -> Tensor:
  if none_yet(y, dim):
    return torch.sum(y, [dim])
  return (torch.sum(y, [dim]) - (torch.select(y, dim, 0) + torch.select(y, dim, -1)) * 0.5) * dx


def aten_trapz_x(y: Tensor, x: Tensor, dim: int) -> Tensor:
  return torch.trapezoid(y, x, dim=dim)


def aten_trapz_dx(y: Tensor, dx: float, dim: int) -> Tensor:
  return torch.trapezoid(y, dx=dx, dim=dim)


def aten_cumulative_trapezoid_x(y: Tensor, x: Tensor, dim: int) -> Tensor:
  return torch.cumsum(sums_of_neighbours(y, dim) * steps_of(y, x, dim), dim) / 2.0


def aten_cumulative_trapezoid_dx(y: Tensor, dx: number, dim: int) -> Tensor:
  return torch.cumsum(sums_of_neighbours(y, dim), dim) * (dx / 2.0)


# ---- Sets ----

def aten_isin_Tensor_Tensor(elements: Tensor, test_elements: Tensor, assume_unique: bool, invert: bool) -> Tensor:
  n, kind = torch.numel(test_elements), ops.prim.dtype(elements)
  if n > 1 and kind == ops.prim.dtype(test_elements) and (kind == 3 or kind == 4): # a NaN would stand in the way
    sorted_ones = torch.sort(torch.flatten(test_elements))[0]
    at = torch.clamp(torch.searchsorted(sorted_ones, torch.contiguous(elements)), 0, n - 1)
    there = torch.take(sorted_ones, at) == elements
  else:
    there = torch.any(torch.unsqueeze(elements, -1) == torch.flatten(test_elements), -1)
  return torch.logical_not(there) if invert else there


def aten_isin_Tensor_Scalar(elements: Tensor, test_element: number, assume_unique: bool, invert: bool) -> Tensor:
  return elements != test_element if invert else elements == test_element


def aten_isin_Scalar_Tensor(element: number, test_elements: Tensor, assume_unique: bool, invert: bool) -> Tensor:
  return torch.logical_not(torch.any(test_elements == element)) if invert else torch.any(test_elements == element)


# Of rows of which each equals, or does not, the one before: their first ones, which of these each row equals, and how
# often each occurs.
def runs(fresh: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  group = torch.cumsum(fresh, 0) - 1
  starts = torch.flatten(torch.nonzero(fresh))
  ends = torch.cat([torch.narrow(starts, 0, 1, torch.numel(starts) - 1), torch.full([1], torch.numel(fresh), dtype=4)]) if torch.numel(starts) > 0 else starts
  return (starts, group, ends - starts)


def fresh_rows(rows: Tensor) -> Tensor:
  n = torch.size(rows, 0)
  if n == 0:
    return torch.zeros([0], dtype=11)
  if torch.dim(rows) == 1:
    return torch.cat([torch.ones([1], dtype=11), torch.narrow(rows, 0, 1, n - 1) != torch.narrow(rows, 0, 0, n - 1)])
  same = torch.narrow(rows, 0, 1, n - 1) == torch.narrow(rows, 0, 0, n - 1)
  return torch.cat([torch.ones([1], dtype=11), torch.logical_not(torch.all(torch.reshape(same, [n - 1, -1]), 1) if torch.numel(same) > 0 else torch.ones([n - 1], dtype=11))])


# Ints that lie close together (labels) are counted, not sorted: what each is above the least, and how often it occurs.
def small_numbers(flat: Tensor) -> Optional[Tuple[Tensor, int]]:
  if torch.is_floating_point(flat) or torch.is_complex(flat) or flat.dtype == 11 or torch.numel(flat) == 0:
    return None
  least = int(torch.min(flat))
  span = int(torch.max(flat)) - least  # negative where that is more than an int holds
  if span < 0 or span > torch.numel(flat):
    return None
  return (torch.to(flat, 4) - least, least)


def aten__unique2(self: Tensor, sorted: bool, return_inverse: bool, return_counts: bool) -> Tuple[Tensor, Tensor, Tensor]:
  flat = torch.contiguous(torch.flatten(self))  # it is read several times
  small = small_numbers(flat)
  if small is not None:
    numbers, least = small
    all_counts = torch.bincount(numbers)
    occurs = all_counts > 0
    values = torch.to(torch.flatten(torch.nonzero(occurs)) + least, self.dtype)
    inverse, counts = torch.zeros([0], dtype=4), torch.zeros([0], dtype=4)
    if return_inverse:
      inverse = torch.reshape(torch.index_select(torch.cumsum(occurs, 0) - 1, 0, numbers), torch.size(self))
    if return_counts:
      counts = torch.masked_select(all_counts, occurs)
    return (values, inverse, counts)
  values, order = torch.sort(flat, stable=True, dim=0, descending=False)
  fresh = fresh_rows(values)
  none = torch.zeros([0], dtype=4)
  if not return_inverse and not return_counts:
    return (torch.masked_select(values, fresh), none, none)
  starts, group, counts = runs(fresh)
  inverse = torch.reshape(torch.scatter(group, 0, order, group), torch.size(self))
  return (torch.index_select(values, 0, starts), inverse, counts if return_counts else none)


# Whether there are no slices along dim to compare; raises when they have no elements.
def has_no_slices(self: Tensor, dim: int) -> bool:
  empty = 0
  for n in torch.size(self):
    empty = empty + (1 if n == 0 else 0)
  if torch.size(self, dim) == 0 and empty > 1:
    ops.prim.RaiseException("Number of zero sized dimensions is more than one, so unique cannot be applied ")
  if torch.size(self, dim) != 0 and empty > 0:
    ops.prim.RaiseException("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
  return empty > 0


def aten_unique_dim_consecutive(self: Tensor, dim: int, return_inverse: bool, return_counts: bool) -> Tuple[Tensor, Tensor, Tensor]:
  if has_no_slices(self, dim):
    none = torch.zeros([0], dtype=4)
    return (torch.clone(self), none, none)
  starts, group, counts = runs(fresh_rows(torch.transpose(self, 0, dim)))
  return (torch.index_select(self, dim, starts), group, counts)


# Along the only dimension as without one, where what is not asked for is empty.
def aten_unique_consecutive(self: Tensor, return_inverse: bool, return_counts: bool, dim: Optional[int]) -> Tuple[Tensor, Tensor, Tensor]:
  if dim is not None:
    if dim != 0 or torch.dim(self) != 1:
      return torch.unique_dim_consecutive(self, dim, return_inverse, return_counts)
  line = torch.flatten(self)
  fresh = fresh_rows(line)
  none = torch.zeros([0], dtype=4)
  if not return_inverse and not return_counts:
    return (torch.masked_select(line, fresh), none, none)
  starts, group, counts = runs(fresh)
  return (torch.index_select(line, 0, starts), torch.reshape(group, torch.size(self)) if return_inverse else none,
          counts if return_counts else none)


# Rows are sorted by their last number first, stably.
def aten_unique_dim(self: Tensor, dim: int, sorted: bool, return_inverse: bool, return_counts: bool) -> Tuple[Tensor, Tensor, Tensor]:
  none = torch.zeros([0], dtype=4)
  if has_no_slices(self, dim):
    return (torch.clone(self), none, none)
  turned = torch.transpose(self, 0, dim)
  n = torch.size(turned, 0)
  rows = torch.reshape(turned, [n, -1])
  order = torch.arange(n)
  for i in range(torch.size(rows, 1)):
    column = torch.index_select(torch.select(rows, 1, torch.size(rows, 1) - 1 - i), 0, order)
    _0, step = torch.sort(column, stable=True, dim=0, descending=False)
    order = torch.index_select(order, 0, step)
  starts, group, counts = runs(fresh_rows(torch.index_select(rows, 0, order)))
  return (torch.index_select(self, dim, torch.index_select(order, 0, starts)), torch.scatter(group, 0, order, group), counts)


# ---- Counts ----

def aten_bincount(self: Tensor, weights: Optional[Tensor], minlength: int) -> Tensor:
  if torch.dim(self) != 1 or minlength < 0 or torch.is_floating_point(self):
    ops.prim.RaiseException("bincount only supports 1-d non-negative integral inputs and a minlength that is not negative")
  if torch.numel(self) == 0:
    return torch.zeros([minlength], dtype=4)
  if int(torch.min(self)) < 0:
    ops.prim.RaiseException("bincount only supports 1-d non-negative integral inputs.")
  size = max(minlength, int(torch.max(self)) + 1)
  places = torch.to(self, 4)
  if weights is not None:
    if torch.size(weights) != torch.size(self):
      ops.prim.RaiseException("weights should be 1-d and have the same length as input")
    w = weights if weights.dtype == 6 else torch.to(weights, 7)
    return torch.scatter_add(torch.zeros([size], dtype=w.dtype), 0, places, w)
  return torch.scatter_add(torch.zeros([size], dtype=4), 0, places, torch.ones_like(places))


# How often numbers fall into n bins: into which each falls, and whether it does.
def sums_in_bins(values: Tensor, place: Tensor, inside: Tensor, edges: Tensor, weight: Optional[Tensor], density: bool) -> Tensor:
  w = torch.to(inside, values.dtype)
  if weight is not None:
    w = torch.flatten(weight) * w
  made = torch.scatter_add(torch.zeros([torch.numel(edges) - 1], dtype=values.dtype), 0, place, w)
  if density:
    made = made / torch.sum(made) / torch.diff(edges)
  return made


# Between any edges, the last one included.
def histogram_between(self: Tensor, edges: Tensor, weight: Optional[Tensor], density: bool) -> Tensor:
  values = torch.flatten(self)
  n = torch.numel(edges) - 1
  place = torch.searchsorted(edges, values, right=True) - 1
  place = torch.where(values == edges[n], torch.full_like(place, n - 1), place)
  return sums_in_bins(values, torch.clamp(place, 0, n - 1), (place >= 0) & (place < n), edges, weight, density)


# Between edges as far apart from each other: the bin is that which its distance says, or one beside it, where steps are
# wide enough that edges lie where they should.
def histogram_of_steps(self: Tensor, edges: Tensor, weight: Optional[Tensor], density: bool) -> Tensor:
  values = torch.flatten(self)
  n = torch.numel(edges) - 1
  low, high = edges[0], edges[n]
  scale = n / (high - low)
  widest = float(scale) * max(abs(float(low)), abs(float(high))) * (1e-06 if edges.dtype == 6 else 2e-15)
  if not (float(scale) > 0.0 and widest < 1.0):
    return histogram_between(self, edges, weight, density)
  guess = torch.clamp(torch.to((values - low) * scale, 4), 0, n - 1)
  place = guess + torch.ge(values, torch.take(edges, guess + 1)) + torch.ge(values, torch.take(edges, guess)) - 1
  return sums_in_bins(values, torch.clamp(place, 0, n - 1), (values >= low) & (values <= high), edges, weight, density)


def aten_histogram_bins_tensor(self: Tensor, bins: Tensor, weight: Optional[Tensor], density: bool) -> Tuple[Tensor, Tensor]:
  if torch.dim(bins) != 1 or bins.dtype != self.dtype:
    ops.prim.RaiseException("torch.histogram: bins tensor should have one dimension and input's dtype")
  return (histogram_between(self, bins, weight, density), torch.clone(bins))


def edges_between(values: Tensor, bins: int, low: float, high: float) -> Tensor:
  bottom = torch.full([], low, dtype=values.dtype)
  top = torch.full([], high, dtype=values.dtype)
  if low == high and torch.numel(values) > 0:
    bottom = torch.min(values)
    top = torch.max(values)
  if low == high and torch.numel(values) == 0:
    top = torch.ones_like(top)
  if bool(bottom == top):
    bottom = bottom - 0.5
    top = top + 0.5
  return torch.linspace(float(bottom), float(top), bins + 1, dtype=values.dtype)


def aten_histogram_bin_ct(self: Tensor, bins: int, range: Optional[List[float]], weight: Optional[Tensor], density: bool) -> Tuple[Tensor, Tensor]:
  low = 0.0
  high = 0.0
  if range is not None:
    low, high = range[0], range[1]
  if bins < 1 or low > high:
    ops.prim.RaiseException("torch.histogram: bins must be > 0 and max must be larger than min")
  edges = edges_between(self, bins, low, high)
  return (histogram_of_steps(self, edges, weight, density), edges)


# Of points in several dimensions; edges of each.
def counts_between(self: Tensor, edges: List[Tensor], weight: Optional[Tensor], density: bool) -> Tensor:
  if torch.dim(self) < 2 or torch.size(self, -1) != len(edges):
    ops.prim.RaiseException("torch.histogramdd: expected a tensor of points and bins for each of their dimensions")
  points = torch.reshape(self, [-1, len(edges)])
  place = torch.zeros([torch.size(points, 0)], dtype=4)
  inside = torch.ones([torch.size(points, 0)], dtype=11)
  volume = torch.ones([], dtype=self.dtype)
  shape: List[int] = []
  for d in range(len(edges)):
    n = torch.numel(edges[d]) - 1
    values = torch.contiguous(torch.select(points, 1, d))
    at = torch.searchsorted(edges[d], values, right=True) - 1
    at = torch.where(values == edges[d][n], torch.full_like(at, n - 1), at)
    inside = inside & (at >= 0) & (at < n)
    place = place * n + torch.clamp(at, 0, n - 1)
    volume = torch.unsqueeze(volume, -1) * torch.diff(edges[d])
    shape = shape + [n]
  w = torch.ones([torch.size(points, 0)], dtype=self.dtype)
  if weight is not None:
    w = torch.flatten(weight)
  made = torch.scatter_add(torch.zeros([torch.numel(volume)], dtype=self.dtype), 0, place, torch.masked_fill(w, torch.logical_not(inside), 0))
  made = torch.reshape(made, shape)
  return made / torch.sum(made) / volume if density else made


def aten_histogramdd_TensorList_bins(self: Tensor, bins: List[Tensor], range: Optional[List[float]], weight: Optional[Tensor],
                                     density: bool) -> Tuple[Tensor, List[Tensor]]:
  return (counts_between(self, bins, weight, density), bins)


def dimension_edges(self: Tensor, bins: List[int], limits: Optional[List[float]]) -> List[Tensor]:
  edges: List[Tensor] = []
  for d in range(len(bins)):
    low = 0.0
    high = 0.0
    if limits is not None:
      low, high = limits[2 * d], limits[2 * d + 1]
    edges = edges + [edges_between(torch.select(self, -1, d), bins[d], low, high)]
  return edges


def aten_histogramdd(self: Tensor, bins: List[int], range: Optional[List[float]], weight: Optional[Tensor],
                     density: bool) -> Tuple[Tensor, List[Tensor]]:
  edges = dimension_edges(self, bins, range)
  return (counts_between(self, edges, weight, density), edges)


def same_bins(self: Tensor, bins: int) -> List[int]:
  return [bins for d in range(torch.size(self, -1))]


def aten_histogramdd_int_bins(self: Tensor, bins: int, range: Optional[List[float]], weight: Optional[Tensor],
                              density: bool) -> Tuple[Tensor, List[Tensor]]:
  edges = dimension_edges(self, same_bins(self, bins), range)
  return (counts_between(self, edges, weight, density), edges)


# ---- Segments ----

def aten_segment_reduce(data: Tensor, reduce: str, lengths: Optional[Tensor], indices: Optional[Tensor], offsets: Optional[Tensor], axis: int,
                        unsafe: bool, initial: Optional[number]) -> Tensor:
  made: List[Tensor] = []
  if lengths is None and offsets is None:
    ops.prim.RaiseException("segment_reduce(): Either lengths or offsets must be defined.")
  d = axis if axis >= 0 else axis + torch.dim(data)
  size = torch.size(data, d)
  given = lengths if lengths is not None else offsets
  if given is not None:
    dtype = ops.prim.dtype(given)
    if dtype != 3 and dtype != 4:
      ops.prim.RaiseException("segment_reduce(): Expected lengths and offsets to be int32 or int64.")
    if d != torch.dim(given) - 1:
      ops.prim.RaiseException(torch.format("segment_reduce(): Expected axis to be the last dimension of lengths or offsets but got {}.", axis))
  bounds = torch.zeros([0], dtype=4)
  if lengths is not None:
    if not unsafe and int(torch.min(lengths)) < 0:
      ops.prim.RaiseException("segment_reduce(): lengths contains negative value!")
    bounds = torch.cumsum(lengths, -1)
    if not unsafe and not bool(torch.all(torch.eq(torch.select(bounds, -1, -1), size))):
      ops.prim.RaiseException("segment_reduce(): Expected all rows of lengths along axis to sum to the size of data.")
    bounds = torch.cat([torch.zeros_like(torch.narrow(bounds, -1, 0, 1)), bounds], -1)
    if d == 0 and not unsafe and initial is None and (reduce == "sum" or reduce == "mean"):
      n = torch.size(lengths, 0)
      segment = torch.repeat_interleave(torch.arange(n), lengths)
      total = torch.index_add(torch.zeros([n] + torch.size(data)[1:], dtype=ops.prim.dtype(data)), 0, segment, data)
      return total if reduce == "sum" else total / torch.reshape(torch.to(lengths, ops.prim.dtype(data)), [n] + [1] * (torch.dim(data) - 1))
  elif offsets is not None:
    bounds = offsets
  flat = torch.flatten(data, 0, d)
  count = torch.size(bounds, -1) - 1
  rows = torch.reshape(bounds, [-1, count + 1])
  for r in range(torch.size(rows, 0)):
    for i in range(count):
      first, end = int(rows[r][i]), int(rows[r][i + 1])
      if first < 0 or end > size:
        ops.prim.RaiseException("segment_reduce(): a segment lies outside of data.") # it would reach into the next row
      made = made + [reduced_segment(torch.narrow(flat, 0, r * size + first, end - first), reduce, initial)]
  return torch.reshape(torch.stack(made, 0), torch.size(data)[0:d] + [count] + torch.size(data)[d + 1:])


def reduced_segment(part: Tensor, reduce: str, initial: Optional[number]) -> Tensor:
  x = part
  if initial is not None:
    x = torch.cat([torch.full_like(torch.sum(part, [0], True), initial), part])
  n = torch.size(x, 0)
  if reduce == "sum":
    return torch.sum(x, [0])
  if reduce == "mean":
    return torch.sum(x, [0]) / max(torch.size(part, 0), 1) if n > 0 else torch.full_like(torch.sum(x, [0]), nan)
  if reduce == "prod":
    return torch.prod(x, 0)
  if reduce == "max":
    return torch.amax(x, [0]) if n > 0 else torch.full_like(torch.sum(x, [0]), -inf)
  if reduce == "min":
    return torch.amin(x, [0]) if n > 0 else torch.full_like(torch.sum(x, [0]), inf)
  ops.prim.RaiseException(torch.format("segment_reduce(): unknown reduction {}", reduce))
  return x


def aten_index_reduce(self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool) -> Tensor:
  if index.dtype != 3 and index.dtype != 4:
    ops.prim.RaiseException("index_reduce_(): Expected dtype int32/int64 for index")
  if torch.dim(index) > 1 or torch.numel(index) != (torch.size(source, dim) if torch.dim(source) > 0 else 1):
    ops.prim.RaiseException("index_reduce(): Expected the index to be a vector with an entry for each slice of source")
  made = torch.clone(torch.atleast_1d(self))
  from_ = torch.atleast_1d(source)
  places = torch.reshape(index, [-1])
  hits = torch.zeros([torch.size(made, dim)], dtype=4)
  counts = torch.scatter_add(hits, 0, torch.to(places, 4), torch.ones([torch.numel(places)], dtype=4))
  for i in range(torch.numel(places)):
    at = int(places[i])
    if at < 0:
      ops.prim.RaiseException("index out of range in self")
    old = torch.select(made, dim, at)
    new = torch.select(from_, dim, i)
    fresh = not include_self and int(hits[at]) == 0
    hits[at] = 1
    if fresh:
      torch.copy_(old, new)
    elif reduce == "prod":
      torch.mul_(old, new)
    elif reduce == "mean":
      torch.add_(old, new)
    elif reduce == "amax":
      torch.copy_(old, torch.maximum(torch.clone(old), new))  # its derivative reads what it compared
    elif reduce == "amin":
      torch.copy_(old, torch.minimum(torch.clone(old), new))
    else:
      ops.prim.RaiseException(torch.format("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {}.", reduce))
  if reduce == "mean":
    divisor = torch.clamp_min(counts + 1 if include_self else counts, 1)
    shape = [1 for k in range(torch.dim(made))]
    shape[dim] = -1
    divisor = torch.reshape(divisor, shape)
    made = made / divisor if torch.is_floating_point(made) else torch.to(torch.floor_divide(made, divisor), made.dtype)
  return torch.reshape(made, torch.size(self))


# ---- Norms and distances ----

def aten_dist(self: Tensor, other: Tensor, p: number) -> Tensor:
  return torch.norm(self - other, p)


def aten_renorm(self: Tensor, p: number, dim: int, maxnorm: number) -> Tensor:
  if torch.dim(self) < 2:
    ops.prim.RaiseException("renorm: input needs at least 2 dimensions")
  if not float(p) > 0.0:
    ops.prim.RaiseException("renorm: non-positive-norm not supported")
  if not float(maxnorm) >= 0.0:
    ops.prim.RaiseException("renorm: expected maxnorm to be >= 0")
  d = __torch__.torch.decompositions.shapes.wrapped(dim, torch.dim(self))
  others: List[int] = []
  for i in range(torch.dim(self)):
    if i != d:
      others = others + [i]
  lengths = torch.norm(self, p, others, True)
  return self * torch.where(lengths > maxnorm, torch.reciprocal(lengths + 1e-7) * maxnorm, torch.ones_like(lengths))


def aten_frobenius_norm(self: Tensor) -> Tensor:
  return torch.norm(self, 2)


def aten_frobenius_norm_dim(self: Tensor, dim: List[int], keepdim: bool) -> Tensor:
  if len(dim) > 2:
    ops.prim.RaiseException(torch.format("Expected at most 2 dimensions, but got {} dimensions instead.", len(dim)))
  return torch.norm(self, 2, dim, keepdim)


# By one product, as PyTorch computes many distances: |a|^2 - 2 a b + |b|^2.
def euclidean_distances(x1: Tensor, x2: Tensor) -> Tensor:
  a, b = torch.sum(x1 * x1, [-1], True), torch.sum(x2 * x2, [-1], True)
  left = torch.cat([x1 * -2, a, torch.ones_like(a)], -1)
  right = torch.cat([x2, torch.ones_like(b), b], -1)
  squares = torch.clamp_min(torch.matmul(left, torch.transpose(right, -2, -1)), 0)
  none = squares == 0
  return torch.masked_fill(torch.sqrt(torch.masked_fill(squares, none, 1)), none, 0)


def aten_cdist(x1: Tensor, x2: Tensor, p: float, compute_mode: Optional[int]) -> Tensor:
  if p == 2.0 and torch.dim(x1) > 1 and torch.dim(x2) > 1 and torch.size(x1, -1) == torch.size(x2, -1):
    if torch.is_floating_point(x1) and torch.is_floating_point(x2):  # what cannot be measured is refused by the kernel
      many = torch.size(x1, -2) > 25 or torch.size(x2, -2) > 25
      if many if compute_mode is None else compute_mode == 1 or (compute_mode == 0 and many):
        return euclidean_distances(x1, x2)
  return torch._cdist_forward(x1, x2, p, compute_mode)


def aten_pdist(self: Tensor, p: float) -> Tensor:
  return torch._pdist_forward(self, p)


# ---- Derivatives from differences ----

# Along a dimension whose points lie at `x` (uneven) or 1 / `scale` apart.
def slope(self: Tensor, dim: int, x: Optional[Tensor], scale: float, edge_order: int) -> Tensor:
  n = torch.size(self, dim)
  if n < edge_order + 1:
    ops.prim.RaiseException(torch.format("torch.gradient expected each dimension size to be at least edge_order+1"))
  f = torch.movedim(self, dim, -1)
  if not torch.is_floating_point(f) and not torch.is_complex(f):
    f = torch.to(f, 6)
  dtype = f.dtype
  steps = torch.full([n - 1], 1.0 / scale, dtype=7) if x is None else torch.diff(torch.to(x, 7))
  steps = torch.to(steps, 7 if f.dtype == 7 or f.dtype == 10 else 6)
  rises = torch.diff(f) / steps
  if x is None:
    middle = (torch.narrow(f, -1, 2, n - 2) - torch.narrow(f, -1, 0, n - 2)) / (2.0 / scale)
  else:
    before, after = torch.narrow(steps, 0, 0, n - 2), torch.narrow(steps, 0, 1, n - 2)
    both = before + after
    middle = torch.narrow(rises, -1, 0, n - 2) * (after / both) + torch.narrow(rises, -1, 1, n - 2) * (before / both)
  first, last = torch.narrow(rises, -1, 0, 1), torch.narrow(rises, -1, n - 2, 1)
  if edge_order == 2:
    first = first + (first - torch.narrow(rises, -1, 1, 1)) * (steps[0] / (steps[0] + steps[1]))
    last = last + (last - torch.narrow(rises, -1, n - 3, 1)) * (steps[n - 2] / (steps[n - 2] + steps[n - 3]))
  return torch.movedim(torch.to(torch.cat([first, middle, last], -1), dtype), -1, dim)


def slopes(self: Tensor, dims: List[int], places: List[Tensor], spacing: List[float], edge_order: int) -> List[Tensor]:
  if edge_order != 1 and edge_order != 2:
    ops.prim.RaiseException("torch.gradient only supports edge_order=1 and edge_order=2.")
  if (len(places) != 0 and len(places) != len(dims)) or (len(spacing) != 0 and len(spacing) != len(dims)):
    ops.prim.RaiseException(torch.format("torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = {}'", len(dims)))
  if self.dtype == 0:
    ops.prim.RaiseException("torch.gradient does not support uint8 input.")
  if self.dtype == 11 and len(dims) > 0:
    ops.prim.RaiseException("Subtraction, the `-` operator, with two bool tensors is not supported.")
  made: List[Tensor] = []
  for i in range(len(dims)):
    for k in range(i):
      if (dims[i] - dims[k]) % max(torch.dim(self), 1) == 0:
        ops.prim.RaiseException(torch.format("dim {} appears multiple times in the list of dims", dims[i]))
    x: Optional[Tensor] = None
    if len(places) > 0:
      x = places[i]
    made = made + [slope(self, dims[i], x, 1.0 / spacing[i] if len(spacing) > 0 else 1.0, edge_order)]
  return made


def dims_or_all(self: Tensor, dim: Optional[int]) -> List[int]:
  return [i for i in range(torch.dim(self))] if dim is None else [dim]


def aten_gradient_scalarint(self: Tensor, spacing: Optional[number], dim: Optional[int], edge_order: int) -> List[Tensor]:
  dims = dims_or_all(self, dim)
  step = 1.0
  if spacing is not None:
    step = float(spacing)
  return slopes(self, dims, annotate(List[Tensor], []), [step for i in range(len(dims))], edge_order)


def aten_gradient_scalararray(self: Tensor, spacing: number, dim: List[int], edge_order: int) -> List[Tensor]:
  return slopes(self, dim, annotate(List[Tensor], []), [float(spacing) for i in range(len(dim))], edge_order)


def aten_gradient_array(self: Tensor, dim: List[int], edge_order: int) -> List[Tensor]:
  return slopes(self, dim, annotate(List[Tensor], []), [1.0 for i in range(len(dim))], edge_order)


def aten_gradient_scalarrayint(self: Tensor, spacing: List[number], dim: Optional[int], edge_order: int) -> List[Tensor]:
  return slopes(self, dims_or_all(self, dim), annotate(List[Tensor], []), [float(s) for s in spacing], edge_order)


def aten_gradient_scalarrayarray(self: Tensor, spacing: List[number], dim: List[int], edge_order: int) -> List[Tensor]:
  return slopes(self, dim, annotate(List[Tensor], []), [float(s) for s in spacing], edge_order)


def aten_gradient_tensorarrayint(self: Tensor, spacing: List[Tensor], dim: Optional[int], edge_order: int) -> List[Tensor]:
  return slopes(self, dims_or_all(self, dim), spacing, annotate(List[float], []), edge_order)


def aten_gradient_tensorarray(self: Tensor, spacing: List[Tensor], dim: List[int], edge_order: int) -> List[Tensor]:
  return slopes(self, dim, spacing, annotate(List[float], []), edge_order)
