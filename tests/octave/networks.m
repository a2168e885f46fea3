% Random closed networks and their solutions by GNU Octave's queueing package, as a table on standard output:
% tests/data/networks_octave.csv. Lists are separated by spaces, classes by slashes. tests/octave/compare runs it.
1;
pkg load queueing

% Park and Miller's minimal standard generator: the same networks in every version of Octave.
function u = uniform()
  persistent state = 20240229;
  state = mod(48271 * state, 2147483647);
  u = state / 2147483647;
endfunction

function n = whole(first, last)
  n = first + floor(uniform() * (last - first + 1));
endfunction

% m(k): servers, Inf at a delay. D(c,k): demands of two digits, so that the table stays small; about as large per
% server at every station, or only one station would matter.
function [N m D] = network(classes)
  K = whole(1, 6);
  most = [200 60 12](classes);
  N = arrayfun(@(c) whole(1, most), 1:classes);
  if classes > 1 && uniform() < 0.1
    N(1) = whole(100, 197);
    N(2:end) = 1;
  endif
  m = ones(1, K);
  D = zeros(classes, K);
  for k = 1:K
    kind = uniform();
    if kind < 0.25
      m(k) = Inf;
    elseif kind < 0.5
      m(k) = whole(2, 16);
    endif
    scale = min(m(k), 20);
    for c = 1:classes
      if k == 1 || uniform() > 0.1
        D(c, k) = str2double(sprintf("%.2g", scale * (0.02 + uniform())));
      endif
    endfor
  endfor
endfunction

% The visits carry the demands, as qncmmva wants one service time for all classes where there are several servers.
function [solver X Q] = solve(N, m, D)
  servers = m;
  servers(isinf(m)) = -1;
  S = ones(size(D));
  if length(N) == 1
    solver = "qncsmva";
    [U R Q x] = qncsmva(N, S, D, servers);
  else
    solver = "qncmmva";
    [U R Q x] = qncmmva(N, S, D, servers);
  endif
  X = x(:, 1)' ./ D(:, 1)';
endfunction

% qncsmva and qncmmva take the probability that a station with several servers is empty as 1 minus all others, which
% cancels near saturation: with think time 1 and demand 0.4 at 8 servers, 200 customers get a throughput of -9.69
% instead of 20. A solution is taken only when it obeys the laws, and when another unit of time changes nothing: digits
% that are lost are lost in another way then.
function good = is_sound(N, m, D, X, Q)
  busy = sum(X' .* D, 1) ./ m;
  good = all(isfinite([X Q(:)'])) && all(X > 0) && all(Q(:) >= 0) && all(busy <= 1 + 1e-9) && ...
         all(abs(sum(Q, 2)' - N) <= 1e-9 * N) && all(X .* sum(D, 2)' <= N * (1 + 1e-9));
  if good && any(m > 1 & isfinite(m))
    [~, X3, Q3] = solve(N, m, 3 * D);
    good = all(abs(3 * X3 - X) <= 1e-10 * X) && all(abs(Q3(:) - Q(:)) <= 1e-10 * sum(N));
  endif
endfunction

% Takes servers of one at most, and a positive demand everywhere, or its test of convergence fails.
function text = schweitzer(N, m, D)
  text = "-";
  if all(D(:) > 0) && all(m == 1 | isinf(m))
    m(isinf(m)) = -1;
    [~, ~, ~, x] = qncmmvabs(N, ones(size(D)), D, m, [], 1e-12, 1e5);
    text = list("%.15g", x(:, 1)' ./ D(:, 1)');
  endif
endfunction

function text = list(format, values)
  lines = cell(1, rows(values));
  for c = 1:numel(lines)
    lines{c} = strjoin(arrayfun(@(x) sprintf(format, x), values(c, :), "UniformOutput", false), " ");
  endfor
  text = strjoin(lines, "/");
endfunction

printf("customers,servers,demands_s,solver,throughput_per_s,queue_mean,schweitzer_per_s\n");
warning("off", "qn:numerical-instability");
warning("off", "Octave:deprecated-syntax");  % the package's own
for i = 1:600
  [N m D] = network(1 + mod(i, 3));
  [solver X Q] = solve(N, m, D);
  solution = "-,-";
  if is_sound(N, m, D, X, Q)
    solution = [list("%.15g", X) "," list("%.15g", Q)];
  endif
  printf("%s,%s,%s,%s,%s,%s\n", list("%d", N), list("%g", m), list("%g", D), solver, solution, schweitzer(N, m, D));
endfor
