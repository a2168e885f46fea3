// A job's queueing network as a GNU Octave script, so that another program can solve it too.
#pragma once

#include <string>

#include "sim/config/layout.hpp"

namespace stagger {

/// With time in units of 1/X(N), the sums of a convolution are products of X(N)/X(n) <= N/n, as X is concave (its
/// stations' rates are): at most N^N/N! < e^N, and a double ends at e^709.
inline constexpr int kMostConvolved = 700;
/// Population vectors, prod (N_c + 1) over the classes. Octave convolves that many in seconds.
inline constexpr double kMostConvolvedStates = 10'000;

/// A script for GNU Octave with its package `queueing` that solves the network that solve_network solves for `layout`,
/// and prints the steps per second of each kind of workers and in total, and of each station the utilization, the
/// workers there and their time there per step. Stagger's own solution stands in its comments, and its prediction where
/// solve_job corrects that. Times are in seconds, numbers have 17 significant digits. Where all stations are delays or
/// have one server, qncsmva or qncmmva solves it. Elsewhere these take 1 - sum p_j for an empty station, as qncsmvald
/// does, which cancels near saturation, and have no several classes with a parallelism that is no whole number; so it
/// is convolution there, which adds and multiplies positive numbers only: one class by qncsconvld, several by the
/// script itself.
///
/// Throws InputError where that is too much: several kinds that solve_network only approximates, and convolutions
/// beyond the limits above.
std::string octave_script(const Layout& layout, const std::string& scenario);

}  // namespace stagger
