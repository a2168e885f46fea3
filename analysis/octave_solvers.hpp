// What an exported GNU Octave script does, whatever the job. Given are the names `stations` and `kinds`, N(kind),
// D(kind, station), c(station) and for convolutions `unit`, as export_octave.cpp writes them; a solver leaves X(kind),
// in steps per second, and Q(kind, station), the workers there.
#pragma once

namespace stagger {

inline constexpr const char* kOneServer = R"(
% The visits carry the demands. As many servers as workers are a delay, -1 here.
m = c;
m(c >= N) = -1;
[~, R] = qncsmva(N, ones(size(D)), D, m);
X = N / sum(R .* D);
Q = X * R .* D;
)";

inline constexpr const char* kConvolution = R"(
% S(k, n): seconds per worker that leaves station k while n are there. The unit is Stagger's time between two steps:
% any would do, but this one keeps G within the range of numbers.
S = D' ./ min(1:N, c') / unit;
visits = ones(1, length(c));
[~, ~, ~, ~, G] = qncsconvld(N, S, visits);
X = G(N) / G(N + 1) / unit;
% P(j workers at k) = prod S(k, 1:j) * G without k (N - j) / G(N); qncsconvld's own queues come from differences.
Q = zeros(1, length(c));
for k = 1:length(c)
  others = S;
  others(k, :) = 0;
  [~, ~, ~, ~, without] = qncsconvld(N, others, visits);
  Q(k) = sum((1:N) .* cumprod(S(k, :)) .* fliplr(without(1:N))) / G(N + 1);
endfor
)";

inline constexpr const char* kClasses = R"(
% The visits carry the demands. As many servers as workers are a delay, -1 here.
m = c;
m(c >= sum(N)) = -1;
[~, R] = qncmmva(N, ones(size(D)), D, m);
X = N ./ sum(R .* D, 2)';
Q = X' .* R .* D;
)";

inline constexpr const char* kClassesConvolution = R"(
% No solver of the package takes several kinds here, so this is the product form itself: with n(i) workers of kind i
% there, |n| in all, station k has the weight prod_i (D(i, k)^n(i) / n(i)!) * prod_{j <= |n|} j / min(j, c(k)). The
% units of time are Stagger's times between two steps of a kind: any would do, but these keep G within the range of
% numbers.
range = arrayfun(@(n) 1:n + 1, N, 'UniformOutput', false);
n = cell(size(N));
[n{:}] = ndgrid(range{:});
n = cellfun(@(index) index - 1, n, 'UniformOutput', false);
total = sum(cat(length(N) + 1, n{:}), length(N) + 1);
weights = cell(size(c));
for k = 1:length(c)
  crowded = [0, cumsum(log((1:sum(N)) ./ min(1:sum(N), c(k))))];
  logs = crowded(total + 1);
  for i = 1:length(N)
    powers = n{i} * log(D(i, k) / unit(i));
    powers(n{i} == 0) = 0;
    logs += powers - gammaln(n{i} + 1);
  endfor
  weights{k} = exp(logs);
endfor
G = 1;
for k = 1:length(c)
  G = convn(G, weights{k})(range{:});
endfor
X = G(end - [1, cumprod(N(1:end - 1) + 1)]) / G(end) ./ unit;
% P(n at k) = weight of n * G without k (N - n) / G(N).
Q = zeros(size(D));
for k = 1:length(c)
  without = zeros(size(G));
  without(1) = 1;
  for other = [1:k - 1, k + 1:length(c)]
    without = convn(without, weights{other})(range{:});
  endfor
  p = weights{k}(:) .* flipud(without(:)) / G(end);
  for i = 1:length(N)
    Q(i, k) = sum(n{i}(:) .* p);
  endfor
endfor
)";

inline constexpr const char* kPrint = R"(
queue = sum(Q, 1);
utilization = X * D ./ c;                            % of what a busy station can do
utilization(isinf(c)) = queue(isinf(c)) / sum(N);    % of a delay: the share of the workers that are there
residence = queue / sum(X);                          % s per step, waiting included
assert(sum(Q, 2)', N, -1e-8);                        % nobody is lost
assert(all(X > 0) && all(utilization <= 1 + 1e-8));

printf("%-32s %22s %22s\n", "kind", "workers", "steps/s");
for i = 1:length(N)
  printf("%-32s %22d %22.17g\n", kinds{i}, N(i), X(i));
endfor
printf("%-32s %22d %22.17g\n\n", "total", sum(N), sum(X));
printf("%-32s %22s %22s %22s\n", "station", "utilization", "queue", "residence_s");
for k = 1:length(c)
  printf("%-32s %22.17g %22.17g %22.17g\n", stations{k}, utilization(k), queue(k), residence(k));
endfor
)";

}  // namespace stagger
