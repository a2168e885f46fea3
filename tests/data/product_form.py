#!/usr/bin/env python3
"""Writes product_form.csv: P(n_1, ..., n_K) ~ prod_k D_k^n_k / prod_{j<=n_k} min(j, c_k), summed with 60 digits.

The weights of a station, times t^n with t near the throughput, are the coefficients of a polynomial; a product of two
is one product of two long numbers with a field of digits for each coefficient. Takes a few seconds for each network.
"""
import decimal
from decimal import Decimal

DIGITS, FIELD = 60, 140
context = decimal.getcontext()
context.Emax, context.Emin = decimal.MAX_EMAX, decimal.MIN_EMIN


def weights(demand, servers, customers, t):
    """Whole numbers, the largest 10^DIGITS; from there outwards, until they are nothing."""
    context.prec = DIGITS + 30
    ratio = lambda j: t * Decimal(demand) / min(Decimal(j), Decimal(servers))
    low, high = 0, customers
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if ratio(middle) >= 1 else (low, middle - 1)
    result = [0] * (customers + 1)
    result[low] = 10**DIGITS
    for steps, step in ((range(low + 1, customers + 1), 1), (range(low - 1, -1, -1), -1)):
        weight = Decimal(10) ** DIGITS
        for j in steps:
            weight = weight * ratio(j) if step > 0 else weight / ratio(j + 1)
            if weight < 1:
                break
            result[j] = int(weight)
    return result


def product(a, b):
    context.prec = 2 * FIELD * (len(a) + 1)
    number = lambda c: Decimal("".join(str(x).zfill(FIELD) for x in reversed(c)))
    text = format(number(a) * number(b), "f").zfill(2 * FIELD * len(a))
    result = [int(text[len(text) - FIELD * (i + 1):len(text) - FIELD * i]) for i in range(len(a))]
    unit = 10 ** max(0, len(str(max(result))) - DIGITS - 1)
    return [x // unit for x in result]


def solve(demands, servers, customers, t):
    """X(N), X(N-1) and the customers at the last station."""
    others, own = None, weights(demands[0], servers[0], customers, t)
    all_ = own
    for demand, count in zip(demands[1:], servers[1:]):
        others, own = all_, weights(demand, count, customers, t)
        all_ = product(others, own)
    context.prec = DIGITS
    terms = [own[j] * others[customers - j] for j in range(customers + 1)]
    queue = Decimal(sum(j * term for j, term in enumerate(terms))) / sum(terms)
    return (t * all_[customers - 1] / all_[customers], t * all_[customers - 2] / all_[customers - 1], queue)


NETWORKS = [  # demands, servers, customers, t
    ("1 0.0625 0.03125 0.0625", "inf 93.75 46.5 94", 1600, 1400),
    ("1 0.5 0.75 0.5", "inf 18200.5 27300.25 18181", 100000, 36300),
    ("1 0.5 0.5 0.5", "inf 19000 17000.5 17000.5", 100000, 33990),
    ("1 0.00001 0.001 0.0008", "inf 1 99.5 80", 100000, 99000),
    ("0.5 0.75 0.5", "40000.5 61234 45678.25", 100000, 55000),
    ("1 9 0.00001 2", "inf 95000.25 3 20000", 100000, 8300),
]

with open("product_form.csv", "w", encoding="utf-8") as file:
    print("N,demands_s,parallelism,throughput_per_s,fewer_per_s,last_queue_mean", file=file)
    for demands, servers, customers, t in NETWORKS:
        solution = solve(demands.split(), servers.split(), customers, Decimal(t))
        print(f"{customers},{demands},{servers}", *(str(x)[:22] for x in solution), sep=",",
              file=file)
