% Exact distributions of staleness of a few workers, which compute and then wait for one first-come server with several
% threads, all times exponential, as a table on standard output: tests/data/staleness_tagged_worker_octave.csv.
% tests/octave/compare runs it.
%
% The chain of the whole job with every worker told apart: who is at the server, in the order of arrival. Its
% equilibrium is solved for, and what a worker sees when its update ends follows from it; no product form, no arrival
% theorem, no kinds.
1;

% All ordered selections of the workers 1 … N, as rows of cells.
function queues = selections(N)
  queues = {[]};
  i = 1;
  while i <= numel(queues)
    for w = setdiff(1:N, queues{i})
      queues{end+1} = [queues{i} w];
    endfor
    i++;
  endwhile
endfunction

% A name for each.
function k = key(queue)
  k = ["q" char("0" + queue)];
endfunction

% fills(s,t): rate of workers that join; ends{w}(s,t): of updates of worker w.
function [fills ends] = rates(compute, update, threads)
  N = numel(compute);
  queues = selections(N);
  S = numel(queues);
  index = cell2struct(num2cell(1:S), cellfun(@key, queues, "UniformOutput", false), 2);
  fills = sparse(S, S);
  ends = repmat({sparse(S, S)}, 1, N);
  for s = 1:S
    queue = queues{s};
    for w = setdiff(1:N, queue)
      fills(s, index.(key([queue w]))) = 1 / compute(w);
    endfor
    for i = 1:min(threads, numel(queue))
      ends{queue(i)}(s, index.(key(queue([1:i-1, i+1:end])))) = 1 / update;
    endfor
  endfor
endfunction

% P(0) … P(last) of worker w.
function p = staleness(fills, ends, w, last)
  S = rows(fills);
  all = fills;
  for e = ends
    all += e{1};
  endfor
  out = sum(all, 2);
  equations = (all - spdiags(out, 0, S, S))';
  equations(end, :) = 1;
  equilibrium = equations \ [zeros(S - 1, 1); 1];
  reads = equilibrium' * ends{w};
  v = reads / sum(reads);
  applies = all - fills - ends{w};
  A0 = fills - spdiags(out, 0, S, S);
  own = sum(ends{w}, 2);
  p = zeros(1, last + 1);
  for k = 0:last
    time = -v / A0;
    p(k + 1) = time * own;
    v = time * applies;
  endfor
endfunction

function text = list(format, values)
  text = strjoin(arrayfun(@(x) sprintf(format, x), values, "UniformOutput", false), " ");
endfunction

% A row for each compute time.
function table(compute, update, threads)
  [fills ends] = rates(compute, update, threads);
  [~, first] = unique(compute, "first");
  for w = sort(first(:)')
    p = staleness(fills, ends, w, 19);
    printf("%s,%g,%d,%d,%s\n", list("%g", compute), update, threads, w - 1, list("%.12g", p));
  endfor
endfunction

printf("compute_s,update_s,threads,tagged,pmf\n");
for update = [0.03 0.3 2]
  for threads = 1:3
    table([1 1], update, threads);
    table([1 3], update, threads);
    table([1 1 1 1 1], update, threads);
    table([1 1 3 3], update, threads);
    table([0.4 1 1 1 7], update, threads);
    table([0.2 0.5 1 2 2], update, threads);
  endfor
endfor
