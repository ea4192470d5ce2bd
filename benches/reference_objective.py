"""The ORCT objective and its gradient in plain NumPy: one of the peers, and the judge of everyone's answers."""

import numpy as np


def min_max_scaled(X):
    """X mapped to [0, 1] column by column; a constant column maps to 0."""
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / np.where(high > low, high - low, 1)


def equal_costs(n_classes):
    """The papers' costs W[y, k]: 0.5 for every wrong class."""
    return 0.5 * (1 - np.eye(n_classes))


def label_costs(leaf_labels, n_classes):
    """class_leaf_cost under equal costs for one label per leaf."""
    return equal_costs(n_classes)[:, leaf_labels]


def sweep_down(X, a, mu, gamma):
    """Left probabilities (N, B) and the reach probabilities of every level, the last being P_it; a is (B, p)."""
    F = 0.5 * (1 + np.tanh(0.5 * gamma * (X @ a.T / X.shape[1] - mu)))
    reach = [np.ones((len(X), 1))]
    for first in _first_nodes(len(mu)):
        f = F[:, first : 2 * first + 1]
        below = np.empty((len(X), 2 * (first + 1)))
        below[:, 0::2], below[:, 1::2] = reach[-1] * f, reach[-1] * (1 - f)
        reach.append(below)
    return F, reach


def value(X, y, a, mu, class_leaf_cost, gamma):
    """(1/N) Σ_i Σ_t P_it cost_{y_i t}; class_leaf_cost = W C, so labels may be fractional."""
    P = sweep_down(X, a, mu, gamma)[1][-1]
    return (P * class_leaf_cost[y]).sum() / len(X)


def value_and_gradient(theta, X, y, class_leaf_cost, gamma):
    """theta holds B·p coefficients, node after node, then B intercepts."""
    N, p = X.shape
    B = len(theta) // (p + 1)
    a, mu = theta[: B * p].reshape(B, p), theta[B * p :]
    F, reach = sweep_down(X, a, mu, gamma)
    V = class_leaf_cost[y]
    loss = (reach[-1] * V).sum() / N
    dZ = np.empty((N, B))
    for level, first in reversed(list(enumerate(_first_nodes(B)))):
        nodes = slice(first, 2 * first + 1)
        f, left, right = F[:, nodes], V[:, 0::2], V[:, 1::2]
        dZ[:, nodes] = reach[level] * (left - right) * f * (1 - f)
        V = f * left + (1 - f) * right
    dZ *= gamma / N
    return loss, np.concatenate([(dZ.T @ X / p).ravel(), -dZ.sum(axis=0)])


def _first_nodes(n_branch_nodes):
    """Number of the first node of each level: 0, 1, 3, 7, … (a level ends where the next begins)."""
    return [2**level - 1 for level in range((n_branch_nodes + 1).bit_length() - 1)]
